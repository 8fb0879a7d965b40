"""Find out why a server isn't ready, for `/readyz`, the operator's page and `deeprepo status`."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from bot.errors import HostError, HostRefused
from bot.github import Identity, RequestPace, apps

KEY_SECONDS = 60.0  # between two requests that check whether GitHub still accepts the App's key
ANSWER_SECONDS = 5.0  # timeout for GitHub's answer
# GitHub's statuses if the key is wrong, or if the App is suspended or was deleted
REJECTED = frozenset({401, 403, 404})


@dataclass(slots=True)
class CachedCheck:
    """A health check that runs at most once in `seconds`, because anyone can request `/readyz` at any rate.

    `check` returns why the server cannot work, or "" if it knows of no problem.
    """

    check: Callable[[], Awaitable[str]]
    seconds: float
    _result: asyncio.Future[str] | None = None
    _started_at: float = 0.0

    async def reason(self) -> str:
        """Return the result of the newest run, and start another run first if that result is too old."""
        now = asyncio.get_running_loop().time()
        if self._result is None or (self._result.done() and now - self._started_at > self.seconds):
            self._started_at, self._result = now, asyncio.ensure_future(self.check())
        return await asyncio.shield(self._result)


@dataclass(slots=True)
class AppKey:
    """Checks whether GitHub accepts the App's key. If GitHub does not answer, its last answer counts."""

    identity: Identity
    _last_answer: str = field(default="", init=False)

    async def fault(self) -> str:
        """Ask GitHub, and return why it rejects the key, or "" if it accepts it."""
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


def constant(fault: str) -> CachedCheck:
    """Return a check whose result doesn't change while the server runs."""

    async def check() -> str:
        return fault

    return CachedCheck(check, float("inf"))
