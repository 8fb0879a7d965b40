"""Limits on the connections of a server: a client that sends its request slowly, or not at all, cannot keep others out.

The server reads a request's head and body before it knows who sends them. So the head must arrive within seconds, and the server does not wait
for the rest of a body that it does not read. When all connections are in use, the one that has gone longest without a complete request is closed.
A body that is read must arrive at a minimum rate. Small bodies, such as GitHub's deliveries, have a memory limit of their own.
"""

import asyncio
import resource
from collections.abc import AsyncIterable
from dataclasses import dataclass, field
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS = 10.0  # seconds for a request's head, and after an answer for what nobody reads
MAX_OPEN_FILES = 16_384  # open files, as far as the system lets a process have them
MAX_CONNECTIONS = 2_048  # connections at one time
PAUSE = 5.0  # seconds that a body may be late
PACE = 64 << 10  # bytes in a second of a body beyond that


def raise_files() -> int:
    """Raise the limit on open files, and return how many connections this process can handle."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MAX_OPEN_FILES if hard == resource.RLIM_INFINITY else min(MAX_OPEN_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        soft = wanted
    return MAX_CONNECTIONS if soft == resource.RLIM_INFINITY else min(MAX_CONNECTIONS, soft // 2)


class Connection(H11Protocol):
    """One connection of uvicorn's, with a clock on what is not a whole request yet. `waiting`: those of the server, the longest first."""

    def __init__(self, *args: Any, waiting: "dict[Connection, None]", most: int, **more: Any) -> None:  # noqa: ANN401 - of the library
        super().__init__(*args, **more)
        self._waiting, self._most = waiting, most
        self._clock: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Register the connection. If there are too many, close the one that has waited longest."""
        super().connection_made(transport)
        self._watch()
        if len(self.connections) > self._most and self._waiting:
            next(iter(self._waiting)).give_up()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget it."""
        super().connection_lost(exc)
        self._waiting.pop(self, None)
        self._set_clock(is_on=False)

    def data_received(self, data: bytes) -> None:
        """Read on."""
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """Wait for its next request."""
        super().on_response_complete()
        if not self.transport.is_closing():
            self._watch(is_answered=True)

    def give_up(self) -> None:
        """End the connection immediately."""
        self._waiting.pop(self, None)
        self.transport.abort()

    def _watch(self, *, is_answered: bool = False) -> None:
        """Record what the connection waits for.

        Idle connections and bodies that are read are not limited here.
        """
        theirs, is_over = self.conn.their_state, self.conn.our_state is h11.DONE
        if theirs in (h11.IDLE, h11.SEND_BODY):
            self._waiting.setdefault(self)
        else:
            self._waiting.pop(self, None)
        is_head = theirs is h11.IDLE and not is_answered
        self._set_clock(is_on=is_head or (theirs is h11.SEND_BODY and is_over))

    def _set_clock(self, *, is_on: bool) -> None:
        if is_on and self._clock is None:
            self._clock = self.loop.call_later(HEAD_SECONDS, self.give_up)
        elif not is_on and self._clock is not None:
            self._clock.cancel()
            self._clock = None


@dataclass(slots=True)
class BodyBuffer:
    """The bodies that are arriving, bounded together: where there is no room, the one that has been arriving for longest ends."""

    most: int  # bytes of all
    _sizes: dict[asyncio.Timeout, int] = field(default_factory=dict)  # of those that arrive, the oldest first
    _total: int = 0

    async def read(self, chunks: AsyncIterable[bytes], longest: int, patience: float) -> bytes | None:
        """Return the whole body; None if it is longer than `longest`. Raises TimeoutError if it is too slow, or others took its room."""
        loop, body = asyncio.get_running_loop(), bytearray()
        end = loop.time() + patience
        due = min(loop.time() + PAUSE, end)
        async with asyncio.timeout_at(due) as clock:
            self._sizes[clock] = 0
            try:
                async for chunk in chunks:
                    if clock not in self._sizes:  # others have taken its room this moment
                        raise TimeoutError
                    body += chunk
                    if len(body) > longest:
                        return None
                    self._sizes[clock] += len(chunk)
                    self._total += len(chunk)
                    self._make_room(clock)
                    due = min(due + len(chunk) / PACE, loop.time() + PAUSE, end)
                    clock.reschedule(due)
            finally:
                self._total -= self._sizes.pop(clock, 0)
        return bytes(body)

    def _make_room(self, mine: asyncio.Timeout) -> None:
        """End the oldest others until all fit."""
        while self._total > self.most and (oldest := next(iter(self._sizes))) is not mine:
            self._total -= self._sizes.pop(oldest)
            oldest.reschedule(0.0)
