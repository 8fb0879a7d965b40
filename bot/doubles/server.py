"""The server itself: HTTP/1.1 on 127.0.0.1, one protocol object per connection, no tasks: 64 calls at once cost a few ms."""

import asyncio
import json
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self

from bot.doubles import anthropic, openai
from bot.doubles.dialect import Arrived, Dialect, Invalid, demand
from bot.doubles.reply import Player, Reply, Script, Unscripted
from bot.doubles.wire import Connection, response

DIALECTS: dict[str, Dialect] = {openai.PATH: openai, anthropic.PATH: anthropic}
FAILED = 400


class Server:
    """Plays a script to whoever asks, in the dialect of the path that is asked. `requests` holds the bodies, in order.

    `rejects` names fields that this server refuses with a 400 of the provider's form; `key` the only key it takes,
    any where it is empty; `delay` seconds before each reply that names none.
    """

    def __init__(
        self, script: Script = "", *, rejects: tuple[str, ...] = (), key: str = "", delay: float = 0.0
    ) -> None:
        self.requests: list[Mapping[str, Any]] = []  # as parsed; {} for a body that is no JSON object
        self.peak = 0  # most requests in flight at once
        self.base_url = ""
        self._player, self._rejects, self._key, self._delay = Player(script), rejects, key, delay
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

    async def start(self, port: int = 0) -> None:
        """Listen on a port of 127.0.0.1, a free one for 0."""
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(
            lambda: Connection(self.answer, self._connections), "127.0.0.1", port, backlog=1024
        )

    async def stop(self) -> None:
        """Close the port and every connection."""
        if self._server is not None:
            self._server.close()
            for connection in tuple(self._connections):
                connection.abort()
            await self._server.wait_closed()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    def answer(self, method: str, path: str, headers: Mapping[str, str], raw: bytes, connection: Connection) -> None:
        """One whole request has arrived: send its reply, now or after its delay."""
        if method == "GET" and path == "/stats":
            connection.send(response(200, {"count": self.count, "peak": self.peak}))
            return
        self._flying += 1
        self.peak = max(self.peak, self._flying)
        body = _parsed(raw)
        self.requests.append(body)
        dialect = next((known for end, known in DIALECTS.items() if path.partition("?")[0].endswith(end)), openai)
        reply, sent = self._reply(dialect, method, Arrived(path, headers, body))
        delay = reply.delay or self._delay
        if delay:
            asyncio.get_running_loop().call_later(delay, self._deliver, reply, sent, connection)
        else:
            self._deliver(reply, sent, connection)

    def _reply(self, dialect: Dialect, method: str, request: Arrived) -> tuple[Reply, bytes]:
        try:
            known = method == "POST" and request.path.partition("?")[0].endswith(tuple(DIALECTS))
            demand(known, f"Unknown request URL: {method} {request.path}", status=404)
            demand(request.body, "We could not parse the JSON body of your request.")
            dialect.check(request, self._key, self._rejects)
            reply = self._player.reply(request.body)
        except Invalid as wrong:
            reply = Reply(wrong.message, status=wrong.status, error=wrong.code, param=wrong.param)
        except Unscripted as unknown:
            message = f"The model `{unknown}` does not exist or you do not have access to it."
            reply = Reply(message, status=404, error="model_not_found" if dialect is openai else "")
        if reply.status >= FAILED:
            text = reply.text or f"status {reply.status}"
            found = dialect.refuse(text, reply.status, reply.error, reply.param)
        else:
            found = dialect.render(request.body, reply, self.count)
        extra = {"retry-after": reply.retry_after} if reply.retry_after else {}
        return reply, response(reply.status, found, extra)

    def _deliver(self, reply: Reply, sent: bytes, connection: Connection) -> None:
        if reply.fault == "hang":
            return  # still in flight: the caller's patience is what is being tried
        self._flying -= 1
        if reply.fault == "drop":
            connection.send(sent[: len(sent) // 2])
            connection.close()
        elif reply.fault == "truncate":
            whole = sent.partition(b"\r\n\r\n")[2]
            connection.send(response(reply.status, whole[: len(whole) // 2]))
        else:
            connection.send(sent)


def _parsed(raw: bytes) -> Mapping[str, Any]:
    try:
        body = json.loads(raw)
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}
