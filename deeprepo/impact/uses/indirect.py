"""Find definitions that a change affects although it does not touch their files.

They are inherited constructors, embedded members and prototypes. References to a member are searched as if
its own file had changed. A prototype in a header and its definition count as one, so a file that includes the
header uses the definition.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from deeprepo.impact.changes import ChangedFile, ChangedSymbol
from deeprepo.impact.language import Language, rules_of
from deeprepo.impact.ports import Tree
from deeprepo.impact.structs import Struct, field, replace
from deeprepo.impact.uses.budget import Gaps
from deeprepo.impact.uses.exports import Exports
from deeprepo.impact.uses.reach import Reach
from deeprepo.impact.uses.symbols import ChangedSource
from deeprepo.impact.values import Definition, Outline, Side, Signature

ARGUMENTS = re.compile(r"[<\[(].*", re.DOTALL)
ROOTS = (("object",), ("Object",))  # bases that no other class is named after
GENERATIONS = 3  # levels of subclasses
MOST_FILES = 60  # unchanged files whose definitions change
DECLARATION = "declaration"
SIDES: tuple[Side, ...] = ("base", "head")
# (file, qualified name) -> headers that declare it
HeadersByDefinition = Mapping[tuple[str, str], frozenset[str]]
Symbols = dict[str, tuple[ChangedSymbol, ...]]


class Indirect(Struct):
    """What a change reaches without touching its file."""

    tree: Tree
    language: Language
    head: Reach
    exports: Exports
    gaps: Gaps
    sources: dict[str, ChangedSource]  # path -> file, changed files first
    # Constructor of a subclass -> the inherited one.
    originals: dict[Definition, Definition] = field(default_factory=dict)
    # Constructors that a class had without writing them.
    implied_constructors: set[Definition] = field(default_factory=set)
    # key of a structure's member -> key of the embedded one
    promoted: dict[str, str] = field(default_factory=dict)
    beside: int = 0  # number of files that the change does not touch

    async def find(self, symbols: Mapping[str, tuple[ChangedSymbol, ...]]) -> dict[str, tuple[ChangedSymbol, ...]]:
        """Return the changed definitions with inherited constructors. `symbols`: those in changed files."""
        found = {path: [self._with_former(item) for item in items] for path, items in symbols.items()}
        left = [item for items in found.values() for item in items if _is_inherited(item) or self._is_promoted(item)]
        for _ in range(GENERATIONS):
            homes = {item.symbol.path for item in left}
            importers = await self.head.importers(homes) if homes else {}
            below: list[ChangedSymbol] = []
            for item in left:
                home = item.symbol.path
                paths = {path for path, items in importers.items() if any(one.target == home for one in items)}
                for path in sorted({home, *self.exports.visible_files(home), *paths}):
                    below += await (
                        self._promoted(path, item) if self._is_promoted(item) else self._subclasses(path, item)
                    )
            for item in below:
                found.setdefault(item.symbol.path, []).append(item)
            left = below
        return {path: tuple(items) for path, items in found.items()}

    async def _source(self, path: str) -> ChangedSource | None:
        """Return a file as a changed one; if the change does not touch it, both sides are equal."""
        if path not in self.sources:
            outline, text = await self.exports.outline("head", path), await self.tree.read(path)
            if path not in await self.tree.entries("base") or text is None or outline is None or outline.unread:
                return None
            if self.beside >= MOST_FILES:
                self.gaps.add(
                    f"{path}: the change alters its definitions from outside, like those of {MOST_FILES} others"
                )
                return None
            self.beside += 1
            self.sources[path] = ChangedSource(
                ChangedFile(path, path, "modified"), self.language, text, text, outline, outline
            )
        return self.sources[path]

    def _with_former(self, item: ChangedSymbol) -> ChangedSymbol:
        """Pair a new constructor with the implicit or inherited one before it, if it requires more arguments."""
        new = item.after
        source = self.sources.get(new.path) if new is not None and item.before is None else None
        if new is None or source is None or new.signature is None or not rules_of(new.path).is_constructor(new.short):
            return item
        owner = new.name.rpartition(".")[0]
        old, former = _class_in(source.old, owner), _former_constructor(source.old, owner, new.short)
        if old is None or former is None or not any(one.is_required for one in new.parameters):
            return item
        was = replace(_member_of(old, new), signature=former.signature, head=former.head, side="base")
        self.implied_constructors.add(was)
        return replace(item, before=was, change="signature")

    def _is_promoted(self, item: ChangedSymbol) -> bool:
        """Return whether a member that structures may embed was removed or changed its parameters."""
        is_changed = item.change in ("removed", "renamed", "signature")
        return self.language.embeds_types and "." in item.symbol.name and is_changed and item.before is not None

    async def _promoted(self, path: str, item: ChangedSymbol) -> list[ChangedSymbol]:
        """Return the member for each structure in a file that embeds its type."""
        was = item.before
        outline = await self.exports.outline("head", path)
        if was is None or outline is None:
            return []
        owner, _, short = was.name.rpartition(".")
        found: list[ChangedSymbol] = []
        for name in _subclasses_of(owner, short, outline):
            own = _class_in(outline, name)
            line = (await self.exports.ancestry(path, name)).classes
            homes = {item.symbol.path, *self.exports.visible_files(item.symbol.path)}
            embeds = any((home, owner) in line for home in homes)
            if own is None or not embeds or await self.exports.has_member(path, name, short):
                continue
            sides = [_member_of(own, one) if one is not None else None for one in (was, item.after)]
            if await self._source(path) is not None:
                one = replace(item, before=sides[0], after=sides[1])
                self.promoted[one.key] = self.promoted.get(item.key, item.key)
                found.append(one)
        return found

    async def _subclasses(self, path: str, item: ChangedSymbol) -> list[ChangedSymbol]:
        """Return the constructors of classes in a file that inherit this one."""
        owner, _, short = item.symbol.name.rpartition(".")
        outline = await self.exports.outline("head", path)
        subclasses = list(_subclasses_of(owner.rpartition(".")[2], short, outline)) if outline is not None else []
        source = await self._source(path) if subclasses else None
        constructors: list[ChangedSymbol] = []
        if source is None or item.before is None or item.after is None:
            return []
        for name in subclasses:
            was, now = _inherited(source.old, name, item.before), _inherited(source.new, name, item.after)
            if was is not None and now is not None and was not in self.originals:
                self.originals[was] = self.originals.get(item.before, item.before)
                self.originals[now] = self.originals.get(item.after, item.after)
                constructors.append(replace(item, before=was, after=now))
        return constructors


def _former_constructor(outline: Outline, owner: str, short: str) -> Definition | None:
    """Return the implicit constructor of a class; None if it has its own or it is unknown."""
    bases = dict(outline.bases)
    for _ in range(GENERATIONS + 1):
        own = [symbol for symbol in outline.definitions if symbol.name == f"{owner}.{short}"]
        others = [
            symbol
            for symbol in outline.definitions
            if symbol.name.rpartition(".")[0] == owner and symbol.kind == "method"
        ]
        if own or any(rules_of(one.path).is_constructor(one.short) for one in others):
            return own[0] if len(own) == 1 and own[0].signature is not None else None
        if owner not in bases or len(bases[owner]) > 1:
            return None
        if not bases[owner] or bases[owner] in ROOTS:
            return Definition(short, signature=Signature())
        owner = bases[owner][0]
    return None


def _inherited(outline: Outline, owner: str, constructor: Definition) -> Definition | None:
    """Return the constructor as a class's own; None if the class has its own or does not exist."""
    own, name = _class_in(outline, owner), f"{owner}.{constructor.short}"
    if own is None or any(symbol.name == name for symbol in outline.definitions):
        return None
    return _member_of(own, constructor)


def _class_in(outline: Outline, name: str) -> Definition | None:
    """Return the class of this name in a file."""
    return next((one for one in outline.definitions if one.name == name and one.kind == "class"), None)


def _member_of(own: Definition, one: Definition) -> Definition:
    """Return a member of another class as if the class defined it itself, at its first line."""
    name = f"{own.name}.{one.short}"
    return replace(one, path=own.path, name=name, owner=own.name, start=own.start, end=own.start)


def _is_inherited(item: ChangedSymbol) -> bool:
    """Return whether it is a changed constructor that subclasses may inherit."""
    rules = rules_of(item.symbol.path)
    is_constructor = "." in item.symbol.name and rules.is_constructor(item.symbol.short)
    return item.change == "signature" and is_constructor and rules.types.inherits_constructors


def _subclasses_of(owner: str, constructor: str, outline: Outline) -> Iterable[str]:
    own = {symbol.name for symbol in outline.definitions}
    for name, bases in outline.bases:
        is_heir = any(re.split(r"::|[.\\]", ARGUMENTS.sub("", base).strip())[-1] == owner for base in bases)
        if is_heir and f"{name}.{constructor}" not in own:
            yield name


async def merge_prototypes(
    tree: Tree, exports: Exports, sources: Sequence[ChangedSource], symbols: Mapping[str, Sequence[ChangedSymbol]]
) -> tuple[Symbols, HeadersByDefinition]:
    """Return the changed symbols with each prototype merged into its definition, and the declaring headers."""
    places: dict[tuple[str, str], set[str]] = defaultdict(set)
    declarations: dict[tuple[Side, str, str], Definition] = {}
    # a moved definition is in another file on each side
    names: dict[tuple[Side, str], set[str]] = defaultdict(set)
    for item in (item for items in symbols.values() for item in items):
        for side, symbol in zip(SIDES, (item.before, item.after), strict=True):
            if symbol is not None:
                names[side, symbol.path].add(symbol.name)
    for source in sources:
        for side in SIDES:
            path = source.file.path if side == "head" else source.file.old_path or source.file.path
            for symbol in await _prototypes(tree, exports, source, side, names[side, path]):
                places[source.file.path, symbol.name].add(symbol.path)
                declarations[side, path, symbol.name] = symbol
    merged_symbols = {path: tuple(_with(item, declarations) for item in items) for path, items in symbols.items()}
    twice = {(header, name) for (path, name), headers in places.items() for header in headers}
    former = {(path, item.before.name) for path, items in symbols.items() for item in items if item.before is not None}
    twice_before = {
        (header, name) for (path, name), headers in places.items() for header in headers if (path, name) in former
    }
    kept_symbols = {
        path: tuple(item for item in items if not _prototype(item, path, twice, twice_before))
        for path, items in merged_symbols.items()
    }
    return kept_symbols, {key: frozenset(headers) for key, headers in places.items()}


async def _prototypes(
    tree: Tree, exports: Exports, source: ChangedSource, side: Side, names: set[str]
) -> list[Definition]:
    """Return the prototypes of these names in the headers that a changed file includes."""
    outline, path = (source.old, source.file.old_path) if side == "base" else (source.new, source.file.path)
    if not names or not outline.stars or path is None:
        return []
    headers = [target for target in dict.fromkeys(await exports.stars(side, path)) if target != path]
    shorts = {name.rpartition(".")[2].encode() for name in names}
    prototypes_found: list[Definition] = []
    for header, text in (await tree.read_many(headers, side)).items():
        header_outline = await exports.outline(side, header) if any(short in text for short in shorts) else None
        symbols_listed = header_outline.definitions if header_outline is not None else ()
        prototypes_found += [symbol for symbol in symbols_listed if symbol.kind == DECLARATION and symbol.name in names]
    return prototypes_found


def _with(item: ChangedSymbol, declarations: Mapping[tuple[Side, str, str], Definition]) -> ChangedSymbol:
    """Return a definition with the signature of its prototype, because only that has the default arguments."""
    before, after = [
        _with_signature(symbol, declarations.get((side, symbol.path, symbol.name))) if symbol is not None else None
        for side, symbol in zip(SIDES, (item.before, item.after), strict=True)
    ]
    merged = replace(item, before=before, after=after)
    sides = merged.signatures
    parameters_differ = sides is not None and sides[0].parameters != sides[1].parameters
    return replace(merged, change="signature") if item.change == "body" and parameters_differ else merged


def _with_signature(symbol: Definition, prototype: Definition | None) -> Definition:
    own, declared = symbol.signature, prototype.signature if prototype is not None else None
    if prototype is None or own is None or declared is None or len(own.parameters) != len(declared.parameters):
        return symbol  # the prototype belongs to something else or is outdated
    return replace(symbol, head=prototype.head, signature=replace(declared, opaque=own.opaque or declared.opaque))


def _prototype(item: ChangedSymbol, path: str, twice: set[tuple[str, str]], twice_before: set[tuple[str, str]]) -> bool:
    """Return whether a changed symbol only repeats a changed definition that already existed."""
    if item.before is not None and (path, item.before.name) not in twice_before:
        return False
    sides = [side for side in (item.before, item.after) if side is not None]
    return all(side.kind == DECLARATION and (path, side.name) in twice for side in sides)
