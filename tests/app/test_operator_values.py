"""Any value in a URL, form or header of the operator's pages gets an answer and never a server error."""

from pathlib import Path
from urllib.parse import quote_from_bytes

from visiting import stored, visit

ADDRESSES = (
    *("/reviews?after={}", "/reviews?state={}", "/reviews?repository={}", "/reviews/{}", "/?days={}", "/worth?days={}"),
    *("/signin?token={}&back={}", "/signin/done?code=x&state={}", "/{}", "/healthz?unknown={}"),
)
HOSTILE = (
    *(
        "\ud800".encode("utf-8", "surrogatepass"),
        b"\xff\xfe",
        b"a\0b",
        b"\x1b[31m",
        b"a\r\nset-cookie: x=y",
        b"x" * 7_000,
    ),
    *(
        text.encode()
        for text in ("\u2028", "\u202e", "9" * 30, "-1", "1e999", "[]", "../..", "%2e%2e", "'--", "\U0001d518")
    ),
)


async def test_invalid_url_values_never_cause_a_server_error(tmp_path: Path) -> None:
    """Invalid text, control characters, overlong and odd values are answered, mostly with "not found"."""
    async with visit(tmp_path) as at:
        await stored(at)
        http = await at.operator()
        for address in ADDRESSES:
            for value in HOSTILE:
                answer = await http.get(address.replace("{}", quote_from_bytes(value, safe="")))
                assert answer.status_code < 500, (address, value[:20], answer.status_code)
                assert "x" not in answer.cookies
                if address.startswith(("/reviews?", "/?days", "/worth")):
                    assert 400 <= answer.status_code < 500, (address, value[:20], answer.status_code)


async def test_invalid_forms_and_headers_never_cause_a_server_error(tmp_path: Path) -> None:
    """Meaningless forms and headers are answered and change nothing."""
    async with visit(tmp_path) as at:
        await stored(at)
        http = await at.operator()
        for path in ("/retry", "/signout", "/signin"):
            for value in HOSTILE:
                fields = (
                    field + b"=" + quote_from_bytes(value, safe="").encode()
                    for field in (b"form", b"failure", b"token")
                )
                for content in (b"&".join(fields), value):
                    assert (await http.post(path, content=content)).status_code < 500, (path, value[:20])
        for name in (b"cookie", b"sec-fetch-site", b"origin"):
            for value in (b"deeprepo=\xe9", b"deeprepo=" + b"a." * 3_000, b"\xff", b"deeprepo=.;deeprepo-leaving=x.y"):
                assert (await http.get("/reviews", headers=[(name, value)])).status_code < 500, (name, value[:20])
        assert await at.server.opened.store.failures.newest(None, 10)
