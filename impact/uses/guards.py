"""The guards that a change takes away from what is still there: what a reader has to look at first, and no verdict."""

from collections.abc import Iterator, Sequence

from impact.changes import LostGuard
from impact.protection import Guard, Protection, is_access, protection
from impact.text.lines import file_lines
from impact.text.paths import is_sample, is_test
from impact.uses.symbols import ChangedSource

ORDER = ("mark", "dependency", "check", "condition")


def lost_guards(sources: Sequence[ChangedSource]) -> tuple[LostGuard, ...]:
    """The guards that the base has around a definition or a route and the head has not, what nothing took the place of first.

    One that stands elsewhere now has moved: around the whole class or router, say. One whose own name the change gives up is renamed.
    """
    rows = [(source, *_sides(source)) for source in sources if _loses_some(source)]
    come = {guard.name for _, before, after in rows for guard in _apart(after, before)}
    defined_before, defined_now = (
        {symbol.short for source in sources for symbol in (source.old if is_old else source.new).definitions}
        for is_old in (True, False)
    )
    renamed = defined_before - defined_now
    found = [row for source, before, after in rows for row in _lost(source.file.path, before, after, come, renamed)]
    return tuple(sorted(found, key=lambda row: (bool(row.became), ORDER.index(row.kind), row.path, row.line)))


def _loses_some(source: ChangedSource) -> bool:
    """Whether a line that the change removes names who may do something, in code that runs."""
    path = source.file.path
    if not source.before or not source.after or is_test(path) or is_sample(path):
        return False
    lines = file_lines(source.before)
    return any(is_access(lines[number - 1]) for number in source.file.removed_lines if number <= len(lines))


def _sides(source: ChangedSource) -> tuple[Protection, Protection]:
    return protection(source.file.old_path or source.file.path, source.before), protection(
        source.file.path, source.after
    )


def _apart(one: Protection, other: Protection) -> Iterator[Guard]:
    """The guards of a file on one side that it has not on the other."""
    known = {(guard.scope, guard.name) for guard in other.guards}
    yield from (guard for guard in one.guards if not guard.is_plain and (guard.scope, guard.name) not in known)


def _lost(path: str, before: Protection, after: Protection, come: set[str], renamed: set[str]) -> Iterator[LostGuard]:
    new: dict[tuple[str, str], list[str]] = {}
    for guard in _apart(after, before):
        new.setdefault((guard.scope, guard.kind), []).append(guard.name)
    for guard in _apart(before, after):
        is_moved = guard.name in come or any(
            part in renamed for part in guard.name.replace("@", ".").replace("(", ".").split(".")
        )
        if guard.scope in after.scopes and not is_moved:
            others = new.get((guard.scope, guard.kind), [])
            became = others.pop(0) if others else ""
            yield LostGuard(path, after.scopes[guard.scope], guard.scope, guard.kind, guard.name, became)
