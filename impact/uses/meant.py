"""Which of the uses that were found mean what changed: the base says what a name meant in a file that nobody changed."""

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from impact.changes import Fate, Query, Reference
from impact.ports import Tree
from impact.uses.reach import globs
from impact.uses.targets import RESULT
from impact.views import OneSide

if TYPE_CHECKING:
    from impact.uses.importing import Scene

MOST = 60  # files that are old_uses about


async def of_the_change(tree: Tree, scene: "Scene", references: Sequence[Reference]) -> tuple[Reference, ...]:
    """The uses without those that meant something else before the change. What means another one now is not gone."""
    from impact.witness import OldUse, given_elsewhere, of_others  # here: grammars load with the first search

    head, base = await tree.entries("head"), await tree.entries("base")
    homes = {
        f"{item.symbol.path}:{item.symbol.name}": item.before.path
        for items in scene.symbols.values()
        for item in items
        if item.before is not None and item.contract
    }
    old_uses: dict[Reference, OldUse] = {}
    for row in references:
        path, root = row.symbol.rpartition(":")[0], _root(row)
        home = homes.get(row.symbol, path if row.missing else "")
        is_old = row.path in head and row.path in base and head[row.path].oid == base[row.path].oid
        if home in base and is_old and row.path != home and root.isidentifier():
            old_uses[row] = OldUse(row.path, root, home)
    paths = [*dict.fromkeys(use.path for use in old_uses.values())][:MOST]
    others = (
        await of_others(OneSide(tree, "base"), {use for use in old_uses.values() if use.path in paths})
        if old_uses
        else ()
    )
    left = [row for row in references if old_uses.get(row) not in others]
    kept = {
        f"{item.symbol.path}:{item.symbol.name}"
        for items in scene.symbols.values()
        for item in items
        if item.change not in ("removed", "renamed")
    }
    lost = {
        row: OldUse(row.path, _root(row), row.symbol.rpartition(":")[0])
        for row in left
        if row.sure and row.fate != "there" and row.symbol not in kept and row.misuse is None
    }
    given = await given_elsewhere(OneSide(tree, "head"), set(lost.values())) if lost and scene.head.is_told else ()
    others_have = await _given_to_all(tree, scene, {row.name for row in lost if row.missing})
    return tuple(
        replace(row, fate=_fate(row))
        if lost.get(row) in given
        else replace(row, fate="unknown")
        if row in lost and row.name in others_have
        else row
        for row in left
    )


async def _given_to_all(tree: Tree, scene: "Scene", names: Collection[str]) -> frozenset[str]:
    """Of the names that are gone, those that some file defines still, where what one file defines in no class every file sees."""
    word = scene.head.language.TRAITS.everywhere
    if not word or not names:
        return frozenset()
    defines = re.compile(rf"^\s*{word}\s+&?({'|'.join(sorted(map(re.escape, names)))})\s*\(")
    rows = await tree.grep_lines(Query([defines.pattern], globs(scene.head.language), syntax="perl"))
    return frozenset(found[1] for _, _, text in rows if (found := defines.match(text)))


def _root(row: Reference) -> str:
    """The first name of what a use means."""
    return row.symbol.rpartition(":")[2].partition(".")[0].removesuffix(RESULT)


def _fate(row: Reference) -> Fate:
    """What became of a name that another definition has now: a member of it need not be there."""
    return "there" if row.name == _root(row) else "unknown"
