import asyncio
import gzip
import json
import logging
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest
from hosted import Scene
from pydantic import SecretStr
from raw_server import raw_server

from bot import github
from bot.errors import ConfigError, DeepRepoError, HostError, HostRefused
from bot.github import Host, RequestPace
from bot.values import PullRef
from bot.values.host import BotIdentity

TOKEN = "ghs_planted0123456789"
PULL = PullRef(1, 2, "acme", "shop", 3)


def pace() -> RequestPace:
    """Return a pace without pauses that never waits for a rate limit."""
    return RequestPace(between=0, backoff=0, patience=0)


@dataclass(slots=True)
class Answer:
    """A server's response to one request."""

    body: object = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)

    def raw(self) -> bytes:
        """Return the response as bytes."""
        content = self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()
        rows = {"content-length": str(len(content)), "connection": "close", **self.headers}
        head = "".join(f"{name}: {value}\r\n" for name, value in rows.items())
        return f"HTTP/1.1 {self.status} X\r\n{head}\r\n".encode() + content


@asynccontextmanager
async def server(answer: Callable[[str, str], Answer]) -> AsyncIterator[tuple[str, list[str]]]:
    """Start a server that maps a request line and its own origin to a response.

    Yield its address and the heads of the requests.
    """
    seen: list[str] = []
    origin = ""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        seen.append(head)
        writer.write(answer(head.partition(" HTTP/")[0], origin).raw())

    async with raw_server(serve) as port:
        origin = f"http://127.0.0.1:{port}"
        yield origin, seen


@asynccontextmanager
async def hosted(answer: Callable[[str, str], Answer], base: str = "/api/v3") -> AsyncIterator[tuple[Host, list[str]]]:
    """Open a pull request on such a server, with a fixed token."""
    async with (
        server(answer) as (origin, seen),
        github.open_pull_with_token(SecretStr(TOKEN), f"{origin}{base}", PULL, BotIdentity("me"), pace()) as host,
    ):
        yield host, seen


def lines(seen: list[str]) -> list[str]:
    """Return the request lines."""
    return [head.partition(" HTTP/")[0] for head in seen]


@pytest.mark.parametrize("packed", [False, True], ids=["as it is", "packed"])
@pytest.mark.parametrize("status", [200, 404])
async def test_response_over_the_size_limit_is_cut(*, packed: bool, status: int) -> None:
    """The limit applies to the unpacked size, so a small packed response cannot fill the memory."""
    whole = b'{"message": "' + b"x" * (33 << 20) + b'"}'
    body, more = (gzip.compress(whole, 1), {"content-encoding": "gzip"}) if packed else (whole, {})

    async with hosted(lambda _line, _origin: Answer(body, status, more)) as (host, seen):
        with pytest.raises(HostError, match="was not read, because it is larger than 32 MB") as error:
            await host.facts()
        assert type(error.value) is HostRefused
        assert len(seen) == 1


async def test_renamed_repository_is_read_through_its_redirect() -> None:
    """A read follows GitHub's redirect on the same server, with the token."""

    def answer(line: str, origin: str) -> Answer:
        moved = "/repositories/" not in line
        place = {"location": f"{origin}/api/v3/repositories/2/x"}
        return Answer({}, 301, place) if moved else Answer({"permission": "admin"})

    async with hosted(answer) as (host, seen):
        assert await host.permission("ann") == "admin"
        assert len(seen) == 2
        assert all(f"authorization: bearer {TOKEN}" in head.lower() for head in seen)


async def test_next_page_on_another_server_gets_no_token() -> None:
    """A next page on another server is requested without our token."""
    async with server(lambda _line, _origin: Answer([])) as (other, elsewhere):
        place = {"link": f'<{other.replace("127.0.0.1", "localhost")}/x?page=2>; rel="next"'}
        async with hosted(lambda _line, _origin: Answer([], 200, place)) as (host, seen):
            assert await host.comments() == ()
            assert "authorization" in seen[0].lower()
        assert len(elsewhere) == 1
        assert "authorization" not in elsewhere[0].lower()


async def test_tokens_are_revoked_if_the_work_fails(at: Scene) -> None:
    """Both the token for git and the one for posting are revoked."""
    with pytest.raises(OSError, match="no space"):
        async with github.open_readonly(at.identity, at.pull.installation, (at.pull.repository,), at.pace):
            raise OSError("no space")
    assert at.gh.world.tokens == {}


def leaks(error: BaseException, secret: str) -> list[str]:
    """Return where an error, its causes or the values in its frames contain a secret."""
    error = error.with_traceback(error.__traceback__.tb_next if error.__traceback__ else None)
    shown = traceback.TracebackException.from_exception(error, capture_locals=True)
    chain: list[BaseException | None] = [error, error.__cause__, error.__context__]
    texts = [*shown.format(), *(f"{one!r}{one}{vars(one)}" for one in chain if one is not None)]
    return [text for text in texts if secret in text]


async def threads(host: Host) -> list[object]:
    """Return the nodes of a GraphQL list."""
    return [node async for node in host.client.nodes("threads", host.named)]


async def failed(asked: Awaitable[object]) -> DeepRepoError | None:
    """Return the error that a request causes, or None."""
    try:
        await asked
    except DeepRepoError as error:
        return error
    return None


@pytest.mark.parametrize(
    "answer",
    [
        Answer({"message": "no"}, 401),
        Answer({"message": "no"}, 404),
        Answer({"message": "no"}, 422),
        Answer({"message": "secondary rate limit"}, 403),
        Answer({}, 500),
        Answer({}, 307, {"location": "/x"}),
        Answer(b"<html>", 200),
        Answer(b"{}", 200, {"content-length": "99"}),
        Answer(b"xx", 200, {"content-encoding": "gzip"}),
        Answer([], 200),
    ],
    ids=lambda one: f"{one.status} {one.body!r:.9} {len(one.headers)}",
)
def test_errors_and_logs_never_contain_the_token(answer: Answer, caplog: pytest.LogCaptureFixture) -> None:
    """Neither messages, causes, values in frames nor the log contain the token."""

    async def go() -> None:
        async with hosted(lambda _line, _origin: answer) as (host, _):
            for ask in (
                host.facts(),
                host.comment("hello"),
                host.comments(),
                threads(host),
                host.client.ask("resolve", id="x"),
            ):
                error = await failed(ask)
                assert error is None or leaks(error, TOKEN) == []
                assert error is None or not hasattr(error.__context__, "request")

    with caplog.at_level(logging.DEBUG):
        asyncio.run(go())
    assert TOKEN not in caplog.text


@pytest.mark.parametrize("token", [f"{TOKEN}\nx: y", f"{TOKEN}\r"])
async def test_malformed_token_is_reported_without_sending_it(token: str) -> None:
    """The setting has to be corrected; nothing is sent, and no error shows the token."""
    async with (
        server(lambda _line, _origin: Answer({})) as (origin, seen),
        github.open_pull_with_token(SecretStr(token), origin, PULL, BotIdentity("me"), pace()) as host,
    ):
        with pytest.raises(ConfigError, match="Copy it again") as error:
            await host.comment("hello")
        assert leaks(error.value, TOKEN) == []
        assert seen == []


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_redirected_write_is_neither_followed_nor_repeated(status: int) -> None:
    """A redirected write is neither changed to a read nor repeated, and the error names the reason."""
    async with hosted(lambda _line, origin: Answer({}, status, {"location": f"{origin}/api/v3/x"})) as (host, seen):
        with pytest.raises(HostRefused, match=f"with status {status}: the address has moved") as refused:
            await host.comment("hello")
        assert refused.value.status == status
        assert lines(seen) == ["POST /api/v3/repos/acme/shop/issues/3/comments"]
