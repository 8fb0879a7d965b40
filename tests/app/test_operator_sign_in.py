"""Signing in with GitHub or with the link from the log, and ending a session."""

import asyncio
import logging
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx2
import jwt
import pytest
from serving import served
from visiting import Visit, form, stored, visit

from bot.app import operator
from bot.app.operator.sessions import key_of, local_path, signed, verified_claims


async def test_session_survives_a_restart_and_ends_with_sign_out(tmp_path: Path) -> None:
    """Session keys derive from the App's. Ended cookies and used links stay invalid after a restart."""
    async with visit(tmp_path) as at:
        await at.sign_in("ann")
        http = await at.browser("ann")
        kept = dict(http.cookies)
        cookie = next(
            value for value in (await at.sign_in("bob")).headers.get_list("set-cookie") if "deeprepo=" in value
        )
        assert "HttpOnly" in cookie
        assert "SameSite=lax" in cookie
        assert "Max-Age=" in cookie
        mark = form((await http.get("/")).text)
        assert (await http.post("/signout", data={"form": "x"})).status_code == 303
        assert (await http.get("/")).status_code == 200  # without the form's token, no sign-out
        assert (await http.post("/signout", data={"form": mark})).headers["location"] == "/signin"
        http.cookies.update(kept)
        assert (await http.get("/")).status_code == 303
        bobs = dict((await at.browser("bob")).cookies)
        token = parse_qs(urlsplit(operator.link(at.given, at.base)).query)["token"][0]
        assert (await (await at.browser("carol")).post("/signin", data={"token": token})).status_code == 303
        given = at.given
    async with served(given) as again:
        ended = {"cookie": f"deeprepo={kept['deeprepo']}"}
        assert (await again.http.get("/", headers=ended)).status_code == 303
        assert (await again.http.post("/signin", data={"token": token})).status_code == 400
        kept = {"cookie": f"deeprepo={bobs['deeprepo']}"}
        assert (await again.http.get("/", headers=kept)).status_code == 200
        assert (await again.http.get("/", headers={"cookie": f"{kept['cookie'][:-2]}xx"})).status_code == 303


async def test_sign_in_link_survives_opening_and_https_cookies_are_secure(tmp_path: Path) -> None:
    """Opening the link does not use it up, and cookies are "Secure" for an https address."""
    async with visit(tmp_path, public_url="https://bot.example") as at:
        token = parse_qs(urlsplit(operator.link(at.given, at.base)).query)["token"][0]
        http = await at.browser("somebody")
        for _ in range(2):
            assert "Sign in as the operator" in (await http.get(f"/signin?token={token}")).text
        for host in ("bot.example", "BOT.example", "bot.example:443", "bot.example."):
            left = await http.get("/signin/github", headers={"host": host})
            assert "Secure" in left.headers["set-cookie"], host
        entered = await http.post("/signin", data={"token": token}, headers={"host": "bot.example"})
        assert "Secure" in entered.headers["set-cookie"]
        assert (await http.post("/signin", data={"token": token})).status_code == 400
        forged = signed(b"another key of thirty-two bytes.", "link", {"id": "x"}, 600)
        key = key_of(at.given.app.private_key)  # type: ignore[union-attr]
        session, late = signed(key, "session", {"id": "x"}, 600), signed(key, "link", {"id": "x"}, -1)
        unsigned = jwt.encode({"id": "x", "aud": "link", "exp": 9e12}, None, "none")
        for wrong in (forged, session, late, unsigned, "", "x.y", "\u00e9", token[:-1]):
            assert (await http.post("/signin", data={"token": wrong})).status_code == 400


def test_code_is_valid_only_in_the_browser_that_requested_it(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Another browser's state, a code used twice or a refusal gives no session; GitHub tokens are revoked."""

    async def go() -> None:
        async with visit(tmp_path) as at:
            back = await at.leave("ann")
            other = await at.browser("other")
            assert (await other.get(back)).status_code == 400
            ann = await at.browser("ann")
            assert (await ann.get(back)).status_code == 303
            again = await at.browser("again")
            again.cookies.update(dict(ann.cookies))
            assert (await again.get(back)).status_code == 400
            refused = await at.leave("bob")
            denied = (
                f"{refused.split('?')[0]}?error=access_denied&state={parse_qs(urlsplit(refused).query)['state'][0]}"
            )
            assert (await (await at.browser("bob")).get(denied)).status_code == 400
            assert [token for token in at.gh.world.tokens if token.startswith("ghu_")] == []

    with caplog.at_level(logging.DEBUG):
        asyncio.run(go())
    assert "ghu_" not in caplog.text
    assert "secret-of" not in caplog.text


async def test_expired_session_checks_permission_again(tmp_path: Path) -> None:
    """An expired session goes to GitHub and back to its page; without the right it is refused."""
    async with visit(tmp_path) as at:
        await stored(at)
        await at.sign_in("ann")
        http = await at.browser("ann")
        _aged(at, http)
        sent = await http.get("/reviews?state=clean")
        assert sent.headers["location"] == "/signin/github?back=%2Freviews%3Fstate%3Dclean"
        back = await at.leave("ann", sent.headers["location"])
        returned = await http.get(back)
        assert (returned.status_code, returned.headers["location"]) == (303, "/reviews?state=clean")
        assert (await http.get("/")).status_code == 200
        _aged(at, http)
        at.shop.add("ann", "write")
        out = await http.get(await at.leave("ann", (await http.get("/")).headers["location"]))
        assert out.status_code == 403
        assert (await http.get("/")).headers["location"] == "/signin"


def _aged(at: Visit, http: httpx2.AsyncClient) -> None:
    """Change a browser's session so that its right has to be checked again."""
    key = key_of(at.given.app.private_key)  # type: ignore[union-attr]
    said = verified_claims(key, "session", http.cookies["deeprepo"])
    http.cookies.clear()
    http.cookies.set("deeprepo", signed(key, "session", {**said, "until": 1.0}, 600), "127.0.0.1")  # type: ignore[dict-item]


@pytest.mark.parametrize(
    "address", ["//evil.example", "/\\evil.example", "https://evil.example", "/signin", "", "/a\nb"]
)
def test_sign_in_never_redirects_to_another_server(address: str) -> None:
    """After signing in, people stay on this server."""
    assert local_path(address) == "/"
