"""Who judges the findings of a review, at the end and meanwhile, and what is said of it while it works."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial

from bot.findings import judge
from bot.findings.verify import Ask
from bot.review import incremental
from bot.review.session import Session, borne_out
from bot.values import ChangedFile, Finding, Unit, severity_rank
from bot.values.progress import Reading

NAMED = 5  # files and findings that are named while the review works


def files_read(files: Sequence[ChangedFile]) -> Reading:
    """Which files the review reads: said before anything is looked up about them."""
    read = [file.path for file in files if not file.skip]
    return Reading(len(read), tuple(read[:NAMED]), left_out=len(files) - len(read))


def reading(session: Session, *, is_checked: bool) -> Reading:
    """What the review reads, and what code has proven so far and nobody has asked not to hear."""
    subject = session.survey
    changed_paths = {path for file in subject.files for path in (file.path, file.old_path) if path}
    using = [row.path for row in subject.dependents.files] + [row.path for row in subject.dependents.references]
    users = [path for path in dict.fromkeys(using) if path not in changed_paths]
    proven = [finding for finding in session.findings if finding.proven]
    open_findings, _ = subject.ignore_list.split(proven)
    worst = sorted(open_findings, key=lambda finding: severity_rank(finding.severity))[:NAMED]
    return replace(
        files_read(subject.files),
        units=len(subject.units),
        users=len(users),
        user_names=tuple(users[:NAMED]),
        is_checked=is_checked,
        findings=len(open_findings),
        worst_findings=tuple(worst),
    )


@asynccontextmanager
async def judging(
    session: Session, reread: Sequence[Unit], say: Callable[[Reading], None]
) -> AsyncIterator[Callable[[Ask | None], Awaitable[judge.JudgedFindings]]]:
    """Set up who judges the findings of the session: at the end all of them, and meanwhile those of each prompt by themselves.

    What is asked ahead of time depends on one reply and on what code has found, never on which reply came first.
    """
    proven: asyncio.Future[tuple[Finding, ...]] = asyncio.get_running_loop().create_future()

    def on_checked() -> None:
        say(session.survey.masks.cover(reading(session, is_checked=True), guesses=True))
        if not proven.done():
            proven.set_result(tuple(session.findings))

    async def now(ask: Ask | None) -> judge.JudgedFindings:
        return await _judge(session, session.findings, reread, ask)

    async def ahead(findings: Sequence[Finding]) -> None:
        by_code = await proven
        borne = [await borne_out(session, finding) for finding in findings]
        alone = [*by_code, *(finding for finding in borne if isinstance(finding, Finding))]
        await _judge(session, alone, reread, opinions.ask_ahead)

    session.on_checked = on_checked
    model, send = session.root or session.reader, session.second_opinion(session.survey.brief.settings.verify)
    if model is None or send is None:
        session.judge_findings = partial(now, None)
        yield now
        return
    from bot.findings.opinion_cache import Opinions  # here: a review without a model asks for no opinion

    opinions = Opinions(send, partial(session.calls.may_precede, model))
    session.judge_findings, session.wait_for_opinions = partial(now, opinions.answers), opinions.wait
    session.on_findings = lambda findings: opinions.begin(ahead(findings))
    async with opinions.open():
        yield now


async def _judge(
    session: Session, findings: Sequence[Finding], reread: Sequence[Unit], ask: Ask | None
) -> judge.JudgedFindings:
    """The findings that may be said. An opinion that was given before is not asked for again."""
    subject = session.survey
    return await judge.judge(
        findings,
        subject.tree,
        subject.dependents,
        ask,
        files=subject.files,
        ignore_list=subject.ignore_list,
        earlier=subject.past.known,
        reread=incremental.spans(reread),
        pull=subject.pull,
        before=subject.past.before,
        leaks=subject.past.leaks,
        least=subject.brief.settings.minimum_severity,
        silence=session.silence,
        units=subject.units,
    )
