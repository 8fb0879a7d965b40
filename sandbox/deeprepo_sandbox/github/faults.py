"""What goes wrong on purpose: errors before or after the work was done, limits, slow answers, lost connections."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace

SECONDARY = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
PRIMARY = "API rate limit exceeded for installation."
SAYS = {
    400: "Bad Request",
    401: "Bad credentials",
    403: "Resource not accessible by integration",
    404: "Not Found",
    422: "Validation Failed",
    500: "Server Error",
    502: "Server Error",
    503: "Service Unavailable",
    504: "We couldn't respond to your request in time.",
}


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that goes wrong `times` times, after letting `skip` requests pass. Less than 0 times: for ever.

    `after`: the work is done and stored before the answer is spoilt. `status` None: the true answer is given, late or
    after `run`. `drop`: the connection ends without an answer. `hang`: no answer until the caller gives up.
    """

    status: int | None = 502
    after: bool = False
    times: int = 1
    skip: int = 0
    delay: float = 0.0
    headers: Mapping[str, str] = field(default_factory=dict)
    message: str = ""
    drop: bool = False
    hang: bool = False
    run: Callable[[], Awaitable[object]] | None = None  # what happens at that moment: a push, a deletion

    @property
    def spoils(self) -> bool:
        """Whether the true answer is kept back."""
        return self.status is not None or self.drop or self.hang

    def body(self) -> dict[str, str]:
        """What GitHub says."""
        said = self.message or SAYS.get(self.status or 500, "Server Error")
        return {
            "message": said,
            "documentation_url": "https://docs.github.com/rest",
            "status": str(self.status),
        }

    async def strike(self) -> None:
        """Wait, and let happen what is to happen."""
        if self.delay:
            await asyncio.sleep(self.delay)
        if self.run is not None:
            await self.run()


def secondary(retry_after: int | None = None, *, status: int = 403) -> Fault:
    """GitHub's limit on how fast one may write, with or without the header that says how long to wait."""
    headers = {} if retry_after is None else {"retry-after": str(retry_after)}
    return Fault(status, headers=headers, message=SECONDARY)


def primary(reset: float) -> Fault:
    """The hourly limit; `reset` is the time, in seconds since 1970, at which there is a new hour."""
    headers = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(int(reset))}
    return Fault(403, headers=headers, message=PRIMARY)


class Faults:
    """The faults that are still to come."""

    def __init__(self) -> None:
        self._waiting: list[tuple[str, re.Pattern[str], Fault]] = []

    def add(self, method: str, pattern: str, fault: Fault) -> None:
        """Let a fault wait for requests with this method (* for any) whose path the pattern is found in."""
        self._waiting.append((method, re.compile(pattern), fault))

    def clear(self) -> None:
        """Nothing goes wrong any more."""
        self._waiting.clear()

    def take(self, method: str, path: str) -> Fault | None:
        """The fault that meets this request, counted."""
        for at, (wanted, pattern, fault) in enumerate(self._waiting):
            if wanted not in {"*", method} or not pattern.search(path):
                continue
            if fault.skip:
                self._waiting[at] = (wanted, pattern, replace(fault, skip=fault.skip - 1))
                continue
            if fault.times == 1:
                del self._waiting[at]
            else:
                self._waiting[at] = (wanted, pattern, replace(fault, times=fault.times - 1))
            return fault
        return None
