"""A prototype in a header and the definition that includes it are one symbol: a file that includes the header uses the definition."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from impact.changes import ChangedSymbol
from impact.ports import Tree
from impact.uses.exports import Exports
from impact.uses.symbols import ChangedSource
from impact.values import Definition, Side

DECLARATION = "declaration"
SIDES: tuple[Side, ...] = ("base", "head")
HeadersByDefinition = Mapping[tuple[str, str], frozenset[str]]  # (file, qualified name) -> the headers that declare it
Symbols = dict[str, tuple[ChangedSymbol, ...]]


async def merge_prototypes(
    tree: Tree, exports: Exports, sources: Sequence[ChangedSource], symbols: Mapping[str, Sequence[ChangedSymbol]]
) -> tuple[Symbols, HeadersByDefinition]:
    """The changed symbols with each prototype merged into its definition, and the headers that offer the definitions."""
    places: dict[tuple[str, str], set[str]] = defaultdict(set)
    declarations: dict[tuple[Side, str, str], Definition] = {}
    for source in sources:
        items = symbols.get(source.file.path, ())
        names = {side.name for item in items for side in (item.before, item.after) if side is not None}
        for side in SIDES if names else ():
            for symbol in await _prototypes(tree, exports, source, side, names):
                places[source.file.path, symbol.name].add(symbol.path)
                declarations[side, source.file.path, symbol.name] = symbol
    merged_symbols = {path: tuple(_with(item, path, declarations) for item in items) for path, items in symbols.items()}
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
    """The prototypes of these names in the files of which a changed file takes everything."""
    outline, path = (source.old, source.file.old_path) if side == "base" else (source.new, source.file.path)
    if not outline.stars or path is None:
        return []
    headers = [target for target in dict.fromkeys(await exports.stars(side, path)) if target != path]
    shorts = {name.rpartition(".")[2].encode() for name in names}
    prototypes_found: list[Definition] = []
    for header, text in (await tree.read_many(headers, side)).items():
        header_outline = await exports.outline(side, header) if any(short in text for short in shorts) else None
        symbols_listed = header_outline.definitions if header_outline is not None else ()
        prototypes_found += [symbol for symbol in symbols_listed if symbol.kind == DECLARATION and symbol.name in names]
    return prototypes_found


def _with(item: ChangedSymbol, path: str, declarations: Mapping[tuple[Side, str, str], Definition]) -> ChangedSymbol:
    """A definition with the signature of its prototype, which alone holds the default arguments."""
    before, after = [
        _with_signature(symbol, declarations.get((side, path, symbol.name))) if symbol is not None else None
        for side, symbol in zip(SIDES, (item.before, item.after), strict=True)
    ]
    one, two = before.called if before else None, after.called if after else None
    parameters_differ = (
        item.change == "body" and one is not None and two is not None and one.parameters != two.parameters
    )
    return replace(item, before=before, after=after, change="signature" if parameters_differ else item.change)


def _with_signature(symbol: Definition, prototype: Definition | None) -> Definition:
    if prototype is None or not (symbol.called and prototype.called) or len(symbol.listed) != len(prototype.listed):
        return symbol  # a prototype of something else, or one that was forgotten
    return symbol.taking(replace(prototype, opaque=symbol.opaque or prototype.opaque))


def _prototype(item: ChangedSymbol, path: str, twice: set[tuple[str, str]], twice_before: set[tuple[str, str]]) -> bool:
    """Whether a changed symbol only repeats one that a changed definition stands for: one that came later stands for none of before."""
    if item.before is not None and (path, item.before.name) not in twice_before:
        return False
    sides = [side for side in (item.before, item.after) if side is not None]
    return all(side.kind == DECLARATION and (path, side.name) in twice for side in sides)
