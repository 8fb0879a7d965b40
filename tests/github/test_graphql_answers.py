import asyncio
import json

import pytest
from pydantic import SecretStr
from raw_server import raw_server

from bot import github
from bot.errors import HostDown, HostError, HostLimited, HostRefused
from bot.github import RequestPace
from bot.values import PullRef
from bot.values.host import BotIdentity

DATA = {
    "repository": {
        "pullRequest": {"reviewThreads": {"nodes": [], "pageInfo": {"hasNextPage": False, "endCursor": None}}}
    }
}


async def threads(body: object) -> tuple[object, list[str]]:
    """Request threads from a server whose GraphQL responds with this body; return result and requests."""
    seen: list[str] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen.append((await reader.readuntil(b"\r\n\r\n")).decode())
        content = (body if isinstance(body, str) else json.dumps(body)).encode()
        writer.write(b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: %d\r\n\r\n%s" % (len(content), content))

    pace, pull = RequestPace(between=0, backoff=0, patience=0), PullRef(1, 2, "acme", "shop", 3)
    async with raw_server(answer) as port:
        api = f"http://127.0.0.1:{port}/api/v3"
        async with github.open_pull_with_token(SecretStr("ghs_planted"), api, pull, BotIdentity("me"), pace) as host:
            try:
                return [node async for node in host.client.nodes("threads", host.named)], seen
            except HostError as error:
                return error, seen


@pytest.mark.parametrize(
    ("body", "kind", "says"),
    [
        (
            {"data": None, "errors": [{"type": "RATE_LIMITED", "message": "API rate limit exceeded"}]},
            HostLimited,
            "exceeded",
        ),
        ({"errors": [{"type": "RATE_LIMIT", "message": "wait"}]}, HostLimited, "asked us to wait"),
        ({"data": DATA, "errors": [{"type": "FORBIDDEN", "message": "not yours"}]}, HostRefused, "not yours"),
        ({"data": None, "errors": [{"message": "Field 'x' doesn't exist"}]}, HostRefused, "doesn't exist"),
        ({"errors": [{"type": "SERVICE_UNAVAILABLE", "message": "later"}]}, HostDown, "later"),
        ({"data": None}, HostError, "in an unknown format"),
        ([], HostError, "in an unknown format"),
        ("<html>a proxy</html>", HostError, "in an unknown format"),
    ],
)
def test_errors_in_a_200_response_are_raised(body: object, kind: type[HostError], says: str) -> None:
    """Errors count even next to partial data, and a rate limit is recognized as one."""
    told, _ = asyncio.run(threads(body))
    assert isinstance(told, kind)
    assert says in str(told)
