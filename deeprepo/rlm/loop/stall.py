"""Rules that end a run which repeats itself or finds nothing new. Pure."""

import re
from dataclasses import dataclass, field
from typing import Literal

from deeprepo.rlm.loop.tools import Gain
from deeprepo.rlm.values import Observation

STALE_ADVICE, STALE_STOP = 2, 5  # turns without any gain of the task or a new line
HELD = 2  # how often a run goes on because something was refused in the block that finished
LETTERS = 6  # of a line that can be new: brackets and numbers tell nothing
LOOKS = re.compile(r"\b(?:more|coverage|budget|findings|last_batch|SHOW_VARS)\(")  # worth asking again

Advice = Literal["", "synthesis", "stopping", "last", "spent"]


@dataclass(slots=True)
class StallGuard:
    """Track a run's repetition and progress, and which note the root must get.

    The rules answer failures seen in transcripts, such as running one cell again and again. Searching is
    progress: a turn that shows the root new lines never counts against it. If reading is not measured, any
    block that ran counts as progress (`is_patient`).
    """

    turns: int
    is_patient: bool = False
    stale: int = 0
    held_count: int = 0
    _cells: set[str] = field(default_factory=set)
    _lines: set[str] = field(default_factory=set)  # that the root was shown
    _gain: Gain | None = None

    def repeats(self, code: str) -> bool:
        """Return whether this exact cell ran before.

        Looking at something that changes over time is not a repetition.
        """
        cell = code.strip()
        if cell in self._cells and not LOOKS.search(cell):
            return True
        self._cells.add(cell)
        return False

    def note_text(self, text: str) -> bool:
        """Note what the root is shown; whether any line of it is new to it."""
        lines = {re.sub(r"\d+", "0", line.strip())[:200] for line in text.split("\n")}
        new = {line for line in lines - self._lines if sum(map(str.isalpha, line)) >= LETTERS}
        self._lines |= new
        return bool(new)

    def ran(self, observation: Observation, gain: Gain) -> None:
        """Note what a block did."""
        if observation.outcome in {"limit", "crash"}:
            self._cells.clear()  # its names are gone: the same cell may be needed again
        self.idle(gain, new=self.note_text(observation.output) or self.is_patient)

    def idle(self, gain: Gain, *, new: bool = False) -> None:
        """Note that a turn has passed, and whether anything was learnt or done in it."""
        self.stale = 0 if new or gain != self._gain else self.stale + 1
        self._gain = gain

    def hold_finish(self) -> bool:
        """Return whether the run goes on although the root has finished: it has not seen what was refused."""
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
        """Turn after turn with nothing new."""
        return self.stale >= STALE_STOP
