import asyncio
import hashlib
import hmac
import json
from collections.abc import AsyncIterator
from urllib.parse import urlencode

import pytest
from fastapi import HTTPException
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from bot.app import webhook
from bot.app.webhook import Bodies

SECRET = SecretStr("a secret of twenty characters")
BODY = b'{"action":"opened"}'


def signed(raw: bytes, **headers: str) -> dict[str, str]:
    """The headers that GitHub sends along with a body."""
    digest = hmac.new(SECRET.get_secret_value().encode(), raw, hashlib.sha256).hexdigest()
    usual = {
        "x-hub-signature-256": f"sha256={digest}",
        "x-github-event": "pull_request",
        "x-github-delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0958",
        "content-type": "application/json",
    }
    return usual | {name.replace("_", "-"): value for name, value in headers.items()}


def refused(raw: bytes, headers: dict[str, str]) -> tuple[int, str]:
    """How a delivery is refused."""
    with pytest.raises(HTTPException) as caught:
        webhook.read(headers, raw, SECRET)
    return caught.value.status_code, caught.value.detail


def test_a_form_is_read_like_json() -> None:
    """An App can be set to send forms."""
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
def test_a_signature_that_is_not_ours_is_refused(header: str | None) -> None:
    """Missing, empty, of the old kind, not ASCII, made with another secret, in another spelling."""
    headers = signed(BODY)
    del headers["x-hub-signature-256"]
    assert refused(BODY, headers | ({"x-hub-signature-256": header} if header is not None else {}))[0] == 401


@given(
    raw=st.binary(max_size=200), header=st.text(max_size=80) | st.binary(max_size=40).map(lambda b: f"sha256={b.hex()}")
)
def test_no_guessed_signature_passes(raw: bytes, header: str) -> None:
    """Any body and any header are refused; none causes an error of the server."""
    assert refused(raw, signed(raw) | {"x-hub-signature-256": header})[0] == 401


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
def test_a_payload_that_is_none_is_refused(raw: bytes, why: str) -> None:
    """With the reason, and never with a traceback."""
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
def test_a_header_that_makes_no_sense_is_refused(header: str, value: str, status: int) -> None:
    """The id becomes part of a job's name, so its alphabet is held to."""
    assert refused(BODY, signed(BODY, **{header: value}))[0] == status


def test_a_form_without_a_payload_is_refused() -> None:
    """Also a body that is not a form."""
    for raw in (b"other=1", b"payload", b"payload=%5B%5D", "payload=ä".encode()):
        assert refused(raw, signed(raw, content_type=webhook.FORM))[0] == 400


async def test_bodies_that_arrive_together_have_one_bound() -> None:
    """Beside a body that is on its way another one is refused where both together are too long, and taken once that is gone."""
    bodies, sent = Bodies(10 << 20), asyncio.Event()

    async def chunks(size: int, *, waits: bool) -> AsyncIterator[bytes]:
        yield b"x" * size
        if waits:
            await sent.wait()

    large = asyncio.create_task(bodies.read(signed(b""), chunks(6 << 20, waits=True)))
    await asyncio.sleep(0)
    with pytest.raises(HTTPException) as caught:
        await bodies.read(signed(b""), chunks(5 << 20, waits=False))
    assert caught.value.status_code == 503
    assert len(await bodies.read(signed(b""), chunks(3 << 20, waits=False))) == 3 << 20
    sent.set()
    assert len(await large) == 6 << 20
    assert len(await bodies.read(signed(b""), chunks(9 << 20, waits=False))) == 9 << 20
