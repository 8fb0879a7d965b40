import asyncio
import contextlib
import json
import sqlite3
from collections.abc import Mapping
from pathlib import Path

import httpx2
from serving import headers, pull, served, settings
from waits import patience

from bot.app import webhook
from bot.values import PullRef, ReviewJob


async def test_delivery_becomes_a_job_only_once(tmp_path: Path) -> None:
    """If a delivery cannot be stored, GitHub has to retry; once done, it is recognized when repeated."""
    async with served(settings(tmp_path)) as server:
        with contextlib.closing(sqlite3.connect(tmp_path / "jobs.db")) as jobs:
            jobs.execute("CREATE TRIGGER full BEFORE INSERT ON workflow_status BEGIN SELECT RAISE(ABORT, 'full'); END")
            refused = await server.deliver(pull(), guid="a-guid")
            jobs.execute("DROP TRIGGER full")
        assert (refused.status_code, refused.headers["retry-after"]) == (503, "60")
        first = await server.deliver(pull(), guid="a-guid")
        assert (first.status_code, first.json()) == (202, {"delivery": "a-guid", "outcome": "queued", "reason": ""})
        done = await server.worked(1)
        assert done == [ReviewJob(PullRef(7, 3, "acme", "shop", 1), "opened", actor="somebody", head=f"{1:040x}")]
        again = await server.deliver(pull(), guid="a-guid")
        assert (again.status_code, again.json()["outcome"]) == (202, "known")


async def test_refused_delivery_gets_a_reason_and_creates_no_job(tmp_path: Path) -> None:
    """A wrong signature, content type or ID gets a status and a message, but no job."""
    async with served(settings(tmp_path)) as server:
        raw = json.dumps(pull()).encode()
        good = headers(raw, "pull_request", "g")

        answers = [
            await server.http.post("/webhook", content=raw, headers=good | {"x-hub-signature-256": "sha256=00"}),
            await server.http.post(
                "/webhook", content=raw, headers=good | {"x-hub-signature-256": f"sha256={'0' * 64}"}
            ),
            await server.http.post("/webhook", content=raw, headers=good | {"content-type": "text/plain"}),
            await server.http.post("/webhook", content=raw, headers=good | {"x-github-delivery": "../x"}),
        ]
        assert [answer.status_code for answer in answers] == [401, 401, 415, 400]
        assert all(list(answer.json()) == ["detail"] for answer in answers)
        assert await server.opened.counts() == {"waiting": 0, "delayed": 0, "running": 0}
        assert (await server.http.get("/webhook")).status_code == 405


async def test_oversized_body_closes_the_connection(tmp_path: Path) -> None:
    """A declared length above the limit is refused; without a length, reading stops at the limit."""
    async with served(settings(tmp_path)) as server:
        good = headers(b"", "pull_request", "g")
        told = good | {"content-length": str(webhook.MAX_BODY_BYTES + 1)}
        assert (await sent(server.http.base_url, told, b"")).startswith(b"HTTP/1.1 413 ")
        chunk = b"100000\r\n" + bytes(1 << 20) + b"\r\n"
        enough = 2 * webhook.MAX_BODY_BYTES // (1 << 20)
        with contextlib.suppress(ConnectionError):  # the refusal may be lost with the connection
            answer = await sent(server.http.base_url, good | {"transfer-encoding": "chunked"}, *[chunk] * enough)
            assert answer.startswith(b"HTTP/1.1 413 ")
        assert sum((await server.opened.counts()).values()) == 0


async def test_unsigned_delivery_is_refused_without_reading_its_body(tmp_path: Path) -> None:
    """The answer comes without the body, and the connection is closed."""
    async with served(settings(tmp_path)) as server, asyncio.timeout(patience()):
        said = await sent(server.http.base_url, {"content-length": "20000000"}, b"xxxx")
    assert said.startswith(b"HTTP/1.1 401")
    assert b"connection: close" in said.lower()


async def sent(to: httpx2.URL, names: Mapping[str, str], *body: bytes) -> bytes:
    """Send a request, and return everything the server answers until it closes the connection."""
    reader, writer = await asyncio.open_connection(to.host, to.port)
    head = "".join(f"{name}: {value}\r\n" for name, value in names.items())
    writer.write(f"POST /webhook HTTP/1.1\r\nhost: server\r\n{head}\r\n".encode())
    for part in body:
        writer.write(part)
        await writer.drain()
    try:
        return await reader.read()
    finally:
        writer.close()
