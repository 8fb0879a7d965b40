"""The values of the walkthrough: sentences, files by theme, and the location at which to start."""

from dataclasses import dataclass
from typing import Literal

from deeprepo.impact.values import Side
from deeprepo.rlm.values import Exact

Author = Literal["code", "model"]


@dataclass(frozen=True, slots=True)
class FileRow:
    """One file and its phrase."""

    path: Exact[str]
    phrase: str
    by: Author = "code"


@dataclass(frozen=True, slots=True)
class Theme:
    """Files grouped by a model's theme, or by kind and folder. Several groups can have the same title."""

    title: str
    rows: tuple[FileRow, ...]
    by: Author = "code"


@dataclass(frozen=True, slots=True)
class FirstPlace:
    """The riskiest location of the change. `line` is 0 for the whole file."""

    path: Exact[str]
    line: int
    side: Side
    reason: str


@dataclass(frozen=True, slots=True)
class FileCalls:
    """Calls from one file into a changed one."""

    caller: Exact[str]
    callee: Exact[str]
    names: Exact[tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Walkthrough:
    """The walkthrough of a change. A model's text in it is not verified, but all paths are in the change."""

    overview: str
    by: Author  # who wrote the overview
    themes: tuple[Theme, ...]
    first: FirstPlace | None = None
    calls: tuple[FileCalls, ...] = ()

    @property
    def files(self) -> int:
        """The number of files."""
        return sum(len(theme.rows) for theme in self.themes)
