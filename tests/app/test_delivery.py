import asyncio
import hashlib
import hmac
import json
from collections.abc import AsyncIterator
from urllib.parse import urlencode

import pytest
from fastapi import HTTPException
from pydantic import SecretStr

from bot.app import connections, webhook
from bot.app.connections import BodyBuffer
from bot.app.webhook import Bodies

SECRET = SecretStr("a secret of twenty characters")
BODY = b'{"action":"opened"}'


def signed(raw: bytes, **headers: str) -> dict[str, str]:
    """Return the headers that GitHub sends with a body."""
    digest = hmac.new(SECRET.get_secret_value().encode(), raw, hashlib.sha256).hexdigest()
    usual = {
        "x-hub-signature-256": f"sha256={digest}",
        "x-github-event": "pull_request",
        "x-github-delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0958",
        "content-type": "application/json",
    }
    return usual | {name.replace("_", "-"): value for name, value in headers.items()}


def refused(raw: bytes, headers: dict[str, str]) -> tuple[int, str]:
    """Return the status and the message with which a delivery is refused."""
    with pytest.raises(HTTPException) as caught:
        webhook.read(headers, raw, SECRET)
    return caught.value.status_code, caught.value.detail


def test_form_data_is_read_like_json() -> None:
    """An App can be configured to send form data."""
    raw = urlencode({"payload": json.dumps({"action": "opened", "text": "ä&=%"})}).encode()
    headers = signed(raw, content_type="application/x-www-form-urlencoded; charset=utf-8")
    assert webhook.read(headers, raw, SECRET).payload == {"action": "opened", "text": "ä&=%"}


@pytest.mark.parametrize(
    "header",
    [
        None,
        "",
        "sha256=",
        "sha256=" + "0" * 64,
        "sha1=" + hmac.new(SECRET.get_secret_value().encode(), BODY, hashlib.sha1).hexdigest(),
        "sha256=ä" + "0" * 63,
        "sha256=" + hmac.new(b"another secret", BODY, hashlib.sha256).hexdigest(),
        "sha256=" + hmac.new(SECRET.get_secret_value().encode(), BODY, hashlib.sha256).hexdigest().upper(),
        hmac.new(SECRET.get_secret_value().encode(), BODY, hashlib.sha256).hexdigest(),
    ],
)
def test_invalid_signature_is_refused(header: str | None) -> None:
    """A signature is missing, empty, SHA-1, not ASCII, made with another secret, or in another format."""
    headers = signed(BODY)
    del headers["x-hub-signature-256"]
    assert refused(BODY, headers | ({"x-hub-signature-256": header} if header is not None else {}))[0] == 401


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b"[" * 100_000, "nested too deeply"),
        (b'{"a":' * 100_000, "nested too deeply"),
        (b"{", "not valid JSON"),
        (b"", "not valid JSON"),
        (b"\xff\xfe{}", "not valid JSON"),
        ('{"a": 1}'.encode("utf-16"), "not valid JSON"),
        (b'{"a": NaN}', "not valid JSON"),
        (b'{"a": ' + b"1" * 5_000 + b"}", "not valid JSON"),
        (b"[]", "not a JSON object"),
        (b'"text"', "not a JSON object"),
    ],
)
def test_invalid_payload_is_refused(raw: bytes, why: str) -> None:
    """The refusal has a reason and no traceback."""
    status, said = refused(raw, signed(raw))
    assert (status, why in said) == (400, True)


@pytest.mark.parametrize(
    ("header", "value", "status"),
    [
        ("x_github_event", "", 400),
        ("x_github_event", "../pull_request", 400),
        ("x_github_delivery", "", 400),
        ("x_github_delivery", "a~b", 400),
        ("x_github_delivery", "a" * 65, 400),
        ("content_type", "text/plain", 415),
        ("content_type", "", 415),
    ],
)
def test_invalid_delivery_header_is_refused(header: str, value: str, status: int) -> None:
    """The ID becomes part of a job's name, so only certain characters are allowed."""
    assert refused(BODY, signed(BODY, **{header: value}))[0] == status


async def test_concurrent_bodies_share_a_size_limit() -> None:
    """At the limit, the body that started first is dropped; small bodies have a separate limit."""
    bodies, sent = Bodies(BodyBuffer(2 << 20), BodyBuffer(10 << 20)), asyncio.Event()

    async def chunks(size: int, *, waits: bool) -> AsyncIterator[bytes]:
        yield b"x" * size
        if waits:
            await sent.wait()

    def reading(size: int, *, waits: bool = False) -> asyncio.Task[bytes]:
        headers = {**signed(b""), "content-length": str(size)}
        return asyncio.create_task(bodies.read(headers, chunks(size, waits=waits)))

    old, young = reading(6 << 20, waits=True), reading(3 << 20, waits=True)
    assert len(await reading(400 << 10)) == 400 << 10
    assert len(await reading(5 << 20)) == 5 << 20
    with pytest.raises(TimeoutError):
        await old
    sent.set()
    assert len(await young) == 3 << 20
    assert len(await reading(9 << 20)) == 9 << 20


async def test_slow_body_times_out() -> None:
    """A body that arrives too slowly times out, so that it does not occupy the buffer."""
    bodies = Bodies()

    async def trickle() -> AsyncIterator[bytes]:
        while True:
            yield b"x"
            await asyncio.sleep(0.1)

    begun = asyncio.get_running_loop().time()
    with pytest.raises(TimeoutError):
        await bodies.read({**signed(b""), "content-length": "30000"}, trickle())
    assert asyncio.get_running_loop().time() - begun < connections.MAX_PAUSE_SECONDS + 2
