"""Settings files that apply to several repositories.

A repository's own settings take precedence over them.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class UnusableFile:
    """Something at the path of a settings file that can't be used.

    `why` is a clause, such as "it is a folder".
    """

    why: str


SettingsText = bytes | UnusableFile | None  # the content of a settings file, or None if there is no such file


@dataclass(frozen=True, slots=True)
class SettingsLayer:
    """The parsed settings of such a file."""

    source: str  # the name of the file, shown as the origin of settings
    values: Mapping[str, Any] = field(default_factory=dict)  # by name
    enforced: frozenset[str] = frozenset()  # settings that the repository's own file cannot change
    warnings: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()  # the warnings that may affect whether the check passes


@dataclass(frozen=True, slots=True)
class SharedFile(ABC):
    """A settings file that applies to several repositories. It is parsed when the settings are resolved."""

    repository: str  # "owner/name"
    text: SettingsText = field(default=None, repr=False)

    @abstractmethod
    def layer(self) -> SettingsLayer:
        """Parse the file. Mistakes in it become warnings."""
