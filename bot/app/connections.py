"""Limit connections and request bodies, so that clients which send slowly or nothing cannot block others.

The server reads a request's head and body before it knows who sends them. That is why these limits apply:

- A request's head must arrive within seconds, and the server does not wait for the rest of a body that it
  ignores.
- When all connections are in use, the one that has waited longest without a complete request is closed.
- A body must arrive at a minimum rate, and all bodies together may only use a limited amount of memory.
"""

import asyncio
import resource
from collections.abc import AsyncIterable
from dataclasses import dataclass, field
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS = 10.0  # timeout for a request's head, and for an ignored body after the response was sent
MAX_OPEN_FILES = 16_384  # the limit that we ask for; the system may allow fewer
MAX_CONNECTIONS = 2_048  # open at the same time
MAX_PAUSE_SECONDS = 5.0  # without any bytes of a body
MIN_BYTES_PER_SECOND = 64 << 10  # of a body that arrives with longer pauses


def raise_file_limit() -> int:
    """Raise the limit on open files, and return how many connections this process can handle."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MAX_OPEN_FILES if hard == resource.RLIM_INFINITY else min(MAX_OPEN_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        soft = wanted
    return MAX_CONNECTIONS if soft == resource.RLIM_INFINITY else min(MAX_CONNECTIONS, soft // 2)


class Connection(H11Protocol):
    """A uvicorn connection with a timeout for incomplete requests.

    `waiting`: the server's connections that wait for a complete request, in the order in which they began to
    wait. All connections share it. `limit`: how many connections may be open.
    """

    def __init__(
        self,
        *args: Any,  # noqa: ANN401 - passed on to uvicorn
        waiting: "dict[Connection, None]",
        limit: int,
        **more: Any,  # noqa: ANN401
    ) -> None:
        super().__init__(*args, **more)
        self._waiting, self._limit = waiting, limit
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Register the connection. If there are too many, close the one that has waited longest."""
        super().connection_made(transport)
        self._update_timer()
        if len(self.connections) > self._limit and self._waiting:
            next(iter(self._waiting)).abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Unregister the connection."""
        super().connection_lost(exc)
        self._waiting.pop(self, None)
        self._set_timer(is_on=False)

    def data_received(self, data: bytes) -> None:
        """Process received bytes, and update the timeout."""
        super().data_received(data)
        self._update_timer()

    def on_response_complete(self) -> None:
        """Start waiting for the connection's next request."""
        super().on_response_complete()
        if not self.transport.is_closing():
            self._update_timer(is_answered=True)

    def abort(self) -> None:
        """Close the connection immediately."""
        self._waiting.pop(self, None)
        self.transport.abort()

    def _update_timer(self, *, is_answered: bool = False) -> None:
        """Register whether the connection waits for a complete request, and start or stop its timeout.

        The timeout covers a request's head, and the rest of a body after our response. It doesn't cover
        connections that are idle after a response, which uvicorn limits, or bodies being read, which
        `BodyBuffer` limits.
        """
        theirs, is_response_sent = self.conn.their_state, self.conn.our_state is h11.DONE
        if theirs in (h11.IDLE, h11.SEND_BODY):
            self._waiting.setdefault(self)
        else:
            self._waiting.pop(self, None)
        is_head = theirs is h11.IDLE and not is_answered
        self._set_timer(is_on=is_head or (theirs is h11.SEND_BODY and is_response_sent))

    def _set_timer(self, *, is_on: bool) -> None:
        if is_on and self._timer is None:
            self._timer = self.loop.call_later(HEAD_SECONDS, self.abort)
        elif not is_on and self._timer is not None:
            self._timer.cancel()
            self._timer = None


@dataclass(slots=True)
class BodyBuffer:
    """Reads bodies within a shared memory limit. If they exceed it, reading the oldest body is aborted."""

    limit: int  # bytes of all bodies together
    # Bytes so far of each body, the oldest first
    _sizes: dict[asyncio.Timeout, int] = field(default_factory=dict)
    _total: int = 0

    async def read(self, chunks: AsyncIterable[bytes], max_bytes: int, seconds: float) -> bytes | None:
        """Return the whole body, or None if it is longer than `max_bytes`.

        Raises TimeoutError if the body takes longer than `seconds`, arrives below the minimum rate, or is
        aborted because newer bodies need its memory.
        """
        loop, body = asyncio.get_running_loop(), bytearray()
        end = loop.time() + seconds
        due = min(loop.time() + MAX_PAUSE_SECONDS, end)
        async with asyncio.timeout_at(due) as timer:
            self._sizes[timer] = 0
            try:
                async for chunk in chunks:
                    if timer not in self._sizes:  # another body has just taken its memory
                        raise TimeoutError
                    body += chunk
                    if len(body) > max_bytes:
                        return None
                    self._sizes[timer] += len(chunk)
                    self._total += len(chunk)
                    self._make_room(timer)
                    due = min(due + len(chunk) / MIN_BYTES_PER_SECOND, loop.time() + MAX_PAUSE_SECONDS, end)
                    timer.reschedule(due)
            finally:
                self._total -= self._sizes.pop(timer, 0)
        return bytes(body)

    def _make_room(self, mine: asyncio.Timeout) -> None:
        """Abort the oldest other bodies until the limit is kept."""
        while self._total > self.limit and (oldest := next(iter(self._sizes))) is not mine:
            self._total -= self._sizes.pop(oldest)
            oldest.reschedule(0.0)
