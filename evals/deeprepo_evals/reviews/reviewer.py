"""Who is measured: anybody who can review a built case. OwnAccount, or a single call on the diff."""

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from deeprepo_evals.reviews.cases import Case
from deeprepo_evals.reviews.labels import Label
from deeprepo_evals.reviews.outcome import Outcome


@dataclass(frozen=True, slots=True)
class Task:
    """One case to review. Labels are for an oracle; no other reviewer reads them."""

    case: Case
    repo: Path  # holds the branches base and head
    scratch: str  # a folder that is thrown away afterwards
    journal: Path  # where the calls of this review are recorded, and found again
    labels: tuple[Label, ...] = ()
    round: int = 1


class Reviewer(Protocol):
    """Satisfied by product.Product, product.RehearsalReviewer, baseline.DiffOnly."""

    @property
    def name(self) -> str:
        """What the tables call it."""

    async def review(self, task: Task) -> Outcome:
        """Review one case. Raises ProviderError where the case should stay open for another try."""
