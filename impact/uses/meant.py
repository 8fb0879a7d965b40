"""Which of the uses that were found mean what changed: the base says what a name meant in a file that nobody changed."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from impact.changes import Reference
from impact.ports import Tree
from impact.uses.one_side import OneSide
from impact.uses.targets import RESULT

if TYPE_CHECKING:
    from impact.uses.importing import Scene

MOST = 60  # files that are asked about


async def of_the_change(tree: Tree, scene: "Scene", references: Sequence[Reference]) -> tuple[Reference, ...]:
    """The uses without those that meant something else before the change."""
    from impact.witness import OldUse, of_others  # here: grammars load with the first file that is searched

    head, base = await tree.entries("head"), await tree.entries("base")
    homes = {
        f"{item.symbol.path}:{item.symbol.name}": item.before.path
        for items in scene.symbols.values()
        for item in items
        if item.before is not None and item.contract
    }
    asked: dict[Reference, OldUse] = {}
    for row in references:
        path, _, name = row.symbol.rpartition(":")
        home, root = homes.get(row.symbol, path if row.missing else ""), name.partition(".")[0].removesuffix(RESULT)
        is_old = row.path in head and row.path in base and head[row.path].oid == base[row.path].oid
        if home in base and is_old and row.path != home and root.isidentifier():
            asked[row] = OldUse(row.path, root, home)
    paths = [*dict.fromkeys(use.path for use in asked.values())][:MOST]
    others = (
        await of_others(OneSide(tree, "base"), {use for use in asked.values() if use.path in paths}) if asked else ()
    )
    return tuple(row for row in references if asked.get(row) not in others)
