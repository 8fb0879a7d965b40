"""What the linters of other languages have in common: chosen rules, and only what the change brings.

A report counts if it is on an added line and the base did not have it (same rule, same text of the line). Comments in the code
that switch a rule off count too: a reader of the diff sees them. A linter that is not installed wants no file.
"""

import json
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from bot.analyzers import linter_run
from bot.errors import DeepRepoError
from bot.ports import Tree
from bot.text.lines import quoted
from bot.text.paths import is_sample, is_test
from bot.values import ChangedFile, Dependents, Finding, Severity, Silence, Source

PORTION = 200  # contents of one run


@dataclass(frozen=True, slots=True)
class LintRule:
    """What a rule means to a reader who does not know the linter."""

    severity: Severity
    title: str
    effect: str
    proven: bool = True  # the code alone decides
    security: bool = False
    tests: bool = True  # whether it means something in a test


@dataclass(frozen=True, slots=True)
class LintReport:
    """One report about the file `path`, relative to the folder of the run. Lines are 1-based."""

    path: str
    code: str
    start: int
    end: int
    message: str
    proven: bool = True


@dataclass(frozen=True, slots=True)
class Linter:
    """A linter as an analyser. Satisfies `ports.Analyzer`."""

    NAME: str  # the program's own name
    READS: str
    tables: tuple[str, ...]  # the rules, as files beside this one
    name: Callable[
        [str], str | None
    ]  # what a changed path is called in the folder of the run; None: not for this linter
    arguments: Callable[[Sequence[str], Sequence[str]], Sequence[str]]  # of the rules' codes and the files' names
    read: Callable[[Any], Iterable[LintReport]]  # of what it prints, as JSON
    settings: Mapping[str, bytes] = field(default_factory=dict)  # the files of our configuration
    silent: frozenset[int] = frozenset()  # exit statuses with which it prints nothing: it could read none of the files

    def wants(self, file: ChangedFile) -> bool:
        """Files of its language to which the change adds lines, if the linter is installed."""
        fits = file.analyzed and bool(file.added) and self.name(file.path) is not None
        return fits and linter_run.program(self.NAME) is not None

    async def check(self, tree: Tree, files: Sequence[ChangedFile], dependents: Dependents) -> tuple[Finding, ...]:  # noqa: ARG002
        """The chosen reports that the change brings."""
        after = await tree.read_many([file.path for file in files])
        before = await tree.read_many([file.old_path for file in files if file.old_path], "base")
        sides = [(file, after[file.path], before.get(file.old_path or "", b"")) for file in files if file.path in after]
        found: list[Finding] = []
        for at in range(0, len(sides), PORTION // 2):
            found += await self._portion(sides[at : at + PORTION // 2])
        return tuple(found)

    def silence(self, finding: Finding, dependents: Dependents) -> Silence:  # noqa: ARG002
        """Fixed: every changed file of its language is read each time, unless the program is not installed here."""
        return "fixed" if linter_run.program(self.NAME) is not None else "unseen"

    async def _portion(self, sides: Sequence[tuple[ChangedFile, bytes, bytes]]) -> list[Finding]:
        contents = {
            f"{at}{side}/{self.name(file.path)}": text
            for at, (file, *texts) in enumerate(sides)
            for side, text in zip("ab", texts, strict=True)
            if text
        }
        chosen = rules(self.tables)
        codes = [*chosen]
        status, out = await linter_run.run(self.NAME, self.arguments(codes, [*contents]), {**self.settings, **contents})
        reports: dict[str, list[LintReport]] = {}
        for report in self._reports(status, out):
            kept = reports.setdefault(report.path.removeprefix("./").partition("/")[0], [])
            if report.code in chosen:
                kept.append(report)
        return [
            finding
            for at, (file, head, base) in enumerate(sides)
            for finding in self._new(file, head, base, reports.get(f"{at}a", []), reports.get(f"{at}b", []))
        ]

    def _reports(self, status: int, out: bytes) -> list[LintReport]:
        if status in self.silent and not out.strip():
            return []
        try:
            return list(self.read(json.loads(out)))
        except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError) as error:
            raise DeepRepoError(f"{self.NAME} ended with status {status} and no report that can be read") from error

    def _new(
        self, file: ChangedFile, head: bytes, base: bytes, now: Sequence[LintReport], then: Sequence[LintReport]
    ) -> Iterable[Finding]:
        lines, old_lines = _lines(head), _lines(base)
        old = Counter((report.code, _text(old_lines, report.start)) for report in then)
        test = is_test(file.path) or is_sample(file.path)
        for report in now:
            key = (report.code, _text(lines, report.start))
            old[key] -= 1
            rule = rules(self.tables)[report.code]
            quote = quoted(lines[report.start - 1]) if 0 < report.start <= len(lines) else ""
            if old[key] < 0 and report.start in file.added and (rule.tests or not test) and quote:
                yield self._finding(file.path, quote, report, rule)

    def _finding(self, path: str, quote: str, report: LintReport, rule: LintRule) -> Finding:
        return Finding(
            path=path,
            quote=quote,
            title=rule.title,
            why=f"{self.NAME} reports: {' '.join(report.message.split())[:300]}",
            consequence=rule.effect,
            severity=rule.severity,
            category="security" if rule.security else "bug",
            sources=(Source("analyser", self.NAME),),
            rule=report.code,
            start=report.start,
            end=report.start,
            verdict="proven" if rule.proven and report.proven else "unproven",
        )


@cache
def rules(tables: tuple[str, ...]) -> Mapping[str, LintRule]:
    """Every chosen rule by its code."""
    found: dict[str, LintRule] = {}
    for table in tables:
        rows: list[dict[str, Any]] = tomllib.loads((Path(__file__).parent / table).read_text(encoding="utf-8"))["rule"]
        for row in rows:
            codes = row.pop("codes")
            found.update({code: LintRule(**row) for code in codes})
    return found


def _lines(blob: bytes) -> list[str]:
    return [line.rstrip("\r") for line in blob.decode("utf-8", "replace").split("\n")]


def _text(lines: Sequence[str], number: int) -> str:
    return lines[number - 1].strip() if 0 < number <= len(lines) else ""
