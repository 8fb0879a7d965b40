"""Addresses that can be read: what holds characters that no page of this server uses, or is too long, is refused before any route sees it."""

import re
from urllib.parse import unquote_to_bytes

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

LONGEST = 6_000  # bytes of a path, and of a query: a link that signs in has 300
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
WHY = "the address holds characters that no page of this server uses, or is too long"


class Readable:
    """Refuses with 400 what is not UTF-8, holds control characters, or is too long."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request pass, or answer it."""
        if scope["type"] == "http" and not all(_readable(part) for part in (scope["raw_path"], scope["query_string"])):
            await JSONResponse({"detail": WHY}, 400, {"connection": "close"})(scope, receive, send)
            return
        await self._app(scope, receive, send)


def _readable(part: bytes) -> bool:
    if len(part) > LONGEST:
        return False
    try:
        return not _CONTROL.search(unquote_to_bytes(part.replace(b"+", b" ")).decode())
    except UnicodeDecodeError:
        return False
