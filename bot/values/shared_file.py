"""Settings files that apply to several repositories.

A repository's own settings take precedence over them.
"""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class UnusableFile:
    """Something unusable at the path of a settings file. `why` is a clause, such as "it is a folder"."""

    why: str


SettingsText = bytes | UnusableFile | None  # the content of a settings file, or None if there is no such file


@dataclass(frozen=True, slots=True)
class SharedFile:
    """The settings file in an owner's `.deeprepo` repository. It is parsed when the settings are resolved.

    `is_shown` says whether everybody who can see the review may also see this file. `problem` says why the
    file could not be read.
    """

    repository: str  # "owner/name"
    text: SettingsText = field(default=None, repr=False)
    is_shown: bool = True
    problem: str = ""
