"""Ruff over the changed Python files: rules that mean bugs and security, and only what the change brings.

A report counts when the base did not have it (same rule, same line) and when it is on an added line, or when its cause may
lie elsewhere (a removed import makes a name undefined far below). A rule whose truth the code alone decides is "proven"; the others are
heuristics, stay "unproven" and rank below.

A `noqa` comment counts if the base has it at the same path. One that the change writes, and a file that cannot be read, leave the file open.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePosixPath
from posixpath import basename

from bot.analyzers.linters import hidden_reports_sentence
from bot.analyzers.ruff_rules import SYNTAX, Rule, rules
from bot.analyzers.ruff_run import Diagnostic, Edit, Reports, run
from bot.analyzers.suppression import Directives, Variants, bare, variants
from bot.ports import Tree
from bot.render import count
from bot.text.paths import is_sample, is_test
from bot.values import ChangedFile, Dependents, Evidence, Finding, Judgement, Silence, Source, Verdict, severity_rank

NAME = "ruff"
READS = "Python files"
SUFFIXES = frozenset({".py", ".pyw"})
MOST_LINES = 6  # a longer report is quoted by its first line

ATTRIBUTE = re.compile(r"\s*[\w.]+\s*(#.*)?$")  # read for its effect: a lazy import, a property
MAGIC = re.compile(r"`(__\w+__)`")
IMPLICIT = frozenset({"__path__", "__class__", "__builtins__", "__cached__", "__annotations__", "__warningregistry__"})
CHANGES = r"(?<![\w.]){0}(\.(append|add|update|extend|insert|pop|setdefault|clear|remove|discard)\(|\[[^]]{{0,200}}\]\s*+(\+|-|\|)?=(?!=))"
DEFAULT = re.compile(r"(?<!\w)(\w++)\s*+(?::[^=]{1,300}+)?=\s*+(?:\[|\{|list\(|dict\(|set\(|defaultdict\()")
BINDING = r"\b(import|def|class|as|for)\b.{{0,300}}\b{0}\b|^\s*+{0}\s*+(:[^=]++)?="
COMMENTS = Directives(re.compile(rb"(?i)noqa|ruff(?=\s*:)|flake8(?=\s*:)"), b"#")
# What only Python 2 has: files that use it already, or begin with it, were not written for the version that is checked.
BUILTINS_2 = re.compile(r"(?<![\w.])(?:unicode|basestring|xrange|raw_input|unichr|long|reduce|execfile)\s*+[(,)]")
STATEMENT_2 = re.compile(
    r"\s*+(?:print\s++(?:[\"'%\w]|>>)|except\s++[\w.]++\s*+,\s*+\w++\s*+:|raise\s++[\w.]++\s*+,|exec\s++[\"'\w])"
)
COOKIE = re.compile(rb"(?:[^\n]*\n)?[ \t\f]*#[^\n]*?coding[:=][ \t]*([-\w.]+)")  # PEP 263
UTF_8 = frozenset({b"utf-8", b"utf8", b"utf-8-sig", b"ascii", b"us-ascii"})
LAZY_NAMES = re.compile(rb"^def __getattr__\(", re.MULTILINE)
DYNAMIC = re.compile(rb"\b(?:globals\(\)|exec\(|builtins\.\w+ *=|setattr\(builtins)")  # names can come from anywhere
RAISES = re.compile(r"\b(?:raises|assertRaises\w*|warns|suppress|deprecated_call)\(")
QUOTED = re.compile(r"([\"'])[\w\[\], .|]*$")
DEFINITION = re.compile(r"\s*(async\s+def|def|class)\s")


@dataclass(frozen=True, slots=True)
class RuffSource:
    """One changed file on both sides, with what ruff reports about each."""

    file: ChangedFile
    texts: Variants
    base_texts: Variants
    reports: Mapping[bytes, Reports]  # by text

    @property
    def test(self) -> bool:
        """Whether it is a test or belongs to one."""
        return is_test(self.file.path) or is_sample(self.file.path)

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines after the change."""
        return _lines(self.texts.own)

    @property
    def base_lines(self) -> tuple[str, ...]:
        """The lines before the change."""
        return _lines(self.base_texts.own)

    @property
    def base_text(self) -> bytes:
        """What the base has at the same path: a text elsewhere is one that the author of the change has chosen."""
        return self.base_texts.own if self.file.old_path == self.file.path else b""

    @property
    def left(self) -> int:
        """Reports that were not read."""
        return sum(self.reports[text].left for text in (self.texts.own, self.base_texts.own))

    @property
    def base_parses(self) -> bool:
        """Whether ruff could read all of the base's text."""
        return not unreadable(self.base_texts.own) and self.reports[self.base_texts.bare].complete


def wants(file: ChangedFile) -> bool:
    """Python files that exist after the change and that the base does not except from review."""
    return PurePosixPath(file.path).suffix.lower() in SUFFIXES and file.is_analyzed and file.status != "deleted"


async def check(tree: Tree, files: Sequence[ChangedFile], dependents: Dependents) -> Judgement:  # noqa: ARG001 - the protocol's
    """The chosen reports that the change brings."""
    sources, left = await _sources(tree, [file for file in files if wants(file)])
    results: list[Finding] = []
    complete: set[str] = set()
    for source in sources:
        findings, reasons = _judge(source)
        results += findings
        left += [(source.file.path, reason) for reason in reasons]
        complete |= set() if reasons else {source.file.path}
    return Judgement(tuple(results), frozenset(complete), tuple(left))


def silence(finding: Finding, dependents: Dependents) -> Silence:  # noqa: ARG001
    """Fixed: every changed Python file is read each time."""
    return "fixed"


async def _sources(tree: Tree, files: Sequence[ChangedFile]) -> tuple[list[RuffSource], list[tuple[str, str]]]:
    """The files that ruff can read, and why it cannot read the others."""
    after = await tree.read_many([file.path for file in files])
    before = await tree.read_many([file.old_path for file in files if file.old_path], "base")
    reasons = {path: unreadable(text) for path, text in after.items()}
    file_texts = []
    for file in files:
        if file.path in after and not reasons[file.path]:
            old = before.get(file.old_path or "", b"")
            own = variants(COMMENTS, file, after[file.path])
            file_texts.append((file, own, Variants(old, old, bare(COMMENTS, old))))
    texts = {text for _, *sides in file_texts for one in sides for text in (one.own, one.base_comments, one.bare)}
    reports = await run(
        sorted(texts),
        [code for code in rules() if code != SYNTAX],
        lambda code: severity_rank(rules()[code].severity),
    )
    sources = [RuffSource(file, own, old, reports) for file, own, old in file_texts]
    return sources, [(path, reason) for path, reason in reasons.items() if reason]


def unreadable(source: bytes) -> str:
    """Why ruff cannot read a file as Python does; empty if it can."""
    if b"\0" in source:
        return "it holds a NUL byte, which Python refuses"
    cookie = COOKIE.match(source)
    if cookie and cookie[1].lower().replace(b"_", b"-") not in UTF_8:
        return f"its first lines declare the encoding {cookie[1].decode('ascii')[:40]}, and ruff reads UTF-8 alone"
    try:
        source.decode("utf-8")
    except UnicodeDecodeError:
        return "it is not UTF-8"
    return ""


def _judge(source: RuffSource) -> tuple[list[Finding], list[str]]:
    """The findings about a file, and why it is open: empty if it was judged to its end."""
    head = source.reports[source.texts.bare]
    left = [f"{count(source.left, 'more report')} not read"] if source.left else []
    syntax_error = next((report for report in head.diagnostics if report.code == SYNTAX), None)
    if syntax_error is not None:
        sure = source.base_parses if source.base_lines else _is_program(source, syntax_error)
        findings = (
            [_finding(source, syntax_error, rules()[SYNTAX])]
            if sure and syntax_error.start <= len(source.lines)
            else []
        )
        return findings, [*left, f"it does not parse (line {syntax_error.start}), so nothing else was looked for"]
    if not head.complete:
        return [], [*left, "the program states no reading to the end of the file"]
    own = _fresh(source, source.texts.own, source.base_texts.own)
    findings = [_finding(source, report, rules()[report.code]) for report in own]
    left += _hidden_reports(source)
    if not source.base_parses and any(
        _is_anywhere(source, report) for report in source.reports[source.texts.own].diagnostics
    ):
        left.append("there are reports on unchanged lines, and the file before the change does not parse")
    return findings, left


def _hidden_reports(source: RuffSource) -> list[str]:
    """What a comment of the change silences: reports without any comment that those with the base's comments still have."""
    visible = {(one.code, one.start) for one in _fresh(source, source.texts.own, source.base_texts.own)}
    reports = {(one.code, one.start) for one in source.reports[source.texts.base_comments].diagnostics} - visible
    fresh = _fresh(source, source.texts.bare, source.base_texts.bare)
    hidden_reports = [(one.code, one.start) for one in fresh if (one.code, one.start) in reports]
    return [hidden_reports_sentence(hidden_reports)] if hidden_reports else []


def _fresh(source: RuffSource, head: bytes, base: bytes) -> list[Diagnostic]:
    """The reports that the change brings, without those that a usual idiom explains."""
    reports, lines, base_lines = source.reports[head].diagnostics, _lines(head), _lines(base)
    rows = Counter(report.start for report in reports if report.code != "B018")
    old = Counter((report.code, _quote(base_lines, report).strip()) for report in source.reports[base].diagnostics)
    diagnostics: list[Diagnostic] = []
    for report in reports:
        quote, rule = _quote(lines, report), rules()[report.code]
        key = (report.code, quote.strip())
        old[key] -= 1
        if old[key] >= 0 or (report.code == "B018" and rows[report.start]):
            continue
        is_added = not source.file.added_lines.isdisjoint(range(report.start, report.end + 1))
        if not is_added and (not rule.anywhere or source.left or not source.base_parses):
            continue
        is_inside = report.start <= len(lines)
        if is_inside and rule.fits(report.message, quote, test=source.test) and _counts(source, report):
            diagnostics.append(report)
    return diagnostics


def _is_anywhere(source: RuffSource, report: Diagnostic) -> bool:
    rows = range(report.start, report.end + 1)
    return rules()[report.code].anywhere and source.file.added_lines.isdisjoint(rows)


def _is_program(source: RuffSource, report: Diagnostic) -> bool:
    """Templates and the inputs of parsers' tests are no programs, though they end in `.py`: new files alone can be either."""
    near = "\n".join(source.lines[max(0, report.start - 3) : report.start + 2])
    if re.search(r"\{[{%]|[%}]\}", near):
        return False
    return not source.test or "test" in basename(source.file.path)


def _counts(source: RuffSource, report: Diagnostic) -> bool:
    """Whether no idiom that ruff does not know explains the report."""
    if report.code in {"B015", "B018"}:
        return not ATTRIBUTE.match(source.lines[report.start - 1]) and not _is_expected_to_raise(source, report.start)
    if report.code == "B006":
        return _is_changed(source, report)
    if report.code == "F811":
        return _is_redefinition(source, report)
    if report.code == "F822":
        return not LAZY_NAMES.search(source.texts.own)
    return report.code != "F821" or _is_undefined(source, report)


def _is_expected_to_raise(source: RuffSource, row: int) -> bool:
    """Whether a line waits for an exception, or a block around it does."""
    depth = len(source.lines[row - 1])
    for line in reversed(source.lines[:row]):
        if line.strip() and _indent(line) < depth:
            if RAISES.search(line):
                return True
            depth = _indent(line)
    return False


def _is_undefined(source: RuffSource, report: Diagnostic) -> bool:
    """Whether nothing that ruff does not know defines the name."""
    name = _name(report)
    if BUILTINS_2.search(f"{name})") and BUILTINS_2.search(source.base_text.decode("utf-8", "replace")):
        return False
    if MAGIC.search(report.message) and (name in IMPLICIT or name.encode() in source.base_text):
        return False
    return not (source.test and _is_quoted(source, report))


def _name(report: Diagnostic) -> str:
    """The name that a report is about."""
    name = re.search(r"`(\w+)`", report.message)
    return name[1] if name else ""


def _is_quoted(source: RuffSource, report: Diagnostic) -> bool:
    """Whether the name stands in an annotation in quotes, which only runs when somebody resolves it."""
    before = source.lines[report.start - 1][: report.column - 1]
    quote = QUOTED.search(before)
    return quote is not None and before.count(quote[1]) % 2 == 1


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
    if not both or "`_" in report.message:
        return False
    above = source.lines[first - 2] if first > 1 else ""
    return not above.lstrip().startswith(("@", ")"))


def _first_definition(report: Diagnostic) -> int:
    at = re.search(r"line (\d+)", report.message)
    return int(at[1]) if at else 0


def _finding(source: RuffSource, report: Diagnostic, rule: Rule) -> Finding:
    title, why, effect = rule.words(report.message)
    quote = _quote(source.lines, report)
    doubtful = report.code == "F821" and (_is_quoted(source, report) or DYNAMIC.search(source.texts.own) is not None)
    doubtful = doubtful or (report.code == SYNTAX and not source.base_lines and bool(STATEMENT_2.match(quote)))
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
        verdict=Verdict.PROVEN if rule.proven and not doubtful else Verdict.UNPROVEN,
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
    deleted_rows = [
        row for hunk in source.file.hunks for row in hunk.lines if row.kind == "-" and bound.search(row.text)
    ]
    path = source.file.old_path or source.file.path
    return tuple(Evidence(path, row.text, row.old or 0, "base", "removed by this change") for row in deleted_rows[:1])


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
        text = _edit(text, edit, report.start)
    replacement = "\n".join(text)
    return replacement if replacement != quote else None


def _edit(text: list[str], edit: Edit, first: int) -> list[str]:
    """Columns count characters; both ends lie in `text`, which begins with line `first`."""
    top, bottom = edit.start[0] - first, edit.end[0] - first
    line = text[top][: edit.start[1] - 1] + edit.content + text[bottom][edit.end[1] - 1 :]
    return [*text[:top], *line.split("\n"), *text[bottom + 1 :]]


@lru_cache(maxsize=16)
def _lines(blob: bytes) -> tuple[str, ...]:
    return tuple(line.rstrip("\r") for line in blob.decode("utf-8", "replace").split("\n")) if blob else ()


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
