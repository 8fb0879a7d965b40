"""Variables of the environment that one side of the tree calls by a new name while another has the old one, and new ones that nothing sets."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from posixpath import basename

from bot.values import ChangedFile, Evidence, Finding, Query, Rewrite, Source, Verdict
from bot.values.finding import USES_IT, proof_of
from impact.ports import Tree
from impact.text.paths import is_sample, is_workflow, vendored_folder
from impact.uses.texts import Renaming, Role, new_variables, renamings, roles

SOURCE, RULE = "declarations", "variable-renamed"
MOST = 40  # variables of one change that are looked up
ROWS = 5_000  # lines with a name of them
LONG_LINE = 2_000
QUOTED = 12  # lines
_DESCRIBES = "BaseSettings"  # the class whose fields are variables
_Row = tuple[str, int, str]  # path, line, text


_LAWS: Mapping[Role, tuple[str, str, str]] = {  # what was done to the name, what that means, what comes of it
    "reads": ("read", "Nothing reads the old name any more.", "The code does not get the value that is set there."),
    "sets": (
        "set",
        "Nothing sets the old name any more, and nothing reads the new one.",
        "The code there gets no value.",
    ),
    "tells": ("documented", "Nothing reads or sets the new name.", "Who follows the document sets what nothing reads."),
}
_STILL: Mapping[Role, str] = {"reads": "read", "sets": "set", "tells": "document"}


@dataclass(frozen=True, slots=True)
class _Ends:
    """The lines that set one variable, that read it, and that tell of it."""

    sets: list[_Row] = field(default_factory=list)
    reads: list[_Row] = field(default_factory=list)
    tells: list[_Row] = field(default_factory=list)

    def of(self, role: Role) -> list[_Row]:
        return {"sets": self.sets, "reads": self.reads, "tells": self.tells}[role]


def touches(file: ChangedFile) -> bool:
    """Whether a change of the file gives a variable another name, or reads one."""
    return bool(renamings([file]) or new_variables([file]))


async def judge(tree: Tree, files: Sequence[ChangedFile]) -> tuple[list[Finding], tuple[str, ...]]:
    """One finding for each variable whose other side was left behind, and a sentence for each new one that nothing sets."""
    renamed: dict[tuple[str, str, Role], Renaming] = {}
    for one in renamings(files)[:MOST]:
        renamed.setdefault((one.old, one.new, one.role), one)
    new = dict([*new_variables(files).items()][:MOST])
    # Who writes none of the variables down has no place in which one can be missing.
    if new and not any(basename(path).startswith(".env") for path in await tree.entries()):
        new = {}
    wanted = {name for one in renamed.values() for name in (one.old, one.new)} | new.keys()
    ends = await _ends(tree, wanted) if wanted else {}
    by_role = sorted(renamed.values(), key=lambda one: one.role == "reads")  # what code reads speaks last, and stays
    rows = {(one.old, one.new): (one, left) for one in by_role if (left := _left_behind(one, ends))}
    unset = [
        f"{path}:{line.new} reads `{name}`, which nothing in the tree sets or documents: see that it is set wherever this runs"
        for name, (path, line) in new.items()
        if not (ends[name].sets or ends[name].tells) and len(ends[name].reads) == 1
    ]
    return [_finding(*row) for row in rows.values()], tuple(unset)


def _left_behind(one: Renaming, ends: Mapping[str, _Ends]) -> list[tuple[Role, _Row]]:
    """The lines of the other sides that have the old name alone, if nothing of this side has it any more."""
    old, new = ends[one.old], ends[one.new]
    if old.of(one.role):
        return []
    if one.role == "tells":  # the document may have been wrong
        is_wrong = not new.reads and not new.sets and old.reads
        return [*(("reads", row) for row in old.reads), *(("sets", row) for row in old.sets)] if is_wrong else []
    other: Role = "sets" if one.role == "reads" else "reads"
    known = {path for path, _, _ in new.of(other)}
    told = {path for path, _, _ in new.tells}
    documents: list[tuple[Role, _Row]] = [
        ("tells", row) for row in old.tells if row[0] not in told and one.new not in row[2] and not old.of(other)
    ]
    if one.role == "sets" and known:
        return documents  # code may try both names
    # Where the new name is set, a step of a workflow may set the old one for a tool: `GH_TOKEN` for `gh`.
    left = [row for row in old.of(other) if row[0] not in known and not (known and is_workflow(row[0]))]
    return [*((other, row) for row in left), *documents]


async def _ends(tree: Tree, names: Iterable[str]) -> Mapping[str, _Ends]:
    """Who sets and who reads each of some variables in the head tree."""
    wanted = frozenset(names)
    look = rf"(?<!\w)(?:{'|'.join(sorted(wanted))})(?!\w)"
    rows = [row for row in await tree.grep_lines(Query([look], syntax="perl", limit=ROWS)) if len(row[2]) <= LONG_LINE]
    paths = sorted({path for path, _, _ in rows if path.endswith(".py")})
    described = {path for path, raw in (await tree.read_many(paths)).items() if _DESCRIBES.encode() in raw}
    ends: dict[str, _Ends] = defaultdict(_Ends)
    for path, number, text in rows:
        line = text.rstrip("\r")
        for role, name in () if vendored_folder(path) else roles(path, line, is_described=path in described):
            if name in wanted:
                ends[name].of(role).append((path, number, line))
    return ends


def _finding(one: Renaming, left: Sequence[tuple[Role, _Row]]) -> Finding:
    ordered = sorted(
        left, key=lambda row: (row[0] == "tells", is_sample(row[1][0]) or ".example" in row[1][0], row[1][0], row[1][1])
    )
    paths = list(dict.fromkeys(path for _, (path, _, _) in ordered))
    more = f" and {len(paths) - 1} more {'file' if len(paths) == 2 else 'files'}" if len(paths) > 1 else ""  # noqa: PLR2004
    kinds = {role for role, _ in ordered}
    verb = ("have" if more else "has") if len(kinds) > 1 else _STILL[ordered[0][0]] + ("" if more else "s")
    does, law, effect = _LAWS[one.role]
    first = ordered[0][1]
    is_told = kinds == {"tells"}
    return Finding(
        path=one.path,
        quote=one.line.text,
        title=f"`{one.old}` is {does} as `{one.new}` now, but {paths[0]}{more} still {verb} the old name",
        why=f"{law} {first[0]}:{first[1]} has it.",
        consequence=_LAWS["tells"][2] if is_told else effect,
        severity="low" if is_told else "medium",
        category="contract",
        sources=(Source("analyser", SOURCE, proof=proof_of(RULE, one.old)),),
        rule=RULE,
        start=one.line.new or 1,
        end=one.line.new or 1,
        evidence=tuple(Evidence(path, text, number, note=USES_IT) for _, (path, number, text) in ordered[:QUOTED]),
        verdict=Verdict.PROVEN,
        rewrites=_rewrites(one, ordered),
    )


def _rewrites(one: Renaming, left: Sequence[tuple[Role, _Row]]) -> tuple[Rewrite, ...]:
    """The lines with the new name, in each file where code can write all of them.

    A line that has the old name twice may also ask somebody else for it, and a field of a class of settings has users of its own.
    """
    name = re.compile(rf"(?<!\w){re.escape(one.old)}(?!\w)")
    taken = re.compile(rf"""["']{re.escape(one.old)}["']|\benv\.{re.escape(one.old)}(?!\w)""", re.IGNORECASE)
    undecided = {
        path
        for role, (path, _, text) in left
        if is_workflow(path) or len(name.findall(text)) != 1 or (role == "reads" and not taken.search(text))
    }
    rows = [row for _, row in left if row[0] not in undecided]
    return tuple(Rewrite(path, number, text, name.sub(one.new, text)) for path, number, text in rows)
