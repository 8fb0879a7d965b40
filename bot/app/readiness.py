"""Find out why a server isn't ready, for `/readyz`, the operator's page and `deeprepo status`."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from bot.errors import HostError, HostRefused
from bot.github import Identity, RequestPace, apps

KEY_SECONDS = 60.0  # between two requests that ask GitHub whether it still takes the key
ANSWER_SECONDS = 5.0  # for GitHub's answer
REJECTED = frozenset(
    {401, 403, 404}
)  # GitHub's answers about a key that is wrong, an App that is suspended or was deleted


@dataclass(slots=True)
class Look:
    """A question about the server, asked at most once in `seconds`, however many want to know: anybody may ask `/readyz`.

    `ask` returns why the server cannot work, or "" if it can as far as is known.
    """

    ask: Callable[[], Awaitable[str]]
    seconds: float
    _answer: asyncio.Future[str] | None = None
    _asked_at: float = 0.0

    async def reason(self) -> str:
        """Return the newest answer."""
        now = asyncio.get_running_loop().time()
        if self._answer is None or (self._answer.done() and now - self._asked_at > self.seconds):
            self._asked_at, self._answer = now, asyncio.ensure_future(self.ask())
        return await asyncio.shield(self._answer)


@dataclass(slots=True)
class AppKey:
    """Whether GitHub takes the App's key. If GitHub does not answer, its last answer counts."""

    identity: Identity
    _last_answer: str = field(default="", init=False)

    async def fault(self) -> str:
        """Ask GitHub, and return why it rejects the key; "" if it does not."""
        try:
            await apps.read_app(self.identity, RequestPace(backoff=0.2, patience=0, timeout=ANSWER_SECONDS))
        except HostRefused as refusal:
            if refusal.status in REJECTED:
                self._last_answer = f"GitHub rejects the App's key: {refusal}"
        except HostError:
            pass
        else:
            self._last_answer = ""
        return self._last_answer


def constant(fault: str) -> Look:
    """Return a check whose result doesn't change while the server runs."""

    async def answer() -> str:
        return fault

    return Look(answer, float("inf"))
