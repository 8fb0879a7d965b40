"""Judge how certain a reference is, and whether its target still exists; nothing else judges that.

| tie | why the reference is assumed to mean the definition |
|---|---|
| bound | the imports of the file, its namespace, or the written class of the receiver |
| only | the name is unique in the tree, and the file imports what defines the class or shares its package |
| telling | the name is unique in the tree, or the receiver probably is of the class |
| name | only the name matches |

| fate | what became of the target |
|---|---|
| lost | a search found nothing that still provides the name; `name_check.py` decides what that proves |
| likely | nothing in the tree has it, but the members of the receiver or its base are unknown: a hint |
| there | it still exists after the change: proven |
| unknown | |
"""

import posixpath
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from deeprepo.impact.changes import Fate, Tie
from deeprepo.impact.everyday import METHODS
from deeprepo.impact.filetypes import filetype
from deeprepo.impact.ports import Language, Tree
from deeprepo.impact.structs import Struct, field
from deeprepo.impact.text.lines import says
from deeprepo.impact.uses.sides import Exports
from deeprepo.impact.uses.sites import Bindings, Match, is_imported
from deeprepo.impact.uses.targets import UseTarget, is_extension, last_word, names_class, resembles, telling
from deeprepo.impact.values import COMPONENT, Facts, Link, Side, Use

if TYPE_CHECKING:
    from deeprepo.impact.uses.search import Names

SIDES: tuple[Side, Side] = ("head", "base")
FORGOTTEN = 6  # files that a change may forget
MEANT = 12  # the same, if a receiver has the name of the class that had the member
UNNAMED = frozenset({"?", "*"})  # bases whose members are unknown
LAST = re.compile(r"\w+")
FIELD = re.compile(r"[a-z_][\w]{0,60}\.")  # the chain begins with a value, so its root is no class
CHAIN = re.compile(r"[\w$]{1,60}(?:\.[\w$]{1,60}){1,4}$")  # an attribute, which cannot be imported
# roots that are never imports
OWN = frozenset({"self", "Self", "this", "super", "crate", "cls", "parent", "static"})
# The name as a word, or code that answers to unwritten names.
WRITTEN = r"(?<![\w$])(?:NAME|__getattr__|__getattribute__|method_missing|__call|Proxy|setattr)(?![\w$])"
ROOTS = frozenset({"object", "Object"})  # bases without members of their own
# Standard library classes whose members are all known and are not named like constants.
ENUMERATIONS = frozenset({"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag", "ReprEnum"})
MIXED: Mapping[str, type] = {"str": str, "int": int}  # for classes such as `class Mode(str, Enum)`
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
BORNE = frozenset(LIBRARIES.split())


class SearchedFile(Struct, frozen=True):
    """One file and what its own lines say."""

    path: str
    source: bytes
    uses: Sequence[Use]
    bound: Bindings
    import_words: frozenset[str]  # words in its import lines
    foreign: frozenset[str]  # receivers from outside the tree, whose members are unknown

    def gives_meaning(self, use: Use) -> bool:
        """Return whether the file itself binds a name, by an import or a definition.

        An import is not bound by itself.
        """
        if use.form == "import" or use.receiver:
            return False
        return use.name in self.import_words or self.defines(use.name, ("import", "definition"))

    def defines(self, name: str, forms: Sequence[str] = ("definition",)) -> bool:
        """Return whether the file binds a name in one of these forms."""
        return any(other.name == name and other.form in forms for other in self.uses)


class Judge(Struct):
    """Resolves references within one language."""

    tree: Tree
    language: Language
    exports: Exports
    names: "Names"
    importers: Mapping[str, Sequence[Link]]
    origins: Mapping[str, frozenset[str] | set[str]]
    # pairs of a file and a removed module that it imports
    lost_imports: frozenset[tuple[str, str]] = frozenset()
    # the same for modules that may have a replacement
    doubtful_imports: frozenset[tuple[str, str]] = frozenset()
    lone: frozenset[str] = frozenset()  # names that only changed definitions have
    left: frozenset[str] = frozenset()  # names of changed definitions after the change
    # Pairs of target and name that unconnected files use as well, and hints with a weak connection.
    untied: set[tuple[str, str]] = field(default_factory=set)
    loose: set[tuple[str, str, int]] = field(default_factory=set)

    async def judge(self, target: UseTarget, hit: Match, file: SearchedFile) -> tuple[Tie, Fate]:
        """Return how a reference is tied to the target, and whether its target still exists."""
        tie = await self._tie(target, hit, file)
        if await self._is_gone(target, hit, file, tie):
            return tie, "lost"
        if await self._is_likely(target, hit, file, tie):
            return tie, "likely"
        is_there = (
            tie == "bound" and target.is_gone and bool(target.contract) and await self._is_there(target, hit, file)
        )
        return tie, "there" if is_there else "unknown"

    def is_refuted(self, key: str, name: str, path: str, line: int) -> bool:
        """Return whether a hint probably refers to a library, because unconnected files use the same member."""
        return (key, name) in self.untied and (key, path, line) in self.loose

    def _is_lone(self, target: UseTarget, name: str) -> bool:
        """Return whether only changed definitions have the name; for a removed target, nothing at all."""
        return name in self.lone and not (target.is_gone and name in self.left)

    async def _tie(self, target: UseTarget, hit: Match, file: SearchedFile) -> Tie:
        use = hit.use
        if hit.sure:
            return "bound" if await self._is_no_other(target, hit) else "telling"
        is_lone, is_foreign = self._is_lone(target, use.name), use.receiver in file.foreign
        is_unknown = use.receiver.partition(".")[0] not in OWN and not set(use.types) - {"?"}
        if target.is_attribute:
            is_meant = is_lone or resembles(use.receiver, target.owner)
            is_meant = is_meant or (is_imported(target, file.bound) and use.name not in METHODS)
            is_meant = is_meant and use.form == "member" and is_unknown and not use.is_guarded
            return "telling" if is_meant and not is_foreign else "name"
        if is_lone and not use.types and not is_foreign and await self._is_of_no_other(target, use, file.path):
            return "only"
        if hit.is_extension or hit.is_inherited or (target.is_macro and use.form == "member"):
            return "telling"
        is_field = self._is_field(use.receiver) and not is_foreign
        if file.gives_meaning(use) or (_names_another(use.receiver, target) and not is_field):
            return "name"
        is_member = use.form == "member" and (bool(target.owner) or target.is_method_of_a_value)
        is_lost = target.is_gone or (use.arguments is not None and target.has_new_signature)
        is_near = is_member and is_lost and is_unknown and not is_foreign and use.name not in METHODS
        return "telling" if is_lone or (is_near and self.takes(file.path, target)) else "name"

    async def _is_of_no_other(self, target: UseTarget, use: Use, path: str) -> bool:
        """Return whether a file can see the target's class, and the receiver is not named like an external class."""
        is_named = _names_another(use.receiver, target) and not self._is_field(use.receiver)
        if is_named and await self._is_strange((last_word(use.receiver),)):
            return False  # a class that the tree does not define
        return await self._sees(path, target)

    async def _is_no_other(self, target: UseTarget, hit: Match) -> bool:
        """Return whether no other member can have that name.

        It may come from an extension or, for an extension, from the type itself.
        """
        name = hit.use.name
        if hit.is_extension:
            is_of_tree = [await self.names.is_defined(one.rpartition(".")[2]) for one in hit.use.types]
            return self._is_lone(target, name) and (telling(name) or any(is_of_tree))
        is_doubtful = target.owner and target.has_new_signature and not target.is_extension
        return not (is_doubtful and await self._is_extended(name))

    def _is_field(self, receiver: str) -> bool:
        """Return whether a capitalized receiver is a field or property: `h.Options.Matcher`."""
        return self.language.TRAITS.capital_members and bool(FIELD.match(receiver))

    def takes(self, path: str, target: UseTarget) -> bool:
        """Return whether a file imports one of the target's files, directly or through a re-export."""
        return any(not target.homes.isdisjoint(self.origins.get(i.target, ())) for i in self.importers.get(path, ()))

    async def _sees(self, path: str, target: UseTarget) -> bool:
        """Return whether a file can see the target's files.

        It is in the target's package, or imports one of its files with at most one file between.
        """
        is_mate = path in target.homes or any(path in self.exports.mates(home) for home in target.homes)
        # in such a language, a folder is a package
        is_beside = self.exports.is_told and _is_beside(path, target)
        if is_mate or is_beside or self.takes(path, target):
            return True
        return any(self.takes(item.target, target) for item in await self.exports.imports(path))

    async def _is_connected(self, path: str, target: UseTarget) -> bool:
        """Return whether a file sees the target, is next to it, or shares an import with it.

        Imports count in both directions.
        """
        if _is_beside(path, target):
            return True
        backwards = {item.target for home in target.homes for item in await self.exports.imports(home)}
        between = {item.target for item in await self.exports.imports(path)}
        return path in backwards or not between.isdisjoint(backwards) or await self._sees(path, target)

    async def _is_gone(self, target: UseTarget, hit: Match, file: SearchedFile, tie: Tie) -> bool:
        """Return whether the target is proven to be removed: nothing can still provide the name."""
        use = hit.use
        if use.is_guarded or target.is_attribute or tie not in ("bound", "only"):
            return False
        if hit.sure and ((file.path, hit.door) in self.lost_imports or (hit.name and hit.door)):
            return await self._is_shut(hit, file.path)
        if not target.is_gone or use.name not in target.former_names or await self._is_open(target):
            return False
        if tie == "only":
            is_use = use.arguments is not None or self.language.TRAITS.declared_members
            is_other = _is_of_another_type(target, use) or await self._is_result_of_library(target, use, file)
            return is_use and not is_other
        if target.owner:
            is_constant = target.symbol is not None and target.symbol.symbol.kind in ("variable", COMPONENT)
            home = min(target.homes)
            return self._is_lone(target, use.name) or (
                await self._lacks(home, target.owner, use.name, is_constant=is_constant)
                and not await self._is_extended(use.name)
            )
        return await self._is_unbound(file, use)

    async def _is_likely(self, target: UseTarget, hit: Match, file: SearchedFile, tie: Tie) -> bool:
        """Return whether nothing in the tree has the target any more, although its absence is not proven.

        The receiver's type is unknown, or a base is known only by name, so a library may still provide the
        name.
        """
        use, traits = hit.use, self.language.TRAITS
        # a build condition does not handle a missing name
        is_foreseen = use.is_guarded and not traits.conditional_build
        if is_foreseen or (file.path, hit.door) in self.doubtful_imports or use.name in self.language.AMBIENT:
            return False
        is_gone = target.is_gone and use.name in target.former_names
        if tie == "bound":
            is_whole = traits.declared_members or self._is_lone(target, use.name) or not await self._is_open(target)
            is_lost = is_gone and is_whole and not file.defines(use.name) and await self._is_at_home(target)
            return is_lost and not (await self.names.is_defined(use.name) or await self._has_still(target, use.name))
        if use.form != "member" or not (is_gone or (target.has_new_signature and tie != "only")):
            return False
        return (
            await self._may_be_its_member(target, use, file, is_gone=is_gone)
            and await self._is_tied(target, use, file, tie)
            and not (use.receiver.endswith(")") and await self._is_result_of_library(target, use, file))
        )

    async def _may_be_its_member(self, target: UseTarget, use: Use, file: SearchedFile, *, is_gone: bool) -> bool:
        """Return whether a member of an unknown value probably is the target's.

        Few files use its name, and no known class or library has it.
        """
        is_lone, is_called_so = self._is_lone(target, use.name), resembles(use.receiver, target.owner)
        if not (is_lone or (is_gone and await self._is_left_alone(use, is_called_so=is_called_so))):
            return False
        if _names_another(use.receiver, target) and not (self.language.TRAITS.open_classes and is_lone):
            return False  # `extend Cleaner` may have added the member to any class
        return (
            await self.names.is_in_few_files(use.name, MEANT if is_called_so else FORGOTTEN)
            and not await self._is_strange(use.types, target.owner)
            and not await self._is_of_library(file.path, use)
        )

    async def _is_tied(self, target: UseTarget, use: Use, file: SearchedFile, tie: Tie) -> bool:
        """Return whether the receiver is named like the target, or its file is connected to it.

        Other targets are recorded.
        """
        folders = {posixpath.basename(posixpath.dirname(home)) for home in target.homes}
        if resembles(use.receiver, target.owner) or (not target.owner and use.receiver in folders):
            return True
        if use.receiver in file.foreign:
            return False
        is_near = await self._is_connected(file.path, target) if telling(use.name) else self.takes(file.path, target)
        if is_near or tie == "only" or (len(target.owner) >= LONG and target.owner.encode() in file.source):
            self.loose.add((target.key, file.path, use.line))
            return True
        self.untied.add((target.key, use.name))
        is_bare = self.language.TRAITS.open_classes and not use.receiver and use.arguments is not None
        is_alone = (
            target.is_gone and self._is_lone(target, use.name) and (is_bare or CHAIN.match(use.receiver) is not None)
        )
        # in two files it is more likely a library's
        return is_alone and await self.names.is_in_few_files(use.name, 1)

    async def _is_left_alone(self, use: Use, *, is_called_so: bool) -> bool:
        """Return whether a removed short name probably belongs to the target.

        It has no other definition, and it is rare or its receiver has the class's name.
        """
        rare = self.language.TRAITS.declared_members and len(use.name) >= LONG and use.name.lower() not in BORNE
        return (rare or is_called_so) and not await self.names.is_defined(use.name)

    async def _is_strange(self, types: Sequence[str], owner: str = "") -> bool:
        """Return whether a receiver's class is not defined in the tree, so that it may have any member."""
        type_names = {words[-1] for word in types if (words := LAST.findall(word))} - {owner}
        return any([not await self.names.is_defined(word) for word in sorted(type_names)])

    async def _is_result_of_library(self, target: UseTarget, use: Use, file: SearchedFile) -> bool:
        """Return whether the receiver comes from a call of a library, through any variables: `r = http.open()`."""
        # a library creates instances of the class: `Check.objects.create()`
        if target.owner in use.origin.classes:
            return False
        if not file.foreign.isdisjoint(use.origin.roots):
            return True
        unknown = any([not await self.names.is_defined(word) for word in use.origin.called])
        return unknown and use.receiver not in await self._modules_of(
            file.path
        )  # a call may import: `require("./posts")`

    async def _is_of_library(self, path: str, use: Use) -> bool:
        """Return whether the lines above bind the receiver to something from an external package."""
        receivers = self.language.receivers
        if receivers is None:
            return False
        package = receivers.package_of(await self.tree.read(path) or b"", use.receiver, use.line)
        return bool(package) and package not in await self._modules_of(path)

    async def _modules_of(self, path: str) -> set[str]:
        """Return the local names of modules in the tree that a file imports whole."""
        return {here for item in await self.exports.imports(path) for name, here in item.aliases if name == "*"}

    async def _is_there(self, target: UseTarget, hit: Match, file: SearchedFile) -> bool:
        """Return whether the name still exists: renamed, re-exported, or defined elsewhere in reach."""
        use, was = hit.use, target.symbol.before if target.symbol is not None else None
        if (use.name not in target.former_names and not target.constructor) or file.gives_meaning(use):
            return True
        if self.language.receivers is not None and was is not None and not hit.door:
            if target.owner:
                return await self._has_still(target, use.name)
            return await self._is_handed_on_beside(target, file.path, use.name)
        if hit.door and hit.name:
            named_so = was is not None and was.short == hit.name
            return await self.exports.offers(hit.door, hit.name, was if named_so else None)
        outline = await self.exports.outline("head", file.path)
        bound = outline is not None and not hit.door and use.name in outline.names
        return bound and await self.exports.offers(file.path, use.name, was)

    async def _has_still(self, target: UseTarget, name: str) -> bool:
        """Return whether a target's class still has a member, such as a field moved to a base."""
        homes = sorted(target.homes) if target.owner else ()
        return any([await self.exports.has_member(home, target.owner, name) for home in homes])

    async def _is_handed_on_beside(self, target: UseTarget, path: str, name: str) -> bool:
        """Return whether a file's package still has the name, moved there or as an alias: `var Load = config.Load`."""
        after = target.symbol.after if target.symbol is not None else None
        homes = {path, *self.exports.mates(path)}
        if after is not None and after.short == name and after.path in homes:
            return True
        there = re.escape(after.short if after is not None else name)
        form = re.compile(rf"(?<![\w.]){re.escape(name)}\b[^=\n]{{0,80}}=\s*+\w+\.{there}\b")
        texts = await self.tree.read_many(sorted(homes))
        return any(form.search(text.decode("utf-8", "replace")) for text in texts.values())

    async def _is_at_home(self, target: UseTarget) -> bool:
        """Return whether the place that had the name is fully known, including every base of a class."""
        traits, former = self.language.TRAITS, sorted(target.former_names)
        if not target.owner:
            before = target.symbol.before if target.symbol is not None else None
            home = before.path if before is not None else next(iter(target.homes), "")
            if traits.loader and home not in await self.tree.entries():
                return all([await self.names.is_in_few_files(name, FORGOTTEN) for name in former])
            texts = await self.tree.read_many(sorted(target.homes))
            either = "|".join(map(re.escape, former))
            word_pattern = re.compile(rf"(?<![\w$])(?:{either})(?![\w$])".encode())
            return not traits.unwritten_names and not any(map(word_pattern.search, texts.values()))
        outlines = [await self.exports.outline("head", home) for home in sorted(target.homes)]
        is_dynamic = any(o is not None and (not o.complete or has_member(o, "__getattr__")) for o in outlines)
        if is_dynamic and traits.unwritten_names:
            return False
        lines = [await self.exports.ancestry(home, target.owner) for home in sorted(target.homes)]
        line = next((one for one in lines if one.classes), None)
        is_telling = all(map(telling, former))  # an unknown base hardly has such a specific member
        beyond = (
            line.names_beyond - ROOTS - (UNNAMED if is_telling else frozenset()) if line is not None else frozenset()
        )
        words = [last_word(base) for base in sorted(beyond)]
        return line is not None and all([word.isidentifier() and await self.names.is_defined(word) for word in words])

    async def _is_shut(self, hit: Match, path: str) -> bool:
        """Return whether the file that provided a name no longer exports it."""
        is_gone = (path, hit.door) in self.lost_imports or hit.name in await self.exports.gone_names(hit.door)
        if is_gone and self.language.TRAITS.open_classes:
            return not await self.names.is_defined(hit.use.name)
        if is_gone and await self.exports.has_other_source(path, hit.name, hit.door):
            return False
        return is_gone and (not hit.star or await self._is_nowhere(path, hit.name))

    async def _is_unbound(self, file: SearchedFile, use: Use) -> bool:
        """Return whether nothing in the file binds the name any more."""
        path, outline = file.path, await self.exports.outline("head", file.path)
        is_unbound = outline is not None and (outline.complete or outline.is_scoped) and not _offers(outline, use.name)
        bound = file.defines(use.name, ("import", "definition"))
        if outline is None or not is_unbound or bound or use.name in self.language.AMBIENT:
            return False
        if self.language.TRAITS.open_classes:  # a file loaded earlier may define the name
            return not await self.names.is_defined(use.name)
        if await self._may_be_inherited(path, outline, use):
            return False
        if outline.stars or outline.borrows:
            return await self._is_nowhere(path, use.name)
        return not await self.exports.elsewhere(path, use.name)

    async def _may_be_inherited(self, path: str, outline: Facts, use: Use) -> bool:
        """Return whether a bare name may be an inherited member, such as a field moved to a base."""
        if not self.language.TRAITS.bare_members:
            return False
        around = use.function.split(".")
        classes = [name for name, bases in outline.bases if bases and (name in around or not use.function)]
        return any([not await self._lacks(path, name, use.name) for name in classes])

    async def _is_nowhere(self, path: str, name: str) -> bool:
        """Return whether no wildcard import of a file provides the name, and nothing in the tree defines it."""
        gone_names = await self.exports.gone_names(path, with_borrows=True)
        return name in gone_names and not await self.names.is_defined(name)

    async def _lacks(self, path: str, owner: str, name: str, *, is_constant: bool = False) -> bool:
        """Return whether a class and all its bases are known, and none has the member."""
        traits, line = self.language.TRAITS, await self.exports.ancestry(path, owner)
        beyond = {one for (home, _), one in line.beyond if not (_adds_nothing(one, name) or _is_plain(one, home))}
        is_alone = len(line.classes) == 1
        if is_constant and is_alone and beyond <= UNNAMED_BASE and not await self.names.is_defined(name):
            beyond = set()
        elif traits.open_classes:  # any file may add to the class
            return False
        # In compiled languages, a class may be spread over files.
        is_whole = is_alone or traits.unwritten_names or self.language.receivers is not None
        if not line.classes or beyond or not is_whole or name in self.language.AMBIENT:
            return False
        is_family = bool(line.beyond) or not is_alone
        return not any([await self._may_have(*one, name, is_family=is_family) for one in line.classes])

    async def _may_have(self, path: str, owner: str, name: str, *, is_family: bool) -> bool:
        """Return whether a known class may have a member, from its file or its namespace."""
        outline, source = await self.exports.outline("head", path), await self.tree.read(path)
        if outline is None or source is None or not outline.complete:
            return True
        # `self.name = ...`
        is_set = any(use.form == "definition" for use in self.language.uses(path, source, {name}))
        if is_set or any(has_member(outline, other) for other in (name, "__getattr__")):
            return True
        is_dynamic = is_family and self.language.TRAITS.unwritten_names
        if is_dynamic and says(WRITTEN, name, source.decode("utf-8", "replace")):
            return True
        return await self.exports.elsewhere(path, f"{owner}.{name}")

    async def _is_extended(self, name: str) -> bool:
        """Return whether an extension in the tree may add a member of that name to other types."""
        if not self.language.has_extensions or not await self.names.is_defined(name):
            return False
        files = await self.names.where(name)
        outlines = [await self.exports.outline("head", path) for path in sorted(files or ())]
        rows = (row for outline in outlines if outline is not None for row in outline.definitions)
        return files is None or any(row.short == name and is_extension(row) for row in rows)

    async def _is_open(self, target: UseTarget) -> bool:
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
        return "*" in now or not now <= before or await self._is_renamed_type(target)

    async def _is_renamed_type(self, target: UseTarget) -> bool:
        """Return whether the class is an alias of a type defined elsewhere: `typealias Cart = shop.Cart`."""
        pattern = rf"\b(?:typealias|type|using)\s+{re.escape(target.owner)}\b[^=\n{{]{{0,200}}=(?!\s*\{{)"
        texts = await self.tree.read_many(sorted(target.homes)) if target.owner else {}
        return any(re.search(pattern.encode(), text) for text in texts.values())


def has_member(outline: Facts, name: str) -> bool:
    """Return whether a file defines anything with that name."""
    return any(symbol.short == name for symbol in outline.definitions)


def _adds_nothing(base: str, name: str) -> bool:
    """Return whether a standard library class has no member of that name."""
    return (
        base in ROOTS
        or base.removeprefix("enum.") in ENUMERATIONS
        or (base in MIXED and not hasattr(MIXED[base], name))
    )


def _is_plain(base: str, path: str) -> bool:
    """Return whether a base adds nothing, and a compiler checks each access."""
    # imported here because grammars load with the first searched file
    from deeprepo.impact.language import language_of

    language = language_of(path)
    return language is not None and base in language.plain_bases and bool(filetype(path).broken_use)


def _offers(outline: Facts, name: str) -> bool:
    """Return whether an exported name is also bound in the file; `exports.name = other` binds nothing."""
    here = dict(outline.exports).get(name)
    return here is not None and (not here or (here == name and any(item.name == name for item in outline.definitions)))


def _is_beside(path: str, target: UseTarget) -> bool:
    """Return whether a file is in a folder of the target's files."""
    return posixpath.dirname(path) in {posixpath.dirname(home) for home in target.homes}


def _names_another(receiver: str, target: UseTarget) -> bool:
    """Return whether a receiver is written like a class other than the target's."""
    return names_class(receiver) and last_word(receiver) not in (target.owner, *target.shorts)


def _is_of_another_type(target: UseTarget, use: Use) -> bool:
    """Return whether a static member is accessed on another type: `Path.GetTempPath()`, not `Helpers.GetTempPath()`."""
    before = target.symbol.before if target.symbol is not None else None
    last = use.receiver.rpartition(".")[2]
    is_static = before is not None and before.kind == "function" and bool(target.owner)
    return is_static and last[:1].isupper() and last != target.owner
