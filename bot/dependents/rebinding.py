"""Names whose import goes or leads elsewhere in the same change, while the file still uses them.

`from lib import total` becomes `from shim import total`, `total = getattr(lib, "total")` or nothing, and the lines that call `total()`
stay as they are. If the contract of what they meant changes in the same change, they are open, unless what the name means now is
proven to take its place.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from bot.dependents.importing import Scene
from bot.dependents.sites import MODULE, Bindings, Meaning, UseTarget, bind, match, names, reference
from bot.dependents.symbols import ChangedSource
from bot.dependents.targets import is_imported
from bot.ports import Language
from bot.text.lines import file_lines
from bot.values import Import, Reference, Symbol, Use


async def rebound_uses(
    scene: Scene,
    language: Language,
    targets: Sequence[UseTarget],
    references: Sequence[Reference],
    fresh: Mapping[str, Collection[int]],
) -> tuple[Reference, ...]:
    """The uses in changed files that meant a changed definition before the change, and of which nobody knows what they mean now."""
    obliging = [target for target in targets if target.contract]
    open_places = {(row.symbol, row.path, row.line) for row in references if not row.is_guessed}
    rows: list[Reference] = []
    lost_doors: dict[str, dict[str, set[Meaning]]] = {}
    for source in scene.sources if obliging else ():
        path = source.file.path
        former_imports = scene.former.get(path, [])
        if not former_imports or _statements(former_imports) == _statements(await scene.head.imports(path)):
            continue
        bindings = bind(former_imports, scene.origins, scene.doors)
        rows += await _of_file(scene, language, (path, source.after), bindings, obliging, fresh.get(path, ()))
        if offers := await _lost_offers(scene, language, source, bindings, obliging):
            lost_doors[path] = offers
    importers = await scene.head.importers(lost_doors) if lost_doors else {}
    sources = await scene.head.tree.read_many(sorted(importers))
    for path, text in sources.items():
        bindings = bind(importers[path], {}, lost_doors)
        rows += await _of_file(scene, language, (path, text), bindings, obliging, fresh.get(path, ()))
    return tuple(row for row in dict.fromkeys(rows) if (row.symbol, row.path, row.line) not in open_places)


def _statements(items: Sequence[Import]) -> set[tuple[str, frozenset[str], tuple[tuple[str, str], ...]]]:
    return {(item.target, item.names, item.aliases) for item in items}


async def _lost_offers(
    scene: Scene, language: Language, source: ChangedSource, bindings: Bindings, targets: Sequence[UseTarget]
) -> dict[str, set[Meaning]]:
    """The names by which a file handed changed ones on before the change, and that mean something else in it now."""
    path = source.file.path
    mine = [target for target in targets if path not in target.homes and is_imported(target, bindings)]
    if not mine:
        return {}
    uses = language.uses(source.file.old_path or path, source.before, names(mine, bindings))
    bindings.follow(use for use in uses if use.function == MODULE)
    barrel_origins = scene.origins.get(path, set())
    wanted_meanings = {(origin, name) for target in mine for origin, door_names in target.doors for name in door_names}
    wanted_meanings = {meaning for meaning in wanted_meanings if meaning[0] not in barrel_origins}
    here = {
        one.here: meaning for meaning in wanted_meanings for one in bindings.locals.get(meaning, ()) if not one.receiver
    }
    gone_names, offers = await scene.exports.gone_names(path), scene.doors.get(path, {})
    return {
        name: {here[local or name]}
        for name, local in source.old.exports
        if (local or name) in here and name not in gone_names and name not in offers
    }


async def _of_file(
    scene: Scene,
    language: Language,
    file: tuple[str, bytes],
    bindings: Bindings,
    targets: Sequence[UseTarget],
    fresh: Collection[int],
) -> list[Reference]:
    """The uses of one file, given as its path and its text, that mean a target by these bindings."""
    path, text = file
    mine = [one for one in targets if path not in one.homes and one.is_visible(path) and is_imported(one, bindings)]
    uses = language.uses(path, text, names(mine, bindings)) if mine else ()
    lines = file_lines(text)
    rows: list[Reference] = []
    for target in mine:
        for hit in match(target, uses, bindings, path):
            use = hit.use
            if not (hit.sure or hit.rival) or use.form in ("import", "definition") or use.line in fresh:
                continue
            if not await _is_replaced(scene, path, target, use):
                row = reference(target, replace(hit, sure=False), path, lines, missing=False, unique=False)
                rows.append(replace(row, lone=True, doubt=_place(language, path, text, use)))
    return rows


async def _is_replaced(scene: Scene, path: str, target: UseTarget, use: Use) -> bool:
    """Whether what is written means something after the change that is proven to take the place of what it meant."""
    was = target.symbol.before if target.symbol is not None else None
    if was is None:
        return False
    if not target.owner and use.receiver:
        modules = [item.target for item in await scene.exports.imports(path) if ("*", use.receiver) in item.aliases]
        return any([await scene.exports.offers(module, use.name, was) for module in modules])
    if not target.owner:
        return await scene.exports.stands_in(path, use.name, was)
    classes = [use.name, *use.types, use.receiver]
    meanings = [await scene.exports.local_meaning(path, name) for name in classes if name and "." not in name]
    owners = [meaning for meaning in meanings if isinstance(meaning, Symbol)]
    return any([await scene.exports.has_member(meaning, was) for meaning in owners])


def _place(language: Language, path: str, source: bytes, use: Use) -> str:
    """Where the file gives the name its meaning now, "" if it does so nowhere."""
    root = (use.receiver or use.name).partition(".")[0]
    lines = [one.line for one in language.uses(path, source, {root}) if one.form in ("import", "definition")]
    return f"{path}:{min(lines)}" if lines else ""
