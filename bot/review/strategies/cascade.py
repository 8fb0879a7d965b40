"""Read the whole change in one call, then let the root continue in the REPL with what stays open.

Most small changes only cost their model passes and one request for confirmations. Whether something is open
is decided by code, not by a model: an unanswered look-up, a serious finding that a confirmation could not
settle, or a use that was in no prompt. A mere suspicion is not worth a root, so a pass hands it in as a
finding if it matters, and a confirmation looks up the code. If the root continues in any case, confirmations wait until it ends, so each finding is
confirmed once, with the code that the root looked up.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from bot import render
from bot.review import judging
from bot.review.session import Session
from bot.review.strategies import direct, rlm
from bot.values import Finding, Transcript
from bot.values.finding import AGREED

LISTED_GAPS = 20  # open points in the root's first message; coverage() and findings() list the rest
CLOSED = "no questions remained, so the root model did not run"


async def run(session: Session) -> Transcript:
    """Read the change once, then let the root settle what stays open.

    With effort high, the root always continues.
    """
    left = session.tracker.unread()
    reading = await direct.run(session)
    if session.root is None or session.tracker.unread() == left:
        return reading  # no model answered
    points = [*reading.doubts, *_open(session)]
    if not points and session.effort != "high":
        undecided = await judging.apply_opinions(session)
        points = [*_unproven(one for one in undecided if judging.is_worth_the_root(one, {}, survey=session.survey))]
        if not points:
            return replace(reading, reason=CLOSED)
    return await settle(session, reading, points)


async def settle(session: Session, reading: Transcript, points: Sequence[str]) -> Transcript:
    """Let the root continue after the passes, beginning with these open points and the passes' suspicions."""
    points = [*points, *reading.suspicions]
    instructions = render.text(
        "prompts/root_open.md.j2", points=points[:LISTED_GAPS], more=max(0, len(points) - LISTED_GAPS)
    )
    transcript = await rlm.go_on(session, instructions.strip(), reading.issues)
    reason = f"{render.count(len(points), 'question')} remained" if points else "no questions remained"
    return replace(transcript, reason=f"{reason}, and the root model continued")


def _open(session: Session) -> Iterator[str]:
    """Yield what stays open after the passes, in addition to their doubts, as sentences."""
    for unit in session.tracker.unread():
        yield f"nobody has read {unit.id}"
    for use in session.tracker.open_uses():
        yield f"{use.path}:{use.line} was not read, although {use.says}: {use.text.strip()[:160]}"


def _unproven(findings: Iterable[Finding]) -> Iterator[str]:
    """Yield the unsettled findings that are worth a root turn.

    These are the serious ones that every pass so far reported, or at least two of several.
    """
    for finding in findings:
        if finding.serious and (finding.basis.votes >= AGREED or finding.basis.readings < AGREED):
            yield (
                f"{_named(finding)}: a second opinion could neither prove nor refute it; report it again with the evidence "
                "that decides, or drop it"
            )


def _named(finding: Finding) -> str:
    return f"[{finding.fingerprint}] {finding.path}:{finding.start} {finding.title}"
