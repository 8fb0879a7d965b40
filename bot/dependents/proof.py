"""Whether what is named in a place is proven to be gone: where anything could still give the name a meaning, it is not."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from bot.dependents.budget import SearchLimits
from bot.dependents.exports import Exports
from bot.dependents.names import NameOccurrences, occurrences
from bot.dependents.sites import Match, UseTarget, last_word, names_class, resembles, telling
from bot.dependents.targets import (
    OPENED,
    former_home,
    former_names,
    has_member,
    has_new_signature,
    is_closed,
    words_of,
)
from bot.ports import Language, Tree
from bot.text.lines import says
from bot.values import COMPONENT, Outline, Reference, Side, Use

SIDES: tuple[Side, Side] = ("head", "base")
FORGOTTEN = 6  # files that a change may leave behind by mistake
MEANT = 12  # the same, where a receiver is called like the class that had the member
UNNAMED = frozenset({"?", "*"})  # bases of which nobody in sight tells the members
LAST = re.compile(r"\w+")
INHERITED = 8  # classes between one and the last that it inherits from
OPENERS = (
    "__getattr__|__getattribute__|method_missing|__call|Proxy|setattr"  # what answers to names that are written nowhere
)
ROOTS = frozenset({"object", "Object"})  # bases without members of their own
WORD = 4  # letters of a member's name of one word that a hint may be about
# Names of one word that the containers, streams and threads of C++ and of half of all libraries bear.
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


@dataclass(slots=True)
class Proof:
    """The questions about one language's trees."""

    tree: Tree
    language: Language
    exports: Exports
    budget: SearchLimits
    lost_imports: frozenset[tuple[str, str]] = frozenset()  # (file, module that it imports and that is gone)
    doubtful_imports: frozenset[tuple[str, str]] = frozenset()  # of modules whose place something else may take
    expected_names: set[str] = field(default_factory=set)  # names about which questions are to come
    _occurrences: dict[str, NameOccurrences] = field(default_factory=dict)  # name -> where it occurs in the head tree
    _is_defined: dict[str, bool] = field(default_factory=dict)  # name -> whether the head tree may define it

    async def missing(
        self, target: UseTarget, hit: Match, path: str, uses: Sequence[Use], alone: frozenset[str], *, by_name: bool
    ) -> bool:
        """Whether what is named here is proven to be gone."""
        use, former = hit.use, hit.use.name in former_names(target)
        if use.is_guarded:
            return False
        if hit.sure and ((path, hit.door) in self.lost_imports or (hit.name and hit.door)):
            return await self._shut(hit, path)
        if not target.is_gone or not former or await self._open(target):
            return False
        if not hit.sure:
            is_use = use.call is not None or self.language.TRAITS.declared_members
            return by_name and is_use and not _is_of_another_type(target, use)
        if target.owner:
            return (
                use.name in alone
                or await self._baseless(target, use.name)
                or await self._lacks(min(target.homes), target.owner, use.name)
            )
        return await self._unbound(path, use, uses)

    async def likely(
        self, target: UseTarget, hit: Match, path: str, uses: Sequence[Use], alone: frozenset[str]
    ) -> bool:
        """Whether nothing in the tree has what is named here any more, though its absence is not proven.

        The type of the receiver is not known, or a base that is known by name alone: a library may still offer the name.
        """
        use, is_gone = hit.use, target.is_gone and hit.use.name in former_names(target)
        foreseen = self._foresees(use) or (path, hit.door) in self.doubtful_imports
        if foreseen or use.name in self.language.AMBIENT or not (is_gone or has_new_signature(target)):
            return False
        if not hit.sure:
            is_named = names_class(use.receiver) and last_word(use.receiver) not in (target.owner, *target.shorts)
            another = is_named and not self._may_have_taken(use, alone)
            if (
                use.form != "member"
                or another
                or not (use.name in alone or await self._is_left_alone(use, target, is_gone=is_gone))
            ):
                return False
            most = MEANT if resembles(use.receiver, target.owner) else FORGOTTEN
            if not await self._few(use.name, most) or await self.is_strange(use.types, target.owner):
                return False
            return not await self._is_of_library(path, use)
        is_open = not self.language.TRAITS.declared_members and use.name not in alone and await self._open(target)
        if not is_gone or is_open or any(o.name == use.name and o.form == "definition" for o in uses):
            return False
        return await self._at_home(target) and not await self._defines(use.name)

    def _may_have_taken(self, use: Use, alone: frozenset[str]) -> bool:
        """Whether a class that a use names may have had the member from the one that lost it: by `extend Cleaner`, anywhere."""
        return self.language.TRAITS.open_classes and use.name in alone

    async def _is_left_alone(self, use: Use, target: UseTarget, *, is_gone: bool) -> bool:
        """Whether a short name is left to no one, and its receiver is called like its class or no library has such a member."""
        rare = self.language.TRAITS.declared_members and len(use.name) >= WORD and use.name.lower() not in BORNE
        return is_gone and (rare or resembles(use.receiver, target.owner)) and not await self._defines(use.name)

    async def is_strange(self, types: Sequence[str], owner: str = "") -> bool:
        """Whether a receiver is known to be of a class that the tree does not define: a library's may have any member."""
        type_names = {LAST.findall(word)[-1] for word in types if LAST.search(word)} - {owner}
        return any([not await self._defines(word) for word in sorted(type_names)])

    async def _is_of_library(self, path: str, use: Use) -> bool:
        """Whether the lines above a use bind its receiver to something of a package from outside the tree."""
        receivers = self.language.TRAITS.receivers
        if receivers is None or use.form != "member":
            return False
        package = receivers.package_of(await self.tree.read(path) or b"", use.receiver, use.line)
        own = {here for item in await self.exports.imports(path) for name, here in item.aliases if name == "*"}
        return bool(package) and package not in own

    async def _few(self, name: str, most: int = FORGOTTEN) -> bool:
        """Whether few files hold the name: what a change forgets is little, and what a library offers is used everywhere."""
        return len((await self._occurring(name)).files.get(name, ())) <= most

    async def is_rare(self, name: str) -> bool:
        """Whether one file alone holds the name: in two, without a tie to the definition, it is more likely a library's."""
        return await self._few(name, 1)

    async def _occurring(self, name: str) -> NameOccurrences:
        """Where a name occurs in the head tree, asked once, together with the names that are expected to be asked for."""
        if name not in self._occurrences:
            names = {name, *self.expected_names} - self._occurrences.keys()
            name_occurrences = await occurrences(self.tree, self.language, names)
            if not name_occurrences.complete:
                names, name_occurrences = {name}, await occurrences(self.tree, self.language, {name})
            rows = {one: name_occurrences.files.get(one, set()) for one in names}
            self._occurrences |= {
                one: NameOccurrences(defaultdict(set, {one: paths}), complete=name_occurrences.complete)
                for one, paths in rows.items()
            }
        return self._occurrences[name]

    async def weigh(self, rows: Sequence[Reference]) -> tuple[Reference, ...]:
        """Lines that hold a name that is gone: those whose code means it are likely to break."""
        paths = sorted({row.path for row in rows if row.lone and row.path.endswith(self.language.SUFFIXES)})
        row_names = {row.name for row in rows}
        sources = await self.tree.read_many(paths[: self.budget.parsed_files])
        uses = [
            (path, use)
            for path, source in sources.items()
            if len(source) <= self.budget.bytes
            for use in self.language.uses(path, source, row_names)
            if use.form in ("name", "member", "import") and not self._foresees(use)
        ]
        meant_places = {
            (path, use.line, LAST.findall(use.name)[-1])
            for path, use in uses
            if not await self.is_strange(use.types) and not await self._is_of_library(path, use)
        }
        self.expected_names |= {name for _, _, name in meant_places}
        gone_names = {
            name
            for name in sorted(self.expected_names & row_names)
            if await self._few(name) and not await self._defines(name)
        }
        return tuple(
            replace(row, likely=row.lone and row.name in gone_names and (row.path, row.line, row.name) in meant_places)
            for row in rows
        )

    def _foresees(self, use: Use) -> bool:
        """Whether the code foresees that the name is absent; a condition under which code is built foresees nothing."""
        return use.is_guarded and not self.language.TRAITS.conditional_build

    async def _at_home(self, target: UseTarget) -> bool:
        """Whether the place that had the name is known to the end: it is in sight, and every base of a class is one of the tree."""
        if not target.owner:
            if self.language.TRAITS.loader and former_home(target) not in await self.tree.entries():
                few = [await self._few(name) for name in sorted(former_names(target))]
                return all(few)
            texts = await self.tree.read_many(sorted(target.homes))
            either = "|".join(re.escape(name) for name in sorted(former_names(target)))
            word_pattern = re.compile(rf"(?<![\w$])(?:{either})(?![\w$])".encode())
            return not self.language.TRAITS.unwritten_names and not any(map(word_pattern.search, texts.values()))
        outlines = [await self.exports.outline("head", home) for home in sorted(target.homes)]
        is_dynamic = any(o is not None and (not o.complete or has_member(o, "__getattr__")) for o in outlines)
        if is_dynamic and self.language.TRAITS.unwritten_names:
            return False
        every = [await self.exports.bases(home, target.owner) for home in sorted(target.homes)]
        bases = next((class_bases for class_bases in every if class_bases is not None), None)
        is_telling = all(
            telling(name) for name in former_names(target)
        )  # a base out of sight hardly has a member called so
        known_bases = [base for base in bases or () if base not in ROOTS and not (is_telling and base in UNNAMED)]
        words = [base.rpartition(".")[2].rpartition("::")[2] for base in known_bases]
        return bases is not None and all([word.isidentifier() and await self._defines(word) for word in words])

    async def _shut(self, hit: Match, path: str) -> bool:
        """Whether the door through which a name came no longer offers it."""
        is_gone = (path, hit.door) in self.lost_imports or hit.name in await self.exports.gone_names(hit.door)
        if is_gone and self.language.TRAITS.open_classes:
            return not await self._defines(hit.use.name)
        if is_gone and await self.exports.has_other_source(path, hit.name, hit.door):
            return False
        return is_gone and (not hit.star or await self._nowhere(path, hit.name))

    async def _unbound(self, path: str, use: Use, uses: Sequence[Use]) -> bool:
        """Whether nothing in the file gives the name a meaning any more."""
        outline = await self.exports.outline("head", path)
        bound = any(other.name == use.name and other.form in ("definition", "import") for other in uses)
        is_unbound = outline is not None and (outline.complete or outline.is_scoped) and not _offers(outline, use.name)
        if outline is None or not is_unbound or bound or use.name in self.language.AMBIENT:
            return False
        if self.language.TRAITS.open_classes:  # a file that is loaded before it may define the name
            return not await self._defines(use.name)
        if outline.stars or outline.borrows:
            return await self._nowhere(path, use.name)
        return not await self.exports.elsewhere(path, use.name)

    async def _nowhere(self, path: str, name: str) -> bool:
        """Whether a file that takes everything of others gets the name from none of them, and nothing in the tree defines it."""
        return name in await self.exports.gone_names(path, with_borrows=True) and not await self._defines(name)

    async def _defines(self, name: str) -> bool:
        """Whether anything in the head tree defines a name, or may."""
        if name not in self._is_defined:
            where = await self._occurring(name)
            paths = sorted(where.files.get(name, ()))
            sources = await self.tree.read_many(paths[: self.budget.parsed_files])
            uses = (use for one, source in sources.items() for use in self.language.uses(one, source, {name}))
            are_all_read = where.complete and len(paths) <= self.budget.parsed_files
            self._is_defined[name] = not are_all_read or any(use.form in ("definition", "key") for use in uses)
        return self._is_defined[name]

    async def _baseless(self, target: UseTarget, name: str) -> bool:
        """Whether the class stands alone, in full sight, and has no member of that name."""
        home = min(target.homes)
        outline = await self.exports.outline("head", home)
        if outline is None or not outline.complete or name in self.language.AMBIENT:
            return False
        source = await self.tree.read(home) or b""
        is_set = any(use.form == "definition" for use in self.language.uses(home, source, {name}))  # `self.name = ...`
        if is_set or any(has_member(outline, other) for other in (name, "__getattr__")):
            return False
        bases = await self.exports.bases(home, target.owner)
        own = {word for item in await self.exports.imports(home) for word in words_of(item)}
        is_open = self.language.TRAITS.open_classes  # any file may add to what a class inherits
        if bases is None or is_open or not is_closed(bases, own | {other for other, _ in outline.bases}, name):
            constant = target.symbol is not None and target.symbol.symbol.kind in ("variable", COMPONENT)
            if not constant or bases not in OPENED or await self._defines(name):
                return False
        return not await self.exports.elsewhere(home, f"{target.owner}.{name}")

    async def _lacks(self, path: str, owner: str, name: str, depth: int = INHERITED) -> bool:
        """Whether the tree holds a class and all that it inherits from, and none of their files writes the name any more."""
        if not self.language.TRAITS.unwritten_names or self.language.TRAITS.open_classes:
            return False  # a compiler's classes may be spread over files; where any file may open one, nothing is known
        outline, source = await self.exports.outline("head", path), await self.tree.read(path)
        bases = dict(outline.bases).get(owner) if outline is not None else None
        if outline is None or source is None or bases is None or not outline.complete or not depth:
            return False
        if name in self.language.AMBIENT or says(
            rf"(?<![\w$])(?:NAME|{OPENERS})(?![\w$])", name, source.decode("utf-8", "replace")
        ):
            return False
        for base in bases:
            homes = [path] if base in dict(outline.bases) else await self._homes(path, base)
            if base not in ROOTS and not (len(homes) == 1 and await self._lacks(homes[0], base, name, depth - 1)):
                return False
        return True

    async def _homes(self, path: str, name: str) -> list[str]:
        """The files that a file imports a name from, under that name."""
        return [
            item.target
            for item in await self.exports.imports(path)
            if name in item.names and dict(item.aliases).get(name, name) == name
        ]

    async def _open(self, target: UseTarget) -> bool:
        """Whether the class answers to names that are written nowhere: its bases hold "*", or one that is new to it."""
        now, before = [
            {
                base
                for home in sorted(target.homes if target.owner else ())
                if (outline := await self.exports.outline(side, home)) is not None
                for base in dict(outline.bases).get(target.owner, ())
            }
            for side in SIDES
        ]
        return "*" in now or not now <= before


def _offers(outline: Outline, name: str) -> bool:
    """Whether a name that importers can ask for is one of the file's own: `exports.name = other` gives it no meaning here."""
    here = dict(outline.exports).get(name)
    return here is not None and (not here or (here == name and any(item.name == name for item in outline.symbols)))


def _is_of_another_type(target: UseTarget, use: Use) -> bool:
    """Whether a static member is named behind another type: `Path.GetTempPath()` is not `Helpers.GetTempPath()`."""
    before = target.symbol.before if target.symbol is not None else None
    last = use.receiver.rpartition(".")[2]
    is_static = before is not None and before.kind == "function" and bool(target.owner)
    return is_static and last[:1].isupper() and last != target.owner
