"""Rules that end a run if it repeats itself or finds nothing new. No I/O."""

import re
from dataclasses import dataclass, field
from typing import Literal

from deeprepo.rlm.loop.tools import Gain
from deeprepo.rlm.values import Observation

STALE_ADVICE, STALE_STOP = 2, 5  # turns without progress
HELD = 2  # how often a finish is postponed because its block had a refusal or an error
LETTERS = 6  # minimum letters of a new line; brackets and numbers are no information

Advice = Literal["", "synthesis", "stopping", "last", "spent"]


@dataclass(slots=True)
class StallGuard:
    """Tracks a run's progress, and selects the note that the root must get.

    The rules come from failures in transcripts, such as running the same code repeatedly. A turn that shows the
    root new lines counts as progress. If reading is not measured, so does any block with a new result (`is_patient`).
    A block without output may have changed a variable, so it is neither progress nor a repetition.
    """

    turns: int
    is_patient: bool = False
    stale: int = 0
    held_count: int = 0
    repeat_count: int = 0  # blocks in a row whose code and result were the same as those of an earlier turn
    _results: set[tuple[str, str, str]] = field(default_factory=set)  # code, output and error of each block
    _lines: set[str] = field(default_factory=set)  # lines that the root was shown
    _gain: Gain | None = None

    def note_text(self, text: str) -> bool:
        """Record a text shown to the root, and return whether it has a new line."""
        lines = {re.sub(r"\d+", "0", line.strip())[:200] for line in text.split("\n")}
        new = {line for line in lines - self._lines if sum(map(str.isalpha, line)) >= LETTERS}
        self._lines |= new
        return bool(new)

    def ran(self, code: str, observation: Observation, gain: Gain) -> bool:
        """Record the result of a block, and return whether the root needs a hint that it repeats itself."""
        error = re.sub(r"block \d+, line", "line", observation.error or "")  # each block has another number
        if not observation.output.strip() and not error and gain == self._gain:
            return False
        result = (code.strip(), observation.output, error)
        is_repeated = result in self._results and gain == self._gain
        self._results.add(result)
        self.repeat_count = self.repeat_count + 1 if is_repeated else 0
        is_new = self.note_text(observation.output) or self.is_patient
        self.idle(gain, new=is_new and not is_repeated)
        return self.repeat_count >= STALE_ADVICE

    def idle(self, gain: Gain, *, new: bool = False) -> None:
        """Record a turn, which counts as progress if it showed something new or changed `gain`."""
        self.stale = 0 if new or gain != self._gain else self.stale + 1
        self._gain = gain

    def hold_finish(self) -> bool:
        """Return whether a finished run continues, so that the root can react to what went wrong."""
        self.held_count += 1
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
