"""Names that a change takes away while files still use them, or uses although nobody declares them."""

import posixpath
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from bot.dependents.declarations import FILES, format_of, shell, words
from bot.dependents.declarations.kinds import MODULE_KINDS
from bot.dependents.declarations.reading import Declaration, NameUse, Scope
from bot.dependents.declarations.words import Break
from bot.dependents.declarations.world import World
from bot.ports import Tree
from bot.values import ChangedFile, Judgement, Query

ROWS = 5_000  # lines of files that may use something
NAMES = 200  # that are looked for elsewhere
_SOUGHT = ("target", "script", "workflow name")  # kinds that files of other folders use by the name alone


async def judge(tree: Tree, files: Sequence[ChangedFile]) -> tuple[Judgement, frozenset[str]]:
    """Return the findings and what is open, and the files that turned out to be of no format."""
    before, after = World(tree, "base"), World(tree, "head")
    await before.open()
    await after.open()
    await before.read(path for file in files for path in (file.old_path,) if path)
    await after.read(file.path for file in files if file.status != "deleted")
    reason = await _read_callers(tree, files, before, after)
    reason = await _read_users(tree, before, after) or reason
    foreign = {
        file.path
        for file in files
        if all(
            (reading := world.readings.get(path)) is None or reading.is_foreign
            for world, path in ((before, file.old_path or ""), (after, file.path))
        )
    }
    mine = [file.path for file in files if file.path not in foreign]
    rows = words.findings(breaks(before, after, files), before, after, files)
    unread = before.unread | after.unread
    if before.is_cut or after.is_cut:
        reason = "not every file that may use its names was read: there are too many"
    open_rows = [(file, f"{path}: {text}" if path != file else text) for file, path, text in _open(mine, unread, files)]
    open_rows += [(path, reason) for path in mine if reason]
    complete = frozenset(mine) - {path for path, _ in open_rows}
    return Judgement(tuple(rows), complete | foreign, tuple(sorted(set(open_rows)))), frozenset(foreign)


def _open(
    mine: Sequence[str], unread: Mapping[str, str], files: Sequence[ChangedFile]
) -> Iterable[tuple[str, str, str]]:
    """What could not be read: of a changed file that file is open, of another one all changed files of its format."""
    own = {path: file.path for file in files for path in (file.path, file.old_path) if path}
    for path, reason in sorted(unread.items()):
        if path in own:
            yield own[path], own[path], reason
        else:
            yield from ((file, path, reason) for file in mine if format_of(file) == format_of(path))


async def _read_callers(tree: Tree, files: Sequence[ChangedFile], before: World, after: World) -> str:
    """Read the files that may name the folder, or the file, of what changed. Returns why these are not all."""
    folders, names = set[str](), set[str]()
    for file in files:
        for path in {file.path, file.old_path or file.path}:
            folder, name = posixpath.split(path)
            form = format_of(path)
            if form == "terraform":
                folders.add(posixpath.basename(folder))
            elif form == "workflows":
                names.add(name if folder.endswith(".github/workflows") else posixpath.basename(folder))
            elif form == "makefiles" and name.endswith(".mk"):
                names.add(name)
    queries: list[tuple[list[str], Sequence[str]]] = []
    if folders:
        ends = "|".join(sorted(re.escape(folder) for folder in folders if folder)) or "-"
        queries.append(([rf'"\.{{1,2}}/([^"]*/)?({ends})/?"|"(\.{{1,2}}/?)+"'], [*FILES["terraform"]]))
    if names - {""}:
        either = "|".join(sorted(map(re.escape, names - {""})))
        queries.append(([rf"(uses:|include).*({either})"], [*FILES["workflows"], *FILES["makefiles"]]))
    return await _read_matches(tree, queries, before, after)


async def _read_users(tree: Tree, before: World, after: World) -> str:
    """Read the files that may use a target, a script or a workflow that the change takes away."""
    lost_names = sorted(
        {
            one.name
            for reading in before.readings.values()
            for one in reading.declarations
            if one.scope.kind in _SOUGHT and one.name not in after.names(one.scope)
        }
    )
    if not lost_names:
        return ""
    either = "|".join(map(re.escape, lost_names[:NAMES]))
    specs = [*FILES["workflows"], *FILES["makefiles"], *FILES["packages"]]
    pattern = rf"({shell.TOOLS}|MAKE[)}}]).*[\s:\"'/]({either})(?![\w.-])|^\s*-?\s*[\"']?({either})[\"']?\s*$|workflows:.*({either})|\"({either})\"\s*:"
    reason = await _read_matches(tree, [([pattern], specs)], before, after)
    return f"more than {NAMES} of its names are gone" if len(lost_names) > NAMES else reason


async def _read_matches(
    tree: Tree, queries: Iterable[tuple[list[str], Sequence[str]]], before: World, after: World
) -> str:
    reason = ""
    for patterns, specs in queries:
        rows = await tree.grep_lines(Query(patterns, specs, syntax="perl", limit=ROWS))
        if len(rows) >= ROWS:
            reason = f"more than {ROWS:,} lines may use its names"
        paths = {path for path, _, _ in rows}
        await after.read(paths)
        await before.read(paths)
    return reason


def breaks(before: World, after: World, files: Sequence[ChangedFile]) -> list[Break]:
    """The names that no one declares after the change, with their uses; what was so before is left out."""
    former_paths = {file.path: file.old_path for file in files if file.old_path}
    new_lines = {file.path: file.added_lines for file in files}
    uses_before: dict[tuple[str, str, str], list[NameUse]] = defaultdict(list)
    for use in before.uses():
        uses_before[use.scope.kind, use.name, use.path].append(use)
    broken_before = {before.resolve(use.scope) for use in before.uses() if _dangles(before, use)}
    groups: dict[tuple[Scope, str], list[NameUse]] = defaultdict(list)
    formers: dict[tuple[Scope, str], Declaration] = {}
    for use in after.uses():
        scope = after.resolve(use.scope)
        if not after.is_known(scope) or after.declaration(scope, use.name) is not None:
            continue
        old = uses_before.get((use.scope.kind, use.name, former_paths.get(use.path) or use.path), [])
        if any(_dangles(before, one) for one in old):
            continue
        former = next((row for one in old if (row := before.declaration(one.scope, one.name))), None)
        former = former or before.declaration(scope, use.name)
        is_new = use.line in new_lines.get(use.path, ()) and not old and _was_whole(before, after, scope, broken_before)
        if former is not None or (use.certainty == "sure" and is_new):
            groups[scope, use.name].append(use)
            if former is not None:
                formers[scope, use.name] = former
    rows = [
        Break(scope, name, tuple(mine), formers.get((scope, name)), _successors(before, after, scope))
        for (scope, name), mine in groups.items()
        if not any((scope, outer) in groups for outer in _outer(scope, name))
    ]
    return [*rows, *_missing(before, after, files)]


def _was_whole(before: World, after: World, scope: Scope, broken_before: Collection[Scope]) -> bool:
    """Whether a name that nobody declares is missing: a folder that is new, or was no whole module, may be copied into one."""
    if after.is_loose(scope):
        return False
    return scope.kind not in MODULE_KINDS or (before.is_known(scope) and scope not in broken_before)


def _outer(scope: Scope, name: str) -> Iterable[str]:
    """Give the values around a value of a chart: what became of them became of it."""
    parts = name.split(".") if scope.kind == "value" else [name]
    return (".".join(parts[:end]) for end in range(1, len(parts)))


def _dangles(world: World, use: NameUse) -> bool:
    return world.is_known(use.scope) and world.declaration(use.scope, use.name) is None


def _successors(before: World, after: World, scope: Scope) -> tuple[str, ...]:
    new = [name for name in after.names(scope) if name not in before.names(scope) and "*" not in name]
    return tuple(sorted(new)[:3])


def _missing(before: World, after: World, files: Sequence[ChangedFile]) -> list[Break]:
    """The calls that leave out what their scope asks for since the change."""
    former_paths = {file.path: file.old_path for file in files if file.old_path}
    new_lines = {file.path: file.added_lines for file in files}
    calls_before = {(call.path, call.identity, call.scope.kind): call for call in before.calls()}
    groups: dict[tuple[Scope, str], list[NameUse]] = defaultdict(list)
    for call in after.calls():
        if not after.is_known(call.scope):
            continue
        old = calls_before.get((former_paths.get(call.path) or call.path, call.identity, call.scope.kind))
        for name, one in after.names(call.scope).items():
            if not one.is_required or name in call.names:
                continue
            was = before.names(old.scope).get(name) if old is not None else None
            if old is not None and was is not None and was.is_required and name not in old.names:
                continue
            if old is None and call.line not in new_lines.get(call.path, ()):
                continue
            groups[call.scope, name].append(NameUse(call.scope, name, call.path, call.line))
    return [
        Break(scope, name, tuple(uses), after.names(scope)[name], (), is_required=True)
        for (scope, name), uses in groups.items()
    ]
