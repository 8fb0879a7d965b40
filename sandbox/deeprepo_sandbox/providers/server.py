"""The server itself: HTTP/1.1 on 127.0.0.1, one protocol object per connection, no tasks: 64 calls at once cost a few ms."""

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import TracebackType
from typing import Any, Self

from deeprepo_sandbox.providers import anthropic, modes, openai, thinking
from deeprepo_sandbox.providers.clouds import Bedrock, Vertex
from deeprepo_sandbox.providers.dialect import ArrivedRequest, Dialect, Invalid, demand
from deeprepo_sandbox.providers.modes import Bucket, Modes, Slots
from deeprepo_sandbox.providers.reply import Player, Reply, Script, UnscriptedModel
from deeprepo_sandbox.providers.wire import Connection, chunk, response, stream_head

BEDROCK, VERTEX = Bedrock(), Vertex()
DIALECTS: dict[str, Dialect] = {  # by the end of the path
    openai.PATH: openai,
    anthropic.PATH: anthropic,
    "/invoke": BEDROCK,
    "/invoke-with-response-stream": BEDROCK,
    ":rawPredict": VERTEX,
    ":streamRawPredict": VERTEX,
}
FAILED = 400
BUSY = 429
STATUS_OF_ERROR = 500
LOOK = 0.05  # seconds between two looks at who is still connected when the server ends


class Server:
    """Play a script to every client, in the dialect of the path that is asked. `requests` holds the bodies, in order.

    `rejects` names fields that this server refuses with a 400 of the provider's form ("output_config.effort" is one inside
    another); `key` the only key it takes, any where it is empty; `delay` seconds before each reply that names none; `modes`
    what it does to every request.
    """

    def __init__(
        self,
        script: Script = "",
        *,
        rejects: tuple[str, ...] = (),
        key: str = "",
        delay: float = 0.0,
        modes: Modes | None = None,
        clock: Callable[[], float] | None = None,
    ) -> None:
        self.requests: list[Mapping[str, Any]] = []  # as parsed; {} for a body that is no JSON object
        self.headers: list[Mapping[str, str]] = []  # of each of them
        self.paths: list[str] = []
        self.peak = 0  # most requests in flight at once
        self.base_url = ""
        self.modes = modes or Modes()
        self._player, self._rejects, self._key, self._delay = Player(script), rejects, key, delay
        self._bucket = Bucket(self.modes, clock) if clock else Bucket(self.modes)
        self._slots = Slots(self.modes.slots)
        self._flying = 0
        self._server: asyncio.Server | None = None
        self._connections: set[Connection] = set()

    @property
    def count(self) -> int:
        """How many requests have arrived, refused ones too."""
        return len(self.requests)

    @property
    def openai_url(self) -> str:
        """The base URL for the OpenAI dialect."""
        return f"{self.anthropic_url}/v1"

    @property
    def anthropic_url(self) -> str:
        """The base URL for the Anthropic dialect."""
        if self._server is None:
            raise RuntimeError("the server has not been started")
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def start(self) -> None:
        """Listen on a free port of 127.0.0.1."""
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(
            lambda: Connection(self.answer, self._connections, self._left), "127.0.0.1", 0, backlog=1024
        )

    async def stop(self) -> None:
        """Close the port and every connection."""
        if self._server is not None:
            self._server.close()
            closed = asyncio.ensure_future(self._server.wait_closed())
            while not closed.done():  # a client that had just connected appears only now
                for connection in tuple(self._connections):
                    connection.abort()
                await asyncio.wait([closed], timeout=LOOK)

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    def answer(self, method: str, path: str, headers: Mapping[str, str], raw: bytes, connection: Connection) -> None:
        """One whole request has arrived: send its reply, now or after its delay."""
        self._flying += 1
        self.peak = max(self.peak, self._flying)
        body = _parse(raw)
        self.requests.append(body)
        self.headers.append(headers)
        self.paths.append(path)
        number = self.count
        dialect = next((known for end, known in DIALECTS.items() if path.partition("?")[0].endswith(end)), openai)
        self._slots.take(
            connection, lambda: self._begin(dialect, method, ArrivedRequest(path, headers, body), number, connection)
        )

    def _begin(
        self, dialect: Dialect, method: str, request: ArrivedRequest, number: int, connection: Connection
    ) -> None:
        """A slot is free for this request."""
        reply, found, extra = self._reply(dialect, method, request, number)
        sending = _Sending(connection, reply, self._end_request)
        body = dialect.body(request)
        refusal = dialect.refuse(reply.text or "overloaded", STATUS_OF_ERROR, reply.error, reply.param)
        streams = self.modes.streams and reply.fault not in {"lost", "page"}
        if reply.status < FAILED and body.get("stream") and streams:
            head = {"content-type": dialect.KIND, **extra}
            parts = dialect.stream(body, found, index=self.modes.index == "given")
            sending.stream(head, parts, dialect.event(refusal), reply.delay or self._delay)
        else:
            whole = found | ({"error": refusal.get("error", refusal)} if reply.fault == "error" else {})
            sending.whole(response(reply.status, whole, extra), delay=reply.delay or self._delay)

    def _reply(
        self, dialect: Dialect, method: str, request: ArrivedRequest, number: int
    ) -> tuple[Reply, dict[str, Any], dict[str, str]]:
        """The reply of the script, as the dialect writes it, and the headers beside it."""
        name, body, extra = dialect.FAMILY, dialect.body(request), {}
        try:
            known = method == "POST" and request.path.partition("?")[0].endswith(tuple(DIALECTS))
            demand(known, f"Unknown request URL: {method} {request.path}", status=404)
            demand(request.body, "We could not parse the JSON body of your request.")
            dialect.check(request, self._key, self._rejects)
            thinking.check(name, body, self.modes)
            modes.check_window(body, self.modes)
            wait = self._bucket.take(modes.size(body))
            extra = {"retry-after": f"{wait:.3f}"} if wait else {}
            demand(not wait, "Rate limit reached", status=BUSY)
            reply = self._player.reply(body)
        except Invalid as wrong:
            reply = Reply(wrong.message, status=wrong.status, error=wrong.code, param=wrong.param)
        except UnscriptedModel as unknown:
            message = f"The model `{unknown}` does not exist or you do not have access to it."
            reply = Reply(message, status=404, error="model_not_found" if dialect is openai else "")
        extra |= {"retry-after": reply.retry_after} if reply.retry_after else {}
        if reply.status >= FAILED:
            return (
                reply,
                dialect.refuse(reply.text or f"status {reply.status}", reply.status, reply.error, reply.param),
                extra,
            )
        found = dialect.render(body, self._as_the_modes_have_it(body, reply), number)
        (thinking.openai if dialect is openai else thinking.anthropic)(body, found, self.modes, number)
        return reply, found, extra

    def _as_the_modes_have_it(self, body: Mapping[str, Any], reply: Reply) -> Reply:
        """The reply with what this server says before every text, and with the tokens that it has counted."""
        if self.modes.prefix and (reply.text or reply.data is not None) and not reply.stop:
            reply = replace(reply, text=self.modes.prefix + (reply.text or json.dumps(reply.data)), data=None)
        if self.modes.window is not None:
            asked = min(modes.size(body), self.modes.window)
            reply = replace(reply, usage=replace(reply.usage, input=asked, cache_read=0, cache_write=0))
        return reply

    def _end_request(self) -> None:
        """A request is answered, or its client has gone."""
        self._flying -= 1
        self._slots.free()

    def _left(self, connection: Connection) -> None:
        """A client has hung up: what it waited for needs no slot."""
        self._flying -= self._slots.left(connection)


class _Sending:
    """One reply on its way, in pieces where it is a stream."""

    def __init__(self, connection: Connection, reply: Reply, on_end: Callable[[], None]) -> None:
        self._connection, self._reply, self._ended = connection, reply, on_end

    def whole(self, body: bytes, delay: float) -> None:
        """A reply in one piece."""
        self._later(delay, lambda: self._send_whole(body))

    def _send_whole(self, body: bytes) -> None:
        if self._reply.fault in {"hang", "stall"}:
            return  # still in flight: the caller's patience is what is being tried
        if self._reply.fault == "lost":
            self._connection.close()
        elif self._reply.fault == "page":
            self._connection.send(response(self._reply.status, b"<html>a page of some proxy</html>"))
        elif self._reply.fault == "drop":
            self._connection.send(body[: len(body) // 2])
            self._connection.close()
        elif self._reply.fault == "truncate":
            whole = body.partition(b"\r\n\r\n")[2]
            self._connection.send(response(self._reply.status, whole[: len(whole) // 2]))
        else:
            self._connection.send(body)
        self._ended()

    def stream(self, headers: Mapping[str, str], parts: list[bytes], error: bytes, delay: float) -> None:
        """A reply in events."""
        if self._reply.fault == "hang":
            return
        head = stream_head(self._reply.status, headers)
        if self._reply.fault == "deny":
            parts = [error]
        elif self._reply.fault:
            parts = parts[: max(1, min(len(parts) // 2, len(parts) - 4))] + (
                [error] if self._reply.fault == "error" else []
            )
        self._later(delay, lambda: self._send_parts(head, parts))

    def _send_parts(self, head: bytes, parts: list[bytes]) -> None:
        if not self._reply.pause:
            self._connection.send(head + b"".join(map(chunk, parts)))
            self._end_stream()
            return
        self._connection.send(head + chunk(parts[0]))
        rest = parts[1:]
        self._later(self._reply.pause, lambda: self._send_parts(b"", rest) if rest else self._end_stream())

    def _end_stream(self) -> None:
        if self._reply.fault == "stall":
            return
        if self._reply.fault == "drop":
            self._connection.close()
        else:
            self._connection.send(chunk(b""))
        self._ended()

    def _later(self, seconds: float, do: Callable[[], None]) -> None:
        if seconds:
            asyncio.get_running_loop().call_later(seconds, do)
        else:
            do()


def _parse(raw: bytes) -> Mapping[str, Any]:
    try:
        body = json.loads(raw)
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}
