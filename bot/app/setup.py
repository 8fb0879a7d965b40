"""The setup page of a server without credentials.

It registers a GitHub App, and stores the App's credentials.
The page requires a token that the server only prints at its start.
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
from bot.config.server import ServerOptions
from bot.errors import HostError
from bot.github.apps import site

GITHUB = "https://github.com"
WAITING = "this server has no credentials yet. Open the setup page shown in its log"
NOT_SET_UP = "This server is not set up yet. Open the address shown in its log."
OTHER_SETUP = "This page belongs to an earlier setup. Open the address in the server's log again."
_log = log("setup")
probes = APIRouter()


@dataclass(slots=True)
class Setup:
    """A setup in progress. `is_done` is set once the credentials are stored."""

    options: ServerOptions
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)
    state: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)
    is_done: asyncio.Event = field(default_factory=asyncio.Event)
    converting: asyncio.Lock = field(default_factory=asyncio.Lock)  # GitHub's code can only be used once
    public: str = ""  # the public URL that was entered last
    # The App's name and slug, kept so that the last page can be reloaded.
    app_names: tuple[str, str] | None = None


def create(setup: Setup) -> FastAPI:
    """Return the application of a server that is not set up yet."""
    app = FastAPI(openapi_url=None)

    @app.get("/")
    async def home() -> Response:
        return _error_page(503, NOT_SET_UP, "deeprepo is not set up yet")

    @app.get("/setup")
    async def form(
        request: Request, token: str = "", url: str = "", organization: str = "", *, edit: bool = False
    ) -> Response:
        if not _matches(setup.token, token):
            return _error_page(403, "This address has no valid token. Open the address in the server's log.")
        return _form(setup, str(request.base_url).rstrip("/"), url.strip(), organization.strip(), edit=edit)

    @app.get("/setup/done")
    async def done_page(code: str = "", state: str = "") -> Response:
        if not _matches(setup.state, state):
            return _error_page(403, OTHER_SETUP)
        try:
            name, slug = await _register(setup, code)
        except HostError as error:
            return _error_page(502, f"{error}.")
        github = site(setup.options.github_api)
        return page(
            "setup/done.html.j2", 200, github, app=name, install=manifest.install(setup.options.github_api, slug)
        )

    app.include_router(probes)
    app.add_api_route("/webhook", not_ready, methods=["POST"])
    return app


def waiting() -> FastAPI:
    """Return the application of a worker whose server is not set up yet. It only serves the probes."""
    app = FastAPI(openapi_url=None)
    app.include_router(probes)
    return app


@probes.get("/healthz")
async def healthz() -> Response:
    """Report that the process is alive."""
    return JSONResponse({"alive": True})


@probes.get("/readyz")
async def not_ready() -> Response:
    """Answer 503, because nothing can be stored without credentials."""
    return JSONResponse({"ready": False, "reason": WAITING}, 503, {"retry-after": "60"})


async def _register(setup: Setup, code: str) -> tuple[str, str]:
    """Exchange GitHub's code for credentials, store them, and return the App's name and slug.

    Raises HostError.
    """
    async with setup.converting:
        if setup.app_names is None:
            credentials = await manifest.convert(setup.options.github_api, code)
            manifest.store(credentials, setup.options.credentials, setup.public)
            _log("the App was created on GitHub, and its credentials were stored", app=credentials.get("slug"))
            setup.app_names = str(credentials.get("name") or "The App"), str(credentials.get("slug", ""))
            setup.is_done.set()
        return setup.app_names


def _form(setup: Setup, own_url: str, url: str, organization: str, *, edit: bool) -> Response:
    """The button that submits the manifest to GitHub is only on the confirmation page, so it sends what the page shows."""
    options = setup.options
    public = (url or options.public_url or ("" if _is_private(own_url) else own_url)).rstrip("/")
    problem = ""
    if organization and not manifest.LOGIN.fullmatch(organization):
        problem = f"{organization} is not the name of an organization. Use the name in its address, github.com/NAME."
    elif url and (_is_private(public) or urlsplit(public).scheme != "https") and site(options.github_api) == GITHUB:
        # Only a GitHub Enterprise Server may be on the same private network.
        problem = "GitHub cannot reach this address. Use an https address that is reachable from the internet, such as a tunnel's or a proxy's."
    values = {"public": public, "organization": organization, "token": setup.token, "wrong": problem}
    github = site(options.github_api)
    if not url or problem or edit:
        reads, writes = manifest.permissions("read"), manifest.permissions("write")
        return page("setup/form.html.j2", 200, github, reads=reads, writes=writes, **values)
    setup.public = public
    body = manifest.manifest(public, f"{options.public_url or own_url}/setup/done", organization)
    action = manifest.new_app(options.github_api, organization, setup.state)
    return page("setup/confirm.html.j2", 200, github, manifest=body, action=action, **values)


def _is_private(address: str) -> bool:
    host = urlsplit(address).hostname or ""
    try:
        return not ipaddress.ip_address(host).is_global
    except ValueError:
        return "." not in host or host.endswith((".local", ".internal", ".localhost"))


def _matches(ours: str, given: str) -> bool:
    """The comparison takes constant time."""
    return secrets.compare_digest(ours.encode(), given.encode("utf-8", "replace"))


def _error_page(status: int, why: str, title: str = "The setup failed") -> Response:
    return page("setup/wrong.html.j2", status, title=title, why=why)
