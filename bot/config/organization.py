"""The defaults of an organization: a file of the same form in the owner's `.deeprepo` repository, below each repository's own.

Setting by setting, the repository's own value is the stronger one. A list that is empty unless somebody writes it (`ignore`,
`instructions`, `consumers`) has the entries of both; `[]` leaves the organization's out. Of what the
organization names in `enforce` its own value holds.
"""

from typing import TYPE_CHECKING

from bot.config.defaults import written_as
from bot.config.repository import RepoFile, read
from bot.errors import ConfigError

if TYPE_CHECKING:
    from bot.values import OrganizationFile


def read_defaults(organization: "OrganizationFile", source: str) -> tuple[RepoFile, frozenset[str], tuple[str, ...]]:
    """What the organization's file sets, the settings that no repository changes, and warnings. `source` names the file.

    What is wrong with it costs a sentence; nothing of a text that may not be shown is in one.
    """
    nothing = RepoFile(), frozenset[str]()
    if organization.problem:
        return *nothing, (f"{source} is not used: {organization.problem}.",)
    if not organization.is_shown:
        why = "is private and this repository is public: it does not hold here"
        return *nothing, (f"{source} {why}. What holds for public repositories belongs into a public one.",)
    try:  # what else it enforces holds beside a misspelt key, in repositories that cannot correct it
        file, warnings = read(organization.text.encode(), source, strict=False)
    except ConfigError as error:
        return *nothing, (f"{error}; the repository's own settings hold alone",)
    bound = {
        each: {name for name in file.values if f"{written_as(name)}.".startswith(f"{each}.")} for each in file.enforce
    }
    unknown = (
        f"{source}: enforce: {each} is not set in this file, so nothing of it is enforced"
        for each, names in bound.items()
        if not names
    )
    return file, frozenset().union(*bound.values()), (*warnings, *unknown)
