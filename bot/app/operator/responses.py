"""How the operator's pages are answered: a policy without exceptions, and one page for everything that is not there."""

import hashlib
from functools import cache

from fastapi.responses import HTMLResponse, RedirectResponse, Response

from bot import render
from bot.app import page as plain

POLICY = (  # forms are sent to this server only; the way to GitHub is a link
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; "
    "base-uri 'none'; frame-ancestors 'none'; form-action 'self'"
)
HEADERS = plain.HEADERS | {
    "content-security-policy": POLICY,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "same-origin",  # other sites do not see the addresses of these pages
}
PAGE_FILES = {
    "page.css": "text/css; charset=utf-8",
    "page.js": "text/javascript; charset=utf-8",
    "page.svg": "image/svg+xml",
}
KEPT = "public, max-age=31536000, immutable"  # their addresses change with their contents


def page(template: str, status: int = 200, /, **values: object) -> Response:
    """Return a page."""
    return HTMLResponse(render.page(f"pages/{template}", asset=asset, **values), status, HEADERS)


def missing() -> Response:
    """Return the page for something that doesn't exist, or that belongs to another person."""
    return page("missing.html.j2", 404)


def redirect(address: str) -> Response:
    """Go on to another page."""
    return RedirectResponse(address, 303, HEADERS)


def file(name: str) -> Response:
    """Return the style, the icon or the script of the pages."""
    headers = HEADERS | {"cache-control": KEPT, "content-type": PAGE_FILES[name]}
    return Response(_file(name), 200, headers)


def asset(name: str) -> str:
    """Return the address of a file, which changes when the file does."""
    return f"/{name}?{hashlib.sha256(_file(name)).hexdigest()[:12]}"


@cache
def _file(name: str) -> bytes:
    return render.file(f"pages/{name}")
