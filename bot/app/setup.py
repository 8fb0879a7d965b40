"""The set-up page: a server that has no credentials yet helps to register an App at GitHub, and stores what comes back.

Who may use it is decided by a token that is in the server's log and nowhere else.
"""

import asyncio
import ipaddress
import secrets
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import JSONResponse, Response

from bot.app import manifest
from bot.app.logs import log
from bot.app.page import page
from bot.config import ServerOptions
from bot.errors import HostError
from bot.github.identity import site

GITHUB = "https://github.com"
WAITING = "this server has no credentials yet. Open the setup page shown in its log"
NOT_YET = "This server is not set up yet. Open the address shown in its log."
OTHER = "This page belongs to an earlier setup. Open the address in the server's log again."
_log = log("setup")
probes = APIRouter()


@dataclass(slots=True)
class Setup:
    """One set-up under way. `is_done` is set once the credentials are stored."""

    options: ServerOptions
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)
    state: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)
    is_done: asyncio.Event = field(default_factory=asyncio.Event)
    converting: asyncio.Lock = field(default_factory=asyncio.Lock)  # GitHub's code is good for one use
    public: str = ""  # the address that was typed last
    # The App's name and its slug, for a browser that loads the last page again.
    app_names: tuple[str, str] | None = None


def create(setup: Setup) -> FastAPI:
    """Return the pages of a server that is not set up yet."""
    app = FastAPI(openapi_url=None)

    @app.get("/")
    async def home() -> Response:
        return _wrong(503, NOT_YET, "deeprepo is not set up yet")

    @app.get("/setup")
    async def form(
        request: Request, token: str = "", url: str = "", organization: str = "", *, edit: bool = False
    ) -> Response:
        if not _same(setup.token, token):
            return _wrong(403, "This address has no valid token. Open the address in the server's log.")
        return _form(setup, str(request.base_url).rstrip("/"), url.strip(), organization.strip(), edit=edit)

    @app.get("/setup/done")
    async def done_page(code: str = "", state: str = "") -> Response:
        if not _same(setup.state, state):
            return _wrong(403, OTHER)
        try:
            name, slug = await _register(setup, code)
        except HostError as error:
            return _wrong(502, f"{error}.")
        github = site(setup.options.github_api)
        return page(
            "setup/done.html.j2", 200, github, app=name, install=manifest.install(setup.options.github_api, slug)
        )

    app.include_router(probes)
    app.add_api_route("/webhook", not_ready, methods=["POST"])
    return app


def waiting() -> FastAPI:
    """Return what a worker answers until the server that it works for is set up."""
    app = FastAPI(openapi_url=None)
    app.include_router(probes)
    return app


@probes.get("/healthz")
async def healthz() -> Response:
    """Return whether the process answers."""
    return JSONResponse({"alive": True})


@probes.get("/readyz")
async def not_ready() -> Response:
    """Refuse: nothing can be stored yet."""
    return JSONResponse({"ready": False, "reason": WAITING}, 503, {"retry-after": "60"})


async def _register(setup: Setup, code: str) -> tuple[str, str]:
    """The name and the slug of the App, whose credentials are stored. Raises HostError."""
    async with setup.converting:
        if setup.app_names is None:
            credentials = await manifest.convert(setup.options.github_api, code)
            manifest.store(credentials, setup.options.credentials, setup.public)
            _log("the App was created on GitHub, and its credentials were stored", app=credentials.get("slug"))
            setup.app_names = str(credentials.get("name") or "The App"), str(credentials.get("slug", ""))
            setup.is_done.set()
        return setup.app_names


def _form(setup: Setup, own_url: str, url: str, organization: str, *, edit: bool) -> Response:
    """Ask for the address and the owner.

    Once both are valid, show them with the button that leads to GitHub.

    The button never appears next to an empty or edited field, so it sends what the page shows.
    """
    options = setup.options
    public = (url or options.public_url or ("" if _private(own_url) else own_url)).rstrip("/")
    wrong = ""
    if organization and not manifest.LOGIN.fullmatch(organization):
        wrong = f"{organization} is not the name of an organization. Use the name in its address, github.com/NAME."
    elif url and (_private(public) or urlsplit(public).scheme != "https") and site(options.github_api) == GITHUB:
        # A GitHub Enterprise Server may be in the same network; github.com is not.
        wrong = "GitHub cannot reach this address. Use an https address that is reachable from the internet, such as a tunnel's or a proxy's."
    values = {"public": public, "organization": organization, "token": setup.token, "wrong": wrong}
    github = site(options.github_api)
    if not url or wrong or edit:
        reads, writes = manifest.permissions("read"), manifest.permissions("write")
        return page("setup/form.html.j2", 200, github, reads=reads, writes=writes, **values)
    setup.public = public
    body = manifest.manifest(public, f"{options.public_url or own_url}/setup/done", organization)
    action = manifest.new_app(options.github_api, organization, setup.state)
    return page("setup/confirm.html.j2", 200, github, manifest=body, action=action, **values)


def _private(address: str) -> bool:
    """Whether an address is one that only this network knows."""
    host = urlsplit(address).hostname or ""
    try:
        return not ipaddress.ip_address(host).is_global
    except ValueError:
        return "." not in host or host.endswith((".local", ".internal", ".localhost"))


def _same(ours: str, given: str) -> bool:
    """Whether a browser brings the token of the log, or the state that it left for GitHub with. Takes the same time for each wrong one."""
    return secrets.compare_digest(ours.encode(), given.encode("utf-8", "replace"))


def _wrong(status: int, why: str, title: str = "The setup failed") -> Response:
    return page("setup/wrong.html.j2", status, title=title, why=why)
