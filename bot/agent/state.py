"""What one root has at hand besides the session: its last batch, what its workers found, its answer."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from bot.review.session import Session
from bot.values import Finding, Source

MAX_NOTES, NOTE_CHARS = 8, 400  # of one block
MAX_DEPTH = 2  # a child's child is the last one
Child = Callable[[str, Sequence[str], int], Awaitable[str]]


@dataclass(slots=True)
class RunState:
    """State of one run of a root; a child run has its own, over the same session."""

    session: Session
    source: Source  # who reports
    child: Child | None = None
    depth: int = 0
    deepest: int = MAX_DEPTH  # a run at this depth starts no further one
    final: str | None = None  # set_answer(text) or FINAL(value)
    accept: Callable[[Any], str] = str  # the answer as a text; raises ValueError, with what is wrong with it
    batch: list[str] = field(default_factory=list)
    offered_findings: dict[tuple[str, str, str], Finding] = field(
        default_factory=dict
    )  # what workers handed over, as they said it
    dropped_ids: set[str] = field(default_factory=set)
    reported_ids: list[str] = field(default_factory=list)  # ids
    refusals: dict[str, str] = field(default_factory=dict)  # title -> why report() refused it, in the running block
    notes: dict[str, None] = field(default_factory=dict)  # what the root should know of its look-ups in this block
    question_count: int = 0  # questions to workers and children
    errors: dict[str, None] = field(default_factory=dict)  # why workers did not answer
    names: dict[str, None] = field(default_factory=dict)  # what the root's blocks assigned

    def note(self, sentence: str) -> None:
        """Tell the root something beside the value that its code gets: an empty list stays an empty list."""
        if len(self.notes) < MAX_NOTES:
            self.notes.setdefault(sentence[:NOTE_CHARS])
