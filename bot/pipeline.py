"""The map of the product: one straight line from a request to a review. Each arrow is a value that can be printed."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, Any

from bot import __version__, checkout, config, dependents, diff, render, strategies
from bot.checkout import ownership
from bot.config import Config, Settings
from bot.diff import units
from bot.errors import NothingToReview
from bot.findings import areas, history, judge, memory, merge, numbers, place, rank, reported, rules, suggest, suppress
from bot.findings.keep_back import keep_back
from bot.findings.remembered import Opinions
from bot.findings.verify import Ask
from bot.journal import codec
from bot.masking.masks import Masks
from bot.ports import Language, Tree
from bot.review import coverage, guidance, incremental, walkthrough
from bot.review.opening import Survey
from bot.review.session import Session, borne_out
from bot.values import (
    ChangedFile,
    Coverage,
    Dependents,
    Finding,
    OwnerRule,
    Placed,
    PullRequest,
    ReaderNotes,
    Review,
    ReviewRequest,
    Severity,
    Transcript,
    Unit,
    Walkthrough,
    severity_rank,
)
from bot.values.progress import Reading
from bot.values.reported import Reported, ToolRun

if TYPE_CHECKING:
    from bot.config.policy import No
    from bot.review.running.values import RunPermission
    from bot.values import Trigger

UNJUDGED = (
    "Whether the change does what its linked issues ask was not judged: that takes a model that sees the whole change."
)
NAMED = 5  # files and findings that are named while the review works


@dataclass(frozen=True, slots=True)
class Deps:
    """The parts that `wiring` hands over, and the doors that it opened."""

    languages: Mapping[str, Language]
    open_session: Callable[[Survey, Config], AbstractAsyncContextManager[Session]]
    settings: Settings
    flags: Mapping[str, Any]
    scratch: str  # a folder that is thrown away afterwards
    clock: Callable[[], float]
    say: Callable[[str], None]
    tell: Callable[[Reading], None] = lambda _: None  # what is read, and what was found by code
    pull: Callable[[ReviewRequest, str], Awaitable[PullRequest]] = checkout.pull
    today: Callable[[], date] = date.today  # decides which suppressions have expired
    faults: suggest.Faults = suggest.unreadable  # which lines of a file do not parse
    earlier: bytes | None = None  # the JSON output of the last review of the same change
    full: bool = False  # read everything again and say everything
    local: bytes | None = None  # the list of what the person at the terminal does not want to hear
    ignored: tuple[tuple[str, str, str], ...] = ()  # fingerprint, reason and scope of what is not to be reported again
    rules: tuple[OwnerRule, ...] = ()  # that a server has learned from people
    reports: tuple[Reported, ...] = ()  # of other tools, about the head or the whole change
    tool_runs: tuple[ToolRun, ...] = ()  # by which other tools have reported
    note: str = ""  # a sentence about this run for the reader of the review
    file: str = config.FILE  # the repository's settings, at the tip of its base branch
    bound: str | None = None  # the text of the default branch's, where they bound these
    left_out: Mapping[str, str] = field(default_factory=dict)  # files that are not read, and why
    deciding: tuple[
        tuple[str, str], ...
    ] = ()  # the option or variable, and its file, of all that decides what is read or reported
    running: "RunPermission | None" = None  # whether tests are run in a sandbox; None: nothing is run
    masked: bool = True  # whether secrets are; False: a record of a version that did not is played back


async def review(request: ReviewRequest, deps: Deps) -> Review:
    """Review one change. Raises NothingToReview where it is empty, and DeepRepoError's kinds with a sentence for the user."""
    started = deps.clock()
    async with survey(request, deps) as (subject, settings), deps.open_session(subject, settings) as session:
        subject.past.carry(subject.tracker, subject.dependents, by_model=session.reader is not None)
        left = subject.tracker.unread()
        name, reason = strategies.choose(
            settings["strategy"],
            left,
            subject.dependents,
            root=bool(session.root),
            worker=bool(session.reader),
            affordable=strategies.affords(session),
            effort=settings["effort"],
        )
        session.calls.journal.strategy(name, reason)
        deps.tell(subject.masks.cover(_reading(subject, session, checked=False), guesses=True))
        async with _judging(subject, session, left, deps.tell, settings) as judging:
            transcript = await strategies.run(name, session)
            judged, transcript = await _judged(transcript, session, alone=partial(judging, None))
        if subject.past.round.full:  # asked to say everything: what is still open is said again
            judged = replace(judged, said=(*judged.said, *judged.still), still=())
        judged, kept = keep_back(judged, settings["minimum_severity"])
        held = await subject.past.held(judged.said)
        placed = await suggest.suggest(place.place(judged.said, subject.files), subject.tree, deps.faults)
        if deps.running is not None and settings["run"] is not None and not transcript.fault:
            from bot.review import reproducing

            placed = await reproducing.reproduce(placed, session, deps.running, settings["run"])
        said = rank.rank(placed, settings["quota"], held)
        seconds = deps.clock() - started
        transcript = _without(transcript, subject.files, deps.left_out)
        reason = "; ".join(filter(None, (reason, transcript.reason)))
        accepted = await _accepted(judged.fixed, subject)
        done = _review(subject, settings, session, (name, reason), transcript, judged, said, seconds, accepted)
        return session.calls.journal.end(subject.masks.cover(replace(done, kept_back=kept)))


@asynccontextmanager
async def survey(request: ReviewRequest, deps: Deps) -> AsyncIterator[tuple[Survey, Config]]:
    """The change as it stands before anybody judges it, and the settings of its base: what a review and an estimate begin with."""
    masks = Masks(on=deps.masked)
    pull = masks.hide(await deps.pull(request, deps.scratch))
    deps = replace(
        deps, ignored=masks.hide(deps.ignored), rules=masks.hide(deps.rules), reports=masks.hide(deps.reports)
    )
    async with checkout.Checkout(pull, deps.left_out) as tree:
        await ownership.refuse_reviewed(tree, deps.deciding)
        written = await tree.many_at_tip([deps.file, *config.OTHER_NAMES])
        others = [name for name in written if name != deps.file]
        bound = None if deps.bound is None else deps.bound.encode()
        settings = config.resolve(deps.flags, written.get(deps.file), deps.settings, deps.file, others, bound)
        deps.say(f"reading {pull.base_name}..{pull.head_name}")
        files = _reviewable(diff.read(await tree.change()), settings, deps.left_out)
        past, unseen = await _past(deps, tree, pull, files, masks, secrets="secrets" in settings["analyzers"])
        if not files and deps.earlier is None and not past.leaked:
            raise NothingToReview(behind=pull.base == pull.head != pull.base_tip)
        masks.learn_change(files)
        deps.tell(_files(files))
        deps.say(f"finding who depends on {len(files)} changed files")
        users = await dependents.find(tree, files, deps.languages)
        texts = await _texts(tree, files)
        masks.learn_files(texts.head, texts.base, await _unchanged(tree, users) if deps.masked else {})
        parts = units.cut(files, users, texts)
        names = [file.path for file in files if not file.skip]
        asked = await guidance.gather(
            tree.many_at_tip,
            names,
            settings["instructions"],
            guidelines=settings["guidelines"],
            listed=tree.names_at_tip,
        )
        covered = coverage.start(parts, files, users)
        if unseen:
            covered.unchecked("", unseen)
        learned = (*rules.written(settings["rules"]), *deps.rules)
        silenced = await _silenced(deps, tree)
        asked = replace(asked, rules=learned, language=settings["language"], templates=await _templates(tree))
        yield (
            Survey(
                pull,
                files,
                parts,
                users,
                tree,
                covered,
                request,
                _given(deps, files),
                masks=masks,
                past=past,
                ignored=silenced.also(deps.ignored, learned, past.ignored),
                guidance=asked,
            ),
            settings,
        )


async def _past(
    deps: Deps,
    tree: checkout.Checkout,
    pull: PullRequest,
    files: tuple[ChangedFile, ...],
    masks: Masks,
    *,
    secrets: bool,
) -> tuple[incremental.Past, str]:
    """What earlier reviews of this change leave and the secrets that its earlier commits hold; why some commits were not looked at."""
    past = await incremental.past(deps.earlier, tree, pull, files, full=deps.full)
    found = await history.leaked(tree, files) if secrets else history.Leaked()
    masks.learn_values(found.values)
    return replace(past, leaked=(*past.leaked, *map(merge.identified, found.findings))), found.missing


async def _silenced(deps: Deps, tree: checkout.Checkout) -> suppress.IgnoreList:
    """What the repository's list and that of the person at the terminal say is not to be reported."""
    today = deps.today()
    theirs = suppress.read(await tree.at_tip(suppress.FILE), today)
    return theirs.joined(suppress.read(deps.local, today, suppress.LOCAL))


def _given(deps: Deps, files: tuple[ChangedFile, ...]) -> dict[str, Any]:
    """What decides beside the change, as the journal keeps it: a name is left out where there is nothing."""
    runs = [run.about(file.path for file in files) for run in deps.tool_runs]
    optional = {
        "ignored": deps.ignored,
        "masked": deps.masked,
        "local": codec.kept(deps.local) if deps.local else None,
        "rules": [asdict(rule) for rule in deps.rules],
        "note": deps.note,
        "sarif": reported.rows(reported.introduced(deps.reports, files)),
        "sarif_runs": [[run.tool, run.files if run.files is None else list(run.files)] for run in runs],
        "left_out": dict(deps.left_out),
        "run": deps.running is not None,
    }
    always = {"today": deps.today().isoformat(), "earlier": codec.kept(deps.earlier), "full": deps.full}
    return always | {name: value for name, value in optional.items() if value}


async def untouched(pull: PullRequest, settings: Config, trigger: "Trigger") -> "No | None":
    """Why there is no review after all, now that the changed files are known."""
    from bot.config import policy

    if not any(triggers.paths for _, triggers in settings.conditions):
        return None
    async with checkout.Checkout(pull) as tree:
        files = diff.read(await tree.change())
    decision = policy.touched(
        [path for file in files for path in (file.path, file.old_path) if path], settings.conditions, trigger
    )
    return decision if isinstance(decision, policy.No) else None


def _files(files: Sequence[ChangedFile]) -> Reading:
    """Which files the review reads: said before anything is looked up about them."""
    read = [file.path for file in files if not file.skip]
    return Reading(len(read), tuple(read[:NAMED]), left_out=len(files) - len(read))


def _reading(subject: Survey, session: Session, *, checked: bool) -> Reading:
    """What the review reads, and what code has proven so far and nobody has asked not to hear."""
    changed = {path for file in subject.files for path in (file.path, file.old_path) if path}
    using = [row.path for row in subject.dependents.files] + [row.path for row in subject.dependents.references]
    users = [path for path in dict.fromkeys(using) if path not in changed]
    proven = [finding for finding in session.findings if finding.proven]
    found, _ = subject.ignored.split(proven)
    worst = sorted(found, key=lambda finding: severity_rank(finding.severity))[:NAMED]
    return replace(
        _files(subject.files),
        units=len(subject.units),
        users=len(users),
        user_names=tuple(users[:NAMED]),
        checked=checked,
        findings=len(found),
        found=tuple(worst),
    )


@asynccontextmanager
async def _judging(
    subject: Survey, session: Session, reread: Sequence[Unit], tell: Callable[[Reading], None], settings: Config
) -> AsyncIterator[Callable[[Ask | None], Awaitable[judge.Judged]]]:
    """Set up who judges the findings of the session: at the end all of them, and meanwhile those of each prompt by themselves.

    What is asked ahead of time depends on one reply and on what code has found, never on which reply came first.
    """
    least = settings["minimum_severity"]
    proven: asyncio.Future[tuple[Finding, ...]] = asyncio.get_running_loop().create_future()

    def checked() -> None:
        tell(subject.masks.cover(_reading(subject, session, checked=True), guesses=True))
        if not proven.done():
            proven.set_result(tuple(session.findings))

    async def now(ask: Ask | None) -> judge.Judged:
        return await _judge(subject, session, session.findings, reread, ask, least)

    async def ahead(found: Sequence[Finding]) -> None:
        by_code = await proven
        borne = [await borne_out(session.tree, session.calls.masks, finding) for finding in found]
        alone = [*by_code, *(finding for finding in borne if isinstance(finding, Finding))]
        await _judge(subject, session, alone, reread, opinions.expected, least)

    session.on_checked = checked
    model, ask = session.root or session.reader, session.second_opinion(settings["verify"])
    if model is None or ask is None:
        session.judged = partial(now, None)
        yield now
        return
    opinions = Opinions(ask, partial(session.calls.offers.may_precede, model))
    session.judged, session.settled = partial(now, opinions.answers), opinions.settled
    session.heard = lambda found: opinions.begin(ahead(found))
    async with opinions.open():
        yield now


async def _judge(
    subject: Survey,
    session: Session,
    findings: Sequence[Finding],
    reread: Sequence[Unit],
    ask: Ask | None,
    least: Severity,
) -> judge.Judged:
    """The findings that may be said. An opinion that was given before is not asked for again."""
    return await judge.judge(
        findings,
        subject.tree,
        subject.dependents,
        ask,
        files=subject.files,
        ignored=subject.ignored,
        earlier=subject.past.earlier,
        reread=incremental.spans(reread),
        pull=subject.pull,
        before=subject.past.before,
        leaked=subject.past.leaked,
        least=least,
        silence=session.silence,
    )


async def _judged(
    transcript: Transcript, session: Session, alone: Callable[[], Awaitable[judge.Judged]]
) -> tuple[judge.Judged, Transcript]:
    """The findings that may be said. Once a person breaks the review off nobody is asked: what was found is shown as it is (`alone`)."""
    if transcript.fault == "interrupted":
        return await alone(), transcript
    try:
        done = await session.judged()
    except asyncio.CancelledError:
        if not session.take_back_cancel():
            raise
        return await alone(), strategies.interrupted(transcript)
    return done, strategies.cut_short(session, transcript, *done.why) if done.why else transcript


async def _accepted(fixed: Sequence[Finding], subject: Survey) -> tuple[str, ...]:
    """The fixed findings whose suggestion was taken as it is, by their fingerprints."""
    past, tree = subject.past, subject.tree
    return tuple([one.fingerprint for one in fixed if await memory.accepted(one, past.before, tree)])


def _review(
    subject: Survey,
    settings: Config,
    session: Session,
    strategy: tuple[str, str],
    transcript: Transcript,
    judged: judge.Judged,
    said: tuple[Placed, ...],
    seconds: float,
    accepted: tuple[str, ...],
) -> Review:
    """Everything that a review tells, put together."""
    earlier, budget = subject.past.earlier, session.calls.budget
    said, given = numbers.give(said, judged.still, subject.past.numbers)
    covered = subject.tracker.coverage()
    open_findings = (*(placed.finding for placed in said), *judged.still)
    told = tuple(replace(one, round=subject.past.round.number) for one in transcript.issues)
    told = told or (earlier.issues if earlier else ())
    notes = (
        *filter(None, (subject.given.get("note"),)),
        *([UNJUDGED] if subject.pull.issues and not told else ()),
        *settings.warnings,
        *subject.ignored.warnings,
        *subject.past.notes,
        *session.notes,
        *budget.notes,
        *transcript.notes,
        *(
            f"The new commit of the submodule `{f.path}` was not read."
            for f in subject.files
            if f.skip == diff.SUBMODULE
        ),
    )
    return Review(
        pull=subject.pull,
        files=subject.files,
        strategy=strategy[0],
        reason=strategy[1],
        findings=said,
        coverage=covered,
        cost=budget.cost(),
        seconds=seconds,
        summary=transcript.summary or (earlier.summary if earlier else ""),
        notes=tuple(dict.fromkeys(notes)),
        partial=transcript.partial,
        fault=transcript.fault,
        failure=(session.calls.failure or budget.refused) if transcript.fault == "provider" else "",
        fail_on=settings["fail_on"],
        fail_also=settings["fail_also"],
        minimum=settings["minimum_severity"],
        tone=settings["tone"],
        issues=told,
        request_changes=None if settings["request_changes"] == "off" else settings["request_changes"],
        dropped=session.refused + judged.dropped,
        refuted=len(judged.refuted),
        turns=transcript.turns,
        version=__version__,
        round=subject.past.round,
        still=judged.still,
        fixed=judged.fixed,
        accepted=accepted,
        tried=tuple(session.tried),
        numbers=given,
        suppressed=judged.suppressed,
        unproven=judged.unproven,
        read=incremental.read(subject.tracker, judged.unheard),
        areas=areas.areas(subject.units),
        language=subject.guidance.language,
        templates=subject.guidance.templates,
        walkthrough=_walkthrough(subject, session, covered, open_findings) if settings["walkthrough"] else None,
    )


def _walkthrough(subject: Survey, session: Session, covered: Coverage, findings: Sequence[Finding]) -> Walkthrough:
    """What the whole change does; in a later round a file keeps its phrase if none of its units was read again."""
    states: dict[str, set[str]] = {}
    for row in covered.readings:
        if row.kind == "unit":
            states.setdefault(row.path, set()).add(row.state)
    facts = walkthrough.Facts(
        subject.files,
        subject.units,
        subject.dependents,
        findings,
        tuple(session.told),
        subject.past.earlier.told if subject.past.earlier else ReaderNotes(),
        frozenset(path for path, found in states.items() if found == {"reused"}),
        any("reused" in found for found in states.values()),
    )
    return walkthrough.walkthrough(facts, render.load(subject.guidance.language))


async def _templates(tree: checkout.Checkout) -> tuple[tuple[str, str], ...]:
    """The repository's own comment templates, from the tip of its base branch: a change cannot bring its own."""
    found = await tree.many_at_tip(config.TEMPLATES)
    return tuple((path.rpartition("/")[2], blob.decode("utf-8", "replace")) for path, blob in found.items())


def _without(transcript: Transcript, files: Sequence[ChangedFile], left_out: Mapping[str, str]) -> Transcript:
    """The transcript without the files that could not be read: partial if one of the change is among them, else with a sentence."""
    changed = {file.path for file in files}
    notes = tuple(f"`{path}` was not read: {reason}." for path, reason in left_out.items() if path not in changed)
    partial = transcript.partial or not changed.isdisjoint(left_out)
    return replace(transcript, notes=(*transcript.notes, *notes), partial=partial)


def _reviewable(
    files: Sequence[ChangedFile], settings: Config, unreadable: Mapping[str, str]
) -> tuple[ChangedFile, ...]:
    """The changed files, with those marked that the repository asks to leave out."""
    left_out = f"left out by {config.FILE}"
    files = [replace(f, skip=unreadable[f.path], unreviewed=True) if f.path in unreadable else f for f in files]
    return tuple(
        replace(f, skip=left_out if not f.skip or f.unreviewed else f.skip, unreviewed=False, ignored=True)
        if all(settings.ignores(path) for path in (f.path, f.old_path) if path)
        else f
        for f in files
    )


async def _unchanged(tree: Tree, users: Dependents) -> dict[str, str]:
    """The files that use what changed, which prompts show in parts."""
    paths = dict.fromkeys([*(row.path for row in users.files), *(row.path for row in users.references)])
    return {path: blob.decode("utf-8", "replace") for path, blob in (await tree.read_many([*paths])).items()}


async def _texts(tree: Tree, files: Sequence[ChangedFile]) -> units.Texts:
    """The changed files of both sides as text."""
    wanted = [file for file in files if not file.skip]
    heads = await tree.read_many([file.path for file in wanted])
    bases = await tree.read_many([file.old_path for file in wanted if file.old_path], "base")
    decoded = ({path: blob.decode("utf-8", "replace") for path, blob in side.items()} for side in (heads, bases))
    return units.Texts(*decoded)
