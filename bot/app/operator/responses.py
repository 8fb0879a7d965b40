"""Create the responses of the operator's pages, all with the same strict security headers."""

import hashlib
from functools import cache

from fastapi.responses import HTMLResponse, RedirectResponse, Response

from bot import render
from bot.app import page as plain

POLICY = (  # forms can only be submitted to this server; the sign-in at GitHub is a link
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; "
    "base-uri 'none'; frame-ancestors 'none'; form-action 'self'"
)
HEADERS = plain.HEADERS | {
    "content-security-policy": POLICY,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "same-origin",  # hides the URLs of these pages from other sites
}
PAGE_FILES = {
    "page.css": "text/css; charset=utf-8",
    "page.js": "text/javascript; charset=utf-8",
    "page.svg": "image/svg+xml",
}
CACHE_FOREVER = "public, max-age=31536000, immutable"  # a file's URL changes with its contents


def page(template: str, status: int = 200, /, **values: object) -> Response:
    """Render a template as a response."""
    return HTMLResponse(render.page(f"pages/{template}", asset=asset, **values), status, HEADERS)


def missing() -> Response:
    """Return the 404 page, for anything that doesn't exist or that the session may not see."""
    return page("missing.html.j2", 404)


def redirect(address: str) -> Response:
    """Return a redirect to another page."""
    return RedirectResponse(address, 303, HEADERS)


def file(name: str) -> Response:
    """Return one of `PAGE_FILES`: the pages' style sheet, script or icon."""
    headers = HEADERS | {"cache-control": CACHE_FOREVER, "content-type": PAGE_FILES[name]}
    return Response(_file(name), 200, headers)


def asset(name: str) -> str:
    """Return a file's URL. It contains a hash of the file, so that browsers can cache the file forever."""
    return f"/{name}?{hashlib.sha256(_file(name)).hexdigest()[:12]}"


@cache
def _file(name: str) -> bytes:
    return render.file(f"pages/{name}")
