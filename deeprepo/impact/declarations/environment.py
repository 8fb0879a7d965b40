"""Find environment variables that are renamed on one side only."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from deeprepo.impact.changes import ChangedFile, Query
from deeprepo.impact.language import rules_of
from deeprepo.impact.ports import Tree
from deeprepo.impact.structs import Struct, field
from deeprepo.impact.text.paths import is_workflow, vendored_folder
from deeprepo.impact.uses.texts import Renaming, Role, renamings, roles

MOST = 40  # variables per change that are searched
ROWS = 5_000  # lines with one of these names
LONG_LINE = 2_000
Row = tuple[str, int, str]  # path, line, text


class LeftBehind(Struct, frozen=True):
    """A renamed variable, and the lines that have the old name."""

    renaming: Renaming
    rows: tuple[tuple[Role, Row], ...]


class _Ends(Struct, frozen=True):
    """The lines that set, read and document one variable."""

    sets: list[Row] = field(default_factory=list)
    reads: list[Row] = field(default_factory=list)
    tells: list[Row] = field(default_factory=list)

    def of(self, role: Role) -> list[Row]:
        return {"sets": self.sets, "reads": self.reads, "tells": self.tells}[role]


def touches(file: ChangedFile) -> bool:
    """Return whether a file's change renames a variable."""
    return bool(renamings([file]))


async def judge(tree: Tree, files: Sequence[ChangedFile]) -> list[LeftBehind]:
    """Return the renamed variables with leftover lines."""
    renamed: dict[tuple[str, str, Role], Renaming] = {}
    for one in renamings(files)[:MOST]:
        renamed.setdefault((one.old, one.new, one.role), one)
    wanted = {name for one in renamed.values() for name in (one.old, one.new)}
    ends = await _ends(tree, wanted) if wanted else {}
    # what code reads comes last and replaces the others
    by_role = sorted(renamed.values(), key=lambda one: one.role == "reads")
    rows = {(one.old, one.new): (one, left) for one in by_role if (left := _left_behind(one, ends))}
    return [LeftBehind(one, tuple(left)) for one, left in rows.values()]


def _left_behind(one: Renaming, ends: Mapping[str, _Ends]) -> list[tuple[Role, Row]]:
    """Return the lines on the other side that only have the old name, if this side no longer has it."""
    old, new = ends[one.old], ends[one.new]
    if old.of(one.role):
        return []
    if one.role == "tells":  # the document may have been wrong
        is_wrong = not new.reads and not new.sets and old.reads
        return [*(("reads", row) for row in old.reads), *(("sets", row) for row in old.sets)] if is_wrong else []
    other: Role = "sets" if one.role == "reads" else "reads"
    known = {path for path, _, _ in new.of(other)}
    told = {path for path, _, _ in new.tells}
    documents: list[tuple[Role, Row]] = [
        ("tells", row) for row in old.tells if row[0] not in told and one.new not in row[2] and not old.of(other)
    ]
    if one.role == "sets" and known:
        return documents  # code may try both names
    # Where the new name is set, a workflow may set the old one for a tool: `GH_TOKEN` for `gh`.
    left = [row for row in old.of(other) if row[0] not in known and not (known and is_workflow(row[0]))]
    return [*((other, row) for row in left), *documents]


async def _ends(tree: Tree, names: Iterable[str]) -> Mapping[str, _Ends]:
    """Return the lines of the head that set, read and document the variables."""
    wanted = frozenset(names)
    look = rf"(?<!\w)(?:{'|'.join(sorted(wanted))})(?!\w)"
    rows = [row for row in await tree.grep_lines(Query([look], syntax="perl", limit=ROWS)) if len(row[2]) <= LONG_LINE]
    paths = sorted({path for path, _, _ in rows if rules_of(path).settings_class})
    texts = await tree.read_many(paths)
    described = {path for path, raw in texts.items() if rules_of(path).settings_class.encode() in raw}
    ends: dict[str, _Ends] = defaultdict(_Ends)
    for path, number, text in rows:
        line = text.rstrip("\r")
        for role, name in () if vendored_folder(path) else roles(path, line, is_described=path in described):
            if name in wanted:
                ends[name].of(role).append((path, number, line))
    return ends
