"""The values that describe a change: changed files and lines, changed definitions, and their references.

Lines are 1-based and inclusive. Paths are relative to the repository root and use `/`. A side is "head"
(after the change) or "base" (before it).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from deeprepo.impact.everyday import METHODS
from deeprepo.impact.packages import Exact
from deeprepo.impact.structs import Struct, force_setattr
from deeprepo.impact.values import MODULE, Arguments, Definition, Side, Signature

MOVED = (
    # why a renamed file is skipped: there is nothing to review, but its importers may break
    "renamed without a change of content"
)
REPLACED = "it was replaced by a submodule, whose code is in another repository"
Connection = Literal["bound", "probable", "name"]
# "lost": nothing gives the name any more. "likely": nothing in the tree does, but a library may.
TargetState = Literal["lost", "likely", "present", "unknown"]
# How a changed definition may affect its users; see deeprepo/impact/uses/symbols.py.
Contract = Literal["removed", "renamed", "parameters", "declaration", "errors", "value"]


UsePlace = tuple[str, str, int]  # changed definition ("path:name"), path and line of its use


class Query(Struct, frozen=True):
    """A search in the text files of a tree: the patterns, of which a line must match one, and the paths."""

    patterns: Sequence[str]
    globs: Sequence[str] = ()  # git pathspecs
    syntax: Literal["fixed", "perl"] = "fixed"
    word: bool = False  # only whole words match
    side: Side = "head"
    limit: int = 1000  # maximum number of lines returned
    without: Sequence[str] = ()  # files and folders that are not searched

    def __post_init__(self) -> None:
        """Copy the patterns."""
        for name in ("patterns", "globs", "without"):
            force_setattr(self, name, tuple(getattr(self, name)))


class TreeEntry(Struct, frozen=True):
    """One entry of a tree.

    `kind` is "file", "symlink" or "submodule"; `size` is in bytes, 0 for a submodule and -1 if the content is
    not in the object store.
    """

    path: str
    oid: str
    kind: Literal["file", "symlink", "submodule"]
    size: int


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line of a hunk. `old` and `new` are its line numbers on each side, or None."""

    kind: Literal[" ", "+", "-"]
    text: str  # without the line break
    old: int | None
    new: int | None


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

    path: Exact[str]  # on the head side, or the old path of a deleted file
    old_path: Exact[str | None]  # None for a new file
    status: Literal["added", "modified", "deleted", "renamed"]
    hunks: tuple[Hunk, ...] = ()
    skip: str | None = None
    # skipped and therefore open: unreadable, or the reason is not confirmed by the base
    is_unreviewed: bool = False
    is_ignored: bool = False  # excluded from every check by the owner's settings
    is_vendored: bool = False  # vendored, generated or minified
    note: str = ""  # "mode 100644 to 100755" and the like
    added_lines: frozenset[int] = field(default=frozenset(), repr=False)  # head lines that the change adds
    # base lines that the change removes
    removed_lines: frozenset[int] = field(default=frozenset(), repr=False)

    @property
    def has_text(self) -> bool:
        """Whether its changed lines can be read, as the scans for secrets, schemas and tool results need."""
        return self.skip is None or (bool(self.hunks) and not self.is_ignored)

    @property
    def unread(self) -> str:
        """The sentence that says that the file could not be read."""
        return f"{self.path} could not be read, so its definitions were not compared"

    @property
    def is_analyzed(self) -> bool:
        """Whether the other static checks run on it.

        Vendored and generated files are neither searched nor reported.
        """
        return self.has_text and not self.is_vendored


class ChangedSymbol(Struct, frozen=True):
    """A definition that the change touches, before and after; None on a side where it does not exist."""

    before: Definition | None
    after: Definition | None
    change: Literal["added", "removed", "renamed", "signature", "body"]
    contract: tuple[Contract, ...] = ()  # the changes that may affect its users

    @property
    def key(self) -> str:
        """Its path and name, by which references refer to it."""
        return f"{self.symbol.path}:{self.symbol.name}"

    @property
    def sides(self) -> list[Definition]:
        """The definition on the sides where it exists, the base first."""
        return [side for side in (self.before, self.after) if side is not None]

    @property
    def signatures(self) -> tuple[Signature, Signature] | None:
        """The signatures before and after; None if one of them is unknown."""
        before, after = (side.signature if side is not None else None for side in (self.before, self.after))
        return (before, after) if before is not None and after is not None else None

    @property
    def is_renamed(self) -> bool:
        """Whether users have to write another name after the change."""
        return self.before is not None and self.after is not None and self.before.short != self.after.short

    @property
    def symbol(self) -> Definition:
        """The definition on the head side if it exists, otherwise on the base side."""
        symbol = self.after or self.before
        if symbol is None:
            raise ValueError("a changed symbol exists on at least one side")
        return symbol


class Dependent(Struct, frozen=True):
    """A file that imports a changed one, with the line that proves it."""

    path: str
    target: str  # the changed file
    names: frozenset[str]
    line: int
    via: str | None = None  # the file that re-exports the name
    test: bool = False


class Reference(Struct, frozen=True):
    """A reference to a changed name outside its definition.

    See `uses/references.py` for its connection, and `uses/gone.py` for its target_state.
    """

    symbol: str  # "path:qualified name" of the changed symbol
    name: str  # the name as written there
    path: str
    line: int
    text: str  # the source line, without its line break
    function: str  # qualified name of the enclosing definition, or "<module>"
    span: tuple[int, int] | None  # lines of the enclosing definition
    connection: Connection  # how confidently the reference was resolved
    target_state: TargetState = "unknown"  # whether its target still exists
    test: bool = False
    arguments: Arguments | None = None  # of a call
    is_handled: bool = False  # the code around handles its failure
    form: Literal["call", "import", "definition", "mention"] = "mention"
    imported_from: str = ""  # the file from which an import takes the name
    asks: bool = False  # found by name only; nothing provides the requested member
    doubt: str = ""  # what may still give a name that nothing else gives, as the end of a sentence

    @property
    def place(self) -> tuple[str, int, str]:
        """Its path, line and name, which searches by syntax and by text have in common."""
        return self.path, self.line, self.name

    @property
    def use_place(self) -> UsePlace:
        """The definition that it refers to, its path and line."""
        return self.symbol, self.path, self.line

    @property
    def is_module(self) -> bool:
        """Whether it refers to a whole file."""
        return self.symbol.endswith(f":{MODULE}")

    @property
    def call(self) -> bool:
        """Whether it is a call."""
        return self.arguments is not None

    @property
    def is_bound(self) -> bool:
        """Whether an import, a namespace or a written class leads from it to the definition."""
        return self.connection == "bound"

    @property
    def missing(self) -> bool:
        """Whether its target is proven to be missing from the head tree."""
        return self.target_state == "lost"

    @property
    def likely(self) -> bool:
        """Whether nothing in the tree has its target, although the members of the receiver or its base are unknown."""
        return self.target_state == "likely"

    @property
    def is_guessed(self) -> bool:
        """Whether only the name matches, which may belong to something else."""
        return self.connection == "name"

    @property
    def is_at_top(self) -> bool:
        """Whether it is at the top of a file and not an import, such as a route or an event handler."""
        return self.span is None and self.form == "mention"

    @property
    def everyday(self) -> bool:
        """Whether it matches only by a very common method name, on a line that does not mention the owner."""
        if not self.is_guessed or self.name not in METHODS:
            return False
        path, _, name = self.symbol.rpartition(":")
        outer = name.split(".")[-2:-1] or [path.rpartition("/")[2].partition(".")[0]]
        return outer[0].lower() not in self.text.lower()


class Dependents(Struct, frozen=True):
    """What the change may break: changed symbols, the files that use them, and the references.

    It also says what the search limits left out.
    """

    symbols: tuple[ChangedSymbol, ...] = ()
    files: tuple[Dependent, ...] = ()
    references: tuple[Reference, ...] = ()
    cut: tuple[str, ...] = ()  # sentences that say what was not searched, and why
    missed_uses: tuple[str, ...] = ()  # those that may hide a reference to a changed contract
    # pairs of "path:name" of a changed method and a definition that overrides it
    subclasses: tuple[tuple[str, Definition], ...] = ()

    def by_key(self) -> dict[str, ChangedSymbol]:
        """Return the changed definitions by "path:name".

        If several share a name, the one with a changed contract wins.
        """
        by_weight = sorted(self.symbols, key=lambda item: (bool(item.contract), item.change != "added"))
        return {item.key: item for item in by_weight}
