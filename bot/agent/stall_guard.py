"""Where a run of a root stands: what it repeats, whether it still gains, and which note it must get.

The rules answer failures seen in transcripts: the same error or cell again, exploring without end, finishing on turn one.
"""

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Literal

from bot.values import Observation

SAME_ERROR_SIMPLE, SAME_ERROR_STOP = 2, 3
STALE_ADVICE, STALE_STOP = 2, 5  # turns without a newly read unit or a change of the findings
LOOKS = re.compile(r"\b(?:more|coverage|budget|findings|last_batch|SHOW_VARS)\(")  # worth asking again

Advice = Literal["", "simple", "synthesis", "last", "spent"]
Gain = tuple[int, int, int]  # units unread, findings, worker calls


@dataclass(slots=True)
class StallGuard:
    """One run."""

    turns: int
    errors: Counter[str] = field(default_factory=Counter)
    stale: int = 0
    refused_finish: bool = False
    _cells: set[str] = field(default_factory=set)
    _gain: Gain | None = None
    _repeated: int = 0

    def repeats(self, code: str) -> bool:
        """Whether this very cell ran before; looking at what changes by itself is not a repetition."""
        cell = code.strip()
        if cell in self._cells and not LOOKS.search(cell):
            return True
        self._cells.add(cell)
        return False

    def ran(self, observation: Observation, gain: Gain) -> None:
        """Note what a block did."""
        if observation.outcome in {"limit", "crash"}:
            self._cells.clear()  # its names are gone: the same cell may be needed again
        self._repeated = 0
        if observation.error:
            cause = _cause(observation.error)
            self.errors[cause] += 1
            self._repeated = self.errors[cause]
        self.idle(gain)

    def idle(self, gain: Gain) -> None:
        """A turn has passed: was anything new learnt in it?"""
        self.stale = 0 if gain != self._gain else self.stale + 1
        self._gain = gain

    def refuse_finish(self) -> bool:
        """Whether finishing now, with units unread, is refused: once. The cell that tried may then be sent again."""
        first, self.refused_finish = not self.refused_finish, True
        if first:
            self._cells.clear()
        return first

    def advice(self, number: int, *, spent: bool) -> Advice:
        """The note that the root must get after turn `number`."""
        if self._repeated >= SAME_ERROR_SIMPLE:
            return "simple"
        if spent:
            return "spent"
        if number >= self.turns - 1:
            return "last"
        return "synthesis" if self.stale >= STALE_ADVICE else ""

    @property
    def stuck(self) -> bool:
        """The same error for the third time."""
        return self._repeated >= SAME_ERROR_STOP

    @property
    def astray(self) -> bool:
        """Turn after turn with nothing new."""
        return self.stale >= STALE_STOP


def _cause(error: str) -> str:
    """An error without what differs from block to block: its last line, numbers and quoted parts left out of the count."""
    last = next(
        (line for line in reversed(error.strip().split("\n")) if re.match(r"[\w.]+(?:Error|Exception)\b", line)), ""
    )
    return re.sub(r"\d+", "0", last or error.strip().split("\n")[-1])[:200]
