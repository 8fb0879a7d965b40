"""Find environment variables that are renamed on one side only.

Code reads what `.env`, images, compose files, workflows, charts and tools set, and no compiler checks this.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from posixpath import basename
from typing import Literal, NamedTuple

from deeprepo.impact.changes import ChangedFile, DiffLine, Query
from deeprepo.impact.language import rules_of
from deeprepo.impact.ports import Tree
from deeprepo.impact.structs import Struct
from deeprepo.impact.text.lines import is_comment
from deeprepo.impact.text.paths import is_prose, is_settings, is_workflow, uses_nothing, vendored_folder

MOST = 40  # variables per change that are searched
ROWS = 5_000  # lines with one of these names
LONG_LINE = 2_000
NAME = r"[A-Z][A-Z0-9]*+(?:_[A-Z0-9]++)++(?!\w)"
Role = Literal["reads", "sets", "tells"]
Row = tuple[str, int, str]  # path, line, text
# Any object named after the environment: `process.env.A_B`, `os.environ["A_B"]`, `env::var("A_B")`,
# `System.getenv("A_B")`. A tag and a field described by a validator count, too. `setenv("A_B", "1")` and
# `os.environ["A_B"] = "1"` read nothing.
_NO_WRITE = r"(?!(?:un)?set(?![tu]|default)|put|del|remove|clear|add)"
_READS = re.compile(
    rf"(?i:(?<![\w$]){_NO_WRITE}[\w$]{{0,40}}env\w{{0,40}})(?:\(\s*+\))?(?:(?:\.|::)(?i:{_NO_WRITE})\w{{2,20}})?!?"
    rf"\s*+(?:[\[(]\s*+[\"'`]|\.)({NAME})(?![\"'`]?\s*+\]?\s*+=(?![=~>]))"
    rf"|\benv(?:config)?:\"({NAME})|^\s++({NAME})\s*+:\s*+z\."
)
_FIELD = re.compile(rf"^\s++({NAME})\s*+:")  # a field of pydantic settings
_ASSIGNS = re.compile(rf"^\s*+(?:export\s++|(?:ENV|ARG)\s++)?({NAME})\s*+=|^\s*+(?:ENV|ARG)\s++({NAME})")
_ENTRY = re.compile(rf"^\s*+(?:-\s++)?[\"']?({NAME})[\"']?\s*+[:=]|\bname\s*+:\s*+[\"']?({NAME})")
_LISTED = re.compile(rf"[\"']({NAME})[\"']")
# The first cell of a table row, or a list item: "| `A_B` | where ... |", "- `A_B`: where ...".
_ROW = re.compile(
    rf"^\s*+(?:\|\s*+[`*\"]{{0,3}}({NAME})[`*\"]{{0,3}}\s*+\||[-*]\s++[`*]{{1,3}}({NAME})[`*]{{1,3}}\s*+[:(\u2013\u2014-])"
)
_OF_EARLIER = re.compile(r"change|history|release|news|migrat|upgrad|versioned|archive|blog|\badr\b", re.IGNORECASE)
_SCRIPT = re.compile(r"\.(?:ba|z|k)?sh$|(?:^|/)\.?envrc$")


class Renaming(NamedTuple):
    """A line that only changed the name of the variable that it reads or sets."""

    old: str
    new: str
    role: Role
    path: str
    line: DiffLine


class LeftBehind(Struct, frozen=True):
    """A renamed variable, and the lines that have the old name."""

    renaming: Renaming
    rows: tuple[tuple[Role, Row], ...]


def roles(path: str, text: str, *, is_described: bool = False) -> Iterator[tuple[Role, str]]:
    """Yield the roles of variables in a line.

    `is_described`: the file has a settings class whose fields are variables.
    """
    is_document = is_prose(path) and not _OF_EARLIER.search(path)
    if not is_document and (uses_nothing(path) or is_comment(text, path)):
        return
    name = basename(path)
    role: Role = "sets"
    forms: tuple[re.Pattern[str], ...]
    if is_document:
        forms, role = (_ROW,), "tells"
    elif name.startswith((".env", "Dockerfile", "Containerfile")) or name.endswith(".env") or _SCRIPT.search(path):
        forms = (_ASSIGNS,)
    elif name == "turbo.json":
        forms = (_LISTED,)
    elif is_settings(path):
        forms = (_ENTRY,)
    else:
        forms, role = ((_READS, _FIELD) if is_described else (_READS,)), "reads"
    for form in forms:
        for match in form.finditer(text):
            yield role, next(filter(None, match.groups()))


def unread(files: Sequence[ChangedFile]) -> set[str]:
    """Return the variables that the change no longer reads, under any name."""
    read = {"+": set[str](), "-": set[str]()}
    for file in files:
        for line in [line for hunk in file.hunks for line in hunk.lines if line.kind in read]:
            read[line.kind] |= {name for role, name in roles(file.path, line.text) if role == "reads"}
    return read["-"] - read["+"] - {one.old for one in renamings(files)}


def renamings(files: Sequence[ChangedFile]) -> list[Renaming]:
    """Return the variables that edited lines rename."""
    found = []
    for file in files:
        for hunk in file.hunks:
            for is_edit, lines in groupby(hunk.lines, key=lambda line: line.kind != " "):
                run = list(lines) if is_edit else []
                # A table row is padded to the width of its column.
                added = {" ".join(line.text.split()): line for line in run if line.kind == "+"}
                for line in run:
                    found += [*_renamed(file.path, " ".join(line.text.split()), added)] if line.kind == "-" else []
    return found


def _renamed(path: str, text: str, added: dict[str, DiffLine]) -> Iterator[Renaming]:
    for role, old in roles(path, text, is_described=True):
        before, _, behind = text.partition(old)
        for now, line in added.items():
            new = now[len(before) : len(now) - len(behind)]
            if now == f"{before}{new}{behind}" and new != old and re.fullmatch(NAME, new):
                yield Renaming(old, new, role, path, line)


async def half_renamed(tree: Tree, files: Sequence[ChangedFile]) -> list[LeftBehind]:
    """Return the renamed variables with leftover lines."""
    renamed: dict[tuple[str, str, Role], Renaming] = {}
    for one in renamings(files)[:MOST]:
        renamed.setdefault((one.old, one.new, one.role), one)
    names = {name for one in renamed.values() for name in (one.old, one.new)}
    ends = await _ends(tree, names) if names else {}
    # what code reads comes last and replaces the others
    by_role = sorted(renamed.values(), key=lambda one: one.role == "reads")
    rows = {(one.old, one.new): LeftBehind(one, tuple(left)) for one in by_role if (left := _left(one, ends))}
    return [*rows.values()]


def _left(one: Renaming, ends: Mapping[str, Mapping[Role, list[Row]]]) -> list[tuple[Role, Row]]:
    """Return the lines on the other side that only have the old name, if this side no longer has it."""
    old, new = ends[one.old], ends[one.new]
    if old[one.role]:
        return []
    if one.role == "tells":  # the document may have been wrong
        is_wrong = not new["reads"] and not new["sets"] and old["reads"]
        return [*(("reads", row) for row in old["reads"]), *(("sets", row) for row in old["sets"])] if is_wrong else []
    other: Role = "sets" if one.role == "reads" else "reads"
    known = {path for path, _, _ in new[other]}
    told = {path for path, _, _ in new["tells"]}
    documents: list[tuple[Role, Row]] = [
        ("tells", row) for row in old["tells"] if row[0] not in told and one.new not in row[2] and not old[other]
    ]
    if one.role == "sets" and known:
        return documents  # code may try both names
    # Where the new name is set, a workflow may set the old one for a tool: `GH_TOKEN` for `gh`.
    left = [row for row in old[other] if row[0] not in known and not (known and is_workflow(row[0]))]
    return [*((other, row) for row in left), *documents]


async def _ends(tree: Tree, names: Iterable[str]) -> Mapping[str, Mapping[Role, list[Row]]]:
    """Return the lines of the head that read, set and document the variables."""
    ends: dict[str, dict[Role, list[Row]]] = {name: {"reads": [], "sets": [], "tells": []} for name in names}
    look = rf"(?<!\w)(?:{'|'.join(sorted(ends))})(?!\w)"
    rows = [row for row in await tree.grep_lines(Query([look], syntax="perl", limit=ROWS)) if len(row[2]) <= LONG_LINE]
    paths = sorted({path for path, _, _ in rows if rules_of(path).settings_class})
    texts = await tree.read_many(paths)
    described = {path for path, raw in texts.items() if rules_of(path).settings_class.encode() in raw}
    for path, number, text in rows:
        line = text.rstrip("\r")
        for role, name in () if vendored_folder(path) else roles(path, line, is_described=path in described):
            if name in ends:
                ends[name][role].append((path, number, line))
    return ends
