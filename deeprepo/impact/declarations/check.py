"""Find names that a change removes from data files or newly requires, while other lines expect the old state."""

import posixpath
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from deeprepo.impact.changes import ChangedFile
from deeprepo.impact.declarations import format_of
from deeprepo.impact.declarations.reading import Declaration, NameUse, Scope
from deeprepo.impact.declarations.world import World
from deeprepo.impact.ports import Tree
from deeprepo.impact.structs import Struct

# Formats whose files may use another format's names.
READ_WITH = {
    **{form: (form,) for form in ("terraform", "charts")},
    **dict.fromkeys(("workflows", "makefiles", "packages"), ("workflows", "makefiles", "packages")),
}
_Groups = Mapping[tuple[Scope, str], Sequence[NameUse]]


class Break(Struct, frozen=True):
    """A name that nothing declares now or that is newly required, with the lines that expect the old state."""

    scope: Scope
    name: str
    uses: tuple[NameUse, ...]
    declaration: Declaration  # the former one, or the one that requires it
    successors: tuple[str, ...] = ()  # new names in its scope
    is_required: bool = False


class DataChange(Struct, frozen=True):
    """The result of comparing the data files on both sides."""

    breaks: tuple[Break, ...]
    before: World
    after: World
    complete: frozenset[str]  # changed files that were compared completely
    open: tuple[tuple[str, str], ...]  # pairs of path and reason
    other_files: frozenset[str]  # files that belong to no format


async def compare(tree: Tree, files: Sequence[ChangedFile]) -> DataChange:
    """Compare what the data files on both sides declare and use.

    Unchanged files are only read if the changed ones declare less or require more.
    """
    before, after = World(tree, "base"), World(tree, "head")
    formerly = {file.path: file.old_path or "" for file in files}
    await before.read(formerly.values())
    await after.read(formerly)
    mine = [path for path, old in formerly.items() if before.has_names(old) or after.has_names(path)]
    rows: tuple[Break, ...] = ()
    if _gives_up(before, after):
        formats = {one for path in {*before.readings, *after.readings} for one in READ_WITH[format_of(path)]}
        for world in (before, after):
            await world.read(path for path in world.paths if format_of(path) in formats)
        rows = tuple(_breaks(before, after, files))
    open_rows = [
        (file, reason if path in (file, formerly[file]) else f"{path}: {reason}")
        for file in mine
        for path, reason in sorted({**before.unread, **after.unread}.items())
        if path == formerly[file] or _are_together(path, file)
    ]
    if before.is_cut or after.is_cut:
        open_rows += [(path, "too many files may use its names, so not all of them were read") for path in mine]
    complete = frozenset(mine) - {path for path, _ in open_rows}
    others = frozenset(formerly) - frozenset(mine)
    return DataChange(rows, before, after, complete, tuple(sorted(open_rows)), others)


def _are_together(one: str, other: str) -> bool:
    """Return whether two files of a format are in one folder, as those of a module and of a chart are."""
    return format_of(one) == format_of(other) and posixpath.dirname(one) == posixpath.dirname(other)


def _gives_up(before: World, after: World) -> bool:
    """Return whether the files that were read declare less or require more."""
    if any(path not in after.paths for path in before.readings):
        return True
    was, now = ({(one.scope, one.name): one for one in world.declarations()} for world in (before, after))
    asked = {key for key, one in now.items() if one.is_required}
    return not was.keys() <= now.keys() or any(key not in was or not was[key].is_required for key in asked)


def _breaks(before: World, after: World, files: Sequence[ChangedFile]) -> Iterable[Break]:
    formers, groups = _lost(before, after, files)
    for (scope, name), uses in groups.items():
        if not any((scope, outer) in groups for outer in _outer(scope, name)):
            new = sorted(one for one in after.names(scope).keys() - before.names(scope).keys() if "*" not in one)
            yield Break(scope, name, tuple(uses), formers[scope, name], tuple(new[:3]))
    for (scope, name), uses in _omitted(before, after, files).items():
        yield Break(scope, name, tuple(uses), after.names(scope)[name], is_required=True)


def _lost(
    before: World, after: World, files: Sequence[ChangedFile]
) -> tuple[dict[tuple[Scope, str], Declaration], _Groups]:
    """Return the former declarations of the names that nothing declares now, and their uses."""
    old_paths = {file.path: file.old_path for file in files if file.old_path}
    # A use finds its former declaration even if its scope has moved, such as that of a renamed file.
    known: dict[tuple[str, str, str], Declaration | None] = {}
    for use in before.uses():
        key = (use.scope.kind, use.name, use.path)
        if before.is_known(use.scope) and known.get(key, True):
            known[key] = before.declaration(use.scope, use.name)
    formers: dict[tuple[Scope, str], Declaration] = {}
    groups: dict[tuple[Scope, str], list[NameUse]] = defaultdict(list)
    for use in after.uses():
        scope = after.resolve(use.scope)
        if after.is_known(scope) and after.declaration(scope, use.name) is None:
            key = (use.scope.kind, use.name, old_paths.get(use.path, use.path))
            former = known[key] if key in known else before.declaration(scope, use.name)
            if former is not None:  # it wasn't missing before
                formers[scope, use.name] = former
                groups[scope, use.name].append(use)
    return formers, groups


def _outer(scope: Scope, name: str) -> Iterable[str]:
    """Return the parents of a chart value, which go when it goes."""
    parts = name.split(".") if scope.kind == "value" else [name]
    return (".".join(parts[:end]) for end in range(1, len(parts)))


def _omitted(before: World, after: World, files: Sequence[ChangedFile]) -> _Groups:
    """Return the calls that omit newly required names, by the name."""
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
    return groups
