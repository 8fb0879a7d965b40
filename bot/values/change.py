"""What is under review: the request, the change, its symbols, who depends on them, and the units cut from it.

Lines are 1-based and inclusive; paths are relative to the repository root, with `/`; a side is "head" (after the change)
or "base" (before it).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from bot.values.everyday import METHODS
from impact.source import Side, Symbol
from rlm.values import Exact, tokens

_ID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
MOST_SHOWN = 80  # characters of what is not an id
MARKERS = 8  # tokens of what a prompt puts around an excerpt
Scope = Literal["range", "staged", "uncommitted"]
Tie = Literal["bound", "only", "telling", "name"]
Fate = Literal["gone", "likely", "there", "unknown"]
# What a change means to those who use a definition; bot/dependents/contract.py says when each is meant.
Contract = Literal[
    "removed",
    "renamed",
    "parameters",
    "declaration",
    "errors",
    "value",
]


UsePlace = tuple[str, str, int]  # changed definition ("path:name"), path and line of its use


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
    """Whether it is the whole id of an object."""
    return isinstance(value, str) and _ID.fullmatch(value) is not None


def object_id(value: object, name: str) -> str:
    """The value, if it is an id. Raises ValueError with a sentence that names the field."""
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
        """Refuse whatever is not the id of an object."""
        for name, value in (("base", self.base), ("head", self.head), ("base_tip", self.base_tip)):
            if value is not None:
                object_id(value, f"pull.{name}")


@dataclass(frozen=True, slots=True)
class Query:
    """A search of the text files of a tree: what one of the lines must match, and where."""

    patterns: Sequence[str]
    globs: Sequence[str] = ()  # git pathspecs
    syntax: Literal["fixed", "perl"] = "fixed"
    word: bool = False  # a pattern matches whole words alone
    side: Side = "head"
    limit: int = 1000  # lines that are handed back
    without: Sequence[str] = ()  # files and folders that are not searched

    def __post_init__(self) -> None:
        """Hold the patterns as they are now."""
        object.__setattr__(self, "patterns", tuple(self.patterns))
        object.__setattr__(self, "globs", tuple(self.globs))
        object.__setattr__(self, "without", tuple(self.without))


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """One row of a tree. `kind` is "file", "symlink" or "submodule"; `size` is bytes: 0 for a submodule, -1 where the content is not in the store."""

    path: str
    oid: str
    kind: Literal["file", "symlink", "submodule"]
    size: int


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
    """Consecutive lines of a file as one commit of a change leaves them, and what stood there before it."""

    commit: str
    path: str
    lines: Sequence[str]
    signs: str  # of each line, "+" if it was not there before
    before: Sequence[str]

    def is_added(self, at: int) -> bool:
        """Whether the line at this index was not there before."""
        return self.signs[at : at + 1] == "+"


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line of a hunk. `old` and `new` are its numbers on each side, None where it does not exist."""

    kind: Literal[" ", "+", "-"]
    text: str  # without the line break
    old: int | None
    new: int | None


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
        """The lines alone."""
        return "\n".join(row.text for row in self.rows)

    @property
    def size(self) -> int:
        """Tokens that it takes in a prompt."""
        return tokens(self.body) + tokens(self.path + self.title) + MARKERS

    def holds(self, path: str, side: Side, start: int, end: int) -> bool:
        """Whether it shows these lines."""
        return (path, side) == (self.path, self.side) and self.start <= start and end <= self.end


@dataclass(frozen=True, slots=True)
class Hunk:
    """A run of changed lines with their context."""

    old_start: int
    old_lines: int
    new_start: int
    new_lines: int
    lines: tuple[DiffLine, ...]


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """One file of the change. `skip` is the reason why it is listed but not reviewed, or None."""

    path: Exact[str]  # on the head side; the old path where the file was deleted
    old_path: Exact[str | None]  # None where the file is new
    status: Literal["added", "modified", "deleted", "renamed"]
    hunks: tuple[Hunk, ...] = ()
    skip: str | None = None
    is_unreviewed: bool = False  # skipped, and open: the base does not vouch for the reason, or nothing could read it
    is_ignored: bool = False  # the owner's settings leave it out of every check
    is_foreign: bool = False  # vendored, generated or minified: nobody here has written it
    note: str = ""  # "mode 100644 to 100755" and the like
    added_lines: frozenset[int] = field(default=frozenset(), repr=False)  # head lines that the change adds
    removed_lines: frozenset[int] = field(default=frozenset(), repr=False)  # base lines that the change removes

    @property
    def has_text(self) -> bool:
        """Whether its changed lines can be read: the scan for secrets, schemas and the results of other tools look at all of them."""
        return self.skip is None or (bool(self.hunks) and not self.is_ignored)

    @property
    def unread(self) -> str:
        """The sentence that says that it could not be read."""
        return f"{self.path} could not be read: its definitions were not compared"

    @property
    def is_analyzed(self) -> bool:
        """Whether the other checks by code run over it: what nobody here has written is neither searched nor reported."""
        return self.has_text and not self.is_foreign


@dataclass(frozen=True, slots=True)
class ChangedSymbol:
    """A definition that the change touches, before and after (None where it does not exist on that side)."""

    before: Symbol | None
    after: Symbol | None
    change: Literal["added", "removed", "renamed", "signature", "body"]
    contract: tuple[Contract, ...] = ()  # what changed for its users; empty: nothing that they have written down

    @property
    def symbol(self) -> Symbol:
        """The head side where there is one, else the base side."""
        symbol = self.after or self.before
        if symbol is None:
            raise ValueError("a changed symbol exists on at least one side")
        return symbol


@dataclass(frozen=True, slots=True)
class Dependent:
    """An unchanged or changed file that imports a changed one, with its proof line."""

    path: str
    target: str  # the changed file
    names: frozenset[str]
    line: int
    via: str | None = None  # the barrel that hands the name on
    test: bool = False


@dataclass(frozen=True, slots=True)
class ResultMisuse:
    """A use that took what a definition gave before the change, and cannot take what it gives now."""

    says: str  # the end of a sentence that begins with the file
    happens: str  # the end of one that begins with "This line"
    lines: tuple[int, int]  # of the definition that tell the result, before and after the change
    rule: str = "result"  # or "removed-key"
    gives: str = "something else"  # what the definition returns now, as far as it is known


@dataclass(frozen=True, slots=True)
class Reference:
    """A place outside the definition where a changed name is used. `bot/dependents/certainty.py` says when each tie and fate is meant."""

    symbol: str  # "path:qualified name" of the changed symbol
    name: str  # the word written there
    path: str
    line: int
    text: str  # the line itself, without its line break
    function: str  # qualified name of the enclosing definition, or "<module>"
    span: tuple[int, int] | None  # lines of the enclosing definition
    tie: Tie  # what says that the definition is meant
    fate: Fate = "unknown"  # what became of what is named here
    test: bool = False
    call: bool = False
    positional: int = 0  # of a call: positional arguments written
    keywords: tuple[str, ...] = ()  # of a call: keyword arguments written
    spread: bool = False  # of a call: *args, **kwargs or ...rest make the count unreliable
    form: Literal["call", "import", "definition", "mention"] = "mention"
    misuse: ResultMisuse | None = None  # what is wrong with how the result of a call, or a dictionary, is used
    asks: bool = False  # found by its word alone, it takes from something what nothing gives any more

    @property
    def sure(self) -> bool:
        """Whether it is certain that the definition is meant."""
        return self.tie == "bound"

    @property
    def missing(self) -> bool:
        """Whether what is named here is proven to be gone from the head tree."""
        return self.fate == "gone"

    @property
    def likely(self) -> bool:
        """Whether nothing in the tree has what is named here, though what the receiver or its base has is not known."""
        return self.fate == "likely"

    @property
    def is_certain(self) -> bool:
        """Whether a comparison with its definition proves something: that is meant, or nothing else in the tree has the name."""
        return self.tie in ("bound", "only")

    @property
    def is_guessed(self) -> bool:
        """Whether nothing but the name speaks for it, and that name may be another thing's."""
        return self.tie == "name"

    @property
    def everyday(self) -> bool:
        """Whether it is guessed from a name that values of every language have, on a line that does not name its owner."""
        if not self.is_guessed or self.name not in METHODS:
            return False
        path, _, name = self.symbol.rpartition(":")
        outer = name.split(".")[-2:-1] or [path.rpartition("/")[2].partition(".")[0]]
        return outer[0].lower() not in self.text.lower()


@dataclass(frozen=True, slots=True)
class LostGuard:
    """A guard that the change takes away from a definition or a route that is still there."""

    path: str
    line: int  # of the definition or the route, after the change
    scope: str
    kind: Literal["mark", "dependency", "check", "condition"]
    name: str
    became: str = ""  # what stands in its place


@dataclass(frozen=True, slots=True)
class Dependents:
    """What the change can break: its symbols, the files that use them, the places, and what budgets cut off."""

    symbols: tuple[ChangedSymbol, ...] = ()
    files: tuple[Dependent, ...] = ()
    references: tuple[Reference, ...] = ()
    cut: tuple[str, ...] = ()  # sentences: what was not looked at, and why
    missed_uses: tuple[str, ...] = ()  # of these, what may hide a use of a changed contract
    heirs: tuple[tuple[str, Symbol], ...] = ()  # ("path:name" of a changed method, the definition that overrides it)
    guards: tuple[LostGuard, ...] = ()  # that are gone, the first to look at first

    def by_key(self) -> dict[str, ChangedSymbol]:
        """The changed definitions by "path:name". Of several that bear one name, the one whose contract changed."""
        by_weight = sorted(self.symbols, key=lambda item: (bool(item.contract), item.change != "added"))
        return {f"{item.symbol.path}:{item.symbol.name}": item for item in by_weight}


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
        """Write the rows once: every prompt and every answered prompt is held against them."""
        above = [row for row in self.heads if row not in self.rows] if self.heads else []
        object.__setattr__(self, "diff", "\n".join(map(str, (*above, *self.rows))))

    @property
    def changed_rows(self) -> tuple[DiffRow, ...]:
        """The rows that the change adds or removes."""
        return tuple(row for row in self.rows if row.sign in ("+", "-"))

    @property
    def added_rows(self) -> tuple[DiffRow, ...]:
        """The rows that the change adds."""
        return tuple(row for row in self.rows if row.sign == "+")

    @property
    def removed_rows(self) -> tuple[DiffRow, ...]:
        """The rows that the change removes."""
        return tuple(row for row in self.rows if row.sign == "-")
