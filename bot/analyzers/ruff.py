"""Run Ruff on changed Python files, with rules for bugs and security, and only what the change causes.

A rule that is decided by the code itself is "proven". Others are heuristics, stay "unproven" and rank lower. Style
is left to the project's own linter.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from posixpath import basename, splitext
from typing import Any

from bot.analyzers.linters import SYNTAX, Directives, Linter, LintReport, Sentinel, Side
from bot.values import Evidence, Finding, Verdict
from deeprepo.impact.text.lines import RETURNS

NEWEST = "py314"  # so that no supported syntax is an error

# Evaluated for its effect, such as a lazy import or a property.
ATTRIBUTE = re.compile(r"\s*[\w.]+\s*(#.*)?$")
IMPLICIT = frozenset({"__path__", "__class__", "__builtins__", "__cached__", "__annotations__", "__warningregistry__"})
# Names that the program gives a file of this name before it runs it.
GIVEN = {"conf.py": ("tags",)}  # Sphinx
SILENCES = re.compile(r"(?i)\bnoqa\b|\bruff\s*:")
CHANGES = r"(?<![\w.]){0}(\.(append|add|update|extend|insert|pop|setdefault|clear|remove|discard)\(|\[[^]]{{0,200}}\]\s*+(\+|-|\|)?=(?!=))"
DEFAULT = re.compile(r"(?<!\w)(\w++)\s*+(?::[^=]{1,300}+)?=\s*+(?:\[|\{|list\(|dict\(|set\(|defaultdict\()")
BINDING = r"\b(import|def|class|as|for)\b.{{0,300}}\b{0}\b|^\s*+{0}\s*+(:[^=]++)?="
LAZY_NAMES = re.compile(rb"\b__getattr__\b(?!\(\s*(?:self|cls)\b)")  # also bound by an assignment or an import
# Names can be defined anywhere.
DYNAMIC = re.compile(rb"\b(?:globals\(\)|exec\(|builtins\.\w+ *=|setattr\(builtins)")
RAISES = re.compile(r"\b(?:raises|assertRaises\w*|warns|suppress|deprecated_call)\(")
ENDS_QUOTED = re.compile(r"([\"'])[\w\[\], .|]*$")
LOG_CALLS = ("PLE1205", "PLE1206")  # which arguments fit a message depends on the logger
STANDARD_LOGGER = re.compile(rb"(?m)^[ \t]*+(?:import\s++logging|from\s++logging\s++import)\b")
DEFINITION = re.compile(r"\s*(async\s+def|def|class)\s")


def _is_program(side: Side, report: LintReport) -> bool:
    """Return whether a new file is a program, not a template or a parser test's `.py` input."""
    near = "\n".join(side.lines[max(0, report.start - 3) : report.start + 2])
    return not re.search(r"\{[{%]|[%}]\}", near) and (not side.test or "test" in basename(side.file.path))


def _is_expected_to_raise(lines: Sequence[str], row: int) -> bool:
    """Return whether a line or a block around it expects an exception."""
    depth = len(lines[row - 1])
    for line in reversed(lines[:row]):
        if line.strip() and _indent(line) < depth:
            if RAISES.search(line):
                return True
            depth = _indent(line)
    return False


def _subject(report: LintReport) -> str:
    """Return the name that a report is about."""
    name = re.search(r"`(\w+)`", report.message)
    return name[1] if name else ""


def _is_quoted(line: str, report: LintReport) -> bool:
    """Return whether the name is in a quoted annotation, which is only evaluated on request."""
    before = line[: report.column - 1]
    quote = ENDS_QUOTED.search(before)
    return quote is not None and before.count(quote[1]) % 2 == 1


def _is_changed(lines: Sequence[str], report: LintReport) -> bool:
    """Return whether the function changes the parameter with the shared default.

    Otherwise it does no harm.
    """
    row = report.start
    parameter = DEFAULT.search(lines[row - 1])
    changes = re.compile(CHANGES.format(re.escape(parameter[1]))) if parameter is not None else None
    for line in lines[row : row + 200] if changes is not None else ():
        if DEFINITION.match(line) and _indent(line) <= _indent(lines[row - 1]):
            return False
        if changes is not None and changes.search(line):
            return True
    return False


def _is_redefinition(lines: Sequence[str], report: LintReport) -> bool:
    """Return whether two definitions have one name, and no decorator may have stored the first."""
    first = _first_definition(report)
    both = all(0 < at <= len(lines) and DEFINITION.match(lines[at - 1]) for at in (first, report.start))
    return both and "`_" not in report.message and not (first > 1 and lines[first - 2].lstrip().startswith(("@", ")")))


def _first_definition(report: LintReport) -> int:
    at = re.search(r"line (\d+)", report.message)
    return int(at[1]) if at else 0


def _is_still_silenced(side: Side, line: str) -> bool:
    """Return whether the change only rewrites a comment that silenced ruff, behind the same code."""
    code = line.partition("#")[0].rstrip()
    removed = (row.text.partition("#") for hunk in side.file.hunks for row in hunk.lines if row.kind == "-")
    return any(was.rstrip() == code and SILENCES.search(comment) for was, _, comment in removed)


def _was_undefined(side: Side, report: LintReport) -> bool:
    """Return whether the base used the name without a definition, so that something else provides it."""
    then = side.reports[side.base].reports if side.base else ()
    return any(one.code == report.code and _subject(one) == _subject(report) for one in then)


def _is_of_another_logger(side: Side, report: LintReport) -> bool:
    """Return whether a logger fills other placeholders: the base calls it in this way too, or the line has braces."""
    then = side.reports[side.base].reports if side.base else ()
    has_braces = any("{" in line for line in side.lines[report.start - 1 : max(report.start, report.end)])
    is_standard = STANDARD_LOGGER.search(side.own) is not None
    return any(one.code == report.code for one in then) or (has_braces and not is_standard)


@lru_cache(maxsize=1)
def _is_dynamic(text: bytes) -> bool:
    """Return whether names of this file can be defined anywhere. Cached, because it is called per report."""
    return DYNAMIC.search(text) is not None


def _evidence(side: Side, report: LintReport) -> tuple[Evidence, ...]:
    """Return the first definition, or the binding that the change removes, as evidence."""
    if report.code == "F811":
        first = _first_definition(report)
        return (Evidence(side.file.path, side.lines[first - 1], first, note="the first definition"),)
    name = _subject(report)
    if report.code not in ("F821", "F822") or not name:
        return ()
    bound = re.compile(BINDING.format(name))
    removed = [line for hunk in side.file.hunks for line in hunk.lines if line.kind == "-" and bound.search(line.text)]
    path = side.file.old_path or side.file.path
    return tuple(Evidence(path, line.text, line.old or 0, "base", "removed by this change") for line in removed[:1])


def _suggestion(lines: Sequence[str], fix: Mapping[str, Any], finding: Finding) -> str | None:
    """Return the quoted lines after ruff's safe fix, if it changes no other line."""
    edits = [(edit["location"], edit["end_location"], edit["content"]) for edit in fix.get("edits", ())]
    if fix.get("applicability") != "safe" or not edits:
        return None
    if not all(finding.start <= begin["row"] and end["row"] <= finding.end for begin, end, _ in edits):
        return None
    text = list(lines[finding.start - 1 : finding.end])
    for begin, end, content in sorted(edits, key=lambda one: (one[0]["row"], one[0]["column"]), reverse=True):
        top, bottom = begin["row"] - finding.start, end["row"] - finding.start
        line = text[top][: begin["column"] - 1] + content + text[bottom][end["column"] - 1 :]
        text[top : bottom + 1] = line.split("\n")
    replacement = "\n".join(text)
    return replacement if replacement != finding.quote else None


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


class Ruff(Linter):
    """Checks Python files."""

    NAME = "ruff"
    READS = "Python files"
    tables = ("ruff_bugs.toml", "ruff_classes.toml", "ruff_security.toml")
    comments = Directives(re.compile(rb"(?i)noqa|ruff(?=\s*:)|flake8(?=\s*:)"), b"#")
    sentinel = Sentinel(b'assert (1, "")\n', "F631")
    ends = RETURNS

    def name(self, path: str) -> str | None:
        """Return the same name for every Python file."""
        return "f.py" if splitext(path)[1].lower() in (".py", ".pyw") else None

    def arguments(self, codes: Sequence[str], _names: Sequence[str], /) -> list[str]:
        """Return arguments that select the rules and read no settings."""
        selected = ",".join(code for code in codes if code != SYNTAX)
        arguments = ["check", "--isolated", "--no-cache", "--exit-zero", "--quiet", "--output-format", "json"]
        return [*arguments, "--target-version", NEWEST, "--select", selected, "--", "."]

    def read(self, output: Any) -> Iterable[LintReport]:  # noqa: ANN401 - JSON
        """Yield a file's first syntax error only, and one report per line without an effect."""
        seen: set[tuple[str, str]] = set()
        rows = {(entry["filename"], entry["location"]["row"]) for entry in output if entry["code"] != "B018"}
        for entry in output:
            path, at = "/".join(entry["filename"].split("/")[-2:]), entry["location"]
            is_told = (path, entry["code"]) in seen or (
                entry["code"] == "B018" and (entry["filename"], at["row"]) in rows
            )
            if not is_told:
                seen |= {(path, SYNTAX)} if entry["code"] == SYNTAX else set()
                fix, end = entry["fix"] or {}, entry["end_location"]["row"]
                yield LintReport(
                    path, entry["code"], at["row"], entry["message"], end=end, column=at["column"], fix=fix
                )

    def counts(self, side: Side, report: LintReport, /) -> bool:
        """Return whether the report counts, that is, no idiom unknown to ruff explains it."""
        line = side.lines[report.start - 1]
        if report.code in ("B015", "B018"):
            return not ATTRIBUTE.match(line) and not _is_expected_to_raise(side.lines, report.start)
        if report.code == "F821":
            is_given = _subject(report) in (*IMPLICIT, *GIVEN.get(basename(side.file.path), ()))
            return not (
                is_given
                or _was_undefined(side, report)
                or (side.test and _is_quoted(line, report))
                or _is_still_silenced(side, line)
            )
        if report.code == "F822":
            return not (LAZY_NAMES.search(side.own) or _is_dynamic(side.own))
        if report.code in LOG_CALLS and _is_of_another_logger(side, report):
            return False
        if report.code == SYNTAX:
            return not side.is_new or _is_program(side, report)
        about = {"B006": _is_changed, "F811": _is_redefinition}.get(report.code)
        return about is None or about(side.lines, report)

    def finish(self, finding: Finding, side: Side, report: LintReport, /) -> Finding:
        """Return the finding with the related line and ruff's safe fix.

        An undefined name that may be defined dynamically is not proven.
        """
        line = side.lines[report.start - 1]
        finding = replace(
            finding, evidence=_evidence(side, report), suggestion=_suggestion(side.lines, report.fix, finding)
        )
        is_unknown = report.code == "F821" and (_is_quoted(line, report) or _is_dynamic(side.own))
        is_unknown = is_unknown or (report.code in LOG_CALLS and not STANDARD_LOGGER.search(side.own))
        if is_unknown:
            return replace(finding, severity="medium").with_verdict(Verdict.UNPROVEN)
        return finding


LINTER = Ruff()
