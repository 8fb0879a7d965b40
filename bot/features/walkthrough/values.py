"""What a change does, told to somebody who is about to read it: sentences, files by theme, the first place to look at."""

from dataclasses import dataclass
from typing import Literal

from deeprepo.impact.values import Side
from deeprepo.rlm.values import Exact

Teller = Literal["code", "model"]


@dataclass(frozen=True, slots=True)
class FileRow:
    """One file and its phrase."""

    path: Exact[str]
    phrase: str
    by: Teller = "code"


@dataclass(frozen=True, slots=True)
class Theme:
    """Files that belong together: by a theme that a model named, or by their kind and folder. Several may have one title."""

    title: str
    rows: tuple[FileRow, ...]
    by: Teller = "code"


@dataclass(frozen=True, slots=True)
class FirstPlace:
    """The riskiest place of the change. `line` is 0 if the file as a whole is meant."""

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
    """The whole, in the language of the review. A model's part of it is a claim; paths are always those of the change."""

    overview: str
    by: Teller  # of the overview
    themes: tuple[Theme, ...]
    first: FirstPlace | None = None
    calls: tuple[FileCalls, ...] = ()

    @property
    def files(self) -> int:
        """How many files it names."""
        return sum(len(theme.rows) for theme in self.themes)
