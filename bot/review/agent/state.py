"""What one root of a review has at hand: the session, what its workers found, what it has handed in."""

from dataclasses import dataclass, field

from bot.review.session import Session, Worker
from bot.values import Finding, Source
from deeprepo.rlm.loop.tools import Work
from deeprepo.rlm.money.calls import Calls
from deeprepo.rlm.values import Model

MAX_UNREAD = 20  # ids in a turn line


@dataclass(slots=True)
class RunState(Work):
    """State of one run of a root; a child run has its own, over the same session."""

    session: Session
    source: Source  # who reports
    # What workers handed over, as they said it
    offered_findings: dict[tuple[str, str, str], Finding] = field(default_factory=dict)
    dropped_ids: set[str] = field(default_factory=set)
    reported_ids: list[str] = field(default_factory=list)  # ids

    @property
    def calls(self) -> Calls:
        """The door to the models."""
        return self.session.calls

    def worker(self, name: str) -> Worker:
        """Return the worker with this name, or the first worker without a name. Raises ValueError for an unknown one."""
        workers = self.session.workers
        if name and name not in workers:
            raise ValueError(f"there is no worker {name!r}: there is {', '.join(workers) or 'one, without a name'}")
        return workers[name] if name else self.session.worker

    def model(self, name: str) -> Model | None:
        """Return the model of a worker; None in a review without models."""
        return self.worker(name).model

    def facts(self) -> dict[str, object]:
        """Return the units that nobody has read, and how much was reported and taken back."""
        unread = [unit.id for unit in self.session.tracker.unread()]
        done = {"reported": len(self.reported_ids), "dropped": len(self.dropped_ids)}
        return {"unread": unread[:MAX_UNREAD], "more_unread": max(0, len(unread) - MAX_UNREAD), **done}

    def has_read(self, text: str, reader: str = "") -> None:
        """Note that units whose own text it is are read."""
        self.session.tracker.saw(text, reader or str(self.source))
