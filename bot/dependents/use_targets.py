"""What is looked up: every changed definition as its users can write it, and every name that is offered no longer."""

from collections.abc import Iterable

from bot.dependents.importing import Scene
from bot.dependents.sites import RESULT, WHOLE_MODULE, UseTarget, telling
from bot.values import ChangedSymbol

LOST = {"removed", "renamed"}  # contracts that an import minds, too


async def attribute_targets(scene: Scene, attributes: Iterable[tuple[str, str]]) -> list[UseTarget]:
    """Attributes of one word that classes set no more; those of several words are looked up as words. `attributes`: (name, "path:Class.name")."""
    targets = []
    for name, key in sorted(attributes):
        path, _, within = key.rpartition(":")
        owner = within.rpartition(".")[0]
        outline = await scene.exports.outline("head", path)
        if telling(name) or not owner or outline is None or all(one.name != owner for one in outline.symbols):
            continue
        above = {owner[:at] for at, letter in enumerate(owner) if letter == "."} | {owner}
        exports = frozenset(there for there, local in outline.exports if local in above)
        if not exports and scene.head.mates(path):
            exports = frozenset({owner.partition(".")[0]})
        short = owner.rpartition(".")[2]
        targets.append(
            UseTarget(
                key,
                ((path, exports),),
                frozenset({name}),
                frozenset({path}),
                None,
                short,
                owner,
                is_gone=True,
                is_attribute=True,
            )
        )
    return targets


async def use_targets(scene: Scene) -> list[UseTarget]:
    """Every changed definition, and every name that a changed file or a barrel no longer offers."""
    targets = [
        await _target(scene, item) for items in scene.symbols.values() for item in items if item.change != "added"
    ]
    plain_targets = [target for target in targets if not target.owner]
    covered_names = {(path, name) for target in plain_targets for path, names in target.doors for name in names}
    lost_homes = {
        path
        for target in plain_targets
        if LOST & set(target.contract)
        for path, names in target.doors
        if WHOLE_MODULE in names
    }
    for path in sorted(scene.origins):
        known_names = {name for origin, name in covered_names if origin in {path, *scene.origins[path]}}
        gone_names = await scene.exports.gone_names(path)
        if WHOLE_MODULE in gone_names & known_names and path not in lost_homes:
            targets.append(_loaded_default(path))  # no statement names it, so that nothing is proven by the definition
        lost_names = sorted(gone_names - known_names)
        targets += [
            UseTarget(
                f"{path}:{name}", ((path, frozenset({name})),), frozenset({name}), frozenset({path}), is_gone=True
            )
            for name in lost_names
        ]
    return targets


def _loaded_default(path: str) -> UseTarget:
    """The default that a file offers no longer, for who loads the file by a call."""
    name = frozenset({WHOLE_MODULE})
    return UseTarget(f"{path}:{WHOLE_MODULE}", ((path, name),), name, frozenset({path}), is_gone=True, is_loaded=True)


async def _target(scene: Scene, item: ChangedSymbol) -> UseTarget:
    sides = [side for side in (item.before, item.after) if side is not None]
    owner = sides[0].name.rpartition(".")[0]
    doors: dict[str, frozenset[str]] = {}
    whole_homes = set[str]()
    is_apart = bool(owner) and scene.head.language.TRAITS.members_apart
    for side in sides:
        above = {side.name[:at].removesuffix(RESULT) for at, letter in enumerate(side.name) if letter == "."} | {
            side.name
        }
        for path in (side.path, *sorted(scene.declarations.get((item.symbol.path, side.name), ()))):
            outline = await scene.exports.outline(side.side, path)
            exports = outline.exports if outline else ()
            export_names = frozenset(name for name, local in exports if local in above)
            if not export_names and scene.head.mates(path):
                export_names = frozenset({side.name.partition(".")[0]})  # a neighbouring file defines the type
            is_apart = is_apart and outline is not None and all(one.name != owner for one in outline.symbols)
            doors[path] = doors.get(path, frozenset()) | export_names
            whole_homes.update([path] if outline is not None and outline.is_whole else [])
    symbol = item.symbol
    return UseTarget(
        key=f"{symbol.path}:{symbol.name}",
        doors=tuple(doors.items()),
        shorts=frozenset(side.short for side in sides),
        homes=frozenset(doors),
        symbol=item,
        owner=owner.rpartition(".")[2],
        within=owner,
        is_gone=item.change in ("removed", "renamed") and item.symbol.kind != "implementation",
        is_apart=is_apart,
        whole_homes=frozenset(whole_homes),
    )
