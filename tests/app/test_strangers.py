"""Whatever is sent to a server on a real port: what GitHub sends, what its description allows, what nobody expects."""

import asyncio
import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as searched
from hypothesis import strategies as st
from lone_server import process, wait_until
from serving import headers

from bot.workflow import events

VISIBLE = [*range(0x21, 0x7F), *range(0x80, 0x100)]  # what a header can hold
EXAMPLES = Path(__file__).parents[1] / "workflow" / "octokit.json.gz"
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=20,
)


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


@pytest.mark.slow  # the library alone takes two seconds to load
def test_the_api_is_as_it_is_described(origin: str) -> None:
    """Statuses, types and forms of all answers, whatever is asked."""
    import schemathesis

    schema = schemathesis.openapi.from_url(f"{origin}/openapi.json")
    operations = [found.ok() for found in schema.get_all_operations()]

    @given(case=st.one_of(operation.as_strategy() for operation in operations))
    @searched(max_examples=25, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    def fits(case: schemathesis.Case) -> None:
        case.call_and_validate()

    fits()
    assert {operation.label for operation in operations} == {
        "POST /webhook",
        "GET /healthz",
        "GET /readyz",
        "GET /metrics",
    }


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


@given(
    event=st.sampled_from([*events.ACTIONS, "ping"]), payload=st.dictionaries(st.text(max_size=10), JSON), action=JSON
)
@searched(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_signed_payload_is_an_error(
    http: httpx2.Client, event: str, payload: dict[str, Any], action: object
) -> None:
    """Whatever stands in it, it is ignored for a reason or taken."""
    raw = json.dumps(payload | {"action": action}).encode()
    answer = http.post("/webhook", content=raw, headers=headers(raw, event, "fuzz"))
    assert (answer.status_code, answer.json()["delivery"]) == (202, "fuzz")


@given(
    raw=st.binary(max_size=300),
    header=st.lists(st.sampled_from(VISIBLE), max_size=80),
    kind=st.sampled_from(["application/json", "text/x", ""]),
)
@searched(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_unsigned_request_passes(http: httpx2.Client, raw: bytes, header: bytes, kind: str) -> None:
    """They are refused; none causes an error of the server."""
    sent = {**headers(raw, "pull_request", "g"), "content-type": kind}
    del sent["x-hub-signature-256"]
    answer = http.post("/webhook", content=raw, headers=[*sent.items(), (b"x-hub-signature-256", bytes(header))])
    assert answer.status_code == 401


@pytest.mark.parametrize(
    "request_",
    [
        b"POST /webhook HTTP/1.1\r\nHost: x\r\nContent-Length: 26214401\r\n\r\n",
        b"POST /webhook HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        b"POST /webhook HTTP/1.1\r\nHost: x\r\nContent-Length: 1, 2\r\n\r\n{}",
        b"POST /webhook HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"POST /webhook HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}GARBAGE\r\n\r\n",
        b"GARBAGE\r\n\r\n",
    ],
)
def test_what_is_hardly_http_is_refused(origin: str, request_: bytes) -> None:
    """A length that lies or makes no sense: an answer with a 4xx, at once."""

    async def go() -> bytes:
        host, port = origin.removeprefix("http://").split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(request_)
        async with asyncio.timeout(10):
            line = await reader.readline()
        writer.close()
        await writer.wait_closed()
        return line

    assert asyncio.run(go()).split()[1][:1] == b"4"


def test_a_sender_who_goes_away_leaves_no_trace(http: httpx2.Client, origin: str) -> None:
    """Half a body, and the connection is closed: the server goes on."""

    async def go() -> None:
        host, port = origin.removeprefix("http://").split(":")
        _, writer = await asyncio.open_connection(host, int(port))
        writer.write(b"POST /webhook HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{")
        await writer.drain()
        writer.close()
        await writer.wait_closed()

    asyncio.run(go())
    assert http.get("/healthz").status_code == 200


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
