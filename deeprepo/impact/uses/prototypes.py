"""Merge prototypes in headers with their definitions.

Both count as one, so a file that includes the header uses the definition.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from deeprepo.impact.changes import ChangedSymbol
from deeprepo.impact.ports import Tree
from deeprepo.impact.structs import replace
from deeprepo.impact.uses.exports import Exports
from deeprepo.impact.uses.symbols import ChangedSource
from deeprepo.impact.values import Definition, Side

DECLARATION = "declaration"
SIDES: tuple[Side, ...] = ("base", "head")
# (file, qualified name) -> headers that declare it
HeadersByDefinition = Mapping[tuple[str, str], frozenset[str]]
Symbols = dict[str, tuple[ChangedSymbol, ...]]


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
    return all(side.kind == DECLARATION and (path, side.name) in twice for side in item.sides)
