"""HTTP/1.1 by hand: requests with a content-length or in chunks in, whole responses out, connections kept alive."""

import asyncio
import json
from collections.abc import Callable, Mapping
from http.client import responses

MAX_HEAD = 64 << 10
MAX_BODY = 64 << 20
Answer = Callable[[str, str, Mapping[str, str], bytes, "Connection"], None]


def response(status: int, body: object, extra: Mapping[str, str] | None = None) -> bytes:
    """A whole response. `body` is JSON, or bytes as they are."""
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    reason = responses.get(status, "Overloaded")  # 529 is nobody's standard
    head = {"content-type": "application/json", "content-length": str(len(raw)), **(extra or {})}
    return f"HTTP/1.1 {status} {reason}\r\n".encode() + _lines(head) + raw


def stream_head(status: int, head: Mapping[str, str]) -> bytes:
    """The head of a response whose body comes in chunks."""
    reason = responses.get(status, "Overloaded")
    return f"HTTP/1.1 {status} {reason}\r\n".encode() + _lines({"transfer-encoding": "chunked", **head})


def chunk(data: bytes) -> bytes:
    """A piece of such a body; the empty one is its end."""
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


def _lines(head: Mapping[str, str]) -> bytes:
    return "".join(f"{name}: {value}\r\n" for name, value in head.items()).encode() + b"\r\n"


class Connection(asyncio.Protocol):
    """One client's connection. Requests are answered one after the other, as HTTP/1.1 clients send them."""

    def __init__(
        self, answer: Answer, everyone: set["Connection"], left: Callable[["Connection"], None] | None = None
    ) -> None:
        self._answer, self._everyone, self._left = answer, everyone, left
        self._buffer = bytearray()
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A client has connected."""
        if isinstance(transport, asyncio.Transport):
            self._transport = transport
        self._everyone.add(self)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - asyncio's own signature
        """The client has gone."""
        self._everyone.discard(self)
        self._transport = None
        if self._left is not None:
            self._left(self)

    def data_received(self, data: bytes) -> None:
        """Bytes have arrived: answer every request that is whole."""
        self._buffer += data
        while True:
            end = self._buffer.find(b"\r\n\r\n")
            if end < 0:
                if len(self._buffer) > MAX_HEAD:
                    self.abort()
                return
            first, *rest = self._buffer[:end].decode("latin-1").split("\r\n")
            pairs = (line.partition(":") for line in rest)
            headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
            found = _body(self._buffer, end + 4, headers)
            if found is None:
                return
            method, path, *_ = (*first.split(" "), "", "")
            body, used = found
            del self._buffer[:used]
            self._answer(method, path, headers, body, self)

    def send(self, data: bytes) -> None:
        """Send, if the client is still there."""
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(data)

    def close(self) -> None:
        """Close after what was sent."""
        if self._transport is not None:
            self._transport.close()

    def abort(self) -> None:
        """Close at once."""
        if self._transport is not None:
            self._transport.abort()


def _body(buffer: bytearray, start: int, headers: Mapping[str, str]) -> tuple[bytes, int] | None:
    """The body and where the next request starts, None while some of it is missing."""
    if headers.get("transfer-encoding", "").lower() == "chunked":
        return _chunks(buffer, start)
    length = headers.get("content-length", "0")
    end = start + min(int(length) if length.isdigit() else 0, MAX_BODY)
    return (bytes(buffer[start:end]), end) if len(buffer) >= end else None


def _chunks(buffer: bytearray, at: int) -> tuple[bytes, int] | None:
    body = bytearray()
    while True:
        line = buffer.find(b"\r\n", at)
        if line < 0:
            return None
        size = int(bytes(buffer[at:line]).partition(b";")[0] or b"0", 16)
        at = line + 2 + size + 2
        if len(buffer) < at or len(body) > MAX_BODY:
            return None
        if not size:
            return bytes(body), at
        body += buffer[line + 2 : line + 2 + size]
