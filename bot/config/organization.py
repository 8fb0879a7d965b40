"""The defaults of an organization: a file of the same form in the owner's `.deeprepo` repository, below each repository's own.

Setting by setting, the repository's own value is the stronger one. A list that is empty unless somebody writes it (`ignore`, `rules`,
`learnings`, `checks`, `instructions`, `consumers`) has the entries of both; `[]` leaves the organization's out. Of what the
organization names in `enforce` its own value holds.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bot.config.defaults import DEFAULTS
from bot.config.names import FILE
from bot.config.repository import RepoConfig, Triggers, read, written_as
from bot.config.resolution import Value
from bot.errors import ConfigError

if TYPE_CHECKING:
    from bot.values import OrganizationFile

LISTS = frozenset(name for name, value in DEFAULTS.items() if value == ())  # whose entries come from both files
SECTIONS = ("models", "budget", "triggers")  # whose keys are settings of their own


@dataclass(frozen=True, slots=True)
class SharedDefaults:
    """What an organization's file sets. `source` names it; `bound_names` has the settings that no repository changes, as the file writes them."""

    source: str
    file: RepoConfig = field(default_factory=RepoConfig)
    bound_names: frozenset[str] = frozenset()
    warnings: tuple[str, ...] = ()

    def both(
        self,
        values: Mapping[str, Value],
        own: Mapping[str, Any],
        ours: Mapping[str, Any],
        left_out: Collection[str],
        name: str,
    ) -> dict[str, Value]:
        """The settings that have something of both files: lists of entries, and the section `run`. `left_out`: lists that the repository's file empties."""
        rows = {}
        for key in (*LISTS, "run"):
            if key in left_out and values[key].origin == self.source:
                rows[key] = Value((), "default")
            elif key in ours and values[key].origin == name:
                value = _joined(key, own[key], ours[key])
                rows[key] = values[key] if value == own[key] else Value(value, f"{name} and {self.source}")
        return rows

    def enforced(
        self, values: Mapping[str, Value], ours: Mapping[str, Any], flags: Mapping[str, Any]
    ) -> dict[str, Value]:
        """The values that hold because the organization enforces them; its checks hold beside those of the repository.

        What a person types at a terminal holds: they pay for it. The inputs of a workflow (`is_workflow`) are the repository's.
        """
        rows = {}
        for key, value in (dict.fromkeys(LISTS, ()) | dict(ours)).items():
            if written_as(key) not in self.bound_names or (
                values[key].origin == "flag" and not flags.get("is_workflow")
            ):
                continue
            holds = _joined(key, value, values[key].value) if key == "checks" else value
            if holds != values[key].value:
                rows[key] = Value(holds, f"{self.source}, which enforces it")
        return rows

    def triggers(self, own: Triggers | None, name: str) -> tuple[Triggers | None, Mapping[str, str]]:
        """The triggers of both files, and where each that is set comes from."""
        theirs = {key: getattr(own, key) for key in own.model_fields_set} if own is not None else {}
        ours = {key: getattr(self.file.triggers, key) for key in self.file.triggers.model_fields_set}
        if not ours and own is None:
            return None, {}
        bound = {key: value for key, value in ours.items() if f"triggers.{key}" in self.bound_names}
        origins = {
            **dict.fromkeys(ours, self.source),
            **dict.fromkeys(theirs, name),
            **dict.fromkeys(bound, self.source),
        }
        return Triggers(**{**ours, **theirs, **bound}), origins


def _joined(name: str, first: Any, second: Any) -> Any:  # noqa: ANN401 - of any setting
    """The value of two files; of one name or key the first one's counts."""
    if name == "run":
        return type(first)(**{**second.model_dump(exclude_unset=True), **first.model_dump(exclude_unset=True)})
    if name == "ignore":  # the last pattern that takes a file decides: it is the repository's
        return (*second, *first)
    if name == "checks":
        return (*first, *(row for row in second if row[0] not in {one[0] for one in first}))
    return tuple(dict.fromkeys((*first, *second)))


def read_defaults(organization: "OrganizationFile | None") -> SharedDefaults | None:
    """What the organization's file sets. What is wrong with it costs a sentence; nothing of a text that may not be shown is in one."""
    if organization is None:
        return None
    source = f"{FILE} of {organization.repository}"
    if organization.problem:
        return SharedDefaults(source, warnings=(f"{source} is not used: {organization.problem}.",))
    if not organization.is_shown:
        why = "is private and this repository is public: it does not hold here"
        return SharedDefaults(
            source, warnings=(f"{source} {why}. What holds for public repositories belongs into a public one.",)
        )
    try:
        file, warnings = read(organization.text.encode(), source)
    except ConfigError as error:
        return SharedDefaults(source, warnings=(f"{error}; the repository's own settings hold alone",))
    names = tuple(_names(file))
    bound = frozenset(name for name in names for each in file.enforce if name == each or name.startswith(f"{each}."))
    missing = [each for each in file.enforce if not any(name == each or name.startswith(f"{each}.") for name in names)]
    unknown = (f"{source}: enforce: {each} is not set in this file, so nothing of it is enforced" for each in missing)
    return SharedDefaults(source, file, bound, (*warnings, *unknown))


def _names(file: RepoConfig) -> Iterator[str]:
    """The settings that a file has, as it writes them: `budget.usd`."""
    for name in (each for each in RepoConfig.model_fields if each in file.model_fields_set and each != "enforce"):
        if name in SECTIONS:
            yield from (f"{name}.{key}" for key in sorted(getattr(file, name).model_fields_set))
        else:
            yield name
