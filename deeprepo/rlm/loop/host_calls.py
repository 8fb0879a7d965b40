"""Record a code block's calls to the host, so that a resumed run can repeat them without paying twice."""

import json
import re
from collections.abc import Sequence

from deeprepo.rlm.journal.writer import Journal
from deeprepo.rlm.repl.process import ADDRESS, Frame
from deeprepo.rlm.values import Masks

ADDRESS_OR_NUMBER = re.compile(r"[0-9a-f]{6,}|[0-9]+")  # addresses and hashes differ from process to process


class BlockCalls:
    """The host calls of one block. `next` is a `repl.process.Recorded`.

    If the block had finished (`is_finished`), the recorded calls are repeated even if it now makes different ones. If it was
    interrupted, a call that differs from a recorded one only in its numbers is replaced by that one, so that it isn't paid twice.
    """

    def __init__(self, journal: Journal, masks: Masks, run: str, turn: int, *, is_finished: bool) -> None:
        self._journal, self._masks, self._at = journal, masks, {"run": run, "turn": turn}
        # The recorded calls that the block has not repeated yet, each with its text.
        self._recorded = [(_text(row), row) for row in journal.outcomes.host_calls(run, turn)]
        self._is_finished = is_finished
        self._count = 0
        self._is_in_order = True  # whether the calls so far are exactly the first recorded ones
        self.has_diverged = False

    def next(self, frame: Frame) -> Frame:
        """Return the call to carry out. Raises ValueError if a finished block makes more calls than were recorded."""
        at, self._count = self._count, self._count + 1
        if self._is_finished:
            if not self._recorded:
                raise ValueError("this block is replayed, and asks for more than it did when it was recorded")
            return self._recorded.pop(0)[1]
        place = self._place(_text(frame))
        self._is_in_order &= place == 0
        self.has_diverged |= place is None and bool(self._recorded)
        made = frame if place is None else self._recorded.pop(place)[1]
        if not self._is_in_order:
            row = {name: self._masks.hide(made[name]) for name in ("call", "arguments", "keywords")}
            self._journal.put("host_call", **self._at, number=at, **row)
        return made

    def left(self) -> Sequence[Frame]:
        """Return the recorded calls that a finished block did not repeat."""
        return [row for _, row in self._recorded] if self._is_finished else ()

    def _place(self, text: str) -> int | None:
        """Return the index of the recorded call that an interrupted block repeats, or None if the call is new."""
        place = next((at for at, (recorded, _) in enumerate(self._recorded) if recorded == text), None)
        if place is None:
            form = ADDRESS_OR_NUMBER.sub("0", text)
            forms = [ADDRESS_OR_NUMBER.sub("0", recorded) for recorded, _ in self._recorded]
            place = forms.index(form) if form in forms else None
        return place


def _text(frame: Frame) -> str:
    """Return a call as text that is identical in every process."""
    call = [frame["call"], frame["arguments"], frame["keywords"]]
    return ADDRESS.sub("0x0", json.dumps(call, sort_keys=True, default=str))
