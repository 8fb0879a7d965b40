"""One review in progress: everything that the root's code, the workers and the strategies share."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from bot.ledger import Ledger
from bot.ports import Model, Tree
from bot.rlm.calls import Calls
from bot.values import ChangedFile, Dependents, Finding, PullRequest, Reference, Unit


@dataclass(frozen=True, slots=True)
class Answer:
    """A worker's reply: prose for whoever asked, and findings with quotes, not yet checked."""

    text: str
    findings: tuple[Finding, ...] = ()
    error: str = ""  # why there is no reply; the rest of a batch is not lost with it


class Worker(Protocol):
    """Whoever judges units: a cheap model behind `Calls`, or the analysers when there is no model."""

    name: str

    async def review(self, units: Sequence[Unit], question: str = "") -> Answer:
        """Judge these units (one prompt's worth each; the worker packs them) and mark them in the ledger."""

    async def look(self, files: Mapping[str, str], question: str) -> Answer:
        """Answer a question about files that are not part of the change: path -> text."""

    async def prompt(self, texts: Sequence[str]) -> list[Answer]:
        """Free prompts, answered in order, at most `limits.concurrency` in flight."""


Callers = Callable[[str], "Sequence[Reference]"]


@dataclass(slots=True)
class Work:
    """The state of one review. Mutable on purpose: it is what grows between the diff and the findings."""

    pull: PullRequest
    files: tuple[ChangedFile, ...]
    units: tuple[Unit, ...]
    dependents: Dependents
    tree: Tree
    ledger: Ledger
    calls: Calls
    worker: Worker
    root: Model | None = None
    findings: list[Finding] = field(default_factory=list)  # checked, without duplicates
    notes: list[str] = field(default_factory=list)  # sentences for the reader of the review
    say: Callable[[str], None] = lambda _: None  # progress, one short line
