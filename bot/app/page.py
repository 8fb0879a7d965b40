"""Render the server's own HTML pages, which have no scripts, with a strict content security policy."""

from fastapi.responses import HTMLResponse, Response

from bot import render

HEADERS = {
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",  # the address of the set-up page holds its token
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}


def page(template: str, status: int = 200, github: str = "", **values: str) -> Response:
    """Render a template as a response whose forms may be submitted to this server and to `github`."""
    # A trailing space would make the header invalid
    forms = " ".join(filter(None, ("form-action 'self'", github)))
    policy = f"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'; {forms}"
    return HTMLResponse(render.text(template, **values), status, HEADERS | {"content-security-policy": policy})
