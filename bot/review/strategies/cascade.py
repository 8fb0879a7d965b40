"""One call reads the whole change; the root goes on in the REPL only with what that leaves open.

The price of most small changes is their readings and one request for second opinions. What is open is a fact of the harness, not a
model's mood: a look-up that nobody could answer, a finding on which readings disagree, a use that stood in no prompt. Where the root goes
on in any case, second opinions wait for it: they judge what it leaves, once, and see what it has looked up.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from bot import render
from bot.review import judging
from bot.review.session import Session
from bot.review.strategies import direct, rlm
from bot.values import Finding, Transcript, at_least

LISTED_GAPS = 20  # open points in the root's first message; coverage() and findings() have the rest
CLOSED = "it left no open questions"


async def run(session: Session) -> Transcript:
    """Read once, then let the root settle what is open, or what a second opinion cannot; effort high lets it go on in any case."""
    left = session.tracker.unread()
    reading = await direct.run(session)
    if session.root is None or session.tracker.unread() == left:
        return reading  # nobody has answered
    points = [*reading.doubts, *_open(session)]
    if not points and session.effort != "high":
        points = [*_unproven(await judging.apply_opinions(session))]
        if not points:
            return replace(reading, reason=CLOSED)
    settle = render.text("prompts/root_open.md.j2", points=points[:LISTED_GAPS], more=max(0, len(points) - LISTED_GAPS))
    transcript = await rlm.go_on(session, settle.strip(), reading.issues)
    reason = f"it left {render.count(len(points), 'open question')}" if points else CLOSED
    return replace(transcript, reason=f"{reason}, so the root model continued")


def _open(session: Session) -> Iterator[str]:
    """What the readings have left open, beside what their readers say, as sentences."""
    for unit in session.tracker.unread():
        yield f"nobody has read {unit.id}"
    for finding in session.results.findings:
        if (
            finding.verdict.is_undecided
            and finding.basis.votes < judging.AGREED <= finding.basis.readings
            and at_least(finding.severity, "medium")
        ):
            yield f"{_named(finding)}: of {finding.basis.readings} readings one has it; look for the line that decides"
    for use in session.tracker.open_uses():
        yield f"{use.path}:{use.line} was not read, although {use.says}: {use.text.strip()[:160]}"


def _unproven(findings: Iterable[Finding]) -> Iterator[str]:
    """What second opinions have left open; a doubt about a small thing is worth no turn, nor is one about a medium one that one reading has."""
    for finding in findings:
        if finding.serious or (finding.basis.votes >= judging.AGREED and at_least(finding.severity, "medium")):
            yield (
                f"{_named(finding)}: a second opinion could neither prove nor refute it; report it again with the evidence "
                "that decides, or drop it"
            )


def _named(finding: Finding) -> str:
    return f"[{finding.fingerprint}] {finding.path}:{finding.start} {finding.title}"
