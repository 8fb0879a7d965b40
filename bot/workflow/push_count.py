"""Pause automatic reviews after a number of pushes.

The count is in the summary's marker, so the server and the GitHub Actions step use it alike.
"""

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
# A pull request that is reopened or ready again brings new commits.
RETURNS = frozenset({"reopened", "ready"})
FACT = "pushes"
DIGITS = 6


@dataclass(frozen=True, slots=True)
class PushCount:
    """Automatically reviewed pushes before and including this review. Reviews pause after `most` pushes."""

    before: int = 0
    now: int = 0
    most: int | None = None

    @property
    def is_spent(self) -> bool:
        """Whether no further push is reviewed."""
        return self.most is not None and self.before >= self.most

    @property
    def note(self) -> str:
        """A sentence for the last review before the pause."""
        if self.most is None or self.now < self.most:
            return ""
        return f"Automatic reviews of this pull request are now paused after {render.count(self.most, 'push', 'pushes')}. Comment `/deeprepo review` to review later pushes."

    @property
    def facts(self) -> dict[str, str]:
        """The part of the count that the summary's marker stores."""
        return {FACT: str(self.now)} if self.most is not None else {}


async def reset_count(host: Host, most: int | None) -> bool:
    """Reset the count to zero; return False if no push was waiting."""
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
    """Return the count for this review.

    A requested review resets it, and a repeated `run` is not counted twice.
    """
    if most is None or ask.trigger in ASKED:
        return PushCount(most=most)
    stands = next(iter(await summaries(host)), None)
    marker_facts = existing.marker_of(stands).facts if stands is not None else {}
    count, is_again = _count(marker_facts), ask.trigger in RETURNS and bool(marker_facts)
    if marker_facts.get("run") == run:
        return PushCount(max(0, count - 1), count, most)
    return PushCount(count, count + (is_again or ask.trigger in PUSHED), most)
