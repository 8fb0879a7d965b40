"""Common parts of linters: chosen rules, and only reports caused by the change.

A report counts if the base did not have it (same rule, same line text), and if it is on an added line, or its
cause may be elsewhere and the base was read completely. A line that the change moves from another file brings
its reports along, except for those about names and syntax. A comment that disables a rule counts only if the
base has one like it; reports silenced by a comment in the change are marked as not checked. A linter that is
not installed checks no files.

A linter must show for each file that it read the whole file (`Linter.sentinel`, `Linter.completed`). Its
silence proves nothing.
"""

import json
import re
import tomllib
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from posixpath import splitext
from types import MappingProxyType
from typing import Any

from bot.analyzers import linter_run
from bot.render import count
from bot.values import Absence, Basis, ChangedFile, Dependents, Finding, Judgement, Severity, Source, Verdict
from deeprepo.impact.ports import Tree
from deeprepo.impact.text.lines import FEEDS, Places, is_minified, quote_of
from deeprepo.impact.text.paths import is_aside

PORTION = 100  # files per run
MOST_STOPPED = 2  # files on which a linter is stopped, before it skips the other files of its run
MOST_REPORTS = 100  # reports of one rule and file that are examined
NAMED_ROW = re.compile(r"\bline (\d+)\b")  # in a message
MAX_QUOTED_LINES = 6  # a longer report is quoted by its first line
BLANK = b" \t\f\v\r\\\xef\xbb\xbf"  # what can stand before a comment that is above all code
SYNTAX = "invalid-syntax"  # can be reported after the end of a text
UNREAD = "checked only in part, for example because of a syntax error or an unusual encoding"


@dataclass(frozen=True, slots=True)
class LintRule:
    """The meaning of a rule for people who do not know the linter, and which of its reports count."""

    severity: Severity
    title: str
    effect: str
    why: str = ""  # empty for the linter's own message
    proven: bool = True  # whether only the code decides it, outside of tests
    security: bool = False
    tests: bool = True  # whether it applies to tests
    message: str = ""  # a pattern that the linter's message must match
    code: str = ""  # a pattern that the quoted lines must match
    unless: str = ""  # a pattern: a file that matches it may do what the rule cannot see, so the rule is off there
    by_message: bool = False  # whether a report is old if the base has one with its message, on whatever line
    anywhere: bool = False  # whether a new report counts on an unchanged line, because its cause may be elsewhere

    def words(self, message: str) -> tuple[str, str, str]:
        """Return title, reason and effect, with names from backticks in the linter's message filled in."""
        texts = [text.replace("{message}", message.rstrip(".")) for text in (self.title, self.why, self.effect)]
        for index, name in enumerate(re.findall(r"`([^`]*)`", message)):
            texts = [text.replace(f"{{{index}}}", name) for text in texts]
        title, why, effect = (re.sub(r"`?\{\d\}`?", "it", text) for text in texts)
        return title, why, effect


@dataclass(frozen=True, slots=True)
class LintReport:
    """One report about the file `path`, relative to the run's folder. Lines are 1-based."""

    path: str
    code: str
    start: int
    message: str
    proven: bool = True
    end: int = 0  # last line, if there are several
    column: int = 1


Reports = Sequence[LintReport]
Key = tuple[str, str]  # by which a report is recognized: rule, and line or message


@dataclass(frozen=True, slots=True)
class Sentinel:
    """Faulty lines appended to each text. A linter that reports the fault has read the text to its end."""

    lines: bytes
    code: str

    def after(self, text: bytes) -> bytes:
        """Return the text with these lines appended."""
        return text + (b"" if text.endswith(b"\n") else b"\n") + self.lines

    def row(self, text: bytes) -> int:
        """Return the line of the fault after these lines are appended."""
        return self.after(text).count(b"\n")


@dataclass(frozen=True, slots=True)
class Directives:
    """How a linter's comments are recognized.

    `pattern`, without regard to case, must match behind the first `opening` on a line, if it is set. `whole`: above
    all code, a comment that otherwise is about a line is about the whole file.
    """

    pattern: bytes
    opening: bytes = b""
    whole: bool = False

    @property
    def words(self) -> re.Pattern[bytes]:
        """The compiled pattern."""
        return re.compile(self.pattern, re.IGNORECASE)

    def without(self, text: bytes, base: bytes = b"") -> bytes:
        """Return a text without comments that disable the linter, except those that the base has too.

        The words are overwritten with as many letters, so no line and no column moves.
        """
        if not self.words.search(text):
            return text
        lines, old = text.split(b"\n"), base.split(b"\n")
        above = {self._comment(line) for line in old[: self._above_code(old)]}
        kept = {self._comment(line) for line in old}
        top = self._above_code(lines)
        return b"\n".join(
            line if self._comment(line) in (above if number < top else kept) else self._overwritten(line)
            for number, line in enumerate(lines)
        )

    def _above_code(self, lines: Sequence[bytes]) -> int:
        """Return how many lines are above all code, if a comment there is about the whole file."""
        code = (at for at, line in enumerate(lines) if line.lstrip(BLANK)[:1] not in (b"", self.opening))
        return next(code, len(lines)) if self.whole else 0

    def _comment(self, line: bytes) -> bytes:
        begin = line.find(self.opening)
        word = self.words.search(line, begin) if begin >= 0 else None
        return line[word.start() :].strip() if word else b""

    def _overwritten(self, line: bytes) -> bytes:
        begin = line.find(self.opening)
        return line[:begin] + self.words.sub(lambda word: b"x" * len(word[0]), line[begin:]) if begin >= 0 else line


@dataclass(frozen=True, slots=True)
class Side:
    """A changed file on both sides: as it is, without the comments added by the change, and without any."""

    file: ChangedFile
    own: bytes
    shown: bytes
    bare: bytes
    base: bytes
    lines: Sequence[str]  # of the file as it is
    test: bool  # whether it is a test or belongs to one
    reports: Mapping[bytes, "LintOutcome"] = field(default_factory=dict)  # by text

    @property
    def base_complete(self) -> bool:
        """Whether the linter read the base completely."""
        return not self.base or self.reports[self.base].complete


@dataclass(frozen=True, slots=True)
class LintOutcome:
    """A linter's reports about one text, and whether it read the whole text."""

    reports: tuple[LintReport, ...]
    complete: bool
    why: str = UNREAD  # why it is not complete
    cut: frozenset[str] = frozenset()  # rules with more reports than are examined


NO_REPORTS = LintOutcome((), complete=True)


def _is_added(file: ChangedFile, report: LintReport) -> bool:
    return not file.added_lines.isdisjoint(range(report.start, max(report.start, report.end) + 1))


def _with_git_line_numbers(report: LintReport, places: Places, last: int) -> LintReport:
    """Return the report with git's line numbers, up to the last: its own and those in its message."""
    start, column = places.at(report.start, report.column)
    message = NAMED_ROW.sub(lambda row: f"line {places.row(int(row[1]))}", report.message)
    end = min(places.row(report.end), last)
    return replace(report, start=min(start, last), end=end, column=column, message=message)


class Linter(ABC):
    """Checks changed files with an external program.

    Implements `ports.Analyzer`, with a subclass per program.
    """

    NAME: str  # the program's name
    suffixes: frozenset[str] = frozenset()  # of the files that it checks under their suffix
    names: Mapping[str, Callable[[str], bool]] = MappingProxyType(
        {}
    )  # file name in the run -> whether a path is checked as this
    tables: tuple[str, ...] = ()  # files with the rules, in `checks`; a linter with few rules sets `rules` instead
    comments: Directives
    sentinel: Sentinel | None = None  # shows that a text was read to its end; None if the log shows it
    settings: Mapping[str, bytes] = MappingProxyType({})  # the files of our configuration
    ends: re.Pattern[str] = FEEDS  # what ends a line for the linter
    memory: int = 0  # bytes that a run may allocate; 0: no limit
    cpu_seconds: int = linter_run.CPU_SECONDS
    silent: frozenset[int] = frozenset()  # exit statuses without output, if it could read none of the files

    def name(self, path: str) -> str | None:
        """Return a changed file's name in the run's folder; None if the linter does not check it."""
        suffix = splitext(path)[1].lower()
        return (
            f"f{suffix}" if suffix in self.suffixes else next((n for n, fits in self.names.items() if fits(path)), None)
        )

    @abstractmethod
    def arguments(self, codes: Sequence[str], names: Sequence[str], /) -> Sequence[str]:
        """Return the program's arguments for these rule codes and file names."""

    @abstractmethod
    def read(self, output: Any) -> Iterable[LintReport]:  # noqa: ANN401 - JSON
        """Yield the reports in the program's output."""

    @property
    def rules(self) -> Mapping[str, LintRule]:
        """Every chosen rule by its code."""
        return _read_rules(self.tables)

    def completed(self, log: str, names: Collection[str], /) -> Collection[str]:
        """Return the files that the log shows as completed. Only linters without a `sentinel` need this."""
        del log, names
        return ()

    def finish(self, findings: Sequence[tuple[LintReport, Finding]], _side: Side, /) -> Iterable[Finding]:
        """Return a file's findings with details that only this linter knows."""
        return (finding for _, finding in findings)

    def wants(self, file: ChangedFile) -> bool:
        """Return whether the change adds lines to a file for the linter, and the linter is installed."""
        return self._fits(file) and linter_run.program(self.NAME) is not None

    def lacks(self, files: Sequence[ChangedFile]) -> bool:
        """Return whether one of these files is for the linter, and the linter is not installed."""
        return linter_run.program(self.NAME) is None and any(map(self._fits, files))

    async def check(self, tree: Tree, files: Sequence[ChangedFile], dependents: Dependents) -> Judgement:  # noqa: ARG002
        """Return the reports of chosen rules that the change causes."""
        after = await tree.read_many([file.path for file in files])
        before = await tree.read_many([file.old_path for file in files if file.old_path], "base")
        mine = [file for file in files if file.path in after]
        sides = [self._side(file, after, before) for file in mine]
        texts = [{(one.file.path, text) for text in (one.own, one.shown, one.bare, one.base) if text} for one in sides]
        reports = await self._lint_all(texts)
        sides = [
            replace(one, reports={text: reports[path, text] for path, text in rows})
            for one, rows in zip(sides, texts, strict=True)
        ]
        new = [{text: self._new_reports(side, text) for text in {side.own, side.shown}} for side in sides]
        if any(reports for by_text in new for reports in by_text.values()):
            moved = self._moved_keys(sides, await self._of_deleted_files(tree))
            new = [{text: self._without_moved(reports, text, moved) for text, reports in each.items()} for each in new]
        judged = list(zip(sides, new, strict=True))
        findings = [
            finding
            for side, by_text in judged
            for finding in self.finish([(one, self._finding(side, one)) for one in by_text[side.own]], side)
        ]
        left = [(side.file.path, reason) for side, by_text in judged for reason in self._open(side, by_text)]
        return Judgement(tuple(findings), frozenset(after) - {path for path, _ in left}, tuple(left))

    def absence(self, finding: Finding, dependents: Dependents) -> Absence:  # noqa: ARG002
        """Return fixed if the program is installed, because every changed file is checked each time."""
        return "fixed" if linter_run.program(self.NAME) is not None else "unseen"

    def _fits(self, file: ChangedFile) -> bool:
        if not file.is_analyzed or file.status == "deleted" or self.name(file.path) is None:
            return False
        return bool(file.added_lines) or any(rule.anywhere for rule in self.rules.values())

    def _side(self, file: ChangedFile, after: Mapping[str, bytes], before: Mapping[str, bytes]) -> Side:
        own, base = after[file.path], before.get(file.old_path or "", b"")
        shown, bare = self.comments.without(own, base), self.comments.without(own)
        return Side(file, own, shown, bare, base, _lines(own), is_aside(file.path))

    async def _of_deleted_files(self, tree: Tree) -> list[tuple[bytes, LintOutcome]]:
        gone = sorted((await tree.entries("base")).keys() - (await tree.entries()).keys())
        texts = await tree.read_many([path for path in gone if self.name(path) is not None][:PORTION], "base")
        reports = await self._lint_all([{(path, text)} for path, text in texts.items() if text])
        return [(text, outcome) for (_, text), outcome in reports.items()]

    async def _lint_all(self, texts: Sequence[set[tuple[str, bytes]]]) -> dict[tuple[str, bytes], LintOutcome]:
        reports: dict[tuple[str, bytes], LintOutcome] = {}
        for index in range(0, len(texts), PORTION):
            portion = set().union(*texts[index : index + PORTION])
            reports |= await self._lint(portion) if portion else {}
        return reports

    async def _lint(self, texts: Collection[tuple[str, bytes]]) -> dict[tuple[str, bytes], LintOutcome]:
        """Return the linter's outcome per text. A text that spoils a run is run again separately."""
        paths = {str(number): each for number, each in enumerate(sorted(texts))}
        try:
            reports = await self._run(paths)
        except linter_run.ProgramError as error:
            return await self._lint_separately(texts, error)
        if self.sentinel is None and not any(outcome.complete for outcome in reports.values()):
            return await self._lint_separately(texts)
        return reports

    async def _lint_separately(
        self, texts: Collection[tuple[str, bytes]], error: linter_run.ProgramError | None = None
    ) -> dict[tuple[str, bytes], LintOutcome]:
        """Run each file separately, so that one file can't hide what is wrong with another."""
        files = sorted({path for path, _ in texts})
        outcomes: dict[tuple[str, bytes], LintOutcome] = {}
        stopped = MOST_STOPPED if len(files) == 1 else 0
        for path in files:
            mine = sorted(each for each in texts if each[0] == path)
            try:
                if stopped == MOST_STOPPED and error is not None:
                    raise error
                outcomes |= await self._run({str(number): each for number, each in enumerate(mine)})
            except linter_run.ProgramError as again:
                stopped, error = min(stopped + 1, MOST_STOPPED), again
                outcomes |= {
                    each: LintOutcome((), complete=False, why=f"did not check this file, because it {again.how}")
                    for each in mine
                }
        return outcomes

    async def _run(self, texts: Mapping[str, tuple[str, bytes]]) -> dict[tuple[str, bytes], LintOutcome]:
        names = {f"{number}/{self.name(path)}": (path, text) for number, (path, text) in texts.items()}
        sentinel = self.sentinel
        contents = {name: sentinel.after(text) if sentinel else text for name, (_, text) in names.items()}
        arguments = self.arguments([*self.rules], [*contents])
        files = {**self.settings, **contents}
        status, out, log = await linter_run.run(
            self.NAME, arguments, files, memory=self.memory, cpu_seconds=self.cpu_seconds
        )
        reports: dict[str, list[LintReport]] = {name: [] for name in names}
        for report in self._reports(status, out):
            name = report.path.removeprefix("./")
            if name in reports:
                reports[name].append(report)
        complete = self.completed(log, names)
        return {names[name]: self._outcome(names[name][1], mine, name in complete) for name, mine in reports.items()}

    def _outcome(self, text: bytes, reports: Iterable[LintReport], is_complete: bool) -> LintOutcome:
        """Return the first reports of each chosen rule that are inside the text, with git's line numbers."""
        sentinel, last = self.sentinel, text.count(b"\n") + 1
        places = Places((sentinel.after(text) if sentinel else text).decode("utf-8", "replace"), self.ends)
        kept: list[LintReport] = []
        counted: Counter[str] = Counter()
        ends: set[int] = set()
        for report in reports:
            row = places.row(report.start)
            if sentinel is not None and report.code == sentinel.code and row >= sentinel.row(text):
                ends.add(row)
            elif report.code in self.rules and (row <= last or report.code == SYNTAX):
                counted[report.code] += 1
                if counted[report.code] <= MOST_REPORTS:
                    kept.append(_with_git_line_numbers(report, places, last))
        if sentinel is not None:
            is_complete = sentinel.row(text) in ends
            if ends and not is_complete:
                kept.clear()  # it ends lines in an unknown way, so its line numbers mean nothing
        cut = frozenset(code for code, number in counted.items() if number > MOST_REPORTS)
        return LintOutcome(tuple(kept), is_complete, cut=cut)

    def _reports(self, status: int, out: bytes) -> list[LintReport]:
        if status in self.silent and not out.strip():
            return []
        try:
            return list(self.read(json.loads(out)))
        except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError) as error:
            how = f"exited with status {status} and without a readable report"
            raise linter_run.ProgramError(self.NAME, how) from error

    def _open(self, side: Side, new: Mapping[bytes, Reports]) -> Iterator[str]:
        """Yield what is unknown about a file: an incomplete run, too many reports, and those hidden by comments."""
        if side.bare and not side.reports[side.bare].complete:
            yield side.reports[side.bare].why
        cut = sorted({code for outcome in side.reports.values() for code in outcome.cut if self._applies(side, code)})
        if cut:
            yield f"only the first {MOST_REPORTS} reports of a rule were examined ({', '.join(cut)})"
        visible, shown = ({(one.code, one.start) for one in new[text]} for text in (side.own, side.shown))
        if shown - visible:
            yield silenced(shown - visible)

    def _applies(self, side: Side, code: str) -> bool:
        rule = self.rules[code]
        return (rule.tests or not side.test) and not (rule.unless and re.search(rule.unless, "\n".join(side.lines)))

    def _new_reports(self, side: Side, head: bytes) -> Reports:
        """Return the reports about the new text that count and that the base did not have.

        Minified code is skipped, because its reports concern the tool that generated it.
        """
        if not head or is_minified(head) or not side.reports[head].reports:
            return ()
        base = side.reports.get(side.base, NO_REPORTS)
        lines, old = _lines(head), self._keys(side.base, base)
        applies = {code: self._applies(side, code) for code in {one.code for one in side.reports[head].reports}}
        # Among equal lines, unchanged ones come first and match the old reports.
        rows = sorted(((_is_added(side.file, one), one) for one in side.reports[head].reports), key=lambda row: row[0])
        new = []
        for is_added, report in rows:
            quote, rule, key = _quote(lines, report)[1], self.rules[report.code], self._key(lines, report)
            is_old = old[key] > 0 or report.code in base.cut
            old[key] -= not rule.by_message
            is_caused = is_added or (rule.anywhere and side.base_complete)
            is_meant = re.search(rule.message, report.message) and re.search(rule.code, quote)
            if not is_old and is_caused and is_meant and quote and applies[report.code]:
                new.append(report)
        return new

    def _key(self, lines: Sequence[str], report: LintReport) -> Key:
        """Return by what a report is recognized: its rule, and its line or message."""
        by_message = self.rules[report.code].by_message
        return report.code, report.message if by_message else _quote(lines, report)[1].strip()

    def _keys(self, text: bytes, outcome: LintOutcome) -> Counter[Key]:
        lines = _lines(text)
        return Counter(self._key(lines, one) for one in outcome.reports)

    def _moved_keys(self, sides: Sequence[Side], gone: Iterable[tuple[bytes, LintOutcome]]) -> frozenset[Key]:
        """Return what is reported less often than before in a changed file, or was in a deleted one."""
        lost = Counter[Key]()
        for side in sides:
            base, own = (side.reports.get(text, NO_REPORTS) for text in (side.base, side.own))
            lost += self._keys(side.base, base) - self._keys(side.own, own)
        for text, outcome in gone:
            lost += self._keys(text, outcome)
        return frozenset(lost)

    def _without_moved(self, reports: Reports, text: bytes, moved: Collection[Key]) -> Reports:
        """Return the reports about lines that the change does not move. Names depend on the new place."""
        lines = _lines(text)
        return [one for one in reports if self.rules[one.code].anywhere or self._key(lines, one) not in moved]

    def _finding(self, side: Side, report: LintReport) -> Finding:
        rule = self.rules[report.code]
        title, why, effect = rule.words(report.message)
        start, quote = _quote(side.lines, report)
        # A test that can run may do something wrong on purpose.
        is_proven = rule.proven and report.proven and (rule.anywhere or not side.test)
        return Finding(
            path=side.file.path,
            quote=quote,
            title=title,
            why=why or f"{self.NAME} reports: {' '.join(report.message.split())[:300]}",
            consequence=effect,
            severity=rule.severity,
            category="security" if rule.security else "bug",
            basis=Basis((Source("analyser", self.NAME),), verdict=Verdict.PROVEN if is_proven else Verdict.UNPROVEN),
            rule=report.code,
            start=start,
            end=start + quote.count("\n"),
        )


def silenced(hidden: Iterable[tuple[str, int]]) -> str:
    """Return why a file is open whose new reports are hidden. `hidden`: the code and line of each report."""
    labels = [f"{code} in line {line}" for code, line in sorted(hidden, key=lambda one: one[::-1])]
    more = f" and {count(len(labels) - 1, 'more report')}" if len(labels) > 1 else ""
    return f"a comment added by the change silences {labels[0]}{more}"


@cache
def _read_rules(tables: tuple[str, ...]) -> Mapping[str, LintRule]:
    rules_by_code: dict[str, LintRule] = {}
    for table in tables:
        rows: list[dict[str, Any]] = tomllib.loads(
            (Path(__file__).parent / "checks" / table).read_text(encoding="utf-8")
        )["rule"]
        for entry in rows:
            codes = entry.pop("codes")
            rules_by_code.update({code: LintRule(**entry) for code in codes})
    return rules_by_code


def _lines(blob: bytes) -> list[str]:
    return [line.rstrip("\r") for line in blob.decode("utf-8", "replace").split("\n")]


def _quote(lines: Sequence[str], report: LintReport) -> tuple[int, str]:
    """Return where a quote of the reported lines starts, and the quote.

    Many lines are quoted by the first, a blank line by the last line with text before it.
    """
    end = report.end if report.start < report.end < report.start + MAX_QUOTED_LINES else report.start
    quote = "\n".join(lines[report.start - 1 : end]).rstrip("\n")
    if "\n" in quote:
        return report.start, quote
    at = next((number for number in range(min(report.start, len(lines)), 0, -1) if lines[number - 1].strip()), 1)
    return at, quote_of(lines[at - 1])
