"""Find out what keeps a server from its work, for `/readyz`, the operator's page and `deeprepo status`."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from bot.errors import HostError, HostRefused, StorageError
from bot.github import Identity, RequestPace, apps

KEY_SECONDS = 60.0  # between two requests that check whether GitHub still accepts the App's key
ANSWER_SECONDS = 5.0  # timeout for GitHub's answer
PROBE_SECONDS = 2.0  # how long a probe waits for a check that only leads to a warning
WRONG_CLOCK_SECONDS = 30.0  # GitHub refuses the App's tokens if the clock differs by more than a minute
# GitHub's statuses if the key is wrong, or if the App is suspended or was deleted
REJECTED = frozenset({401, 403, 404})


@dataclass(slots=True)
class CachedCheck:
    """A health check that runs at most once in `seconds`, because anyone can request `/readyz` at any rate.

    `check` returns what is wrong, or "" if it knows of no problem.
    """

    check: Callable[[], Awaitable[str]]
    seconds: float
    subject: str = "GitHub"
    _result: asyncio.Future[str] | None = None
    _started_at: float = 0.0
    _since: str = ""  # when the newest run started

    async def reason(self) -> str:
        """Return the result of the newest run, and start another run first if that result is too old."""
        now = asyncio.get_running_loop().time()
        if self._result is None or (self._result.done() and now - self._started_at > self.seconds):
            self._started_at, self._since, self._result = now, utc(time.time()), asyncio.ensure_future(self.check())
        return await asyncio.shield(self._result)

    async def warning(self) -> str:
        """Return the result with its time, also if the check fails or does not end soon."""
        try:
            async with asyncio.timeout(PROBE_SECONDS):
                reason = await self.reason()
        except (TimeoutError, StorageError):
            reason = f"{self.subject} does not answer"
        return reason and f"{reason} ({self._since})"


@dataclass(slots=True)
class AppKey:
    """Checks whether GitHub accepts the App's key. If GitHub does not answer, its last answer counts."""

    identity: Identity
    _last_answer: str = field(default="", init=False)

    async def fault(self) -> str:
        """Ask GitHub, and return why it rejects the key or does not answer, or "" if it accepts the key."""
        pace, silent = RequestPace(backoff=0.2, patience=0, timeout=ANSWER_SECONDS), ""
        try:
            await apps.read_app(self.identity, pace)
        except HostRefused as refusal:
            if refusal.status in REJECTED:
                minutes = pace.clock_ahead / 60
                self._last_answer = (
                    f"this machine's clock is {abs(minutes):.0f} minutes {'ahead of' if minutes > 0 else 'behind'} GitHub's"
                    if abs(pace.clock_ahead) > WRONG_CLOCK_SECONDS
                    else f"GitHub rejected the App's key at {utc(time.time())}: {refusal}"
                )
        except HostError as error:
            silent = f"GitHub does not answer: {error}"
        else:
            self._last_answer = ""
        return self._last_answer or silent


def constant(fault: str) -> CachedCheck:
    """Return a check whose result doesn't change while the server runs."""

    async def check() -> str:
        return fault

    return CachedCheck(check, float("inf"))


def utc(seconds: float) -> str:
    """Return a time, in seconds since 1970, as text."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")
