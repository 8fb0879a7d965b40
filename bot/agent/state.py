"""What one root of a review has at hand: the session, what its workers found, what it has handed in."""

from collections import Counter
from dataclasses import dataclass, field

from bot.review import judging
from bot.review.session import Session, Worker
from bot.values import Finding, Source, Verdict
from rlm.loop.work import Work
from rlm.money.calls import Calls
from rlm.values import Observation

MAX_UNREAD = 20  # ids in a turn line


@dataclass(slots=True)
class RunState(Work):
    """State of one run of a root; a child run has its own, over the same session."""

    session: Session
    source: Source  # who reports
    offered_findings: dict[tuple[str, str, str], Finding] = field(
        default_factory=dict
    )  # what workers handed over, as they said it
    dropped_ids: set[str] = field(default_factory=set)
    reported_ids: list[str] = field(default_factory=list)  # ids

    @property
    def calls(self) -> Calls:
        """The door to the models."""
        return self.session.calls

    def worker(self, name: str) -> Worker:
        """The worker of this name; the first one where none is named."""
        workers = self.session.workers
        if name and name not in workers:
            raise ValueError(f"there is no worker {name!r}: there is {', '.join(workers) or 'one, without a name'}")
        return workers[name] if name else self.session.worker

    def say(self, line: str) -> None:
        """Tell a person how far the run is."""
        self.session.say(line)

    def gain(self) -> tuple[int, ...]:
        """What is unread, reported, taken back and asked."""
        unread = len(self.session.tracker.unread())
        return unread, len(self.reported_ids), len(self.dropped_ids), self.question_count

    def facts(self) -> dict[str, object]:
        """The units that nobody has read."""
        unread = [unit.id for unit in self.session.tracker.unread()]
        return {"unread": unread[:MAX_UNREAD], "more_unread": max(0, len(unread) - MAX_UNREAD)}

    def has_read(self, text: str) -> None:
        """Units whose own text it is are read."""
        self.session.tracker.saw(text, str(self.source))

    async def before_block(self, number: int) -> tuple[str, ...]:
        """Wait for second opinions that began before: what a turn shows of the budget must not depend on which call ends first.

        What others found has its verdicts before the root's code reports anything.
        """
        await judging.wait_for_opinions(self.session)
        return await self._judge_findings() if number == 1 and not self.depth else ()

    def after_block(self, observation: Observation) -> None:
        """Tell of what report() has refused, where its answer was not printed."""
        for title, why in self.refusals.items():
            if why not in observation.output:
                self.note(f"report() refused {title!r}: {why}")

    async def _judge_findings(self) -> tuple[str, ...]:
        """Give what was found so far its verdicts; as a sentence, if there are any."""
        before = sum(finding.verdict.open for finding in self.session.findings)
        await judging.apply_opinions(self.session)
        verdict_counts = Counter(finding.verdict for finding in self.session.findings)
        decisive = [verdict for verdict in Verdict if verdict.opinion and not verdict.open]
        if not before or not any(verdict_counts[verdict] for verdict in decisive):
            return ()
        counts_text = ", ".join(f"{verdict_counts[verdict]} {verdict}" for verdict in decisive)
        return (f"second opinions are there: {counts_text}; findings() has each",)
