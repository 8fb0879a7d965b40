"""Find names that a change removes from data files although they are used, and new uses of undeclared names."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from deeprepo.impact.changes import ChangedFile
from deeprepo.impact.declarations import format_of
from deeprepo.impact.declarations.reading import MODULE_KINDS, Declaration, NameUse, Scope
from deeprepo.impact.declarations.world import World
from deeprepo.impact.ports import Tree
from deeprepo.impact.structs import Struct

# Formats whose files may use another format's names. A chart's files are read together anyway.
READ_WITH = {
    "terraform": ("terraform",),
    **dict.fromkeys(("workflows", "makefiles", "packages"), ("workflows", "makefiles", "packages")),
}


class Break(Struct, frozen=True):
    """An undeclared name with all its uses."""

    scope: Scope
    name: str
    uses: tuple[NameUse, ...]
    former: Declaration | None  # its declaration before the change
    successors: tuple[str, ...]  # new names in its scope
    is_required: bool = False  # it is declared, and calls must now provide it


class DataChange(Struct, frozen=True):
    """The result of comparing the data files on both sides."""

    breaks: tuple[Break, ...]
    before: World
    after: World
    complete: frozenset[str]  # changed files that were compared completely
    open: tuple[tuple[str, str], ...]  # pairs of path and reason
    other_files: frozenset[str]  # files that belong to no format


async def compare(tree: Tree, files: Sequence[ChangedFile]) -> DataChange:
    """Compare what the data files on both sides declare and use."""
    before, after = World(tree, "base"), World(tree, "head")
    await before.open()
    await after.open()
    await before.read(path for file in files for path in (file.old_path,) if path)
    await after.read(file.path for file in files if file.status != "deleted")
    unread = before.unread | after.unread  # including files that are read together with them
    if _gives_up(before, after, files):
        formats = {one for path in {*before.readings, *after.readings} for one in READ_WITH.get(format_of(path), ())}
        await before.read(path for path in before.paths if format_of(path) in formats)
        await after.read(path for path in after.paths if format_of(path) in formats)
    other_files = {
        file.path
        for file in files
        if all(
            (reading := world.readings.get(path)) is None or reading.is_unknown_format
            for world, path in ((before, file.old_path or ""), (after, file.path))
        )
    }
    mine = [file.path for file in files if file.path not in other_files]
    open_rows = [(file, f"{path}: {text}" if path != file else text) for file, path, text in _open(mine, unread, files)]
    if before.is_cut or after.is_cut:
        open_rows += [(path, "too many files may use its names, so not all of them were read") for path in mine]
    complete = frozenset(mine) - {path for path, _ in open_rows}
    rows = tuple(breaks(before, after, files))
    return DataChange(rows, before, after, complete, tuple(sorted(set(open_rows))), frozenset(other_files))


def _open(
    mine: Sequence[str], unread: Mapping[str, str], files: Sequence[ChangedFile]
) -> Iterable[tuple[str, str, str]]:
    """Yield what could not be read. Another unreadable file leaves all changed files of its format open."""
    own = {path: file.path for file in files for path in (file.path, file.old_path) if path}
    for path, reason in sorted(unread.items()):
        if path in own:
            yield own[path], own[path], reason
        else:
            yield from ((file, path, reason) for file in mine if format_of(file) == format_of(path))


def _gives_up(before: World, after: World, files: Sequence[ChangedFile]) -> bool:
    """Return whether the changed files may remove names or require more."""
    if any(file.status in ("deleted", "renamed") for file in files):
        return True
    was, now = ({(one.scope, one.name): one for one in world.declarations()} for world in (before, after))
    is_asked = any(one.is_required and not (key in was and was[key].is_required) for key, one in now.items())
    return is_asked or not was.keys() <= now.keys()


def breaks(before: World, after: World, files: Sequence[ChangedFile]) -> list[Break]:
    """Return the newly undeclared names with their uses."""
    former_paths = {file.path: file.old_path for file in files if file.old_path}
    new_lines = {file.path: file.added_lines for file in files}
    uses_before: dict[tuple[str, str, str], list[NameUse]] = defaultdict(list)
    for use in before.uses():
        uses_before[use.scope.kind, use.name, use.path].append(use)
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
        # a new module may be copied into one that declares its names
        is_new = not old and use.line in new_lines.get(use.path, ())
        is_new = is_new and (scope.kind not in MODULE_KINDS or before.is_known(scope))
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


def _outer(scope: Scope, name: str) -> Iterable[str]:
    """Return the parents of a chart value, which share its target_state."""
    parts = name.split(".") if scope.kind == "value" else [name]
    return (".".join(parts[:end]) for end in range(1, len(parts)))


def _dangles(world: World, use: NameUse) -> bool:
    return world.is_known(use.scope) and world.declaration(use.scope, use.name) is None


def _successors(before: World, after: World, scope: Scope) -> tuple[str, ...]:
    new = [name for name in after.names(scope) if name not in before.names(scope) and "*" not in name]
    return tuple(sorted(new)[:3])


def _missing(before: World, after: World, files: Sequence[ChangedFile]) -> list[Break]:
    """Return the calls that omit newly required names."""
    new_lines = {file.path: file.added_lines for file in files}
    complete_before = {
        (call.identity, call.scope)
        for call in before.calls()
        if all(not one.is_required or name in call.names for name, one in before.names(call.scope).items())
    }
    groups: dict[tuple[Scope, str], list[NameUse]] = defaultdict(list)
    for call in after.calls():
        is_new = call.line in new_lines.get(call.path, ())
        if after.is_known(call.scope) and (is_new or (call.identity, call.scope) in complete_before):
            for name, one in after.names(call.scope).items():
                if one.is_required and name not in call.names:
                    groups[call.scope, name].append(NameUse(call.scope, name, call.path, call.line))
    return [
        Break(scope, name, tuple(uses), after.names(scope)[name], (), is_required=True)
        for (scope, name), uses in groups.items()
    ]
