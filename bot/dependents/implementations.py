"""Members of bases that a changed method stood for, and stands for no more: the other half of `overrides`, seen from below.

A class that stays on its base and gives up a method of it leaves what the base declares without code, or moves away from the parameters
that callers of the base go by. The line is the base's own member: the change did not touch it.
"""

import re
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from bot.dependents.contract import moved_places
from bot.dependents.importing import Scene
from bot.dependents.overrides import ARGUMENTS, GENERATIONS, IMPLEMENTATION, KeyedSymbols, implementing
from bot.dependents.parameter_shapes import asks_for_pointer, shape
from bot.dependents.propose import globs
from bot.dependents.symbols import ChangedSource
from bot.text.filetypes import filetype
from bot.text.lines import file_lines
from bot.text.paths import is_test
from bot.values import COMPONENT, REQUIRES, ChangedSymbol, Outline, Parameter, Query, Signature, Symbol

MEMBERS = frozenset({"method", "declaration", "implementation", "function", "variable", "type", COMPONENT})
PLACES = frozenset({"positional", "positional-only"})
STUB = re.compile(
    r"\bNotImplemented|\bnot implemented\b|^[ \t]*+(?:unimplemented|todo)!|:\s*+\.\.\.\s*+\Z",
    re.IGNORECASE | re.MULTILINE,
)
ABSTRACT = re.compile(r"\babstract\b")
SEPARATOR = re.compile(r"::|[.\\]")
LONGEST = 2_000  # characters of a member
SHORTEST = 2  # methods of an interface that hardly anything has by chance
INTERFACES = 400  # lines that may declare a method of an interface
DELEGATES = re.compile(r"\)\s*:[^{]{0,400}\sby\s")  # a class of Kotlin to another object
DEFINITIONS = 8  # of one name
HOLDERS = ("class", "type")
NAMESPACE = re.compile(
    r"(?:file_scoped_namespace_declaration |namespace_declaration )?(?:package|namespace)\s++([\w.\\]++)"
)


async def base_members(scene: Scene, missed_uses: list[str]) -> KeyedSymbols:
    """Each changed method with the member of a base that it stood for. The base's member is as it was."""
    rows: list[tuple[str, Symbol]] = []
    definitions: dict[tuple[str, str], list[Symbol]] = {}
    for source in scene.sources:
        if is_test(source.file.path) or source.new.unread or source.file.status == "deleted":
            continue
        items = [item for item in scene.symbols.get(source.file.path, ()) if _matters(item, source)]
        for item in items:
            members = await _Implementation(
                scene, source, item, item.before or item.symbol, definitions
            ).unimplemented_members()
            rows += [(f"{item.symbol.path}:{item.symbol.name}", one) for one in members]
        if filetype(source.file.path).parser == "go":
            rows += await _unsatisfied(scene, source, items, missed_uses)
    return tuple(dict.fromkeys(rows))


def _matters(item: ChangedSymbol, source: ChangedSource) -> bool:
    """Whether it is a method, or a value, of a class that is still there, and it went or has another contract."""
    before = item.before
    if before is None or before.path != (source.file.old_path or source.file.path) or before.kind not in MEMBERS:
        return False
    owner, _, short = before.name.rpartition(".")
    is_constructor = short in filetype(before.path).constructors or short == owner.rpartition(".")[2]
    is_there = any(one.name == owner and one.kind in ("class", "type") for one in source.new.symbols)
    if not owner or is_constructor or before.visibility == "file" or short.startswith("__"):
        return False
    if before.kind != "implementation" and not is_there:
        return False
    # An annotation on the line of the head hides the parameters from the contract, which says "declaration" then.
    return bool(item.contract) and (item.change != "body" or not {"parameters", "types"}.isdisjoint(item.contract))


@dataclass(frozen=True, slots=True)
class _Implementation:
    """A changed member whose class may extend or implement another type."""

    scene: Scene
    source: ChangedSource
    item: ChangedSymbol
    before: Symbol
    definitions: dict[tuple[str, str], list[Symbol]]  # (file, name of a class) -> what was found of it

    @property
    def owner(self) -> str:
        """Its class, with the classes around it."""
        return self.before.name.rpartition(".")[0]

    async def unimplemented_members(self) -> list[Symbol]:
        """The members of bases that are left without what stood for them."""
        now = [one for one in self.source.new.symbols if one.name == self.before.name]
        if await self._was_abstract():
            return []
        above = [one async for one in self._above()]
        if any(one.path == self.before.path and one.name == self.before.name for one, _ in above):
            return []
        if not now:
            return self._without(above)
        exact = filetype(self.before.path).exact_overrides
        if exact and self._takes_other_types():
            return []
        return [one for one, _ in above if not _fits(one, self.before, now, exact=exact)][:1]

    def _takes_other_types(self) -> bool:
        """Whether the head of the class gives other type arguments to its bases than before."""
        was, now = (self._head(side) for side in (self.source.old, self.source.new))
        return was != now and any(letter in was for letter in "<[")

    def _head(self, outline: Outline) -> str:
        """The head of the class, up to its body."""
        owner = next((one for one in outline.symbols if one.name == self.owner and one.kind in HOLDERS), None)
        return self.source.lines(owner).partition("{")[0] if owner is not None else ""

    def _without(self, above: Sequence[tuple[Symbol, bool]]) -> list[Symbol]:
        """Of a member that is gone: an abstract one, and any where another name shows that it is still meant to take its place."""
        has_code = any(not is_abstract for _, is_abstract in above) or DELEGATES.search(self._head(self.source.new))
        if (has_code or "*" in _exported(self.source.new, self.owner)) and not self._is_renamed():
            return []
        return [one for one, is_abstract in above if is_abstract or self._is_renamed()][:1]

    def _is_renamed(self) -> bool:
        """Whether the member has another name now and is no new one."""
        return self.item.change == "renamed" and self.item.after is not None

    async def _was_abstract(self) -> bool:
        """Whether it asked for code of heirs itself: then its class had none for its base."""
        owner = [one for one in self.source.old.symbols if one.name == self.owner]
        return any(f"{REQUIRES}{self.before.short}" in one.conditions for one in owner)

    async def _above(self) -> AsyncIterator[tuple[Symbol, bool]]:
        """The members of that name in the bases of the class, the nearest first, and whether each asks for code."""
        level, visited = await self._bases(), set[tuple[str, str]]()
        for _ in range(GENERATIONS):
            following: list[Symbol] = []
            for base in level:
                outline = await self.scene.exports.outline("head", base.path)
                if (base.path, base.name) in visited or outline is None:
                    continue
                visited.add((base.path, base.name))
                for member, is_abstract in await self._members(base, outline):
                    yield member, is_abstract
                following += await self._named(base.path, _written_bases(outline, base.name))
            level = following

    async def _bases(self) -> list[Symbol]:
        """What the class names as its bases now; for an implementation the trait that it implements."""
        path = self.source.file.path
        if self.before.kind == "implementation":
            matches = [match for one in self.before.conditions if (match := IMPLEMENTATION.match(one))]
            return await self._named(path, [match[1] for match in matches])
        bases = _written_bases(self.source.new, self.owner)
        interfaces = [
            name
            for own, names in implementing(self.source.new, self.source.after)
            if own == self.owner
            for name in names
        ]
        return await self._named(path, [*bases, *interfaces])

    async def _named(self, path: str, names: Sequence[str]) -> list[Symbol]:
        """The classes of the tree that a file means by those names."""
        classes = []
        for name in dict.fromkeys(ARGUMENTS.sub("", one).strip() for one in names):
            meaning = await self.scene.exports.local_meaning(path, name, types=True)
            last = SEPARATOR.split(name)[-1]
            for item in await self.scene.exports.imports(path) if not isinstance(meaning, Symbol) else ():
                if last in item.names or "*" in item.names:
                    other = await self.scene.exports.meaning(item.target, last, types=True)
                    meaning = other if isinstance(other, Symbol) else meaning
            if isinstance(meaning, Symbol) and meaning.kind in HOLDERS:
                classes.append(meaning)
            elif not isinstance(meaning, Symbol) and filetype(path).unimported_types:
                classes += await self._defined(path, last)
        return classes

    async def _defined(self, path: str, name: str) -> list[Symbol]:
        if (path, name) not in self.definitions:
            self.definitions[path, name] = await self._search(path, name)
        return self.definitions[path, name]

    async def _search(self, path: str, name: str) -> list[Symbol]:
        """The classes of that name in the tree, where no path tells which file an import means: those whose namespace the file writes."""
        if not name.isidentifier():
            return []
        language = self.source.language
        pattern = rf"\b(?:class|interface|trait|protocol|struct|record|actor|enum)\s+{name}\b"
        lines = await self.scene.head.tree.grep_lines(
            Query([pattern], globs(language), syntax="perl", limit=DEFINITIONS)
        )
        code = (await self.scene.head.tree.read(path) or b"").decode("utf-8", "replace")
        classes = []
        for other in sorted({one for one, _, _ in lines if not is_test(one)}):
            outline = await self.scene.exports.outline("head", other)
            own = (
                [one for one in outline.symbols if one.short == name and one.kind in HOLDERS]
                if outline is not None
                else []
            )
            classes += [one for one in own if all(space in code for space in namespaces(one))]
        return classes if len(classes) < DEFINITIONS else []

    async def _members(self, base: Symbol, outline: Outline) -> list[tuple[Symbol, bool]]:
        """The members of that name of one base, and whether each asks for code. Of several some have it."""
        own = [one for one in outline.symbols if one.name == f"{base.name}.{self.before.short}"]
        demands = [c for one in outline.symbols if one.name == base.name for c in one.conditions]
        many = demands.count(f"{REQUIRES}{self.before.short}")
        if not own or own[0].visibility == "file":
            return []
        is_extended = filetype(base.path).parser == "swift" and await self.scene.exports.elsewhere(
            base.path, own[0].name
        )
        if is_extended:  # a protocol may have code for it in another file
            return [(one, False) for one in own]
        source = await self.scene.head.tree.read(base.path)
        lines = file_lines(source or b"")
        return [(one, len(own) == many or _is_stub(base, one, lines)) for one in own]


def _is_stub(base: Symbol, member: Symbol, lines: Sequence[str]) -> bool:
    """Whether a member of a base asks for code by its own text: it raises an error, or it is a value that an interface only declares."""
    code = "\n".join(lines[member.start - 1 : member.end])[:LONGEST]
    if member.kind == "variable":
        return bool(ABSTRACT.search(code)) or (base.kind == "type" and "=" not in code and "return" not in code)
    if filetype(member.path).parser == "javascript" and base.kind == "type":
        return not re.search(rf"(?<![\w$]){re.escape(member.short)}\?", code)
    return bool(STUB.search(code))


def namespaces(symbol: Symbol) -> list[str]:
    """The namespace that a definition is in, as its users write it."""
    return [match[1] for one in symbol.conditions if (match := NAMESPACE.match(one))]


def _exported(outline: Outline, owner: str) -> Sequence[str]:
    """The bases of a class of Scala, of which "*" is what it has of others: `export board.*`."""
    return (
        _written_bases(outline, owner)
        if any(filetype(one.path).exported_members for one in outline.symbols[:1])
        else ()
    )


def _written_bases(outline: Outline, owner: str) -> list[str]:
    """The bases of a class as its file writes them. Some languages know a class inside another by its own name."""
    bases = dict(outline.bases)
    return list(bases.get(owner, bases.get(owner.rpartition(".")[2], ())))


def _fits(member: Symbol, before: Symbol, now: Sequence[Symbol], *, exact: bool) -> bool:
    """Whether a method can still be called as the base's member says, or could not before either."""
    base, was = member.signature, before.signature
    if base is None or was is None or any(one.signature is None for one in now):
        return True
    signatures = [one.signature for one in now if one.signature is not None]
    if exact:
        return _fits_exactly(member.path, base, was, signatures)
    shortest, longest = (_count(base, longest=longest) for longest in (False, True))
    rest = any(one.kind == "varargs" for one in base.parameters)
    if rest or not (_takes(was, shortest) and _takes(was, longest)):
        return True
    return any(
        _takes(one, shortest)
        and _takes(one, longest)
        and (not moved_places(base, one) or bool(moved_places(base, was)))
        for one in signatures
    )


def _fits_exactly(path: str, base: Signature, was: Signature, now: Sequence[Signature]) -> bool:
    """The same where the compiler compares: as many parameters of the same types as the base has, or as it had before."""
    swift = filetype(path).parser == "swift"
    base_shape, former_shape = shape(base, labels=swift), shape(was, labels=swift)
    shapes = [shape(one, labels=swift) for one in now]
    if base_shape in shapes or former_shape in shapes:
        return True
    if base_shape == former_shape:
        return False
    # Type arguments make the difference, or it is an overload of another one.
    return len(base_shape) != len(former_shape) or bool(was.also) or bool(base.also)


def _count(signature: Signature, *, longest: bool) -> tuple[int, frozenset[str]]:
    """The arguments of the shortest call that a signature takes, or of the longest one."""
    taken = [one for one in signature.parameters if longest or one.is_required]
    return sum(one.kind in PLACES for one in taken), frozenset(one.name for one in taken if one.kind == "keyword-only")


def _takes(signature: Signature, call: tuple[int, frozenset[str]]) -> bool:
    """Whether a signature, or an overload of it, takes so many arguments and these names."""
    return any(_accepts(one, *call) for one in (signature.parameters, *signature.also))


def _accepts(parameters: Sequence[Parameter], count: int, keywords: frozenset[str]) -> bool:
    places = [one for one in parameters if one.kind in PLACES]
    kinds = {one.kind for one in parameters}
    keyword_names = {one.name for one in parameters if one.kind == "keyword-only"}
    required = {one.name for one in parameters if one.kind == "keyword-only" and one.is_required}
    is_enough = all(not one.is_required or one.name in keywords for one in places[count:])
    is_taken = count <= len(places) or "varargs" in kinds
    names = keyword_names | {one.name for one in places[count:]}
    return is_enough and is_taken and (keywords <= names or "kwargs" in kinds) and required <= keywords


async def _unsatisfied(
    scene: Scene, source: ChangedSource, items: Sequence[ChangedSymbol], missed_uses: list[str]
) -> list[tuple[str, Symbol]]:
    """The methods of interfaces of Go that a type had one and all, and of which the change takes one."""
    rows: list[tuple[str, Symbol]] = []
    for item in items:
        before = item.before
        if before is None or before.kind != "method":
            continue
        owner, short = before.name.rpartition(".")[0], before.short
        was, now = [await _methods(scene, source.file.path, owner, side) for side in ("base", "head")]
        pattern = rf"^\s+{re.escape(short)}\("
        lines = await scene.head.tree.grep_lines(
            Query(
                [pattern],
                [f"*{suffix}" for suffix in filetype(source.file.path).suffixes],
                syntax="perl",
                limit=INTERFACES,
            )
        )
        if len(lines) >= INTERFACES:
            missed_uses.append(
                f"more than {INTERFACES} lines may declare {short}: not every interface was compared with {owner}"
            )
        near = {source.file.path, *scene.exports.mates(source.file.path)}
        near |= {one.target for one in await scene.exports.imports(source.file.path)}
        near |= {
            path for path, imports in scene.importers.items() if any(one.target == source.file.path for one in imports)
        }
        for path in sorted({path for path, _, _ in lines if not is_test(path)}):
            outline = await scene.exports.outline("head", path)
            for interface in _interfaces_with(outline, short):
                is_meant = (len(interface) >= SHORTEST or path in near) and _had(was, interface)
                if is_meant and _is_another(was[short], now.get(short), interface[short]):
                    rows.append((f"{item.symbol.path}:{item.symbol.name}", interface[short]))
    return rows


async def _methods(scene: Scene, path: str, owner: str, side: Literal["base", "head"]) -> dict[str, Symbol]:
    """The methods of a type of Go, from all files of its package."""
    methods: dict[str, Symbol] = {}
    for one in sorted({path, *scene.exports.mates(path)}):
        outline = await scene.exports.outline(side, one)
        for symbol in outline.symbols if outline is not None else ():
            if symbol.name.rpartition(".")[0] == owner and symbol.kind in ("method", "function"):
                methods[symbol.short] = symbol
    return methods


def _interfaces_with(outline: Outline | None, short: str) -> Iterator[dict[str, Symbol]]:
    """The interfaces of a file with such a method: each as its methods by name."""
    symbols = outline.symbols if outline is not None else ()
    for holder in symbols:
        if holder.kind == "type" and f"{REQUIRES}{short}" in holder.conditions:
            yield {one.short: one for one in symbols if one.name.rpartition(".")[0] == holder.name}


def _had(methods: Mapping[str, Symbol], interface: Mapping[str, Symbol]) -> bool:
    """Whether a type has every method of an interface, with its parameters."""
    return all(name in methods and _same_number(methods[name], one) for name, one in interface.items())


def _same_number(one: Symbol, other: Symbol) -> bool:
    if one.signature is None or other.signature is None:
        return True
    return len(one.signature.parameters) == len(other.signature.parameters)


def _is_another(was: Symbol, now: Symbol | None, demand: Symbol) -> bool:
    """Whether a method that an interface declares takes others than before, and others than the interface says."""
    if now is None or was.signature is None or now.signature is None or demand.signature is None:
        return now is None
    if asks_for_pointer(was, now):
        return True
    shapes = [shape(one, labels=False) for one in (was.signature, demand.signature)]
    return shape(now.signature, labels=False) not in shapes
