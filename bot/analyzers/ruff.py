"""Ruff over the changed Python files: rules that mean bugs and security, and only what the change brings.

A report counts when the base did not have it (same rule, same line) and when it is on an added line, or when its cause may
lie elsewhere (a removed import makes a name undefined far below). `noqa` comments are respected: a reader of the diff sees them.
A rule whose truth the code alone decides is "proven"; the others are heuristics, stay "unproven" and rank below.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from posixpath import basename

from bot.analyzers.ruff_rules import SYNTAX, Rule, rules
from bot.analyzers.ruff_run import Diagnostic, Edit, run
from bot.ports import Tree
from bot.render import count
from bot.text.paths import is_sample, is_test
from bot.values import SEVERITIES, ChangedFile, Dependents, Evidence, Finding, PartialCheck, Silence, Source

NAME = "ruff"
READS = "Python files"
MOST_LINES = 6  # a longer report is quoted by its first line

RAISES = re.compile(r"\b(raises|assertRaises\w*|warns|suppress|deprecated_call)\b")
ATTRIBUTE = re.compile(r"\s*[\w.]+\s*(#.*)?$")  # read for its effect: a lazy import, a property
MAGIC = re.compile(r"`__\w+__`")
DYNAMIC = re.compile(r"\bglobals\(\)|\bsetattr\(builtins|\bbuiltins\.\w+ =|\bexec\(")  # names can come from anywhere
CHANGES = r"(?<![\w.]){0}(\.(append|add|update|extend|insert|pop|setdefault|clear|remove|discard)\(|\[[^]]{{0,200}}\]\s*+(\+|-|\|)?=(?!=))"
DEFAULT = re.compile(r"(?<!\w)(\w++)\s*+(?::[^=]{1,300}+)?=\s*+(?:\[|\{|list\(|dict\(|set\(|defaultdict\()")
BINDING = r"\b(import|def|class|as|for)\b.{{0,300}}\b{0}\b|^\s*+{0}\s*+(:[^=]++)?="
FORMATTED = re.compile(r"""\b[rR]?[fFtT][rR]?["'](?>[^"']*\{)[^"'}]*$""")
# What only Python 2 has: files that use it already, or begin with it, were not written for the version that is checked.
BUILTINS_2 = re.compile(r"(?<![\w.])(?:unicode|basestring|xrange|raw_input|unichr|long|reduce|execfile)\s*+[(,)]")
STATEMENT_2 = re.compile(
    r"\s*+(?:print\s++(?:[\"'%\w]|>>)|except\s++[\w.]++\s*+,\s*+\w++\s*+:|raise\s++[\w.]++\s*+,|exec\s++[\"'\w])"
)
DEFINITION = re.compile(r"\s*(async\s+def|def|class)\s")


@dataclass(frozen=True, slots=True)
class RuffSource:
    """One changed file on both sides, with what ruff said about each."""

    file: ChangedFile
    lines: tuple[str, ...]
    base_lines: tuple[str, ...]
    head: tuple[Diagnostic, ...]
    base: tuple[Diagnostic, ...]
    left: int = 0  # reports that are not among these

    @property
    def test(self) -> bool:
        """Whether it is a test or belongs to one."""
        return is_test(self.file.path) or is_sample(self.file.path)


def wants(file: ChangedFile) -> bool:
    """Python files that exist after the change and that the base does not except from review."""
    return file.path.endswith(".py") and file.analyzed and file.status != "deleted"


async def check(tree: Tree, files: Sequence[ChangedFile], dependents: Dependents) -> tuple[Finding, ...] | PartialCheck:  # noqa: ARG001 - the protocol's
    """The chosen reports that the change brings."""
    sources = await _sources(tree, [file for file in files if wants(file)])
    found = tuple(finding for source in sources for finding in _findings(source))
    left = tuple((one.file.path, f"{count(one.left, 'more report')} not read") for one in sources if one.left)
    return PartialCheck(found, left) if left else found


def silence(finding: Finding, dependents: Dependents) -> Silence:  # noqa: ARG001
    """Fixed: every changed Python file is read each time."""
    return "fixed"


async def _sources(tree: Tree, files: Sequence[ChangedFile]) -> list[RuffSource]:
    after = await tree.read_many([file.path for file in files])
    before = await tree.read_many([file.old_path for file in files if file.old_path], "base")
    known = [(file, after[file.path], before.get(file.old_path or "", b"")) for file in files if file.path in after]
    said = await run(
        [text for _, head, base in known for text in (head, base)],
        [code for code in rules() if code != SYNTAX],
        lambda code: SEVERITIES.index(rules()[code].severity),
    )
    return [
        RuffSource(
            file,
            _lines(head),
            _lines(base),
            tuple(said[2 * at].found),
            tuple(said[2 * at + 1].found),
            said[2 * at].left + said[2 * at + 1].left,
        )
        for at, (file, head, base) in enumerate(known)
    ]


def _findings(source: RuffSource) -> list[Finding]:
    if any(report.code == SYNTAX for report in source.base):
        return []  # not a Python 3 file before the change either: nothing that ruff says about it can be trusted
    broken = [report for report in source.head if rules()[report.code].severity == "critical"]
    if any(report.code == SYNTAX for report in broken):
        return [_finding(source, broken[0], rules()[SYNTAX])] if _is_program(source, broken[0]) else []
    rows = Counter(report.start for report in source.head if report.code != "B018")
    old = Counter((report.code, _quote(source.base_lines, report).strip()) for report in source.base)
    found = []
    for report in source.head:
        quote, rule = _quote(source.lines, report), rules()[report.code]
        key = (report.code, quote.strip())
        old[key] -= 1
        new = (
            old[key] < 0
            and not (report.code == "B018" and rows[report.start])
            and (
                (rule.anywhere and not source.left)
                or not source.file.added.isdisjoint(range(report.start, report.end + 1))
            )
        )
        if new and rule.fits(report.message, quote, test=source.test) and _counts(source, report):
            found.append(_finding(source, report, rule))
    return found


def _is_program(source: RuffSource, report: Diagnostic) -> bool:
    """Templates and the inputs of parsers' tests are no programs, though they end in `.py`."""
    near = "\n".join(source.lines[max(0, report.start - 3) : report.start + 2])
    if re.search(r"\{[{%]|[%}]\}", near):
        return False
    return bool(source.base_lines) or not source.test or "test" in basename(source.file.path)


def _counts(source: RuffSource, report: Diagnostic) -> bool:
    """What a rule alone cannot see."""
    if report.code in {"B015", "B018"}:
        above = source.lines[max(0, report.start - 4) : report.start]
        return not ATTRIBUTE.match(above[-1]) and not any(RAISES.search(line) for line in above)
    if report.code == "B006":
        return _is_changed(source, report)
    if report.code == "F811":
        return _is_redefinition(source, report)
    if report.code in {"F821", "F822"}:
        lazy = any(line.startswith("def __getattr__") for line in source.lines)
        return (
            not (lazy and report.code == "F822")
            and not MAGIC.search(report.message)
            and not (_is_quoted(source, report) and source.test)
            and not (BUILTINS_2.search(f"{_name(report)})") and BUILTINS_2.search("\n".join(source.base_lines)))
        )
    return True


def _name(report: Diagnostic) -> str:
    """The name that a report is about."""
    name = re.search(r"`(\w+)`", report.message)
    return name[1] if name else ""


def _is_quoted(source: RuffSource, report: Diagnostic) -> bool:
    """Whether the name stands in an annotation in quotes, which only runs when somebody resolves it."""
    before = source.lines[report.start - 1][: report.column - 1]
    if FORMATTED.search(before):  # a placeholder of an f-string runs with its line
        return False
    return any(before.count(mark) % 2 for mark in "\"'")


def _is_changed(source: RuffSource, report: Diagnostic) -> bool:
    """Whether the function changes the parameter whose default is shared: otherwise it does no harm."""
    parameter = DEFAULT.search(source.lines[report.start - 1])
    if parameter is None:
        return False
    changes = re.compile(CHANGES.format(re.escape(parameter[1])))
    for line in source.lines[report.start : report.start + 200]:
        if DEFINITION.match(line) and _indent(line) <= _indent(source.lines[report.start - 1]):
            return False
        if changes.search(line):
            return True
    return False


def _is_redefinition(source: RuffSource, report: Diagnostic) -> bool:
    """Two definitions of one name, the first without a decorator that may have kept it."""
    first = _first_definition(report)
    both = all(0 < at <= len(source.lines) and DEFINITION.match(source.lines[at - 1]) for at in (first, report.start))
    if not both or first == 1:
        return both
    return not source.lines[first - 2].lstrip().startswith(("@", ")")) and "`_" not in report.message


def _first_definition(report: Diagnostic) -> int:
    at = re.search(r"line (\d+)", report.message)
    return int(at[1]) if at else 0


def _finding(source: RuffSource, report: Diagnostic, rule: Rule) -> Finding:
    title, why, effect = rule.words(report.message)
    quote = _quote(source.lines, report)
    doubtful = report.code == "F821" and (_is_quoted(source, report) or DYNAMIC.search("\n".join(source.lines)))
    doubtful = doubtful or (report.code == SYNTAX and not source.base_lines and STATEMENT_2.match(quote))
    return Finding(
        path=source.file.path,
        quote=quote,
        title=title,
        why=why,
        consequence=effect,
        severity="medium" if doubtful else rule.severity,
        category="security" if rule.security else "bug",
        sources=(Source("analyser", NAME),),
        rule=report.code,
        start=report.start,
        end=report.start + quote.count("\n"),
        evidence=_evidence(source, report),
        suggestion=_suggestion(source.lines, report, quote),
        verdict="proven" if rule.proven and not doubtful else "unproven",
    )


def _evidence(source: RuffSource, report: Diagnostic) -> tuple[Evidence, ...]:
    """The other line that the report is about: the first definition, or the binding that the change takes away."""
    if report.code == "F811":
        first = _first_definition(report)
        return (Evidence(source.file.path, source.lines[first - 1], first, note="the first definition"),)
    name = _name(report)
    if report.code not in {"F821", "F822"} or not name:
        return ()
    bound = re.compile(BINDING.format(name))
    gone = [row for hunk in source.file.hunks for row in hunk.lines if row.kind == "-" and bound.search(row.text)]
    path = source.file.old_path or source.file.path
    return tuple(Evidence(path, row.text, row.old or 0, "base", "removed by this change") for row in gone[:1])


def _quote(lines: Sequence[str], report: Diagnostic) -> str:
    """The reported lines, or the first where they are many. A report on an empty line quotes the last one before it."""
    end = report.end if report.end - report.start < MOST_LINES else report.start
    quote = "\n".join(lines[report.start - 1 : end]).rstrip("\n")
    return quote or next((line for line in reversed(lines[: report.start]) if line.strip()), "")


def _suggestion(lines: Sequence[str], report: Diagnostic, quote: str) -> str | None:
    """The quoted lines after ruff's safe fix, where it touches no other line."""
    last = report.start + quote.count("\n")
    if not report.edits or not all(report.start <= e.start[0] and e.end[0] <= last for e in report.edits):
        return None
    text = list(lines[report.start - 1 : last])
    for edit in sorted(report.edits, key=lambda e: e.start, reverse=True):
        text = _edited(text, edit, report.start)
    fixed = "\n".join(text)
    return fixed if fixed != quote else None


def _edited(text: list[str], edit: Edit, first: int) -> list[str]:
    """Columns count characters; both ends lie in `text`, which begins with line `first`."""
    top, bottom = edit.start[0] - first, edit.end[0] - first
    joined = text[top][: edit.start[1] - 1] + edit.content + text[bottom][edit.end[1] - 1 :]
    return [*text[:top], *joined.split("\n"), *text[bottom + 1 :]]


def _lines(blob: bytes) -> tuple[str, ...]:
    return tuple(line.rstrip("\r") for line in blob.decode("utf-8", "replace").split("\n")) if blob else ()


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
