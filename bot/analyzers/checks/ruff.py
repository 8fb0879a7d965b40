"""Run Ruff on changed Python files, with rules for bugs and security, and only what the change causes.

A rule that is decided by the code itself is "proven". Others are heuristics, stay "unproven" and rank lower. Style
is left to the project's own linter.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from posixpath import splitext
from typing import Any

from bot.analyzers.linters import SYNTAX, Directives, Linter, LintReport, Sentinel, Side
from bot.analyzers.type_checkers.diagnostics import removed_line
from bot.values import Finding, Verdict
from deeprepo.impact.text.lines import RETURNS

NEWEST = "py314"  # so that no supported syntax is an error

UNDEFINED = "F821"
ENDS_QUOTED = re.compile(r"([\"'])[\w\[\], .|]*$")


def _is_quoted(line: str, column: int) -> bool:
    """Return whether a name is in a quoted annotation, which is only evaluated on request."""
    before = line[: column - 1]
    quote = ENDS_QUOTED.search(before)
    return quote is not None and before.count(quote[1]) % 2 == 1


class Ruff(Linter):
    """Checks Python files."""

    NAME = "ruff"
    tables = ("ruff_bugs.toml", "ruff_classes.toml", "ruff_security.toml")
    comments = Directives(rb"noqa|ruff(?=\s*:)|flake8(?=\s*:)", b"#")
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
        """Yield the reports, but only the first syntax error of a file."""
        broken: set[str] = set()
        for entry in output:
            path, at = "/".join(entry["filename"].split("/")[-2:]), entry["location"]
            if path not in broken or entry["code"] != SYNTAX:
                end = entry["end_location"]["row"]
                yield LintReport(path, entry["code"], at["row"], entry["message"], end=end, column=at["column"])
            if entry["code"] == SYNTAX:
                broken.add(path)

    def finish(self, findings: Sequence[tuple[LintReport, Finding]], side: Side, /) -> Iterator[Finding]:
        """Yield the findings, those about undefined names with the removed line.

        An undefined name in a quoted annotation is not proven.
        """
        for report, finding in findings:
            name = report.message.split("`")[1] if report.code == UNDEFINED else ""
            finished = replace(finding, evidence=removed_line([side.file], [name])) if name else finding
            if name and _is_quoted(side.lines[report.start - 1], report.column):
                finished = replace(finished, severity="medium").with_verdict(Verdict.UNPROVEN)
            yield finished


ANALYZER = Ruff
