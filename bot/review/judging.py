"""The judgement of a review's findings, at the end and meanwhile, and what is said of it while the review works."""

from collections.abc import Sequence
from dataclasses import replace

from bot.findings import judge
from bot.findings.verify import Ask
from bot.review.session import Session, borne_out
from bot.values import ChangedFile, Finding, severity_rank
from bot.values.progress import Reading

NAMED = 5  # files and findings that are named while the review works


def files_read(files: Sequence[ChangedFile]) -> Reading:
    """Which files the review reads: said before anything is looked up about them."""
    read = [file.path for file in files if not file.skip]
    return Reading(len(read), tuple(read[:NAMED]), left_out=len(files) - len(read))


def say_reading(session: Session, *, is_checked: bool) -> None:
    """Say what the review reads, and what code has proven so far and nobody has asked not to hear."""
    subject = session.survey
    changed_paths = {path for file in subject.files for path in (file.path, file.old_path) if path}
    using = [row.path for row in subject.dependents.files] + [row.path for row in subject.dependents.references]
    users = [path for path in dict.fromkeys(using) if path not in changed_paths]
    open_findings, _ = subject.ignore_list.split([finding for finding in session.findings if finding.proven])
    worst = sorted(open_findings, key=lambda finding: severity_rank(finding.severity))[:NAMED]
    reading = replace(
        files_read(subject.files),
        units=len(subject.units),
        users=len(users),
        user_names=tuple(users[:NAMED]),
        is_checked=is_checked,
        findings=len(open_findings),
        worst_findings=tuple(worst),
    )
    session.say(subject.masks.cover(reading, guesses=True))


def code_has_checked(session: Session) -> None:
    """Every check by code is done: second opinions that were asked for ahead of time may see what it has found."""
    say_reading(session, is_checked=True)
    if session.opinions is not None:
        session.opinions.code_has_checked(session.findings)


async def judge_findings(session: Session, *, ask: bool = True) -> judge.JudgedFindings:
    """The findings so far, each with what becomes of it. Without `ask` nobody gives a second opinion from now on."""
    if session.opinions is not None and not ask:
        await session.opinions.close()
    return await _judge(session, session.findings, session.opinions.answers if session.opinions and ask else None)


async def settle(session: Session) -> tuple[Finding, ...]:
    """Give the findings so far the verdicts of their second opinions: who goes on sees what is settled.

    Returns those that a second opinion could not settle.
    """
    if session.opinions is None:
        return ()
    judgement = await judge_findings(session)
    settled = {(f.fingerprint, f.start): f for f in judgement.having("new", "refuted") if not f.verdict.open}
    session.findings[:] = [
        finding if finding.proven else settled.get((finding.fingerprint, finding.start), finding)
        for finding in session.findings
    ]
    undecided = judgement.having("unproven")
    session.undecided_marks |= {finding.fingerprint for finding in undecided}
    return undecided


def ask_ahead(session: Session, findings: Sequence[Finding]) -> None:
    """Begin second opinions on these findings by themselves while other prompts are out.

    What is asked ahead of time depends on one reply and on what code has found, never on which reply came first.
    """
    if session.opinions is not None:
        session.opinions.begin(_ask_ahead(session, findings))


async def wait_for_opinions(session: Session) -> None:
    """Wait until no second opinion is under way any more."""
    if session.opinions is not None:
        await session.opinions.wait()


async def _ask_ahead(session: Session, findings: Sequence[Finding]) -> None:
    if session.opinions is not None:
        by_code = await session.opinions.by_code
        borne = [await borne_out(session, finding) for finding in findings]
        alone = [*by_code, *(finding for finding in borne if isinstance(finding, Finding))]
        await _judge(session, alone, session.opinions.ask_ahead)


async def _judge(session: Session, findings: Sequence[Finding], ask: Ask | None) -> judge.JudgedFindings:
    """The findings that may be said. An opinion that was given before is not asked for again."""
    subject = session.survey
    return await judge.judge_findings(
        findings,
        subject.tree,
        subject.dependents,
        ask,
        files=subject.files,
        ignore_list=subject.ignore_list,
        earlier=subject.past.known,
        reread=[(unit.path, unit.start, unit.end) for unit in subject.tracker.fresh() if unit.side == "head"],
        pull=subject.pull,
        before=subject.past.before,
        leaks=subject.past.leaks,
        least=subject.brief.settings.minimum_severity,
        silence=session.silence,
        units=subject.units,
    )
