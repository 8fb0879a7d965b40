"""The reviewed change: the request, changed files, their definitions and dependents, and code regions.

Lines are 1-based and inclusive. Paths are relative to the repository root and use `/`. A side is "head"
(after the change) or "base" (before it).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from deeprepo.impact.changes import Reference
from deeprepo.impact.values import Side
from deeprepo.rlm.values import Exact, tokens

_ID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
MOST_SHOWN = 80  # characters of what is not an id
MARKERS = 8  # tokens of what a prompt puts around an excerpt
Scope = Literal["range", "staged", "uncommitted"]


@dataclass(frozen=True, slots=True)
class ReviewRequest:
    """What the user asked for: a local repository and which change in it."""

    repo: str
    scope: Scope = "range"
    base: str | None = None  # a revision as typed; None: the merge base with the default branch
    head: str | None = None  # a revision as typed; None: HEAD


@dataclass(frozen=True, slots=True)
class LinkedIssue:
    """An issue of the same repository that the pull request closes. Its words are a stranger's."""

    number: int
    title: str
    body: str  # its beginning


def is_object_id(value: object) -> bool:
    """Return whether it is the whole id of an object."""
    return isinstance(value, str) and _ID.fullmatch(value) is not None


def object_id(value: object, name: str) -> str:
    """Return the value, if it is an id. Raises ValueError with a sentence that names the field."""
    if not isinstance(value, str) or not is_object_id(value):
        raise ValueError(
            f"{name} is {str(value)[:MOST_SHOWN]!r}, not the id of an object (40 or 64 hexadecimal digits)"
        )
    return value


@dataclass(frozen=True, slots=True)
class PullRequest:
    """A change to review, resolved to object ids. `base` is the merge base, so `base..head` is what the author did.

    Anything else raises ValueError: a pull request may be read from a file, and its ids are arguments of git.
    """

    title: str
    body: str
    base: Exact[str]  # commit or tree id
    head: Exact[str]  # commit or tree id
    base_name: Exact[str]  # as a person would call it: "main", "a1b2c3d"
    head_name: str  # the author's word: a secret in it is masked as in any text
    git_dir: Exact[str]
    object_dir: Exact[str | None] = None  # where the objects of staged or uncommitted work were written, if anywhere
    base_tip: Exact[str | None] = None  # the tip of the base branch: configuration is read there; None: `base`
    url: Exact[str | None] = None  # of the repository's pages, for permalinks: "https://github.com/owner/name"
    withheld: Exact[
        tuple[str, ...]
    ] = ()  # uncommitted files whose content a filter program would have to convert: not read
    missing_history: str = ""  # why the store may lack commits of the change; empty: it holds all of them
    several_bases: bool | None = (
        False  # whether `base` is not the only merge base: `base..head` lacks a part of what a merge brings; None: unknown
    )
    issues: tuple[LinkedIssue, ...] = ()

    def __post_init__(self) -> None:
        """Check that the ids are object ids."""
        for name, value in (("base", self.base), ("head", self.head), ("base_tip", self.base_tip)):
            if value is not None:
                object_id(value, f"pull.{name}")


@dataclass(frozen=True, slots=True)
class RawChange:
    """What git says of a change, as bytes: everything that `diff.read` needs."""

    patch: bytes  # unified diff, three lines of context
    status: bytes  # `diff-tree --raw -z`
    attributes: Mapping[str, bytes]  # the .gitattributes files of the base
    heads: Mapping[str, bytes]  # the beginning of each changed file, on the head side
    bases: Mapping[str, bytes] = field(default_factory=dict)  # the same before the change
    large: frozenset[str] = frozenset()  # changed files above the size cap, whose content is not read
    withheld: frozenset[str] = frozenset()  # changed files whose content a filter program would have to convert
    left_out: frozenset[str] = frozenset()  # changed files whose patch is not looked at


@dataclass(frozen=True, slots=True)
class CommitLines:
    """Consecutive lines of a file after one commit of a change, and the lines before it."""

    commit: str
    path: str
    lines: Sequence[str]
    signs: str  # of each line, "+" if it was not there before
    before: Sequence[str]

    def is_added(self, at: int) -> bool:
        """Return whether the line at this index was not there before."""
        return self.signs[at : at + 1] == "+"


@dataclass(frozen=True, slots=True)
class DiffRow:
    """One row of a diff as models read it; `str` is how it is written, everywhere. Nothing reads a written row back."""

    sign: Literal[" ", "+", "-", ""]  # "": of an excerpt beside no diff, or a note in place of lines that are left out
    text: str  # the line itself, without sign and number
    number: int = 0  # on the side of its sign
    can_be_counted: bool = False  # its number is not written, because it can be counted from the rows above

    def __str__(self) -> str:
        """Sign, number and line; no padding, which would cost a review a seventh of its tokens."""
        return (
            f"{self.sign}{self.number} {self.text}"
            if self.number and not self.can_be_counted
            else f"{self.sign} {self.text}"
        )


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Lines of one side of a file that a prompt shows, with their numbers; some between them may be left out."""

    path: str
    start: int
    end: int
    rows: tuple[DiffRow, ...]
    side: Side = "head"
    title: str = ""  # why they are shown
    overlaps_change: bool = False  # some of them are of the change too, and judged in another prompt

    @property
    def body(self) -> str:
        """The rows as a prompt shows them."""
        return "\n".join(map(str, self.rows))

    @property
    def text(self) -> str:
        """The text of the lines, without signs and numbers."""
        return "\n".join(diff_row.text for diff_row in self.rows)

    @property
    def size(self) -> int:
        """Tokens that it takes in a prompt."""
        return tokens(self.body) + tokens(self.path + self.title) + MARKERS

    def holds(self, path: str, side: Side, start: int, end: int) -> bool:
        """Return whether it shows these lines."""
        return (path, side) == (self.path, self.side) and self.start <= start and end <= self.end


@dataclass(frozen=True, slots=True)
class Unit:
    """What one worker can judge: a changed definition, or a hunk outside any, with what is needed to judge it."""

    id: str  # "path:name", unique in a review, stable while the name stands
    path: str
    name: str  # qualified name of the definition, or "lines 10-20"
    start: int  # head side; base side where the code was removed
    end: int
    side: Side
    text: str  # the code as it is now (as it was, where it was removed), verbatim
    rows: tuple[DiffRow, ...]  # the same span as a diff with line numbers, unchanged lines too
    references: tuple[Reference, ...] = ()
    tests: tuple[str, ...] = ()  # files that test it
    risk: int = 0  # higher is read first
    tokens: int = 0  # estimate, of the diff
    # First lines of what encloses the rows and is not among them, in the order of the file.
    heads: tuple[DiffRow, ...] = ()
    diff: str = field(init=False, repr=False, compare=False)  # the rows as they are written in a prompt

    def __post_init__(self) -> None:
        """Render the rows once, because every prompt is compared with them."""
        above = [diff_row for diff_row in self.heads if diff_row not in self.rows] if self.heads else []
        object.__setattr__(self, "diff", "\n".join(map(str, (*above, *self.rows))))

    @property
    def changed_rows(self) -> tuple[DiffRow, ...]:
        """The rows that the change adds or removes."""
        return tuple(diff_row for diff_row in self.rows if diff_row.sign in ("+", "-"))

    @property
    def added_rows(self) -> tuple[DiffRow, ...]:
        """The rows that the change adds."""
        return tuple(diff_row for diff_row in self.rows if diff_row.sign == "+")

    @property
    def removed_rows(self) -> tuple[DiffRow, ...]:
        """The rows that the change removes."""
        return tuple(diff_row for diff_row in self.rows if diff_row.sign == "-")
