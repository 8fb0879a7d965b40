"""What one root works with, and what the loop asks of its task."""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from rlm.money.calls import Calls
from rlm.values import Model

MAX_NOTES, NOTE_CHARS = 8, 400  # of one block
MAX_DEPTH = 2  # a child's child is the last one
CHILD_TURNS = 6
Gain = tuple[int, dict[str, object]]
Child = Callable[[str, Sequence[str], int], Awaitable[str]]


@dataclass(slots=True, kw_only=True)
class Work(ABC):
    """The state of one run of a root, and the hooks of its task; a child run has its own."""

    child: Child | None = None  # starts a root for a task; None: nobody can
    depth: int = 0
    deepest: int = MAX_DEPTH  # a run at this depth starts no further one
    final: str | None = None  # set_answer(text) or FINAL(value)
    say: Callable[[str], None] = lambda _: None  # tells a person how far the run is
    accept: Callable[[Any], str] = str  # the answer as a text; raises ValueError, with what is wrong with it
    batch: list[str] = field(default_factory=list)
    refusals: dict[str, str] = field(default_factory=dict)  # what the running block has handed in in vain, and why
    notes: dict[str, None] = field(default_factory=dict)  # what the root should know of its look-ups in this block
    question_count: int = 0  # questions to workers and children
    errors: dict[str, None] = field(default_factory=dict)  # why workers did not answer

    @property
    def gain(self) -> Gain:
        """What changes if a block has brought the task forward."""
        return self.question_count, self.facts()

    @property
    @abstractmethod
    def calls(self) -> Calls:
        """The door to the models."""

    @abstractmethod
    def model(self, name: str) -> Model | None:
        """Return the worker of this name, the first one if none is named; None where there is none at all. Raises ValueError."""

    def note(self, sentence: str) -> None:
        """Tell the root something beside the value that its code gets: an empty list stays an empty list."""
        if len(self.notes) < MAX_NOTES:
            self.notes.setdefault(sentence[:NOTE_CHARS])

    # --- what a task may add ------------------------------------------------------------------------------------------

    def facts(self) -> dict[str, object]:
        """Return what else the last lines of every turn say. A block that changes any of it has brought the task forward."""
        return {}

    def has_read(self, text: str, reader: str = "") -> None:  # noqa: B027 - a hook
        """Take note that this reader, else the root, was shown a text and has answered."""
