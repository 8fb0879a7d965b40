"""Whatever stands in an address, a form or a header of the operator's pages: an answer, and never a fault of the server."""

import asyncio
import base64
import json
import random
from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import quote_from_bytes

import pytest
from fastapi.routing import APIRoute
from visiting import stored, visit

from bot.app import operator
from bot.app.create import hooks, pages, probes

SURROGATE = "\ud800".encode("utf-8", "surrogatepass")
HOSTILE = (
    SURROGATE,
    b"\xff\xfe",
    b"a\0b",
    b"\0",
    b"\x1b[31m",
    b"a\r\nset-cookie: x=y",
    b"\xc0\xaf",
    b"x" * 7_000,
    b"\x7f",
)
ODD = (
    "é",
    "\u2028",
    "\u202e",
    "9" * 30,
    "-1",
    "1e999",
    "[]",
    "{}",
    "null",
    "true",
    "../..",
    "%2e%2e",
    "'--",
    "\U0001d518",
    " ",
)


def mark(text: bytes) -> str:
    """A place in the list as the page writes it, of anything."""
    return base64.urlsafe_b64encode(text).decode().rstrip("=")


MARKS = (
    [
        mark(json.dumps(made).encode())
        for made in (
            [1.0, "\ud800"],
            [1.0, "a\0"],
            [True, "x"],
            [1.0, 2],
            [],
            {},
            "x",
            None,
            [[], "x"],
            [1.0, "\u202e"],
        )
    ]
    + [mark(text) for text in (b'[1e999,"x"]', b'[NaN,"x"]', b"[" * 290, b"\xff", b"")]
    + ["é", "A" * 399]
)


def routes(listed: Iterable[object]) -> Iterator[APIRoute]:
    """The routes, those of routers within routers too."""
    for one in listed:
        inner = getattr(one, "original_router", None)
        if isinstance(one, APIRoute):
            yield one
        elif inner is not None:
            yield from routes(inner.routes)


def addresses() -> list[tuple[str, str]]:
    """Every page that a browser asks for by GET, with each of its values in an address to be filled: method and address."""
    found = []
    for route in routes((*operator.router.routes, *probes.routes, *hooks.routes, *pages.routes)):
        if "GET" not in route.methods:
            continue
        path = route.path.replace("{job:path}", "{}")
        found += [("path", path)] if "{}" in path else []
        found += [("query", f"{path.replace('{}', 'x')}?{one.name}={{}}") for one in route.dependant.query_params]
        found.append(("query", f"{path.replace('{}', 'x')}?unknown={{}}"))
    return found


def test_no_value_of_an_address_is_a_fault(tmp_path: Path) -> None:
    """Characters that are no text, control characters and overlong values are refused with 4xx at every address; odd ones never fail."""

    async def go() -> None:
        async with visit(tmp_path) as at:
            await stored(at)
            http = await at.operator()
            known = addresses()
            assert {"/reviews?after={}", "/reviews/{}", "/signin/done?state={}"} <= {address for _, address in known}
            for _, address in known:
                for value in HOSTILE:
                    answer = await http.get(address.replace("{}", quote_from_bytes(value, safe="")))
                    assert 400 <= answer.status_code < 500, (address, value[:20], answer.status_code)
                for text in ODD:
                    answer = await http.get(address.replace("{}", quote_from_bytes(text.encode(), safe="")))
                    assert answer.status_code < 500, (address, text, answer.status_code)

    asyncio.run(go())


@pytest.mark.parametrize("address", ["/reviews?after=", "/reviews?state=", "/?days=", "/?repositories="])
def test_a_value_that_means_nothing_is_not_there(tmp_path: Path, address: str) -> None:
    """Marks of a list, outcomes and periods that the page has never written are 404."""

    async def go() -> None:
        async with visit(tmp_path) as at:
            http = await at.operator()
            for value in MARKS if "after" in address else ["nonsense", "-1", "9999999"]:
                answer = await http.get(address + quote_from_bytes(value.encode(), safe=""))
                assert answer.status_code == 404 or not value, (value, answer.status_code)

    asyncio.run(go())


def test_no_form_and_no_header_is_a_fault(tmp_path: Path) -> None:
    """Forms and headers of random bytes are answered, and change nothing."""

    async def go() -> None:
        async with visit(tmp_path) as at:
            await stored(at)
            http, chance = await at.operator(), random.Random(19)  # noqa: S311 - the same bytes each time
            for path in ("/retry", "/signout", "/signin"):
                for value in (*HOSTILE, *(chance.randbytes(chance.randrange(60)) for _ in range(30))):
                    for field in (b"form", b"failure", b"token"):
                        answer = await http.post(path, content=field + b"=" + quote_from_bytes(value, safe="").encode())
                        assert answer.status_code < 500, (path, field, value[:20])
                    raw = await http.post(path, content=value)
                    assert raw.status_code < 500, (path, value[:20])
            for name in ("cookie", "sec-fetch-site", "origin", "x-forwarded-for", "accept-language"):
                for value in (
                    b"deeprepo=\xe9",
                    b"deeprepo=" + b"a." * 3_000,
                    b"deeprepo=" + base64.urlsafe_b64encode(b"[" * 2_900) + b".e30.x",
                    b"\xff",
                    b"deeprepo=.;deeprepo-leaving=x.y",
                ):
                    answer = await http.get("/reviews", headers=[(name.encode(), value)])
                    assert answer.status_code < 500, (name, value[:20])
            assert await at.server.opened.store.failures.newest(None, 10)

    asyncio.run(go())
