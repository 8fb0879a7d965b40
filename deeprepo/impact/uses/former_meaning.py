"""Remove references that had another target before the change, by resolving names in the base."""

import posixpath
import re
from collections.abc import Collection, Iterator, Sequence

from deeprepo.impact.changes import Query, Reference, TargetState
from deeprepo.impact.language import language_of
from deeprepo.impact.paths import above_of
from deeprepo.impact.ports import Tree
from deeprepo.impact.resolving.index import ROUNDS, Index
from deeprepo.impact.resolving.namespaces import Namespaces
from deeprepo.impact.resolving.resolve import named
from deeprepo.impact.structs import Struct, replace
from deeprepo.impact.uses.scene import Scene
from deeprepo.impact.uses.sides import globs
from deeprepo.impact.uses.sites import RESULT
from deeprepo.impact.values import Base, Facts
from deeprepo.impact.views import OneSide

MOST = 60  # files with unchanged references
ASKED, MOST_ASKED = 16, 48  # names that are searched; files that are searched for definitions
# Manifests of projects with namespaces.
MANIFEST = re.compile(r"(?:\.csproj|(?:^|/)(?:pom\.xml|build\.gradle(?:\.kts)?|build\.sbt|composer\.json))$")


class OldUse(Struct, frozen=True):
    """A name in an unchanged file that is assumed to refer to another file's definition."""

    path: str
    name: str
    home: str  # the file that defined it before the change


async def of_the_change(tree: Tree, scene: Scene, references: Sequence[Reference]) -> tuple[Reference, ...]:
    """Return the references whose target before the change was the changed definition.

    One that another definition provides now is not removed.
    """
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
        home = homes.get(row.symbol, path if row.is_lost else "")
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
        if row.sure and row.target_state != "present" and row.symbol not in kept and row.missing_part is None
    }
    given = (
        await given_elsewhere(OneSide(tree, "head"), set(lost.values())) if lost and scene.head.declares_content else ()
    )
    others_have = await _given_to_all(tree, scene, {row.name for row in lost if row.is_lost})
    return tuple(
        replace(row, target_state=_target_state(row))
        if lost.get(row) in given
        else replace(row, target_state="unknown")
        if row in lost and row.name in others_have
        else row
        for row in left
    )


async def _given_to_all(tree: Tree, scene: Scene, names: Collection[str]) -> frozenset[str]:
    """Return the removed names that another file still defines, if such definitions are visible everywhere."""
    word = scene.head.language.rules.everywhere
    if not word or not names:
        return frozenset()
    defines = re.compile(rf"^\s*{word}\s+&?({'|'.join(sorted(map(re.escape, names)))})\s*\(")
    rows = await tree.grep_lines(Query([defines.pattern], globs(scene.head.language), syntax="perl"))
    return frozenset(found[1] for _, _, text in rows if (found := defines.match(text)))


def _root(row: Reference) -> str:
    """Return the first name of a reference's target."""
    return row.symbol.rpartition(":")[2].partition(".")[0].removesuffix(RESULT)


def _target_state(row: Reference) -> TargetState:
    """Return the target_state of a name that has another definition now; its members may not exist."""
    return "present" if row.name == _root(row) else "unknown"


async def of_others(base: Base, uses: Collection[OldUse]) -> frozenset[OldUse]:
    """Return the references that resolve to something else in the base.

    A project's own definition takes precedence over one in another project.
    """
    index = Index(await base.paths())
    projects = frozenset(posixpath.dirname(path) for path in index.paths.files if MANIFEST.search(path))
    found = [
        use for use in uses if await _means_another(base, index, use) or await _has_its_own(base, index, use, projects)
    ]
    return frozenset(found)


async def given_elsewhere(tree: Base, uses: Collection[OldUse]) -> frozenset[OldUse]:
    """Return the references whose name another file defines in a namespace that they see.

    Project references are not checked, since a project may use another one as a package.
    """
    index = Index(await tree.paths())
    found = set[OldUse]()
    for name in sorted({use.name for use in uses})[:ASKED]:
        mine = [use for use in uses if use.name == name]
        pattern = rf"\b(?:class|struct|record|interface|enum|delegate|object|trait)\s.*\b{re.escape(name)}\b"
        holders = [path for path in await tree.holding(pattern) if path not in {use.home for use in mine}][:MOST_ASKED]
        for path in (*holders, *(path for use in mine for path in (use.path, use.home) if path in index.paths.files)):
            index.facts(path)
        await index.read(tree)
        mine = [use for use in mine if (facts := index.facts(use.home)) is None or not _defines(facts, name)]
        known = [facts for path in holders if (facts := index.facts(path)) is not None and _defines(facts, name)]
        spaces = {one.spaces[-1] if one.spaces else "" for one in known}
        found.update(use for use in mine if not spaces.isdisjoint(_in_sight(index, use)))
    return frozenset(found)


def _in_sight(index: Index, use: OldUse) -> Iterator[str]:
    """Yield the namespaces that a file sees: imported ones, its own, their parents, and those of its project."""
    facts, language = index.facts(use.path), language_of(use.path)
    modules = index.modules(language) if language is not None else None
    if facts is None:
        return
    for space in facts.spaces:
        yield from (space, *(space[:at] for at, letter in enumerate(space) if letter == "."))
    for item in facts.imports:
        if item.star or any(bound.there == use.name for bound in item.names):
            yield from (item.spec, *(f"{space}.{item.spec}" for space in facts.spaces))
    if isinstance(modules, Namespaces):
        yield from modules.in_sight(use.path, facts.spaces)


async def _means_another(base: Base, index: Index, use: OldUse) -> bool:
    """Return whether the name resolves to another definition, and no import reaches the assumed file."""
    is_another = False
    for _ in range(ROUNDS):
        answer, facts, home, language = (
            named(index, use.path, use.name),
            index.facts(use.path),
            index.facts(use.home),
            language_of(use.path),
        )
        modules = index.modules(language) if language is not None else None
        items = facts.imports if facts is not None and modules is not None else ()
        imported = {path for one in items if modules for path in modules.files(use.path, one, use.name) or ()}
        homes = {path for path, _ in answer.definitions}
        is_another = (
            bool(homes) and use.home not in homes | imported and all(_is_apart(index, use, home, one) for one in homes)
        )
        if not await index.read(base):
            break
    return is_another


def _is_apart(index: Index, use: OldUse, home: Facts | None, path: str) -> bool:
    """Return whether two files define a name in different declared namespaces. Otherwise imports decide."""
    other = index.facts(path)
    if home is None or other is None or not home.spaces:
        return False
    return _defines(home, use.name) and home.spaces != other.spaces


def _defines(facts: Facts, name: str) -> bool:
    return any(one.name == name and not one.owner and one.kind != "holder" for one in facts.definitions)


async def _has_its_own(base: Base, index: Index, use: OldUse, projects: Collection[str]) -> bool:
    """Return whether a file's project defines the same name itself, and the assumed file is in another project."""
    mine, other = (
        next((one for one in (*above_of(path), "") if one in projects), None) for path in (use.path, use.home)
    )
    if mine is None or other is None or mine == other:
        return False
    pattern = rf"\b(?:class|struct|record|interface|enum|object|trait|fun|function)\s.*\b{re.escape(use.name)}\b"
    found = [path for path in await base.holding(pattern, mine) if _is_of(path, projects, mine) and path != use.path]
    paths = [use.home, *found[:ASKED]]
    for path in (use.path, *paths):
        index.facts(path)
    await index.read(base)
    user, home, *others = (index.facts(path) for path in (use.path, *paths))
    if user is None or home is None or not home.spaces:
        return False
    # A name in its own namespace takes precedence over imported ones.
    spaces = {home.spaces} | ({user.spaces} if user.spaces != home.spaces else set())
    return any(facts is not None and facts.spaces in spaces and _defines(facts, use.name) for facts in others)


def _is_of(path: str, projects: Collection[str], project: str) -> bool:
    return next((one for one in (*above_of(path), "") if one in projects), None) == project
