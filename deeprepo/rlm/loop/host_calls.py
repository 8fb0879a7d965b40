"""Record a block's calls to the host, so that a resumed run repeats them and pays for nothing twice."""

import json
from collections.abc import Sequence

from deeprepo.rlm.journal.writer import Journal
from deeprepo.rlm.repl.process import ADDRESS, Frame
from deeprepo.rlm.values import Masks


class BlockCalls:
    """The host calls of one block. `next` is a `repl.process.Recorded`.

    If the block had run to its end (`is_finished`), the recorded calls are made again, even if it now asks
    for something else: its output is the recorded one, and only the host's state has to be rebuilt. If the
    block was cut off, recorded calls are repeated while they match, and later calls are new.
    """

    def __init__(self, journal: Journal, masks: Masks, run: str, turn: int, *, is_finished: bool) -> None:
        self._journal, self._masks, self._at = journal, masks, {"run": run, "turn": turn}
        self._recorded: Sequence[Frame] = journal.outcomes.host_calls(run, turn)
        self._is_finished = is_finished
        self._count = 0
        self.has_diverged = False

    def next(self, frame: Frame) -> Frame:
        """Return the call to carry out. Raises ValueError where a finished block asks for more than it did the first time."""
        at, self._count = self._count, self._count + 1
        known = self._recorded[at] if at < len(self._recorded) and not self.has_diverged else None
        if self._is_finished:
            if known is None:
                raise ValueError("this block is replayed, and asks for more than it did when it was recorded")
            return known
        if known is not None and _text(known) == _text(frame):
            return known
        self.has_diverged |= known is not None
        row = {name: self._masks.hide(frame[name]) for name in ("call", "arguments", "keywords")}
        self._journal.put("host_call", **self._at, number=at, **row)
        return frame

    def left(self) -> Sequence[Frame]:
        """Return the recorded calls that a finished block did not ask for this time."""
        return self._recorded[self._count :] if self._is_finished else ()


def _text(frame: Frame) -> str:
    """Return a call as text that is identical in every process."""
    call = [frame["call"], frame["arguments"], frame["keywords"]]
    return ADDRESS.sub("0x0", json.dumps(call, sort_keys=True, default=str))
