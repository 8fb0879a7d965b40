"""Automatic reviews that pause after a number of pushes. The marker of the summary holds the count: a server and a workflow read it alike."""

from collections.abc import Mapping
from dataclasses import dataclass

from bot import render
from bot.github import Host
from bot.stored import markers
from bot.values import ReviewAsk
from bot.values.ask import ASKED
from bot.workflow.publish import existing
from bot.workflow.publish.publication import summaries

PUSHED = frozenset({"push", "catch-up"})
RETURNS = frozenset({"reopened", "ready"})  # a pull request that comes back for another review brings new commits
FACT = "pushes"
DIGITS = 6


@dataclass(frozen=True, slots=True)
class PushCount:
    """How many pushes were reviewed without anybody asking, before this review and with it. `most`: after which of them reviews pause."""

    before: int = 0
    now: int = 0
    most: int | None = None

    @property
    def is_spent(self) -> bool:
        """Whether no further push is reviewed."""
        return self.most is not None and self.before >= self.most

    @property
    def note(self) -> str:
        """For the reader of the last review before the pause."""
        if self.most is None or self.now < self.most:
            return ""
        return f"Automatic reviews of this pull request are now paused after {render.count(self.most, 'push', 'pushes')}. Comment `/deeprepo review` to review later pushes."

    @property
    def facts(self) -> dict[str, str]:
        """What the summary's marker keeps of it."""
        return {FACT: str(self.now)} if self.most is not None else {}


async def reset_count(host: Host, most: int | None) -> bool:
    """Count from zero again; False if no push had to wait."""
    for summary in await summaries(host) if most is not None else ():
        marker = existing.marker_of(summary)
        if most is not None and _count(marker.facts) >= most and not marker.is_newer:
            rest = summary.body.replace("\r\n", "\n").partition("\n")[2]
            await host.edit_comment(summary.id, f"{markers.make(marker.kind, **{**marker.facts, FACT: '0'})}\n{rest}")
            return True
    return False


def _count(facts: Mapping[str, str]) -> int:
    count_text = facts.get(FACT, "")
    return int(count_text) if count_text.isdecimal() and len(count_text) <= DIGITS else 0


async def count_pushes(host: Host, ask: ReviewAsk, run: str, most: int | None) -> PushCount:
    """Return the count for this review. A review that somebody asked for sets it to zero. `run`: what it wrote itself counts once."""
    if most is None or ask.trigger in ASKED:
        return PushCount(most=most)
    stands = next(iter(await summaries(host)), None)
    marker_facts = existing.marker_of(stands).facts if stands is not None else {}
    count, is_again = _count(marker_facts), ask.trigger in RETURNS and bool(marker_facts)
    if marker_facts.get("run") == run:
        return PushCount(max(0, count - 1), count, most)
    return PushCount(count, count + (is_again or ask.trigger in PUSHED), most)
