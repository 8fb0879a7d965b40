"""The map of the product: one straight line from a request to a review. Each arrow is a value that can be printed."""

import asyncio
import time
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import compress
from typing import TYPE_CHECKING

from bot import __version__, checkout, config, diff, strategies
from bot.brief import Brief
from bot.checkout.shown import know_secrets
from bot.checkout.views import CachedTree, WrittenTree
from bot.config import Config
from bot.diff import units
from bot.errors import NothingToReview
from bot.findings import history, merge, places, placing, rounds, sarif_results, silencing, suggest
from bot.journal.record import finish
from bot.machine import extras
from bot.ports import KnownSecrets
from bot.review import coverage, guidance, incremental, judging
from bot.review.hooks import hooks
from bot.review.session import Session
from bot.review.survey import Survey, files_read
from bot.values import (
    ChangedFile,
    CheckReport,
    CustomCheck,
    Cut,
    Dependents,
    Finding,
    PlacedFinding,
    ReportSettings,
    Review,
    StrategyChoice,
    Transcript,
)
from bot.values.consumer import ConsumerImpact, Consumers
from bot.values.progress import Reading
from impact import uses
from impact.ports import Language, Tree
from impact.uses.budget import SearchLimits

if TYPE_CHECKING:
    from bot.config.policy import No
    from bot.run.values import RunPermission
    from bot.values import Trigger

UNJUDGED = (
    "Whether the change does what its linked issues ask was not judged: that takes a model that sees the whole change."
)
MODELS_LOST = "The review by models was ended ({why}): this one is by code alone."


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools(ABC):
    """What the process brings to a review. None of it decides anything. `wiring.review` has those of a review, a replay and a rehearsal."""

    languages: Mapping[str, Language]
    running: "RunPermission | None" = None  # what a sandbox may use; None: nothing is run
    search: SearchLimits = field(default_factory=lambda: SearchLimits(install=extras.install))  # how much is looked at

    @abstractmethod
    def open_session(self, subject: Survey) -> AbstractAsyncContextManager[Session]:
        """Open models, budget and journal for a change."""

    def clock(self) -> float:
        """Tell the time, to measure how long something took."""
        return time.monotonic()

    def say(self, message: str | Reading) -> None:  # noqa: B027 - nobody has to listen
        """Report progress: a line, or what is read and was found by code."""

    async def look_at_consumers(
        self, tree: checkout.Checkout, files: Sequence[ChangedFile], users: Dependents, consumers: Consumers
    ) -> ConsumerImpact:
        """Look at the repositories that somebody named. Nobody opens a clone unless a process brings how."""
        del tree, files, users, consumers
        return ConsumerImpact()

    def faults(self, path: str, source: bytes) -> frozenset[int] | None:
        """List the lines on which a file does not parse; None where nobody here can tell."""
        return suggest.unreadable(path, source)


async def review(brief: Brief, tools: Tools) -> Review:
    """Review one change. Raises NothingToReview where it is empty, and DeepRepoError's kinds with a sentence for the user."""
    start = tools.clock()
    async with survey(brief, tools) as subject, tools.open_session(subject) as session:
        strategy = _choose(session)
        tools.say(subject.reading(session.findings, is_checked=False))
        judgement, transcript = await _judge_findings(await strategies.run(strategy.name, session), session)
        findings = await _placed(judgement, session, tools, may_run=not transcript.fault)
        check_reports = await _check_reports(session)
        review = _review(session, strategy, transcript, judgement, findings, tools.clock() - start)
        review = replace(review, checks=check_reports)
        return finish(session.calls.journal, subject.shown(review, [row.finding for row in review.findings]))


@asynccontextmanager
async def survey(brief: Brief, tools: Tools) -> AsyncIterator[Survey]:
    """The change as it stands before anybody judges it: what a review and an estimate begin with."""
    masks = know_secrets()
    async with checkout.Checkout(brief.pull, brief.left_out) as tree:
        brief = _shown(brief, masks)
        pull = brief.pull
        tools.say(f"reading {pull.base_name}..{pull.head_name}")
        change = await tree.change(partial(_changes_role, brief.settings))
        brief = await _warned(replace(brief, settings=brief.settings.on(brief.today)), tree)
        settings, files = brief.settings, _reviewable(diff.read(change), brief)
        brief = _with_effort(brief, files)
        past = await incremental.read_past(brief.earlier, tree, pull, files, full=brief.full)
        leaks, unseen = await _leaks(brief, tree, files, masks)
        gaps = coverage.commit_gaps(pull, unseen)
        is_told = leaks or (gaps and pull.base != pull.head)  # commits that nobody looked through
        if not files and brief.earlier is None and not is_told:
            raise NothingToReview(behind=pull.base == pull.head != pull.base_tip)
        masks.learn_change(files)
        tools.say(files_read(files))
        tools.say(f"finding who depends on {len(files)} changed files")
        cached = CachedTree(tree)  # one for the search, the prompts and the judgement
        users = _without(
            await uses.find(WrittenTree(cached), files, tools.languages, tools.search), files, brief.left_out
        )
        beyond = await _beyond(tree, files, users, brief, tools)
        texts = await _texts(tree, files)
        masks.learn_files(texts.head, texts.base, await _unchanged_users(tree, users), beyond.texts())
        parts = units.cut(files, users, texts)
        tracker = coverage.CoverageTracker(parts, files, users)
        tracker.note_commits(gaps)
        for reason in beyond.unread:
            tracker.note_unchecked("", reason)
        guides = await _guidance(brief, tree, files)
        ignore_list = await _ignore_list(brief, tree)
        yield Survey(
            _about(brief, files, await tree.entries()),
            files,
            parts,
            users,
            cached,
            tracker,
            masks=masks,
            past=past,
            leaks=leaks,
            ignore_list=ignore_list.also(brief.dismissals, guides.rules),
            guidance=guides,
            consumers=beyond,
            checks=tuple(CustomCheck(*row) for row in settings.checks),
        )


def _with_effort(brief: Brief, files: Sequence[ChangedFile]) -> Brief:
    """The brief with the effort that the changed files ask for, and a sentence about it."""
    read = [file for file in files if not file.skip]
    settings = brief.settings.for_paths(path for file in read for path in (file.path, file.old_path) if path)
    if settings.effort == brief.settings.effort:
        return replace(brief, settings=settings)
    why = f"Reviewed with effort {settings.effort}: {settings.origins['effort']}."
    return replace(brief, settings=settings, note=" ".join(filter(None, (why, brief.note))))


def _shown(brief: Brief, masks: KnownSecrets) -> Brief:
    """The brief as models and the journal may be shown it."""
    return replace(
        brief,
        pull=masks.hide(brief.pull),
        settings=brief.settings.without_secrets(know_secrets()),
        dismissals=masks.hide(brief.dismissals),
        rules=masks.hide(brief.rules),
        reports=masks.hide(brief.reports),
    )


async def _warned(brief: Brief, tree: checkout.Checkout) -> Brief:
    """The brief with a warning for each file that somebody may take for its settings: the listed tree tells, and git is not asked again."""
    others = [name for name in await tree.many_at_tip(config.OTHER_NAMES) if name != brief.file]
    warnings = (*(f"{other} is not read: rename it to {brief.file}." for other in others), *brief.settings.warnings)
    return replace(brief, settings=replace(brief.settings, warnings=tuple(dict.fromkeys(warnings))))


def _about(brief: Brief, files: Sequence[ChangedFile], paths: Collection[str]) -> Brief:
    """The brief with what other tools say of this change alone."""
    return replace(
        brief,
        reports=tuple(sarif_results.of_change(brief.reports, files, paths)),
        tool_runs=tuple(run.about(file.path for file in files) for run in brief.tool_runs),
    )


async def _guidance(brief: Brief, tree: checkout.Checkout, files: Sequence[ChangedFile]) -> guidance.Guidance:
    """What the owner asks for: instructions, guidelines, rules, the language of models and the templates of comments."""
    names, settings = [file.path for file in files if not file.skip], brief.settings
    guides = await guidance.gather(
        tree.many_at_tip, names, settings.advice, guidelines=settings.guidelines, list_files=tree.names_at_tip
    )
    owner_rules = (*silencing.owner_rules(settings.rules), *silencing.owner_learnings(settings.learnings), *brief.rules)
    return replace(guides, rules=owner_rules, language=settings.language, templates=await _templates(tree))


async def _leaks(
    brief: Brief, tree: checkout.Checkout, files: tuple[ChangedFile, ...], masks: KnownSecrets
) -> tuple[tuple[Finding, ...], str]:
    """The secrets that earlier commits of the change hold; why some commits were not looked at."""
    if "secrets" not in brief.settings.analyzers:
        return (), ""
    leaks = await history.find_leaks(tree, files)
    masks.learn_values(leaks.values)
    return tuple(map(merge.identify, leaks.findings)), leaks.missing


async def _beyond(
    tree: checkout.Checkout, files: Sequence[ChangedFile], users: Dependents, brief: Brief, tools: Tools
) -> ConsumerImpact:
    """What the change breaks in the repositories that somebody has named, as far as who reads the review may see it."""
    named, audience = brief.consumers.named, brief.consumers.audience
    if named and audience is None:  # on a host those who see how far a review is may not know how many there are
        tools.say(f"looking at {len(named)} repositories that may use this one")
    impact = await tools.look_at_consumers(tree, files, users, brief.consumers)
    if audience is None:
        return impact
    from bot.consumers.disclosure import disclose

    return disclose(impact, audience)


async def _ignore_list(brief: Brief, tree: checkout.Checkout) -> silencing.IgnoreList:
    """What the repository's list and that of the person at the terminal say is not to be reported."""
    theirs = silencing.read_ignore_file(await tree.at_tip(silencing.FILE), brief.today)
    theirs = theirs.join(silencing.read_ignore_file(brief.local, brief.today, silencing.LOCAL))
    return theirs.join(silencing.owner_entries(brief.settings.dismissed))


async def no_review_reason(brief: Brief, trigger: "Trigger") -> "No | None":
    """Why there is no review after all, now that the changed files are known."""
    from bot.config import policy

    async with checkout.Checkout(brief.pull) as tree:
        files = diff.read(await tree.change())
    paths = [path for file in files for path in (file.path, file.old_path) if path]
    decision = policy.decide_on_paths(paths, brief.settings, trigger)
    return decision if isinstance(decision, policy.No) else None


def _files_to_ask_about(subject: Survey) -> frozenset[str]:
    """The files that a check of the team's own is about which no round before has asked."""
    if not subject.checks:
        return frozenset()
    from bot.review import custom_checks  # here: most teams have none

    return custom_checks.files_to_read(subject)


async def _check_reports(session: Session) -> tuple[CheckReport, ...]:
    """What the team's own checks come to."""
    if not session.survey.checks:
        return ()
    from bot.review import custom_checks

    return await custom_checks.reports(session)


def _choose(session: Session) -> StrategyChoice:
    """How what no earlier round has read is read, with the reason."""
    subject, by_model = session.survey, session.reader is not None
    again = _files_to_ask_about(subject) if by_model else ()
    subject.past.carry(subject.tracker, subject.dependents, by_model=by_model, again=again)
    name, reason = strategies.choose(
        subject.brief.settings.strategy,
        subject.tracker.unread(),
        subject.dependents,
        root=bool(session.root),
        worker=by_model,
        affordable=strategies.affords(session),
        effort=subject.brief.settings.effort,
    )
    session.calls.journal.put("strategy", name=name, reason=reason)
    return StrategyChoice(name, reason)


async def _judge_findings(transcript: Transcript, session: Session) -> tuple[judging.JudgedFindings, Transcript]:
    """The findings that may be said. Once a person breaks the review off nobody is asked: what was found is shown as it is."""
    if transcript.fault == "interrupted":
        return await judging.judge_findings(session, ask=False), transcript
    try:
        judgement = await judging.judge_findings(session)
    except asyncio.CancelledError:
        if not session.take_back_cancel():
            raise
        return await judging.judge_findings(session, ask=False), strategies.as_interrupted(transcript)
    return judgement, strategies.cut_short(session, transcript, *judgement.why) if judgement.why else transcript


async def _placed(
    judgement: judging.JudgedFindings, session: Session, tools: Tools, *, may_run: bool
) -> tuple[PlacedFinding, ...]:
    """Every finding: those that the review says at their places, best first, with suggestions that were tried out; then the others.

    `may_run`: whether tests may be run, if the owner and the operator have switched that on.
    """
    subject, settings = session.survey, session.survey.brief.settings
    past, least = subject.past, settings.minimum_severity
    findings = await rounds.at_end(judgement.findings, least, past.known, past.before, subject.tree)
    statuses = ("new", "still") if past.round.full else ("new",)
    findings = [places.at_best(one, subject.files) if one.status in ("new", "still") else one for one in findings]
    is_said = [one.status in statuses or (one.status == "still" and bool(one.added)) for one in findings]
    said = [*compress(findings, is_said)]
    placed_findings = await suggest.suggest(placing.place(said, subject.files), subject.tree, tools.faults)
    if tools.running is not None and settings.run is not None and may_run:
        from bot.run import reproduce

        placed_findings = await reproduce.reproduce(placed_findings, session, tools.running, settings.run)
    ranked_findings = placing.rank(placed_findings, settings.quota, past.collapsed_fingerprints(said, subject.files))
    return (
        *ranked_findings,
        *(PlacedFinding(one) for one, said_now in zip(findings, is_said, strict=True) if not said_now),
    )


def _review(
    session: Session,
    strategy: StrategyChoice,
    transcript: Transcript,
    judgement: judging.JudgedFindings,
    findings: tuple[PlacedFinding, ...],
    seconds: float,
) -> Review:
    """Everything that a review tells, put together."""
    subject, settings = session.survey, session.survey.brief.settings
    past, earlier, budget = subject.past, subject.past.earlier, session.calls.budget
    findings, numbered_findings = rounds.give_numbers(findings, past.known.numbers if past.known else ())
    has_unread = any(file.path in subject.brief.left_out for file in subject.files)
    coverage_now = replace(subject.tracker.coverage(), areas=units.areas(subject.units), tried=tuple(session.attempts))
    open_findings = [row.finding for row in findings if row.finding.status in ("new", "still")]
    coverage_now = coverage_now.beside(open_findings)
    issue_reports = tuple(replace(one, round=subject.past.round.number) for one in transcript.issues)
    issue_reports = issue_reports or (earlier.issues if earlier else ())
    return Review(
        pull=subject.pull,
        files=subject.files,
        strategy=StrategyChoice(strategy.name, "; ".join(filter(None, (strategy.reason, transcript.reason)))),
        findings=findings,
        coverage=coverage_now,
        cost=budget.cost(),
        seconds=seconds,
        summary=transcript.summary or (earlier.summary if earlier else ""),
        notes=_notes(session, transcript, judges_issues=bool(issue_reports)),
        cut=Cut(
            transcript.partial or has_unread or bool(subject.brief.lost),
            transcript.fault,
            (session.calls.failure or budget.refused) if transcript.fault == "provider" else "",
        ),
        issues=issue_reports,
        settings=ReportSettings(
            tone=settings.tone,
            fail_on=settings.fail_on,
            strict=settings.strict,
            request_changes=None if settings.request_changes == "off" else settings.request_changes,
            of_features=settings.reported,
            templates=subject.guidance.templates,
            minimum=settings.minimum_severity,
        ),
        dropped=session.refused_count + len(judgement.having("refuted", "unproven")),
        turns=transcript.turns,
        version=__version__,
        round=replace(
            subject.past.round,
            numbers=numbered_findings,
            read=incremental.read_units(subject.tracker, judgement.unheard),
        ),
        consumers=subject.consumers.reports,
        parts={
            key: part for each in hooks() for key, part in each.conclude(session, coverage_now, open_findings).items()
        },
    )


def _notes(session: Session, transcript: Transcript, *, judges_issues: bool) -> tuple[str, ...]:
    """The sentences about the review itself, each once."""
    subject = session.survey
    submodules = (file.path for file in subject.files if file.skip == diff.SUBMODULE)
    notes = (
        *filter(None, (MODELS_LOST.format(why=subject.brief.lost) if subject.brief.lost else "", subject.brief.note)),
        *([UNJUDGED] if subject.pull.issues and not judges_issues else ()),
        *filter(None, [subject.consumers.summary]),
        *subject.brief.settings.warnings,
        *subject.ignore_list.warnings,
        *subject.past.notes,
        *session.notes,
        *session.calls.budget.notes,
        *transcript.notes,
        *(f"The new commit of the submodule `{path}` was not read." for path in submodules),
    )
    return tuple(dict.fromkeys(notes))


async def _templates(tree: checkout.Checkout) -> tuple[tuple[str, str], ...]:
    """The repository's own comment templates, from the tip of its base branch: a change cannot bring its own."""
    templates = await tree.many_at_tip(config.TEMPLATES)
    return tuple((path.rpartition("/")[2], blob.decode("utf-8", "replace")) for path, blob in templates.items())


def _without(users: Dependents, files: Sequence[ChangedFile], left_out: Mapping[str, str]) -> Dependents:
    """The dependents without the unchanged files that could not be read: they may use what changed."""
    changed_paths = {file.path for file in files}
    rows = [(path, reason) for path, reason in left_out.items() if path not in changed_paths]
    sentences = [f"`{path}` was not read ({reason}): it may use what changed" for path, reason in rows]
    return replace(users, missed_uses=(*users.missed_uses, *sentences))


def _reviewable(files: Sequence[ChangedFile], brief: Brief) -> tuple[ChangedFile, ...]:
    """The changed files, with those marked that the repository asks to leave out, and of a stranger those that nobody reads."""
    left_out, settings, unreadable = f"left out by {config.FILE}", brief.settings, brief.left_out
    if brief.stranger:
        files = [replace(file, is_unreviewed=file.is_unreviewed or diff.is_unread(file)) for file in files]
    files = [replace(f, skip=unreadable[f.path], is_unreviewed=True) if f.path in unreadable else f for f in files]
    return tuple(
        replace(f, skip=left_out if not f.skip or f.is_unreviewed else f.skip, is_unreviewed=False, is_ignored=True)
        if all(settings.ignores(path) for path in (f.path, f.old_path) if path)
        else f
        for f in files
    )


def _changes_role(settings: Config, old: str, new: str) -> bool:
    """Whether a renamed file becomes something else, or something that the repository no longer asks to leave out."""
    from impact.roles import changes_role  # here: most changes rename nothing

    return changes_role(old, new) or (settings.ignores(old) and not settings.ignores(new))


async def _unchanged_users(tree: Tree, users: Dependents) -> dict[str, str]:
    """The files that use what changed, which prompts show in parts."""
    paths = dict.fromkeys([*(row.path for row in users.files), *(row.path for row in users.references)])
    return {path: blob.decode("utf-8", "replace") for path, blob in (await tree.read_many([*paths])).items()}


async def _texts(tree: Tree, files: Sequence[ChangedFile]) -> units.Texts:
    """The changed files of both sides as text."""
    readable = [file for file in files if not file.skip]
    heads = await tree.read_many([file.path for file in readable])
    bases = await tree.read_many([file.old_path for file in readable if file.old_path], "base")
    texts = ({path: blob.decode("utf-8", "replace") for path, blob in side.items()} for side in (heads, bases))
    return units.Texts(*texts)
