"""The server's own pages: HTML without scripts, with a policy that lets nothing else in."""

from fastapi.responses import HTMLResponse, Response

from bot import render

HEADERS = {
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",  # the address of the set-up page holds its token
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}


def page(template: str, status: int = 200, github: str = "", **values: str) -> Response:
    """Return a page from its template. Its forms may be sent to our own origin and to `github`."""
    forms = " ".join(filter(None, ("form-action 'self'", github)))  # a blank at the end would make the header invalid
    policy = f"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'; {forms}"
    return HTMLResponse(render.text(template, **values), status, HEADERS | {"content-security-policy": policy})
