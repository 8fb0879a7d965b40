"""Run the static checks as a worker: they judge the whole change once and report per file."""

import asyncio
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING

from bot.config.removed import REMOVED_CHECKS, REMOVED_RULES
from bot.diff.read import POINTER
from bot.errors import DeepRepoError, public
from bot.findings.merge import merge_checker_errors
from bot.ports import Analyzer, Compares, Confirms, Installable
from bot.render import count
from bot.review.session import WorkerReply
from bot.review.survey import Survey
from bot.values import Absence, ChangedFile, Finding, Judgement, Source, Unit, severity_rank
from bot.values.review import NOTHING_ADDED
from deeprepo.impact.concurrency import together

if TYPE_CHECKING:
    from bot.review.context.file_questions import Part, Sight

MOST_OF_A_FILE = 100  # findings per analyzer and file; the rest are only counted
MOST_FINDINGS = 1_000  # per analyzer, because a generated file can produce 20,000


def load_analyzer(name: str) -> Analyzer:
    """Return the check in `bot/analyzers/checks` of this name, with nothing from an earlier review."""
    module = import_module(f"bot.analyzers.checks.{name}")
    analyzer: Analyzer = module.ANALYZER() if hasattr(module, "ANALYZER") else module
    return analyzer


class AnalyzerWorker:
    """Runs the analyzers behind the same interface as a model, once for the whole change."""

    model = None

    def __init__(self, analyzers: Mapping[str, Analyzer], survey: Survey) -> None:
        self.name = ", ".join(analyzers)
        self._analyzers, self._survey = analyzers, survey
        self._homes = {unit.path for unit in survey.units}
        self._found: dict[str, list[Finding]] = {}  # by analyzer name, once the analyzer has finished
        # For each analyzer that finished: the files it judged completely.
        self._complete: dict[str, frozenset[str]] = {}
        self._idle: set[str] = set()  # analyzers that had nothing to do, so they are not listed
        # analyzer and file, if the analyzer judged only part of the file
        self._partly: set[tuple[str, str]] = set()
        self._compared: dict[tuple[str, str, int], str] = {}
        # the type checkers that have confirmed other analyzers' findings
        self._confirming: frozenset[str] | None = None
        # questions come in parallel, but the analyzers run only for the first one
        self._once = asyncio.Lock()

    async def compare(self) -> None:
        """Run the analyzers that compare uses with changed contracts, and mark what they checked.

        Prompts show the uses that these analyzers could not decide. Call this before any model answers, so
        that the marks always come in the same order.
        """
        async with self._once:
            for name, analyzer in self._analyzers.items():
                if isinstance(analyzer, Compares):
                    await self._analyze(name, analyzer)
        self._mark_compared()

    async def review(self, units: Sequence[Unit], question: str = "") -> WorkerReply:  # noqa: ARG002 - analysers know their question
        """Run the analyzers on the files of these code regions and on the callers that they break.

        Findings outside every code region (for example in a file that was only moved) are part of every
        answer, even if no region is asked about.
        """
        async with self._once:
            # Type checkers are separate programs, so they start first and run in parallel with the others.
            apart = [name for name, analyzer in self._analyzers.items() if isinstance(analyzer, Confirms)]
            await together(*map(self._analyze_named, apart), self._analyze_all(self._analyzers.keys() - {*apart}))
            if self._confirming is None:
                self._confirming = frozenset(apart)
                self._found = merge_checker_errors(self._found, self._confirming)
        paths = {unit.path for unit in units}
        findings = [finding for name in self._analyzers for finding in self._found[name]]
        findings_with_paths = [
            (finding, {finding.path, *(item.path for item in finding.evidence)}) for finding in findings
        ]
        mine = [finding for finding, places in findings_with_paths if places & paths or not places & self._homes]
        self._mark(units)
        return WorkerReply(f"{count(len(mine), 'finding')} by {self.name}", tuple(mine))

    def absence(self, source: Source, finding: Finding) -> Absence | None:
        """Return how to interpret that a source no longer reports this finding; None if its analyzer is off.

        Reports from other tools and clones of consumers are supplied for each run. If they are missing, the
        finding is "unseen".
        """
        name = "sarif" if source.kind == "tool" else source.name
        is_removed_rule = source.kind == "analyser" and not finding.consumer and finding.rule in REMOVED_RULES
        if name in REMOVED_CHECKS or is_removed_rule:
            return "unchecked"
        analyzer = self._analyzers.get(name)
        if analyzer is None:
            return "unseen" if source.kind == "tool" or finding.consumer else None
        if not self._has_reported_all(name, finding.path):
            return "unseen"
        absence = analyzer.absence(finding, self._survey.dependents)
        return "unseen" if absence == "fixed" and self._is_unjudged(name, finding) else absence

    def _has_reported_all(self, name: str, path: str) -> bool:
        return name in self._complete and not self._partly & {(name, path), (name, "")}

    def _is_unjudged(self, name: str, finding: Finding) -> bool:
        """Return whether a file related to the finding was not fully judged this time.

        Files in which nothing could be reported don't count.
        """
        paths = {finding.path, *(item.path for item in finding.evidence)}
        if any((name, path) in self._partly for path in paths):
            return True
        now = next((file for file in self._survey.files if finding.path in (file.path, file.old_path)), None)
        if name == "sarif":
            return False
        # Analyzers that compare, and the search in consumers, cover every file that could be read.
        if isinstance(self._analyzers[name], Compares) or finding.consumer:
            return any(self._is_unread(path) for path in paths)
        if now is None or now.status == "deleted":
            return False
        return (bool(now.added_lines) or now.path != finding.path) and now.path not in self._complete[name]

    def _is_unread(self, path: str) -> bool:
        """Return whether a file of the finding could not be read this time, for example a binary file."""
        now = next((file for file in self._survey.files if path in (file.path, file.old_path)), None)
        if now is None or now.status in ("renamed", "deleted"):
            return False
        is_read = now.is_analyzed and now.skip != POINTER
        return not is_read and (now.is_unreviewed or now.is_ignored)

    async def answer(self, parts: "Sequence[Part]", question: str) -> "Sight":  # noqa: ARG002 - nobody is there to answer
        """Return an error, since analyzers don't answer questions."""
        from bot.review.context.file_questions import Sight

        paths = len({part.path for part in parts})
        return Sight(error=f"no model is configured, so {paths} files were not reviewed")

    async def _analyze_all(self, names: Collection[str]) -> None:
        for name, analyzer in self._analyzers.items():
            if name in names:
                await self._analyze(name, analyzer)

    async def _analyze_named(self, name: str) -> None:
        await self._analyze(name, self._analyzers[name])

    async def _analyze(self, name: str, analyzer: Analyzer) -> None:
        if name in self._found:
            return
        files = [file for file in self._survey.files if analyzer.wants(file)]
        if isinstance(analyzer, Installable) and analyzer.lacks(self._survey.files):
            self._survey.tracker.note_not_installed(name)
        findings: Sequence[Finding] = ()
        try:
            judgement = await self._judge(analyzer, files)
            for path, reason in judgement.unjudged:
                self._leave_open(name, path, f"{name}: {reason}")
            self._survey.tracker.note_limits(judgement.limits)
            findings = self._most(name, judgement.findings)
            if judgement.not_run:
                self._survey.tracker.note_not_run(name, judgement.not_run)
            else:
                self._complete[name] = judgement.complete - {path for path, _ in judgement.unjudged}
            if not judgement.ran:
                self._idle.add(name)
            if isinstance(analyzer, Compares):
                self._compared.update(analyzer.compare(self._survey.dependents))
        except DeepRepoError as error:
            self._note_open(name, "", f"{name} could not run: {public(error)}")
        self._found[name] = list(findings)

    async def _judge(self, analyzer: Analyzer, files: Sequence[ChangedFile]) -> Judgement:
        """Anything that it doesn't report stays open.

        If it raises an unexpected exception, only the file that caused the exception stays open.
        """
        if not files and not (isinstance(analyzer, Compares) and self._survey.dependents.references):
            return Judgement((), frozenset())
        try:
            judgement = await analyzer.check(self._survey.tree, files, self._survey.dependents)
        except DeepRepoError:
            raise
        except Exception as error:  # noqa: BLE001 - the boundary: a defect of an analyser must not end the review of the other files
            if len(files) == 1 or isinstance(analyzer, Compares):
                reason = f"the check failed with an internal error ({type(error).__name__})"
                return Judgement((), frozenset(), tuple((file.path, reason) for file in files))
            half = len(files) // 2
            one, other = await self._judge(analyzer, files[:half]), await self._judge(analyzer, files[half:])
            return Judgement(
                one.findings + other.findings,
                one.complete | other.complete,
                tuple(dict.fromkeys(one.unjudged + other.unjudged)),
                tuple(dict.fromkeys(one.limits + other.limits)),
            )
        return replace(judgement, unjudged=judgement.unjudged_files(files))

    def _most(self, name: str, findings: Sequence[Finding]) -> list[Finding]:
        """Return an analyzer's most severe findings up to the limits, and note how many are left out."""
        kept_findings: list[Finding] = []
        of: Counter[str] = Counter()
        left: Counter[str] = Counter()
        for finding in sorted(findings, key=lambda one: severity_rank(one.severity)):
            if of[finding.path] < MOST_OF_A_FILE and len(kept_findings) < MOST_FINDINGS:
                of[finding.path] += 1
                kept_findings.append(finding)
            else:
                left[finding.path] += 1
        for path, number in left.items():
            self._leave_open(name, path, f"{count(number, 'more finding')} of {name} not listed")
        return kept_findings

    def _leave_open(self, name: str, path: str, sentence: str) -> None:
        """Note that a check judged only part of a file, so none of the file's regions count as checked."""
        self._partly.add((name, path))
        self._note_open(name, path, sentence)

    def _note_open(self, name: str, path: str, sentence: str) -> None:
        """Note what a check left open. If a stranger's change may have stopped a type checker, it counts as a search."""
        brief, tracker = self._survey.brief, self._survey.tracker
        if brief.stranger and not brief.vouched and isinstance(self._analyzers[name], Confirms):
            tracker.note_outside_gaps([f"{path}: {sentence}" if path else sentence], ())
        else:
            tracker.note_unchecked(path, sentence)

    def _mark(self, units: Sequence[Unit]) -> None:
        files = {file.path: file for file in self._survey.files}
        judges_by_path = {
            path: [
                n
                for n, a in self._analyzers.items()
                if n not in self._idle and a.wants(files[path]) and self._has_reported_all(n, path)
            ]
            for path in {unit.path for unit in units} & files.keys()
        }
        for unit in units:
            judges = judges_by_path.get(unit.path)
            if judges and all(isinstance(self._analyzers[name], Confirms) for name in judges):
                # a type checker's silence proves nothing, so it is listed only together with other checks
                judges = None
            if judges == [] and not files[unit.path].added_lines:
                # no check examines removed lines, except for uses of what they defined
                judges = [NOTHING_ADDED]
            if judges:
                self._survey.tracker.note_checks(unit.id, ", ".join(judges))
        self._mark_compared()

    def _mark_compared(self) -> None:
        if "contracts" in self._complete:
            self._survey.tracker.note_comparisons(self._compared)
