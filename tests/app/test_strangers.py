"""Whatever is sent to a server on a real port: what GitHub sends, and what nobody expects."""

import asyncio
import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from lone_server import process, wait_until
from serving import headers

EXAMPLES = Path(__file__).parents[1] / "workflow" / "octokit.json.gz"


@pytest.fixture(scope="module")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server in a process of its own, at this address."""
    with process(tmp_path_factory.mktemp("strangers"), DEBOUNCE="600") as server:
        wait_until(lambda: httpx2.get(f"{server.origin}/readyz").is_success)
        yield server.origin


@pytest.fixture(scope="module")
def http(origin: str) -> Iterator[httpx2.Client]:
    """A client of it."""
    with httpx2.Client(base_url=origin, timeout=30) as client:
        yield client


def test_every_real_delivery_is_taken(http: httpx2.Client) -> None:
    """All collected examples of GitHub's payloads: 202, with what was made of it; some ask for the same work."""
    packed: list[tuple[str, dict[str, Any]]] = json.loads(gzip.decompress(EXAMPLES.read_bytes()))
    outcomes = set()
    for number, (event, payload) in enumerate(packed):
        raw = json.dumps(payload).encode()
        answer = http.post("/webhook", content=raw, headers=headers(raw, event, f"example-{number}"))
        assert answer.status_code == 202, (event, answer.text)
        outcomes.add(answer.json()["outcome"])
    assert (len(packed), outcomes) == (329, {"queued", "known", "ignored"})


def test_the_body_of_an_unsigned_delivery_is_not_waited_for(origin: str) -> None:
    """The answer comes although the body never does, and the connection is closed."""

    async def go() -> bytes:
        host, port = origin.removeprefix("http://").split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(b"POST /webhook HTTP/1.1\r\nHost: x\r\nContent-Length: 20000000\r\n\r\nxxxx")
        async with asyncio.timeout(20):
            said = await reader.read()
        writer.close()
        await writer.wait_closed()
        return said

    said = asyncio.run(go())
    assert said.startswith(b"HTTP/1.1 401")
    assert b"connection: close" in said.lower()
