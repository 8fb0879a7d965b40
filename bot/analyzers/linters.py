"""What the linters of other languages have in common: chosen rules, and only what the change brings.

A report counts if it is on an added line and the base did not have it (same rule, same text of the line). A comment that switches a rule
off counts if the base has it at the same path; what one of the change silences is open. A linter that is not installed wants no file.

No linter's silence is taken for a judgement: it has to state of each file that it read it to its end (`Linter.statement`).
"""

import json
import tomllib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal

from bot.analyzers import linter_run
from bot.analyzers.suppression import Directives, Variants, bare, variants
from bot.errors import DeepRepoError
from bot.ports import Tree
from bot.render import count
from bot.text.lines import quote_of
from bot.text.paths import is_sample, is_test
from bot.values import ChangedFile, Dependents, Finding, Judgement, Severity, Silence, Source, Verdict

PORTION = 200  # contents of one run, if no file has comments for the linter
ALONE = 20  # files that are run one by one after a run that judged none of them
NAMED = 3  # reports that a sentence names


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
class Ending:
    """Lines with a fault that are written behind each text: a linter that reports the fault on the last of them has read the text to its end."""

    lines: bytes
    code: str

    def after(self, text: bytes) -> bytes:
        """The text with these lines."""
        return text + (b"" if text.endswith(b"\n") else b"\n") + self.lines

    def row(self, text: bytes) -> int:
        """The line of a text with these lines on which the fault is."""
        return self.after(text).count(b"\n")


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
    comments: Directives
    statement: Ending | Callable[[str, Collection[str]], Collection[str]]  # or: of its log and the files, those judged
    settings: Mapping[str, bytes] = field(default_factory=dict)  # the files of our configuration
    silent: frozenset[int] = frozenset()  # exit statuses with which it prints nothing: it could read none of the files

    @property
    def ROWS(self) -> Literal["git", "other"]:  # noqa: N802 - the protocol's
        """Some count a lone CR as the end of a line."""
        return "other"

    def wants(self, file: ChangedFile) -> bool:
        """Files of its language to which the change adds lines, if the linter is installed."""
        return self._fits(file) and linter_run.program(self.NAME) is not None

    def lacks(self, files: Sequence[ChangedFile]) -> bool:
        """Whether one of these files is for the linter, and it is not installed."""
        return linter_run.program(self.NAME) is None and any(map(self._fits, files))

    async def check(self, tree: Tree, files: Sequence[ChangedFile], dependents: Dependents) -> Judgement:  # noqa: ARG002
        """The chosen reports that the change brings."""
        after = await tree.read_many([file.path for file in files])
        before = await tree.read_many([file.old_path for file in files if file.old_path], "base")
        sides = [_Sides.of(self.comments, file, after, before) for file in files if file.path in after]
        findings: list[Finding] = []
        left: list[tuple[str, str]] = []
        for at in range(0, len(sides), PORTION // 2):
            portion = sides[at : at + PORTION // 2]
            texts = {(side.file.path, text) for side in portion for text in side.texts}
            reports = await self._lint(texts) if texts else {}
            for side in portion:
                findings += self._new(side, reports)
                left += self._open(side, reports)
        return Judgement(tuple(findings), frozenset(after) - {path for path, _ in left}, tuple(left))

    def silence(self, finding: Finding, dependents: Dependents) -> Silence:  # noqa: ARG002
        """Fixed: every changed file of its language is read each time, unless the program is not installed here."""
        return "fixed" if linter_run.program(self.NAME) is not None else "unseen"

    def _fits(self, file: ChangedFile) -> bool:
        return file.is_analyzed and bool(file.added_lines) and self.name(file.path) is not None

    async def _lint(self, texts: Collection[tuple[str, bytes]]) -> dict[tuple[str, bytes], "_LintOutcome"]:
        """What the linter reports about each text of a path. One that spoils a run for the others has a run of its own."""
        paths = {str(number): each for number, each in enumerate(sorted(texts))}
        reports = await self._run(paths)
        left = [number for number, each in paths.items() if not reports[each].complete]
        if not callable(self.statement) or len(paths) == 1 or len(left) < len(paths) or len(left) > ALONE:
            return reports
        for number in left:
            reports |= await self._run({number: paths[number]})
        return reports

    async def _run(self, texts: Mapping[str, tuple[str, bytes]]) -> dict[tuple[str, bytes], "_LintOutcome"]:
        texts_by_name = {f"{number}/{self.name(path)}": (path, text) for number, (path, text) in texts.items()}
        ending = self.statement if isinstance(self.statement, Ending) else None
        contents = {name: ending.after(text) if ending else text for name, (_, text) in texts_by_name.items()}
        rules_by_code = rules(self.tables)
        status, out, log = await linter_run.run(
            self.NAME, self.arguments([*rules_by_code], [*contents]), {**self.settings, **contents}
        )
        reports: dict[str, list[LintReport]] = {name: [] for name in texts_by_name}
        for report in self._reports(status, out):
            reports.get(report.path.removeprefix("./"), []).append(report)
        if ending:
            complete = {
                name
                for name, (_, text) in texts_by_name.items()
                if any((one.code, one.start) == (ending.code, ending.row(text)) for one in reports[name])
            }
        else:
            complete = set(self.statement(log, texts_by_name)) if callable(self.statement) else set()
        return {
            texts_by_name[name]: _LintOutcome(
                tuple(
                    one
                    for one in rows
                    if one.code in rules_by_code and one.start <= texts_by_name[name][1].count(b"\n") + 1
                ),
                name in complete,
            )
            for name, rows in reports.items()
        }

    def _reports(self, status: int, out: bytes) -> list[LintReport]:
        if status in self.silent and not out.strip():
            return []
        try:
            return list(self.read(json.loads(out)))
        except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError) as error:
            raise DeepRepoError(f"{self.NAME} ended with status {status} and no report that can be read") from error

    def _new(self, side: "_Sides", reports: "_AllSeen") -> Iterator[Finding]:
        """The reports about the text as it is."""
        for report, quote in self._fresh(side, side.after.own, side.before.own, reports):
            if quote:
                yield self._finding(side.file.path, quote, report, rules(self.tables)[report.code])

    def _open(self, side: "_Sides", reports: "_AllSeen") -> Iterator[tuple[str, str]]:
        """What is not known of a file: whether it was read to its end, what a comment hides, what is reported for no line of it."""
        path, after, before = side.file.path, side.after, side.before
        if after.bare and not reports[path, after.bare].complete:
            yield (
                path,
                "the program states no reading to the end of the file: a syntax error, an encoding or a part that it passes over",
            )
        visible = {(one.code, one.start) for one, _ in self._fresh(side, after.own, before.own, reports)}
        bare = [one for one, _ in self._fresh(side, after.bare, before.bare, reports)]
        all_reports = {(one.code, one.start) for one, _ in self._fresh(side, after.base_comments, before.bare, reports)}
        hidden_reports = [one for one in bare if (one.code, one.start) in all_reports - visible]
        if hidden_reports:
            yield path, hidden_reports_sentence((one.code, one.start) for one in hidden_reports)
        if any(not quote for _, quote in self._fresh(side, after.own, before.own, reports)):
            yield path, "a report names a line without text"

    def _fresh(self, side: "_Sides", head: bytes, base: bytes, reports: "_AllSeen") -> Iterator[tuple[LintReport, str]]:
        """The reports that count, each with its line, of which the base had none."""
        path, test = side.file.path, is_test(side.file.path) or is_sample(side.file.path)
        if not head or not reports[path, head].reports:
            return
        lines, old_lines = _lines(head), _lines(base)
        then = reports[path, base].reports if base else ()
        own = _lines(side.after.own)
        old = Counter((report.code, _text(old_lines, report.start)) for report in then)
        for report in reports[path, head].reports:
            key = (report.code, _text(lines, report.start))
            old[key] -= 1
            quote = quote_of(own[report.start - 1]) if 0 < report.start <= len(own) else ""
            rule = rules(self.tables)[report.code]
            if old[key] < 0 and report.start in side.file.added_lines and (rule.tests or not test):
                yield report, quote

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
            verdict=Verdict.PROVEN if rule.proven and report.proven else Verdict.UNPROVEN,
        )


@dataclass(frozen=True, slots=True)
class _LintOutcome:
    """What a linter reports about one text, and whether it states that it read it to its end."""

    reports: tuple[LintReport, ...]
    complete: bool


_AllSeen = Mapping[tuple[str, bytes], _LintOutcome]  # by path and text


@dataclass(frozen=True, slots=True)
class _Sides:
    """One changed file on both sides, in the variants of its text that are compared."""

    file: ChangedFile
    after: Variants
    before: Variants

    @classmethod
    def of(
        cls, comments: Directives, file: ChangedFile, after: Mapping[str, bytes], before: Mapping[str, bytes]
    ) -> "_Sides":
        old = before.get(file.old_path or "", b"")
        return cls(file, variants(comments, file, after[file.path]), Variants(old, old, bare(comments, old)))

    @property
    def texts(self) -> frozenset[bytes]:
        sides = (self.after.own, self.after.base_comments, self.after.bare, self.before.own, self.before.bare)
        return frozenset(text for text in sides if text)


def hidden_reports_sentence(reports: Iterable[tuple[str, int]]) -> str:
    """A sentence about reports, each a rule and a line, that a comment of the change hides."""
    labels = [f"{code} in line {line}" for code, line in sorted(set(reports), key=lambda one: one[::-1])]
    more = f" and {count(len(labels) - NAMED, 'more report')}" if len(labels) > NAMED else ""
    return f"a comment that the change writes silences {', '.join(labels[:NAMED])}{more}"


@cache
def rules(tables: tuple[str, ...]) -> Mapping[str, LintRule]:
    """Every chosen rule by its code."""
    rules_by_code: dict[str, LintRule] = {}
    for table in tables:
        rows: list[dict[str, Any]] = tomllib.loads((Path(__file__).parent / table).read_text(encoding="utf-8"))["rule"]
        for row in rows:
            codes = row.pop("codes")
            rules_by_code.update({code: LintRule(**row) for code in codes})
    return rules_by_code


def _lines(blob: bytes) -> list[str]:
    return [line.rstrip("\r") for line in blob.decode("utf-8", "replace").split("\n")]


def _text(lines: Sequence[str], number: int) -> str:
    return lines[number - 1].strip() if 0 < number <= len(lines) else ""
