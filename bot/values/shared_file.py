"""Define settings that a repository shares with others. The repository's own settings take precedence."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class UnusableFile:
    """What is at the path of a settings file, if it can't be used. `why` is a clause, such as "it is a folder"."""

    why: str


SettingsText = bytes | UnusableFile | None  # the content of a settings file; None if there is nothing at its path


@dataclass(frozen=True, slots=True)
class Layer:
    """The settings in such a file, by name."""

    source: str  # the name of the file, shown as the origin of settings
    values: Mapping[str, Any] = field(default_factory=dict)
    bound: frozenset[str] = frozenset()  # settings that the repository's own file cannot change
    warnings: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()  # warnings about settings that may decide how a check ends


@dataclass(frozen=True, slots=True)
class SharedFile(ABC):
    """A shared settings file, read when the settings are resolved."""

    repository: str  # "owner/name"
    text: SettingsText = field(default=None, repr=False)

    @abstractmethod
    def layer(self) -> Layer:
        """Read the file. Mistakes in it become warnings."""
