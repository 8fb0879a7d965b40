"""Leave out references that referred to another definition than the changed one.

In a language with namespaces, a file sees definitions without naming their files, and the search knows only the
changed ones. If another file defined the same name nearer to the user, the name referred to that definition.
"""

import posixpath
from collections import defaultdict
from collections.abc import Collection, Mapping

from deeprepo.impact.changes import Query, Reference
from deeprepo.impact.language import Language, rules_of
from deeprepo.impact.paths import above_of
from deeprepo.impact.ports import Tree
from deeprepo.impact.structs import Struct
from deeprepo.impact.text.lines import defines
from deeprepo.impact.uses.importing import Scene
from deeprepo.impact.uses.packages import form
from deeprepo.impact.uses.reach import globs
from deeprepo.impact.uses.targets import RESULT
from deeprepo.impact.values import Outline

MOST_LINES = 4_000  # lines with one of the names
MOST_FILES = 60  # files that define one name


class OldUse(Struct, frozen=True):
    """A name in an unchanged file that is assumed to refer to another file's definition."""

    path: str
    name: str
    home: str  # the file that defined it before the change


async def of_the_change(tree: Tree, scene: Scene, references: tuple[Reference, ...]) -> tuple[Reference, ...]:
    """Return the references whose target before the change was the changed definition."""
    head, base = await tree.entries("head"), await tree.entries("base")
    homes = {item.key: item.before.path for item in scene.every_symbol if item.before is not None and item.contract}
    old_uses: dict[Reference, OldUse] = {}
    for row in references:
        path, _, full = row.symbol.rpartition(":")
        root, home = full.partition(".")[0].removesuffix(RESULT), homes.get(row.symbol, path if row.is_lost else "")
        is_old = row.path in head and row.path in base and head[row.path].oid == base[row.path].oid
        if home in base and is_old and row.path != home and root.isidentifier():
            old_uses[row] = OldUse(row.path, root, home)
    others = await _of_others(tree, scene, set(old_uses.values()))
    return tuple(row for row in references if not meant_another_before(old_uses.get(row), others))


def meant_another_before(use: OldUse | None, others: Collection[OldUse]) -> bool:
    """Before the change, the name meant the definition of another file, which the namespaces put first."""
    return use in others


async def _of_others(tree: Tree, scene: Scene, uses: Collection[OldUse]) -> frozenset[OldUse]:
    """Return the names that referred to another definition, which was nearer to the user."""
    left = [use for use in uses if _defines(await scene.exports.outline("base", use.home), use.name)]
    names, language = sorted({use.name for use in left}), scene.base.language
    if not names:
        return frozenset()
    lines = await tree.grep_lines(Query(names, globs(language), word=True, side="base", limit=MOST_LINES))
    rivals: dict[str, set[str]] = defaultdict(set)
    for path, _, text in lines:
        for name in names:
            if defines(text, name, path):
                rivals[name].add(path)
    projects = _projects(language, await tree.entries("base"))
    found = set[OldUse]()
    for use in left:
        for path in sorted(rivals[use.name] - {use.path, use.home})[:MOST_FILES]:
            if scene.base.sees(use.path, [path]) and await _is_nearer(scene, use, path, projects):
                found.add(use)
                break
    return frozenset(found)


async def _is_nearer(scene: Scene, use: OldUse, path: str, projects: Collection[str]) -> bool:
    """Return whether a file defined the name nearer to the user than the assumed one.

    A definition in the user's own namespace takes precedence over one that it imports with a wildcard, and of two
    with the same full name, the one in the user's project.
    """
    user, home, rival = [await scene.exports.outline("base", one) for one in (use.path, use.home, path)]
    if user is None or home is None or rival is None or not _defines(rival, use.name):
        return False
    if home.spaces == rival.spaces:
        mine = _project(projects, use.path)
        return mine == _project(projects, path) != _project(projects, use.home)
    if any(use.name in (item.whole, *(bound.here for bound in item.names)) for item in user.imports):
        return False
    own = _own_namespaces(user, use.path)
    depths = [own.get(one.spaces[-1], -1) for one in (rival, home)]
    return depths[0] > depths[1]


def _own_namespaces(user: Outline, path: str) -> Mapping[str, int]:
    """Return the namespaces of a file and those around them, with the number of their letters."""
    rules = rules_of(path).scope
    around = {
        space[:at]
        for space in user.spaces
        for at in range(len(space))
        if rules.relative_namespaces and space.startswith(rules.separator, at)
    }
    return {space: len(space) for space in (*user.spaces, *around)}


def _defines(facts: Outline | None, name: str) -> bool:
    """Return whether a file defines the name in a namespace."""
    rows = facts.definitions if facts is not None and facts.spaces else ()
    return any(row.name == name and not row.owner and row.kind != "holder" for row in rows)


def _projects(language: Language, paths: Collection[str]) -> frozenset[str]:
    """Return the folders with a manifest."""
    names = language.packaging.MANIFESTS if language.packaging is not None else ()
    fits = form(names) if names else None
    return frozenset(posixpath.dirname(path) for path in paths if fits is not None and fits.match(f"/{path}"))


def _project(projects: Collection[str], path: str) -> str | None:
    return next((one for one in (*above_of(path), "") if one in projects), None)
