"""The set-up page: a server that has no credentials yet helps to make an App at GitHub, and stores what comes back.

Who may use it is decided by a token that stands in the server's log and nowhere else.
"""

import asyncio
import ipaddress
import secrets
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, JSONResponse, Response

from bot import render
from bot.app import manifest
from bot.app.logs import log
from bot.config import Place
from bot.config.server import STORED
from bot.errors import HostError
from bot.github.identity import site

HEADERS = {
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",  # the address of the page holds its token
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}
WAITING = "this server has no credentials yet: its log names the page that sets it up"
_log = log("setup")


@dataclass(slots=True)
class Setup:
    """One set-up under way. `done` is set once the credentials are stored."""

    place: Place
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)
    state: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)
    done: asyncio.Event = field(default_factory=asyncio.Event)

    def allows(self, token: str) -> bool:
        """Whether this is the token of the log."""
        return secrets.compare_digest(self.token.encode(), token.encode("utf-8", "replace"))

    def returned(self, state: str) -> bool:
        """Whether GitHub sends back who left from our own page, for the first time."""
        known = secrets.compare_digest(self.state.encode(), state.encode("utf-8", "replace"))
        return known and not self.done.is_set()


def create(setup: Setup) -> FastAPI:
    """The pages of a server that is not set up yet."""
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)

    @app.get("/setup")
    async def form(request: Request, token: str = "", url: str = "", organization: str = "") -> Response:
        if not setup.allows(token):
            return _wrong(403, "The address of this page must hold the token that stands in the server's log.")
        return _form(setup, str(request.base_url).rstrip("/"), url.strip(), organization.strip())

    @app.get("/setup/done")
    async def done(code: str = "", state: str = "") -> Response:
        if not setup.returned(state):
            return _wrong(403, "This answer of GitHub's does not belong to the set-up that is under way: begin again.")
        try:
            found = await manifest.convert(setup.place.github_api, code)
            manifest.store(found, setup.place.data / STORED)
        except HostError as error:
            return _wrong(502, f"{error}.")
        _log("the App was made at GitHub, and its credentials are stored", app=found.get("slug"))
        setup.done.set()
        page = site(setup.place.github_api)
        install = f"{page}/apps/{found.get('slug', '')}/installations/new"
        return _page("setup/done.html.j2", 200, page, app=str(found.get("name") or "The App"), install=install)

    @app.get("/healthz")
    async def healthz() -> Response:
        return JSONResponse({"alive": True})

    @app.get("/readyz")
    @app.post("/webhook")
    async def waiting() -> Response:
        return JSONResponse({"ready": False, "reason": WAITING}, 503, {"retry-after": "60"})

    return app


def _form(setup: Setup, here: str, url: str, organization: str) -> Response:
    """The page with GitHub's button, once it is known how GitHub reaches this server."""
    place = setup.place
    public = (url or place.public_url or ("" if _private(here) else here)).rstrip("/")
    wrong = ""
    if organization and not manifest.LOGIN.fullmatch(organization):
        wrong = "This is no name of an organization."
    elif public and (_private(public) or urlsplit(public).scheme != "https"):
        wrong = "GitHub sends events to https addresses that it reaches over the internet: a tunnel or a proxy gives you one."
        if site(place.github_api) != "https://github.com":
            wrong = ""  # a GitHub server of one's own may stand in the same network
    body = manifest.manifest(public, f"{place.public_url or here}/setup/done", organization)
    return _page(
        "setup/form.html.j2",
        200,
        site(place.github_api),
        wrong=wrong,
        manifest=body if public and not wrong else "",
        action=manifest.new_app(place.github_api, organization, setup.state),
        public=public,
        organization=organization,
        token=setup.token,
    )


def _private(address: str) -> bool:
    """Whether an address is one that only this network knows."""
    host = urlsplit(address).hostname or ""
    try:
        return not ipaddress.ip_address(host).is_global
    except ValueError:
        return "." not in host or host.endswith((".local", ".internal", ".localhost"))


def _wrong(status: int, why: str) -> Response:
    return _page("setup/wrong.html.j2", status, "", why=why)


def _page(template: str, status: int, github: str, **values: str) -> Response:
    policy = f"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'; form-action 'self' {github}"
    return HTMLResponse(render.text(template, **values), status, HEADERS | {"content-security-policy": policy})
