"""Keep the state of one root's run: the session, the workers' findings, and what the root reported."""

from dataclasses import dataclass, field

from bot.review.session import Session, Worker
from bot.values import Finding, Source
from deeprepo.rlm.loop.tools import Work
from deeprepo.rlm.money.calls import Calls
from deeprepo.rlm.values import Model

MAX_UNREAD = 20  # IDs of unread code regions listed after a turn


@dataclass(slots=True)
class RunState(Work):
    """State of one root run. A child run has its own, over the same session."""

    session: Session
    source: Source  # the source of its reports
    gate: bool = False  # whether it is told which code regions nobody has read
    offered_findings: list[Finding] = field(default_factory=list)  # workers' findings, exactly as they reported them
    lines: set[tuple[str, int]] = field(default_factory=set)  # lines of the head that its code has read
    named: frozenset[tuple[str, str]] = frozenset()  # files that it says it judged; see `read.judged`

    @property
    def calls(self) -> Calls:
        """The interface for calling models."""
        return self.session.calls

    def worker(self, name: str) -> Worker:
        """Return the worker with this name, or the default. Raises ValueError for an unknown name."""
        workers = self.session.workers
        if name and name not in workers:
            raise ValueError(f"there is no worker {name!r}: there is {', '.join(workers) or 'one, without a name'}")
        return workers[name] if name else self.session.worker

    def model(self, name: str) -> Model | None:
        """Return a worker's model; None in a review without models."""
        return self.worker(name).model

    def facts(self) -> dict[str, object]:
        """Return the unread code regions, if there is a gate, and the findings, since each change of them is progress."""
        unread = [unit.id for unit in self.session.tracker.unread()] if self.gate else []
        more_unread, findings = max(0, len(unread) - MAX_UNREAD), tuple(self.session.results.findings)
        return {"unread": unread[:MAX_UNREAD], "more_unread": more_unread, "findings": findings}
