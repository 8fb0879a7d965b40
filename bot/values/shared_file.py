"""Settings that a repository shares with others: a file elsewhere, whose settings lie below those of the repository's own."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Layer:
    """What such a file sets, by the names of settings."""

    source: str  # the name of the file, as origins of settings have it
    values: Mapping[str, Any] = field(default_factory=dict)
    bound: frozenset[str] = frozenset()  # settings that the repository's own file does not change
    warnings: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()  # the warnings about what may decide how a check ends


@dataclass(frozen=True, slots=True)
class SharedFile(ABC):
    """Such a file, which is read where the settings are resolved."""

    repository: str  # "owner/name"
    text: str = field(default="", repr=False)

    @abstractmethod
    def layer(self) -> Layer:
        """Read it. What is wrong with it costs a sentence."""
