"""Rules that end a run if it repeats itself or finds nothing new. No I/O."""

import re
from dataclasses import dataclass, field
from typing import Literal

from deeprepo.rlm.loop.tools import Gain
from deeprepo.rlm.values import Observation

STALE_ADVICE, STALE_STOP = 2, 5  # turns without progress
HELD = 2  # how often a finish is postponed because its block had a refusal
LETTERS = 6  # minimum letters of a new line; brackets and numbers are no information
LOOKS = re.compile(r"\b(?:more|coverage|budget|findings|last_batch|SHOW_VARS)\(")  # results change over time

Advice = Literal["", "synthesis", "stopping", "last", "spent"]


@dataclass(slots=True)
class StallGuard:
    """Tracks a run's progress, and selects the note that the root must get.

    The rules come from failures in transcripts, such as running the same code repeatedly. A turn that shows the
    root new lines counts as progress. If reading is not measured, so does any block that ran (`is_patient`).
    """

    turns: int
    is_patient: bool = False
    stale: int = 0
    held_count: int = 0
    _cells: set[str] = field(default_factory=set)
    _lines: set[str] = field(default_factory=set)  # lines that the root was shown
    _gain: Gain | None = None

    def repeats(self, code: str) -> bool:
        """Return whether exactly this code ran before.

        Reading something that changes over time is not a repetition.
        """
        cell = code.strip()
        if cell in self._cells and not LOOKS.search(cell):
            return True
        self._cells.add(cell)
        return False

    def note_text(self, text: str) -> bool:
        """Record a text shown to the root, and return whether it has a new line."""
        lines = {re.sub(r"\d+", "0", line.strip())[:200] for line in text.split("\n")}
        new = {line for line in lines - self._lines if sum(map(str.isalpha, line)) >= LETTERS}
        self._lines |= new
        return bool(new)

    def ran(self, observation: Observation, gain: Gain) -> None:
        """Record the result of a block that ran."""
        if observation.outcome in {"limit", "crash"}:
            self._cells.clear()  # the REPL's variables are lost, so the same code may be needed again
        self.idle(gain, new=self.note_text(observation.output) or self.is_patient)

    def idle(self, gain: Gain, *, new: bool = False) -> None:
        """Record a turn, which counts as progress if it showed something new or changed `gain`."""
        self.stale = 0 if new or gain != self._gain else self.stale + 1
        self._gain = gain

    def hold_finish(self) -> bool:
        """Return whether a finished run continues, so that the root can react to a refusal."""
        self.held_count += 1
        if self.held_count <= HELD:
            self._cells.clear()
        return self.held_count <= HELD

    def advice(self, number: int, *, budget_spent: bool) -> Advice:
        """Return the note that the root must get after turn `number`."""
        if budget_spent:
            return "spent"
        if number >= self.turns - 1:
            return "last"
        if self.stale >= STALE_STOP - 1:
            return "stopping"
        return "synthesis" if self.stale >= STALE_ADVICE else ""

    @property
    def astray(self) -> bool:
        """Whether too many turns in a row brought nothing new."""
        return self.stale >= STALE_STOP
