"""Variables of the environment that one side of the tree calls by a new name, while the other side still has the old one."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from bot.dependents.texts import Renaming, Role, renamings, roles
from bot.ports import Tree
from bot.values import ChangedFile, Evidence, Finding, Query, Source, Verdict
from bot.values.finding import USES_IT, proof_of
from impact.text.paths import is_sample, is_workflow, vendored_folder

SOURCE, RULE = "declarations", "variable-renamed"
MOST = 40  # variables of one change that are looked up
ROWS = 5_000  # lines with a name of them
LONG_LINE = 2_000
QUOTED = 12  # lines
_DESCRIBES = "BaseSettings"  # the class whose fields are variables
_Row = tuple[str, int, str]  # path, line, text


@dataclass(frozen=True, slots=True)
class _Ends:
    """The lines that set and that read one variable."""

    sets: list[_Row] = field(default_factory=list)
    reads: list[_Row] = field(default_factory=list)

    def of(self, role: Role) -> list[_Row]:
        return self.sets if role == "sets" else self.reads


def touches(file: ChangedFile) -> bool:
    """Whether a change of the file gives a variable another name."""
    return bool(renamings([file]))


async def judge(tree: Tree, files: Sequence[ChangedFile]) -> list[Finding]:
    """One finding for each variable whose other side was left behind."""
    renamed: dict[tuple[str, str, Role], Renaming] = {}
    for one in renamings(files)[:MOST]:
        renamed.setdefault((one.old, one.new, one.role), one)
    ends = await _ends(tree, {name for one in renamed.values() for name in (one.old, one.new)}) if renamed else {}
    rows = [(one, _left_behind(one, ends)) for one in renamed.values()]
    return [_finding(one, left) for one, left in rows if left]


def _left_behind(one: Renaming, ends: Mapping[str, _Ends]) -> list[_Row]:
    """The lines of the other side that have the old name alone, if nothing of this side has it any more."""
    other: Role = "sets" if one.role == "reads" else "reads"
    if ends[one.old].of(one.role):
        return []
    known = {path for path, _, _ in ends[one.new].of(other)}
    if one.role == "sets" and known:
        return []  # code may try both names
    # Where the new name is set, a step of a workflow may set the old one for a tool: `GH_TOKEN` for `gh`.
    return [row for row in ends[one.old].of(other) if row[0] not in known and not (known and is_workflow(row[0]))]


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


def _finding(one: Renaming, left: Sequence[_Row]) -> Finding:
    ordered = sorted(left, key=lambda row: (is_sample(row[0]) or ".example" in row[0], row[0], row[1]))
    paths = list(dict.fromkeys(path for path, _, _ in ordered))
    more = f" and {len(paths) - 1} more {'file' if len(paths) == 2 else 'files'}" if len(paths) > 1 else ""  # noqa: PLR2004
    verb = ("set" if one.role == "reads" else "read") + ("" if more else "s")
    does, law = (
        ("read", "Nothing reads the old name any more.")
        if one.role == "reads"
        else ("set", "Nothing sets the old name any more, and nothing reads the new one.")
    )
    return Finding(
        path=one.path,
        quote=one.line.text,
        title=f"`{one.old}` is {does} as `{one.new}` now, but {paths[0]}{more} still {verb} the old name",
        why=f"{law} {ordered[0][0]}:{ordered[0][1]} has it.",
        consequence="The code does not get the value that is set there."
        if one.role == "reads"
        else "The code there gets no value.",
        severity="medium",
        category="contract",
        sources=(Source("analyser", SOURCE, proof=proof_of(RULE, one.old)),),
        rule=RULE,
        start=one.line.new or 1,
        end=one.line.new or 1,
        evidence=tuple(Evidence(path, text, number, note=USES_IT) for path, number, text in ordered[:QUOTED]),
        verdict=Verdict.PROVEN,
    )
