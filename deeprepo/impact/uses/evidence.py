"""Look up what the decisions about a reference depend on: imports, types, extensions and unique names."""

import posixpath
import re
from collections.abc import Mapping, Sequence

from deeprepo.impact.changes import Connection, UsePlace
from deeprepo.impact.language import Language, load
from deeprepo.impact.ports import Tree
from deeprepo.impact.structs import Struct, field
from deeprepo.impact.uses.exports import Exports
from deeprepo.impact.uses.occurrences import Names
from deeprepo.impact.uses.sites import Match, last_word, names_class, resembles
from deeprepo.impact.uses.targets import Bindings, UseTarget, local_names
from deeprepo.impact.values import Link, Use

LAST = re.compile(r"\w+")
FIELD = re.compile(r"[a-z_][\w]{0,60}\.")  # the chain begins with a value, so its root is no class
# roots that are never imports
OWN = frozenset({"self", "Self", "this", "super", "crate", "cls", "parent", "static"})


class SearchedFile(Struct, frozen=True):
    """One file and what its own lines say."""

    path: str
    source: bytes
    uses: Sequence[Use]
    bound: Bindings
    import_words: frozenset[str]  # words in its import lines
    external: frozenset[str]  # receivers from outside the tree, whose members are unknown

    def gives_another_meaning(self, use: Use, target: UseTarget) -> bool:
        """Return whether the file itself binds a name, by a definition or by an import of something else."""
        if use.form == "import" or use.receiver:
            return False
        is_own = any(local.here == use.name for local in local_names(target, self.bound))
        lines = {other.line for other in self.uses if other.name == use.name and other.form == "import"}
        is_imported = len(lines) > is_own or (not is_own and use.name in self.import_words)
        return is_imported or self.defines(use.name)

    def defines(self, name: str, forms: Sequence[str] = ("definition",)) -> bool:
        """Return whether the file binds a name in one of these forms."""
        return any(other.name == name and other.form in forms for other in self.uses)


class Evidence(Struct):
    """Answers questions about references of one language, from both sides of the change."""

    tree: Tree
    language: Language
    exports: Exports
    names: Names
    importers: Mapping[str, Sequence[Link]]
    behind: Mapping[str, frozenset[str] | set[str]]
    # pairs of a file and a removed module that it imports
    lost_imports: frozenset[tuple[str, str]] = frozenset()
    # the same for modules that may have a replacement
    doubtful_imports: frozenset[tuple[str, str]] = frozenset()
    unique_names: frozenset[str] = frozenset()  # names that only changed definitions have
    names_after: frozenset[str] = frozenset()  # names of changed definitions after the change
    # Pairs of target and name that unrelated code uses as well, and hints with a weak connection.
    unconnected: set[tuple[str, str]] = field(default_factory=set)
    weakly_connected: set[tuple[str, str, int]] = field(default_factory=set)

    def is_unique(self, target: UseTarget, name: str) -> bool:
        """Return whether only changed definitions have the name; for a removed target, nothing at all."""
        return name in self.unique_names and not (target.is_gone and name in self.names_after)

    def imports_target(self, path: str, target: UseTarget) -> bool:
        """Return whether a file imports one of the target's files, directly or through a re-export."""
        return any(not target.homes.isdisjoint(self.behind.get(i.target, ())) for i in self.importers.get(path, ()))

    async def sees(self, path: str, target: UseTarget) -> bool:
        """Return whether a file can see the target's files.

        It is in the target's package, or imports one of its files with at most one file between.
        """
        is_mate = path in target.homes or any(path in self.exports.visible_files(home) for home in target.homes)
        # in such a language, a folder is a package
        is_in_folder = self.exports.declares_content and is_beside(path, target)
        if is_mate or is_in_folder or self.imports_target(path, target):
            return True
        return any(self.imports_target(item.target, target) for item in await self.exports.links(path))

    def is_field(self, receiver: str) -> bool:
        """Return whether a capitalized receiver is a field or property: `h.Options.Matcher`."""
        return self.language.receivers.capital_members and bool(FIELD.match(receiver))

    async def is_undefined_type(self, types: Sequence[str], owner: str = "") -> bool:
        """Return whether a receiver's class is not defined in the tree, so that it may have any member."""
        type_names = {words[-1] for word in types if (words := LAST.findall(word))} - {owner}
        return any([not await self.names.is_type_defined(word) for word in sorted(type_names)])

    async def is_extended(self, name: str) -> bool:
        """Return whether an extension in the tree may add a member of that name to other types."""
        has_extensions = any(one.has_extensions for one in load(self.language.folder))
        if not has_extensions or not await self.names.is_defined(name):
            return False
        files = await self.names.where(name)
        outlines = [await self.exports.outline("head", path) for path in sorted(files or ())]
        rows = (row for outline in outlines if outline is not None for row in outline.definitions)
        return files is None or any(row.short == name and row.extends for row in rows)


class Case(Struct):
    """One reference, the target that it may mean, and the evidence about both."""

    evidence: Evidence
    target: UseTarget
    match: Match
    file: SearchedFile
    connection: Connection = "name"  # as decided in `connection.py`

    @property
    def place(self) -> UsePlace:
        """The place under which `explain` finds the decisions."""
        return self.target.key, self.file.path, self.use.line

    @property
    def use(self) -> Use:
        """The reference as it is written."""
        return self.match.use

    @property
    def is_unique(self) -> bool:
        """Whether only changed definitions have the name; for a removed target, nothing at all."""
        return self.evidence.is_unique(self.target, self.use.name)

    @property
    def is_external(self) -> bool:
        """Whether the receiver comes from outside the tree."""
        return self.use.receiver in self.file.external

    @property
    def is_untyped(self) -> bool:
        """Whether nothing says which class the receiver has."""
        return self.use.receiver.partition(".")[0] not in OWN and not set(self.use.types) - {"?"}

    @property
    def is_former_name(self) -> bool:
        """Whether the reference uses a name that the change removed."""
        return self.target.is_gone and self.use.name in self.target.former_names

    @property
    def is_named_like_its_class(self) -> bool:
        """Whether the receiver is named like the target's class: `cart.total` for a member of `Cart`."""
        return resembles(self.use.receiver, self.target.owner)


def is_beside(path: str, target: UseTarget) -> bool:
    """Return whether a file is in a folder of the target's files."""
    return posixpath.dirname(path) in {posixpath.dirname(home) for home in target.homes}


def names_another_class(receiver: str, target: UseTarget) -> bool:
    """Return whether a receiver is written like a class other than the target's."""
    return names_class(receiver) and last_word(receiver) not in (target.owner, *target.shorts)
