"""Look up what the verdict on a reference depends on: types, imports, bases and other definitions of a name."""

import posixpath
import re
from collections.abc import Mapping, Sequence

from deeprepo.impact import resolving
from deeprepo.impact.everyday import is_specific
from deeprepo.impact.language import Language, load
from deeprepo.impact.ports import Tree
from deeprepo.impact.structs import Struct, field
from deeprepo.impact.text.lines import says
from deeprepo.impact.uses.exports import Exports
from deeprepo.impact.uses.importing import Bindings
from deeprepo.impact.uses.occurrences import Names
from deeprepo.impact.uses.sites import Match, last_word, local_names, names_class
from deeprepo.impact.uses.targets import UseTarget
from deeprepo.impact.values import Link, Outline, Side, Use

SIDES: tuple[Side, Side] = ("head", "base")
FEW_FILES = 6  # files in which a change may forget a name
UNNAMED = frozenset({"?", "*"})  # bases whose members are unknown
LAST = re.compile(r"\w+")
FIELD = re.compile(r"[a-z_][\w]{0,60}\.")  # the chain begins with a value, so its root is no class
# The name as a word, or code that answers to unwritten names.
WRITTEN = r"(?<![\w$])(?:NAME|__getattr__|__getattribute__|method_missing|__call|Proxy|setattr)(?![\w$])"
ROOTS = frozenset({"object", "Object"})  # bases without members of their own
UNNAMED_BASE = {"?"}  # of a class to which other files may add members, such as a trait
LONG = 4  # letters of a class name that links a file to it, and of a one-word member name in a hint
# One-word names that are common in libraries.
LIBRARIES = (
    "accept append apply assign attach back base begin bind call cancel capacity check clear clone close code "
    "compare config connect contains context copy count create data depth detach disconnect done emplace empty "
    "enable encode decode equal erase error exec execute exists extract fail fill filter find finish first flush "
    "format front function getline good handle hash head height imbue index info init insert invoke iterator items "
    "join keys kind last left length limit line list load lock lower match mean merge message mode move name next "
    "node notify offset open options output input owner parent parse path peek pointer port position print process "
    "push query rank read ready receive record refresh register release remove rend rbegin replace request reserve "
    "reset resize resolve response result return reverse right root rows run save scale search second seek send set "
    "shape shutdown shuffle size sort source splice split start state status step stop store stream string substr "
    "swap sync tail target tell text time title token top transform trim type unique unlock update upper valid "
    "value values version view visit wait what width word words work write"
)
LIBRARY_WORDS = frozenset(LIBRARIES.split())


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
        is_own = any(one.here == use.name for one in local_names(target, self.bound))
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

    def is_refuted(self, key: str, name: str, path: str, line: int) -> bool:
        """Return whether a hint probably refers to a library, because unrelated code uses the same member."""
        return (key, name) in self.unconnected and (key, path, line) in self.weakly_connected

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
        return any(self.imports_target(item.target, target) for item in await self.exports.imports(path))

    async def is_connected(self, path: str, target: UseTarget) -> bool:
        """Return whether a file sees the target, is next to it, or shares an import with it.

        Imports count in both directions.
        """
        if is_beside(path, target):
            return True
        backwards = {item.target for home in target.homes for item in await self.exports.imports(home)}
        between = {item.target for item in await self.exports.imports(path)}
        return path in backwards or not between.isdisjoint(backwards) or await self.sees(path, target)

    async def may_mean(self, target: UseTarget, use: Use, path: str) -> bool:
        """Return whether a file can see the target's class, and the receiver is not named like an external class."""
        is_named = names_another_class(use.receiver, target) and not self.is_field(use.receiver)
        if is_named and await self.is_undefined_type((last_word(use.receiver),)):
            return False  # a class that the tree does not define
        return await self.sees(path, target)

    async def is_only_member(self, target: UseTarget, hit: Match) -> bool:
        """Return whether no other member can have that name.

        It may come from an extension or, for an extension, from the type itself.
        """
        name = hit.use.name
        if hit.is_extension:
            is_of_tree = [await self.names.is_defined(one.rpartition(".")[2]) for one in hit.use.types]
            return self.is_unique(target, name) and (is_specific(name) or any(is_of_tree))
        is_doubtful = bool(target.owner) and target.has_new_signature and not target.is_extension
        return not (is_doubtful and await self.is_extended(name))

    def is_field(self, receiver: str) -> bool:
        """Return whether a capitalized receiver is a field or property: `h.Options.Matcher`."""
        return self.language.receivers.capital_members and bool(FIELD.match(receiver))

    async def is_rare_after_removal(self, use: Use, *, is_called_so: bool) -> bool:
        """Return whether a removed short name probably belongs to the target.

        It has no other definition, and it is rare or its receiver has the class's name.
        """
        rare = self.language.declared_members and len(use.name) >= LONG and use.name.lower() not in LIBRARY_WORDS
        return (rare or is_called_so) and not await self.names.is_defined(use.name)

    async def is_undefined_type(self, types: Sequence[str], owner: str = "") -> bool:
        """Return whether a receiver's class is not defined in the tree, so that it may have any member."""
        type_names = {words[-1] for word in types if (words := LAST.findall(word))} - {owner}
        return any([not await self.names.is_type_defined(word) for word in sorted(type_names)])

    async def is_from_library_call(self, target: UseTarget, use: Use, file: SearchedFile) -> bool:
        """Return whether the receiver comes from a call of a library, through any variables: `r = http.open()`."""
        # a library creates instances of the class: `Check.objects.create()`
        if target.owner in use.origin.classes:
            return False
        if not file.external.isdisjoint(use.origin.roots):
            return True
        unknown = any([not await self.names.is_defined(word) for word in use.origin.called])
        # a call may import: `require("./posts")`
        return unknown and use.receiver not in await self._modules_of(file.path)

    async def is_from_library(self, path: str, use: Use) -> bool:
        """Return whether the lines above bind the receiver to something from an external package."""
        rules = self.language
        if not rules.embeds_types:
            return False
        package = rules.receiver_package(await self.tree.read(path) or b"", use.receiver, use.line)
        return bool(package) and package not in await self._modules_of(path)

    async def _modules_of(self, path: str) -> set[str]:
        """Return the local names of modules in the tree that a file imports whole."""
        return {here for item in await self.exports.imports(path) for name, here in item.aliases if name == "*"}

    async def has_member_still(self, target: UseTarget, name: str) -> bool:
        """Return whether a target's class still has a member, such as a field moved to a base."""
        homes = sorted(target.homes) if target.owner else ()
        return any([await self.exports.has_member(home, target.owner, name) for home in homes])

    async def is_home_known(self, target: UseTarget) -> bool:
        """Return whether the place that had the name is fully known, including every base of a class."""
        rules, former = self.language, sorted(target.former_names)
        if not target.owner:
            home = target.before.path if target.before is not None else next(iter(target.homes), "")
            if rules.loader and home not in await self.tree.entries():
                return all([await self.names.is_in_few_files(name, FEW_FILES) for name in former])
            texts = await self.tree.read_many(sorted(target.homes))
            either = "|".join(map(re.escape, former))
            word_pattern = re.compile(rf"(?<![\w$])(?:{either})(?![\w$])".encode())
            return not rules.scope.unwritten_names and not any(map(word_pattern.search, texts.values()))
        outlines = [await self.exports.outline("head", home) for home in sorted(target.homes)]
        is_dynamic = any(o is not None and (not o.complete or has_member(o, "__getattr__")) for o in outlines)
        if is_dynamic and rules.scope.unwritten_names:
            return False
        lines = [await self.exports.ancestry(home, target.owner) for home in sorted(target.homes)]
        line = next((one for one in lines if one.classes), None)
        is_distinct = all(map(is_specific, former))  # an unknown base hardly has such a specific member
        beyond = (
            line.names_beyond - ROOTS - (UNNAMED if is_distinct else frozenset()) if line is not None else frozenset()
        )
        words = [last_word(base) for base in sorted(beyond)]
        return line is not None and all([word.isidentifier() and await self.names.is_defined(word) for word in words])

    async def is_no_longer_exported(self, hit: Match, path: str) -> bool:
        """Return whether the file that provided a name no longer exports it."""
        is_gone = (path, hit.imported_file) in self.lost_imports or hit.name in await self.exports.gone_names(
            hit.imported_file
        )
        if is_gone and self.language.open_classes:
            return not await self.names.is_defined(hit.use.name)
        if is_gone and await self.exports.has_other_source(path, hit.name, hit.imported_file):
            return False
        return is_gone and (not hit.star or await self._is_nowhere(path, hit.name))

    async def is_unbound(self, file: SearchedFile, use: Use) -> bool:
        """Return whether nothing in the file binds the name any more."""
        path, outline = file.path, await self.exports.outline("head", file.path)
        is_unbound = outline is not None and (outline.complete or outline.is_scoped) and not _offers(outline, use.name)
        bound = file.defines(use.name, ("import", "definition"))
        if outline is None or not is_unbound or bound or use.name in self.language.ambient:
            return False
        if _is_in_an_import(outline, use.line) or await self._is_imported_inside(path, outline, use.name):
            return False
        if self.language.open_classes:  # a file loaded earlier may define the name
            return not await self.names.is_defined(use.name)
        if await self._may_be_inherited(path, outline, use):
            return False
        if outline.stars or outline.borrows:
            return await self._is_nowhere(path, use.name)
        return not await self.exports.elsewhere(path, use.name)

    async def _is_imported_inside(self, path: str, outline: Outline, name: str) -> bool:
        """Return whether a module or function in the file imports the name from elsewhere: `use crate::cart::Cart;`."""
        inner = (item for item in outline.imports if item.inside or not item.hands_on)
        lines = {item.line for item in inner if any(one.here == name for one in item.names)}
        return bool(lines) and not lines <= {
            link.line for link in await self.exports.imports(path) if link.target == path
        }

    async def _may_be_inherited(self, path: str, outline: Outline, use: Use) -> bool:
        """Return whether a bare name may be an inherited member, such as a field moved to a base."""
        if not self.language.receivers.bare_members:
            return False
        around = use.function.split(".")
        classes = [name for name, bases in outline.bases if bases and (name in around or not use.function)]
        return any([not await self.lacks(path, name, use.name) for name in classes])

    async def _is_nowhere(self, path: str, name: str) -> bool:
        """Return whether a wildcard import of a file provided the name, and none does any more.

        A header may declare what any file defines.
        """
        is_gone = name in await self.exports.gone_names(path, with_borrows=True)
        return is_gone and not (self.language.has_headers and await self.names.is_defined(name))

    async def lacks(self, path: str, owner: str, name: str, *, is_constant: bool = False) -> bool:
        """Return whether a class and all its bases are known, and none has the member."""
        rules, line = self.language, await self.exports.ancestry(path, owner)
        bases = {(home, base) for (home, _), base in line.beyond if base not in ROOTS}
        beyond = {base for home, base in bases if not (rules.adds_nothing(base, name) or _is_plain(base, home))}
        is_alone = len(line.classes) == 1
        if is_constant and is_alone and beyond <= UNNAMED_BASE and not await self.names.is_defined(name):
            beyond = set()
        elif rules.open_classes:  # any file may add to the class
            return False
        # In compiled languages, a class may be spread over files.
        is_whole = is_alone or rules.scope.unwritten_names or rules.embeds_types
        if not line.classes or beyond or not is_whole or name in self.language.ambient:
            return False
        is_family = bool(line.beyond) or not is_alone
        return not any([await self._may_have(*one, name, is_family=is_family) for one in line.classes])

    async def _may_have(self, path: str, owner: str, name: str, *, is_family: bool) -> bool:
        """Return whether a known class may have a member, from its file or its namespace."""
        outline, source = await self.exports.outline("head", path), await self.tree.read(path)
        if outline is None or source is None or not outline.complete:
            return True
        # `self.name = ...`
        is_set = any(use.is_assigned for use in resolving.uses(path, source, {name}))
        if is_set or any(has_member(outline, other) for other in (name, "__getattr__")):
            return True
        is_dynamic = is_family and self.language.scope.unwritten_names
        if is_dynamic and says(WRITTEN, name, source.decode("utf-8", "replace")):
            return True
        return await self.exports.elsewhere(path, f"{owner}.{name}")

    async def is_extended(self, name: str) -> bool:
        """Return whether an extension in the tree may add a member of that name to other types."""
        has_extensions = any(one.has_extensions for one in load(self.language.folder))
        if not has_extensions or not await self.names.is_defined(name):
            return False
        files = await self.names.where(name)
        outlines = [await self.exports.outline("head", path) for path in sorted(files or ())]
        rows = (row for outline in outlines if outline is not None for row in outline.definitions)
        return files is None or any(row.short == name and row.extends for row in rows)

    async def accepts_any_member(self, target: UseTarget) -> bool:
        """Return whether the class accepts unwritten names: a base is "*", or is new."""
        now, before = [
            {
                base
                for home in sorted(target.homes if target.owner else ())
                if (outline := await self.exports.outline(side, home)) is not None
                for base in dict(outline.bases).get(target.owner, ())
            }
            for side in SIDES
        ]
        return "*" in now or not now <= before or await self._is_type_alias(target)

    async def _is_type_alias(self, target: UseTarget) -> bool:
        """Return whether the class is an alias of a type defined elsewhere: `typealias Cart = shop.Cart`."""
        pattern = rf"\b(?:typealias|type|using)\s+{re.escape(target.owner)}\b[^=\n{{]{{0,200}}=(?!\s*\{{)"
        texts = await self.tree.read_many(sorted(target.homes)) if target.owner else {}
        return any(re.search(pattern.encode(), text) for text in texts.values())


def has_member(outline: Outline, name: str) -> bool:
    """Return whether a file defines anything with that name."""
    return any(symbol.short == name for symbol in outline.definitions)


def _is_plain(base: str, path: str) -> bool:
    """Return whether a base adds nothing, and a compiler checks each access."""
    # imported here because grammars load with the first searched file
    from deeprepo.impact.language import language_of

    language = language_of(path)
    return language is not None and base in language.types.plain_bases and bool(language.broken_use)


def _offers(outline: Outline, name: str) -> bool:
    """Return whether an exported name is also bound in the file; `exports.name = other` binds nothing."""
    here = dict(outline.exports).get(name)
    return here is not None and (not here or (here == name and any(item.name == name for item in outline.definitions)))


def _is_in_an_import(outline: Outline, line: int) -> bool:
    """Return whether a line is part of an import, whose names are looked up where it leads: `use crate::shop::{cart::Cart};`."""
    return any(
        item.line <= line <= max((item.line, *(one.line for one in item.names)), default=0) for item in outline.imports
    )


def is_beside(path: str, target: UseTarget) -> bool:
    """Return whether a file is in a folder of the target's files."""
    return posixpath.dirname(path) in {posixpath.dirname(home) for home in target.homes}


def names_another_class(receiver: str, target: UseTarget) -> bool:
    """Return whether a receiver is written like a class other than the target's."""
    return names_class(receiver) and last_word(receiver) not in (target.owner, *target.shorts)
