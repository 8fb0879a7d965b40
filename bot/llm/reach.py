"""Whether a provider answers at all, as all calls of a review together find out: nobody waits for the same silence twice.

The first call goes a moment ahead of the others, for as long as a closed port needs to show. If the provider cannot be
reached, or fails again and again, one call at a time tries on, and the others wait for its outcome: an answer lets all of them go on, and
a provider that fails to the end is given up, with all calls that it has not yet been sent. So is one that refuses the key at once.
"""

import asyncio
import copy
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack, asynccontextmanager

from bot.errors import AccountRefused, ModelRefused, ProviderDown, ProviderError, TimedOut
from bot.llm.limiter import Pause

HEAD_START = 0.05  # seconds of the first call: a closed port shows in less, and each review waits for so long
IN_A_ROW = 3  # failures with no answer between them, after which only one call at a time tries
PROBES = 3  # tries of one call at a time that fail, after which the provider is given up
BACKOFF, LONGEST = 0.5, 20.0  # seconds; doubled with each failure


def backoff(failures: int, chance: float) -> float:
    """Seconds to wait after so many failures."""
    return float(min(LONGEST, BACKOFF * 2**failures) * (1 + chance / 4))


class TurnLost(Exception):  # noqa: N818 - an outcome of the others' calls
    """While this call waited for a place, others have failed: it has to wait for its turn again."""


class Attempt:
    """One call's leave to try. The provider's fate hangs on a probe."""

    def __init__(self, reach: "Reachability", model: str, *, probe: bool) -> None:
        self._reach, self._model, self.probe = reach, model, probe

    def check(self) -> None:
        """Look again, after a wait for a place. Raises Held, and what is known by now to go wrong."""
        self._reach.check_known(self._model)
        if not (self.probe or self._reach.open):
            raise TurnLost


class Reachability:
    """What the calls of one review know of one provider."""

    def __init__(self, pause: Pause, chance: Callable[[], float]) -> None:
        self._pause, self._chance = pause, chance
        self._gone: ProviderError | None = None  # why nothing more is sent to it
        self._refused: dict[str, ModelRefused] = {}  # models that it does not have
        self._answered: set[str] = set()  # models that have answered
        self._failures = self._probes = 0  # since the last answer
        self._failing: set[str] = set()  # the requests that these were
        self._waiting: Counter[str] = Counter()  # requests
        self.open = False  # whether calls go as they come
        self._probing = False
        self._news = asyncio.Event()

    @asynccontextmanager
    async def trying(self, model: str, key: str) -> AsyncIterator[Attempt]:
        """One request to a model: it waits until it may go, and tells the others how it went. Raises what is known beforehand."""
        turn = await self._turn(model, key)
        try:
            yield turn
        except (AccountRefused, ModelRefused) as error:
            self._refuse(model, error)
            raise
        except TimedOut:  # it has taken the request
            self._go()
            raise
        except ProviderDown as error:
            self._fail(error, key, probe=turn.probe)
            raise
        except ProviderError:  # a limit, a prompt that is too long: an answer
            self._answer(model)
            raise
        else:
            self._answer(model)
        finally:
            self._leave(turn)

    def check_known(self, model: str) -> None:
        """Raise what is known to go wrong."""
        error = self._gone or self._refused.get(model)
        if error is not None:
            raise copy.copy(error)

    async def _turn(self, model: str, key: str) -> Attempt:
        """Wait for one's turn."""
        self._waiting[key] += 1
        try:
            probe = await self._may_probe(model, key)
        finally:
            self._waiting -= Counter([key])
            self._tell()
        turn = Attempt(self, model, probe=probe)
        if probe and self._failures:
            with ExitStack() as undo:
                undo.callback(self._leave, turn)
                await self._pause(backoff(self._probes + 1, self._chance()))
                undo.pop_all()
        return turn

    async def _may_probe(self, model: str, key: str) -> bool:
        """Wait until calls go as they come (False), or this one goes alone (True): others first if it has failed before."""
        while True:
            self.check_known(model)
            if self.open:
                return False
            if not self._probing and (key not in self._failing or self._failing.issuperset(self._waiting)):
                self._probing = True
                return True
            news = self._news
            try:
                await asyncio.wait_for(news.wait(), None if self._failures else HEAD_START)
            except TimeoutError:
                self._go()

    def _leave(self, turn: Attempt) -> None:
        if turn.probe:
            self._probing = False
        self._tell()

    def _go(self) -> None:
        self.open, self._failures, self._probes = True, 0, 0
        self._failing.clear()

    def _answer(self, model: str) -> None:
        self._answered.add(model)
        self._go()

    def _refuse(self, model: str, error: AccountRefused | ModelRefused) -> None:
        if isinstance(error, AccountRefused):
            self._gone = error
        elif model not in self._answered:  # else it is about this request
            self._refused[model] = error
            self._go()

    def _fail(self, error: ProviderDown, key: str, *, probe: bool) -> None:
        """Count a failure. What was under way when the others had to wait says nothing new."""
        if not (self.open or probe):
            return
        self._probes += probe and self._failures > 0
        self._failures += 1
        self._failing.add(key)
        self.open = self.open and bool(self._answered) and self._failures < IN_A_ROW
        if self._probes >= PROBES and (len(self._failing) > 1 or not self._answered):
            self._gone = error

    def _tell(self) -> None:
        """Wake who waits: each looks for itself what has become of it."""
        self._news.set()
        self._news = asyncio.Event()
