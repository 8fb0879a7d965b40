"""A change as its users meet it: the files and lines that differ, the definitions that are different, and who relies on them.

Lines are 1-based and inclusive; paths are relative to the repository root, with `/`; a side is "head" (after the change)
or "base" (before it).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from deeprepo.impact.everyday import METHODS
from deeprepo.impact.packages import Exact
from deeprepo.impact.resolution import Absent, Resolution
from deeprepo.impact.structs import Struct, force_setattr
from deeprepo.impact.values import Arguments, Definition, Side

MOVED = (
    "renamed without a change of content"  # why a file is skipped: nothing to read, and still its importers may break
)
REPLACED = "it was replaced by a submodule, whose code is in another repository"
Tie = Literal["bound", "only", "telling", "name"]
# "lost": a search found nothing. Only the name check (`uses/name_check.py`) turns that into something proven.
Fate = Literal["lost", "likely", "there", "unknown"]
# What a change means to those who use a definition; deeprepo/impact/uses/contract.py says when each is meant.
Contract = Literal[
    "removed",
    "renamed",
    "parameters",
    "declaration",
    "errors",
    "value",
]


UsePlace = tuple[str, str, int]  # changed definition ("path:name"), path and line of its use


class Query(Struct, frozen=True):
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
        for name in ("patterns", "globs", "without"):
            force_setattr(self, name, tuple(getattr(self, name)))


class TreeEntry(Struct, frozen=True):
    """One row of a tree. `kind` is "file", "symlink" or "submodule"; `size` is bytes: 0 for a submodule, -1 where the content is not in the store."""

    path: str
    oid: str
    kind: Literal["file", "symlink", "submodule"]
    size: int


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line of a hunk. `old` and `new` are its numbers on each side, None where it does not exist."""

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
        """Return whether its changed lines can be read: the scan for secrets, schemas and the results of other tools look at all of them."""
        return self.skip is None or (bool(self.hunks) and not self.is_ignored)

    @property
    def unread(self) -> str:
        """Return the sentence that says that it could not be read."""
        return f"{self.path} could not be read, so its definitions were not compared"

    @property
    def is_analyzed(self) -> bool:
        """Return whether the other checks by code run over it: what nobody here has written is neither searched nor reported."""
        return self.has_text and not self.is_foreign


class ChangedSymbol(Struct, frozen=True):
    """A definition that the change touches, before and after (None where it does not exist on that side)."""

    before: Definition | None
    after: Definition | None
    change: Literal["added", "removed", "renamed", "signature", "body"]
    contract: tuple[Contract, ...] = ()  # what changed for its users; empty: nothing that they have written down

    @property
    def symbol(self) -> Definition:
        """Return the head side where there is one, else the base side."""
        symbol = self.after or self.before
        if symbol is None:
            raise ValueError("a changed symbol exists on at least one side")
        return symbol


class Dependent(Struct, frozen=True):
    """An unchanged or changed file that imports a changed one, with its proof line."""

    path: str
    target: str  # the changed file
    names: frozenset[str]
    line: int
    via: str | None = None  # the barrel that hands the name on
    test: bool = False


class ResultMisuse(Struct, frozen=True):
    """A use that took what a definition gave before the change, and cannot take what it gives now."""

    says: str  # the end of a sentence that begins with the file
    happens: str  # the end of one that begins with "This line"
    lines: tuple[int, int]  # of the definition that tell the result, before and after the change
    rule: str = "result"  # or "removed-key", "required-field", "required-part"
    gives: str = (
        "something else"  # what the definition returns now, as far as it is known; what is required of its users
    )


class Reference(Struct, frozen=True):
    """A place outside the definition where a changed name is used. `deeprepo/impact/uses/certainty.py` says when each tie and fate is meant."""

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
    resolution: Resolution | None = (
        None  # whether the head still provides the name; None where nothing claims that it does not
    )

    @property
    def arguments(self) -> Arguments:
        """Return what a call passes."""
        return Arguments(self.positional, self.keywords, self.spread)

    @property
    def sure(self) -> bool:
        """Return whether it is certain that the definition is meant."""
        return self.tie == "bound"

    @property
    def missing(self) -> bool:
        """Return whether what is named here is proven to be absent from the head tree."""
        return self.fate == "lost" and isinstance(self.resolution, Absent)

    @property
    def is_lost(self) -> bool:
        """Return whether a search for what is named here found nothing. The name check decides what that means."""
        return self.fate == "lost"

    @property
    def likely(self) -> bool:
        """Return whether nothing in the tree has what is named here, though what the receiver or its base has is not known."""
        return self.fate == "likely"

    @property
    def is_certain(self) -> bool:
        """Return whether a comparison with its definition proves something: that is meant, or nothing else in the tree has the name."""
        return self.tie in ("bound", "only")

    @property
    def is_guessed(self) -> bool:
        """Return whether nothing but the name speaks for it, and that name may be another thing's."""
        return self.tie == "name"

    @property
    def is_at_top(self) -> bool:
        """Return whether it stands at the top of a file and imports nothing: a type gets behaviour there, a view its route, a handler its event."""
        return self.span is None and self.form == "mention"

    @property
    def everyday(self) -> bool:
        """Return whether it is guessed from a name that values of every language have, on a line that does not name its owner."""
        if not self.is_guessed or self.name not in METHODS:
            return False
        path, _, name = self.symbol.rpartition(":")
        outer = name.split(".")[-2:-1] or [path.rpartition("/")[2].partition(".")[0]]
        return outer[0].lower() not in self.text.lower()


class LostGuard(Struct, frozen=True):
    """A guard that the change takes away from a definition or a route that is still there."""

    path: str
    line: int  # of the definition or the route, after the change
    scope: str
    kind: Literal["mark", "dependency", "check", "condition"]
    name: str
    became: str = ""  # the guard that replaces it


class LostOffer(Struct, frozen=True):
    """A public name that a published package has no more: who installed it may use it, whatever this tree does."""

    package: str
    name: str
    door: str  # the file that offered it
    version: str  # in the package's manifest
    asks: str  # the next version that may lack it, by semantic versioning, if that one is published


class Dependents(Struct, frozen=True):
    """What the change may break: the changed symbols, the files that use them, the lines with those uses, and what the search limits left out."""

    symbols: tuple[ChangedSymbol, ...] = ()
    files: tuple[Dependent, ...] = ()
    references: tuple[Reference, ...] = ()
    cut: tuple[str, ...] = ()  # sentences: what was not looked at, and why
    missed_uses: tuple[str, ...] = ()  # of these, what may hide a use of a changed contract
    heirs: tuple[
        tuple[str, Definition], ...
    ] = ()  # ("path:name" of a changed method, the definition that overrides it)
    guards: tuple[LostGuard, ...] = ()  # that are gone, the first to look at first
    offers: tuple[LostOffer, ...] = ()  # that published packages have no more

    def by_key(self) -> dict[str, ChangedSymbol]:
        """Return the changed definitions by "path:name". Of several that bear one name, the one whose contract changed."""
        by_weight = sorted(self.symbols, key=lambda item: (bool(item.contract), item.change != "added"))
        return {f"{item.symbol.path}:{item.symbol.name}": item for item in by_weight}
