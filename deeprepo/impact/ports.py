"""What a language offers to the search for users, and what its manifests say."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Protocol, runtime_checkable

from deeprepo.impact.changes import ChangedSymbol, Query, Reference, TreeEntry
from deeprepo.impact.filetypes import Traits
from deeprepo.impact.packages import Package, Requirement
from deeprepo.impact.values import Clues, Facts, Link, Side, Use


class Tree(Protocol):
    """Read access to both trees of a change. Git is behind it; nothing is ever opened through a work tree."""

    @property
    def stopped_searches(self) -> Sequence[str]:
        """Return a sentence for each search that was ended before it was done."""

    async def entries(self, side: Side = "head") -> Mapping[str, TreeEntry]:
        """Return every path of one side."""

    async def read(self, path: str, side: Side = "head") -> bytes | None:
        """Return the content of a file, None where it does not exist, is not a file, or is above the size cap."""

    async def read_many(self, paths: Sequence[str], side: Side = "head") -> Mapping[str, bytes]:
        """Return the contents of many files in one pass; those that `read` would answer with None are absent."""

    async def grep(self, query: Query) -> frozenset[str]:
        """Return paths of the text files in which any of the patterns occurs."""

    async def grep_lines(self, query: Query) -> tuple[tuple[str, int, str], ...]:
        """Return the matching lines as (path, line, text), in the order of paths."""


class Project(Protocol):
    """One side's paths as a language sees them: who can be meant by an import."""

    def clues(self, path: str) -> Clues:
        """Return what a file that imports `path` must contain."""

    def imports(self, path: str, source: bytes, words: frozenset[str] = frozenset()) -> tuple[Link, ...]:
        """Return the imports of a file that land in the tree; with `words`, only statements that contain one of them."""


@runtime_checkable
class SharedScope(Protocol):
    """A project in which files use each other's names without importing them."""

    def mates(self, path: str) -> Collection[str]:
        """Return the other files of the namespace that this path belongs to, whether or not the path exists."""


@runtime_checkable
class SelfDescribed(Protocol):
    """A project in which a path does not say what the file offers: it says its namespace."""

    def learn(self, path: str, source: bytes, outline: Facts) -> None:
        """Note what a changed file holds, or held before the change, before anything is asked about it."""

    def sees(self, path: str, other: str) -> bool:
        """Return whether a file is built with another one: the boundary of a project may stand between them."""


@runtime_checkable
class SelfNamed(Protocol):
    """A project in which a path usually says what the file is called, and need not."""

    def note(self, path: str, source: bytes) -> None:
        """Note what a changed file is called, or was before the change, before anything is asked about it."""

    def name_in(self, source: bytes) -> str:
        """Return what a file says it is called; "" if it does not say."""


class Receivers(Protocol):
    """What receivers come from in a language whose packages are folders. A module may satisfy it."""

    def package_of(self, source: bytes, receiver: str, line: int) -> str:
        """Return the package, as the file calls it, of what the last line above a use binds its receiver to; "" if no line tells one."""


class FieldRules(Protocol):
    """What breaks of the fields of a class that its language constructs from them. A module `fields` in the language's folder satisfies it."""

    async def with_lost_fields(
        self,
        tree: Tree,
        symbols: Iterable[ChangedSymbol],
        references: Sequence[Reference],
        fresh: Mapping[str, Collection[int]],
    ) -> list[Reference]:
        """Return the references, with the unchanged lines that name such a field or leave it out; those that only say the same word give way.

        `fresh`: the lines that the change adds.
        """


class Language(Protocol):
    """A family of files that import each other. A module may satisfy it; bytes and paths in, values out."""

    NAME: str
    SUFFIXES: tuple[str, ...]  # ".py"
    CONFIGS: tuple[str, ...]  # base names (with *) of the configuration files that `project` reads
    AMBIENT: frozenset[str]  # names that every file has without defining or importing them
    TRAITS: Traits

    @property
    def receivers(self) -> Receivers | None:
        """Return what receivers come from, where a type has the methods of those that it embeds, and overrides none."""

    @property
    def fields(self) -> FieldRules | None:
        """Return what breaks of the fields of its classes, where no line writes a constructor."""

    @property
    def has_extensions(self) -> bool:
        """Return whether a definition may be called like a member of a type that stands elsewhere."""

    @property
    def packaging(self) -> "Packaging | None":
        """Return how its packages are declared; None if it has no manifests."""

    def project(self, paths: Collection[str], configs: Mapping[str, bytes]) -> Project:
        """Return the resolver of one side's tree."""

    def outline(self, path: str, source: bytes, side: Side) -> Facts:
        """Return the definitions of a file and what an importer can ask of it."""

    def uses(self, path: str, source: bytes, names: Collection[str]) -> tuple[Use, ...]:
        """Return the identifiers of a file that are spelt like one of the names; never strings, never comments."""


class Packaging(Protocol):
    """How packages of a language are declared and asked for. A module `manifest` in the language's folder satisfies it."""

    MANIFESTS: tuple[str, ...]  # base names, or the ends of paths, with *
    LOCKS: Mapping[
        str, str
    ]  # a file that settles versions -> the pattern of a version, in which NAME stands for the package

    def packages(self, manifests: Mapping[str, bytes], paths: Collection[str]) -> tuple[Package, ...]:
        """Return what a tree offers to others."""

    def requirements(self, manifests: Mapping[str, bytes]) -> tuple[Requirement, ...]:
        """Return what a tree takes from others."""


@runtime_checkable
class Offering(Protocol):
    """A packaging in which others find more names in a file than it means to offer."""

    def offers(self, source: str, name: str) -> bool:
        """Return whether a file says that a name is for everybody."""


@runtime_checkable
class Linking(Protocol):
    """A packaging in which names alone do not tie two trees together."""

    def links(self, packages: Sequence[Package], folders: Sequence[str]) -> Mapping[str, bytes]:
        """Return configuration files for a folder beside both trees, with which imports of one mean packages of the other.

        `folders`: of the manifests that ask for them.
        """
