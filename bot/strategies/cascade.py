"""One call reads the whole change; the root goes on in the REPL only with what that leaves open.

The price of most small changes is one call and a second opinion for each finding. What is open is a fact of the harness, not a
model's mood: a look-up that nobody could answer, a finding that its second opinion could not prove, a use that stood in no prompt.
"""

from collections.abc import Iterator
from dataclasses import replace

from bot import render
from bot.review import judging
from bot.review.session import Session
from bot.strategies import direct, rlm
from bot.values import Finding, Transcript

LISTED = 20  # open points in the root's first message; coverage() and findings() have the rest
AGREED = 2  # readings that found what nobody could prove: then the root looks
CLOSED = "it left nothing open"


async def run(session: Session) -> Transcript:
    """Read once, have the findings judged, then let the root settle what is open; effort high lets it go on in any case."""
    left = session.tracker.unread()
    reading = await direct.run(session)
    if session.root is None or session.tracker.unread() == left:
        return reading  # nobody has answered
    points = [*reading.open, *_open(session, await judging.apply_opinions(session))]
    if not points and session.effort != "high":
        return replace(reading, reason=CLOSED)
    settle = render.text("prompts/root_open.md.j2", points=points[:LISTED], more=max(0, len(points) - LISTED))
    transcript = await rlm.go_on(session, settle.strip(), reading.issues)
    reason = f"it left {render.count(len(points), 'point')} open" if points else CLOSED
    return replace(transcript, reason=f"{reason}, and the root went on")


def _open(session: Session, unproven: tuple[Finding, ...]) -> Iterator[str]:
    """What one reading has left open, beside what its reader says, as sentences."""
    for unit in session.tracker.unread():
        yield f"nobody has read {unit.id}"
    for finding in unproven:
        if not finding.serious and finding.votes < AGREED:
            continue  # a doubt about a small thing is worth no turn
        yield (
            f"[{finding.fingerprint}] {finding.path}:{finding.start} {finding.title}: a second opinion could neither prove "
            "nor refute it; report it again with the evidence that decides, or drop it"
        )
    for use in session.tracker.open_uses():
        yield f"{use.path}:{use.line} was not read, although {use.says}: {use.text.strip()[:160]}"
