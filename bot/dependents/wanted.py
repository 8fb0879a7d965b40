"""What is looked up: every changed definition as its users can write it, and every name that is offered no longer."""

from bot.dependents.importing import Scene
from bot.dependents.sites import UseTarget
from bot.values import ChangedSymbol


async def wanted(scene: Scene) -> list[UseTarget]:
    """Every changed definition, and every name that a changed file or a barrel no longer offers."""
    found = [await _target(scene, item) for items in scene.symbols.values() for item in items if item.change != "added"]
    covered = {(path, name) for target in found if not target.owner for path, names in target.doors for name in names}
    for path in sorted(scene.origins):
        known = {name for origin, name in covered if origin in {path, *scene.origins[path]}}
        lost = sorted(await scene.exports.gone(path) - known)
        found += [
            UseTarget(f"{path}:{name}", ((path, frozenset({name})),), frozenset({name}), frozenset({path}), gone=True)
            for name in lost
        ]
    return found


async def _target(scene: Scene, item: ChangedSymbol) -> UseTarget:
    sides = [side for side in (item.before, item.after) if side is not None]
    owner = sides[0].name.rpartition(".")[0]
    doors: dict[str, frozenset[str]] = {}
    for side in sides:
        above = {side.name[:at] for at, letter in enumerate(side.name) if letter == "."} | {side.name}
        for path in (side.path, *sorted(scene.declared.get((item.symbol.path, side.name), ()))):
            outline = await scene.exports.outline(side.side, path)
            listed = outline.exports if outline else ()
            offered = frozenset(name for name, local in listed if local in above)
            if not offered and scene.head.mates(path):
                offered = frozenset({side.name.partition(".")[0]})  # the type stands in a neighbouring file
            doors[path] = doors.get(path, frozenset()) | offered
    symbol = item.symbol
    return UseTarget(
        key=f"{symbol.path}:{symbol.name}",
        doors=tuple(doors.items()),
        shorts=frozenset(side.short for side in sides),
        homes=frozenset(doors),
        symbol=item,
        owner=owner.rpartition(".")[2],
        within=owner,
        gone=item.change in ("removed", "renamed") and item.symbol.kind != "implementation",
    )
