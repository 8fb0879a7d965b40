"""The values that describe the reviewed change: the request, the commits, excerpts, and code regions.

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
MOST_SHOWN = 80  # characters of an invalid ID in the error message
MARKERS = 8  # tokens that a prompt adds around an excerpt
Scope = Literal["range", "staged", "uncommitted"]


@dataclass(frozen=True, slots=True)
class TypedChange:
    """The change that the user wants to review: a local repository, and revisions or uncommitted work."""

    repo: str
    scope: Scope = "range"
    base: str | None = None  # a revision as typed; None for the merge base with the default branch
    head: str | None = None  # a revision as typed; None for HEAD


@dataclass(frozen=True, slots=True)
class LinkedIssue:
    """An issue in the same repository that the pull request closes. Its text is untrusted."""

    number: int
    title: str
    body: str  # its beginning


def is_object_id(value: object) -> bool:
    """Return whether the value is a full object ID."""
    return isinstance(value, str) and _ID.fullmatch(value) is not None


def object_id(value: object, name: str) -> str:
    """Return the value if it is an object ID. Otherwise raises ValueError with the field's `name`."""
    if not isinstance(value, str) or not is_object_id(value):
        raise ValueError(
            f"{name} is {str(value)[:MOST_SHOWN]!r}, not the id of an object (40 or 64 hexadecimal digits)"
        )
    return value


@dataclass(frozen=True, slots=True)
class PullRequest:
    """A change to review, resolved to object IDs. It may also be local, without a pull request on GitHub.

    `base` is the merge base, so `base..head` is the author's work. Invalid IDs raise ValueError, because the
    values may come from a file, and the IDs become arguments of git.
    """

    title: str
    body: str
    base: Exact[str]  # commit or tree ID
    head: Exact[str]  # commit or tree ID
    base_name: Exact[str]  # the displayed name, such as "main" or "a1b2c3d"
    head_name: str  # chosen by the author, so secrets in it are masked
    git_dir: Exact[str]
    # The folder with the objects of staged or uncommitted work, if there are any.
    object_dir: Exact[str | None] = None
    base_tip: Exact[str | None] = None  # the base branch's tip, where settings are read; None for `base`
    url: Exact[str | None] = None  # the repository's URL for permalinks: "https://github.com/owner/name"
    # Uncommitted files that are not read, because a git filter program would have to convert them.
    withheld: Exact[tuple[str, ...]] = ()
    missing_history: str = ""  # why the object store may lack commits of the change; empty if it has all
    # Whether there is more than one merge base, so that a merge would bring more than `base..head`; None if
    # unknown.
    several_bases: bool | None = False
    issues: tuple[LinkedIssue, ...] = ()

    def __post_init__(self) -> None:
        for name, value in (("base", self.base), ("head", self.head), ("base_tip", self.base_tip)):
            if value is not None:
                object_id(value, f"pull.{name}")


@dataclass(frozen=True, slots=True)
class RawChange:
    """Git's raw output about a change, from which `diff.read` makes the changed files."""

    patch: bytes  # unified diff with three lines of context
    status: bytes  # `diff-tree --raw -z`
    attributes: Mapping[str, bytes]  # the .gitattributes files at the base, by path
    heads: Mapping[str, bytes]  # the first bytes of each changed file at the head, by path
    bases: Mapping[str, bytes] = field(default_factory=dict)  # the first bytes of each at the base
    large: frozenset[str] = frozenset()  # changed files above the size limit, whose content is not read
    # Changed files that are not read, because a git filter program would have to convert them.
    withheld: frozenset[str] = frozenset()
    left_out: frozenset[str] = frozenset()  # changed files whose patch is not read


@dataclass(frozen=True, slots=True)
class CommitLines:
    """Consecutive lines of a file after one commit of the change, and the lines that they replace."""

    commit: str
    path: str
    lines: Sequence[str]
    signs: str  # for each line, "+" if the commit adds it
    before: Sequence[str]

    def is_added(self, at: int) -> bool:
        """Return whether the commit adds the line at this index."""
        return self.signs[at : at + 1] == "+"


@dataclass(frozen=True, slots=True)
class DiffRow:
    """One row of a diff in a prompt. `str` formats it. Nothing parses the formatted row."""

    sign: Literal[" ", "+", "-", ""]  # "" in an excerpt outside a diff, or for a note about omitted lines
    text: str  # the line without sign and number
    number: int = 0  # line number: in the base for "-", else in the head; 0 for a note
    can_be_counted: bool = False  # whether `str` omits the number, because it follows from the rows above

    def __str__(self) -> str:
        """Return sign, number and line, without padding, which would cost a seventh of a review's tokens."""
        return (
            f"{self.sign}{self.number} {self.text}"
            if self.number and not self.can_be_counted
            else f"{self.sign} {self.text}"
        )


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Numbered lines from one side of a file, for a prompt. There may be gaps between them."""

    path: str
    start: int
    end: int
    rows: tuple[DiffRow, ...]
    side: Side = "head"
    title: str = ""  # why the lines are shown
    overlaps_change: bool = False  # whether it contains changed lines that another prompt reviews

    @property
    def body(self) -> str:
        """The rows, formatted for a prompt."""
        return "\n".join(map(str, self.rows))

    @property
    def text(self) -> str:
        """The lines without signs and numbers."""
        return "\n".join(diff_row.text for diff_row in self.rows)

    @property
    def size(self) -> int:
        """The estimated number of tokens that it adds to a prompt."""
        return tokens(self.body) + tokens(self.path + self.title) + MARKERS


@dataclass(frozen=True, slots=True)
class Unit:
    """A region of changed code that is reviewed as a whole: a definition, or lines outside definitions."""

    id: str  # "path:name", unique in a review, and stable across reviews as long as the name is
    path: str
    name: str  # qualified name of the definition, or "lines 10-20"
    start: int  # on the head side; on the base side if the code was removed
    end: int
    side: Side
    text: str  # the current code, or the removed code, verbatim
    rows: tuple[DiffRow, ...]  # the same lines as a diff with line numbers, including unchanged lines
    references: tuple[Reference, ...] = ()
    tests: tuple[str, ...] = ()  # paths of test files
    risk: int = 0  # a score; regions with a higher risk are reviewed first
    tokens: int = 0  # estimated tokens of the diff
    # The first lines of the enclosing blocks, in file order, if the rows don't include them.
    heads: tuple[DiffRow, ...] = ()
    diff: str = field(init=False, repr=False, compare=False)  # the rows, formatted for a prompt

    def __post_init__(self) -> None:
        """Format the rows once, because several prompts show them."""
        rows = frozenset(self.rows if self.heads else ())
        above = [diff_row for diff_row in self.heads if diff_row not in rows]
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
