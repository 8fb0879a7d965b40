"""Who is looking: sessions in a signed cookie, begun by GitHub's web flow or by the link in the server's log.

A session says which installations its person administers. GitHub is asked again every hour, by sending the browser there and
back; who has lost the right meanwhile comes back without it. No token of GitHub's is kept.

Cookies and links are JSON Web Tokens. Their key comes from the App's private key: sessions survive a restart, and a new private
key ends them all.
"""

import hashlib
import hmac
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import urlsplit

import jwt
from pydantic import BaseModel, SecretStr
from starlette.requests import Request
from starlette.responses import Response

from bot.app import manifest
from bot.app.running_server import RunningServer
from bot.config import Server
from bot.storage.tables import Scope

CHECKED = 3600.0  # seconds after which GitHub is asked again what a person administers
SESSION_SECONDS = 12 * 3600.0  # seconds after which a person has to sign in again
LINKED = 24 * 3600.0  # seconds for which the link of the log is good, once
AWAY = 600.0  # seconds that a person may stay at GitHub to agree
MAX_INSTALLATIONS = 200  # installations of one session: a cookie holds no more
OPERATOR = "operator"  # the name of who has come by the link
PURPOSE = b"deeprepo operator pages 1"
ALGORITHM = "HS256"
NOT_OURS = (jwt.InvalidTokenError, ValueError, RecursionError)  # what reading a stranger's text can come to
Kind = Literal["session", "leaving", "link"]  # a token for one is worth nothing as another
COOKIES: Mapping[Kind, str] = {"session": "deeprepo", "leaving": "deeprepo-leaving"}


class SignedIn(BaseModel, frozen=True):
    """A person who has signed in. `scope` is None for the operator, who sees everything."""

    id: str  # nobody guesses it: the forms of this session's pages carry it
    login: str
    scope: Scope
    since: float  # when they signed in, seconds since 1970
    until: float  # when the right is looked up again, or the session is over

    @property
    def is_current(self) -> bool:
        """Whether GitHub need not be asked again."""
        return self.until > time.time()

    def may(self, installation: int) -> bool:
        """Return whether this installation is theirs."""
        return self.scope is None or installation in self.scope


class Departure(BaseModel, frozen=True):
    """What a browser carries while it is at GitHub."""

    state: str
    verifier: str  # of PKCE: only its hash went to GitHub
    back: str  # the page to go to afterwards


@dataclass(frozen=True, slots=True)
class Door:
    """What the App signs people in with. `back` is where GitHub sends them afterwards."""

    client_id: str
    client_secret: SecretStr
    back: str


@dataclass(frozen=True, slots=True)
class Visitor:
    """A GitHub user, with the installations that they administer."""

    login: str
    installations: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Gate:
    """Lets people in."""

    server: RunningServer
    key: bytes = field(repr=False)

    def door(self, request: Request) -> Door | None:
        """Return what people sign in with at GitHub, None where the App has no client secret."""
        app = self.server.app
        if not app.has_sign_in or app.client_secret is None:
            return None
        url = self.server.options.public_url or str(request.base_url).rstrip("/")
        return Door(app.client_id, SecretStr(app.client_secret.get_secret_value().strip()), url + manifest.SIGNED_IN)

    async def session(self, request: Request) -> SignedIn | None:
        """Return a request's session, even if GitHub has to be asked again, or None without a valid one."""
        claims = verified_claims(self.key, "session", request.cookies.get(COOKIES["session"], ""))
        is_over = not claims or await self.server.store.sessions.is_over(claims["id"])
        return None if is_over else SignedIn.model_validate(claims)

    async def begin(self, response: Response, request: Request, visitor: Visitor | None) -> None:
        """Start a session. A visitor's lasts until GitHub is asked again, the operator's (None) for the day."""
        now, old = time.time(), await self.session(request)
        login = OPERATOR if visitor is None else visitor.login
        since = old.since if old is not None and old.login == login and not old.is_current else now
        session = SignedIn(
            id=secrets.token_urlsafe(24),
            login=login,
            scope=None if visitor is None else visitor.installations[:MAX_INSTALLATIONS],
            since=since,
            until=since + SESSION_SECONDS if visitor is None else min(now + CHECKED, since + SESSION_SECONDS),
        )
        self._set(response, request, "session", session, since + SESSION_SECONDS - now)

    async def end(self, response: Response, request: Request) -> None:
        """End the session, also for a copy of its cookie, and after a restart."""
        session = await self.session(request)
        if session is not None:
            await self.server.store.sessions.end(session.id, session.since + SESSION_SECONDS)
        response.delete_cookie(COOKIES["session"])

    def leave(self, response: Response, request: Request, back: str) -> Departure:
        """Start a sign-in with GitHub, and set the cookie that identifies the person afterwards."""
        departure = Departure(state=secrets.token_urlsafe(24), verifier=secrets.token_urlsafe(48), back=inside(back))
        self._set(response, request, "leaving", departure, AWAY)
        return departure

    def departure(self, request: Request, state: str) -> Departure | None:
        """Return what the browser left with, None unless `state` is the one that it was given."""
        claims = verified_claims(self.key, "leaving", request.cookies.get(COOKIES["leaving"], ""))
        return Departure.model_validate(claims) if claims and state and claims["state"] == state else None

    async def use_link(self, token: str) -> bool:
        """Return whether this is an unused link of ours, and mark it as used."""
        claims = verified_claims(self.key, "link", token)
        return claims is not None and await self.server.store.sessions.end(claims["id"], claims["exp"])

    def _set(self, response: Response, request: Request, kind: Kind, value: BaseModel, seconds: float) -> None:
        """Set a cookie that scripts can't read.

        It is only sent over https if the person came by https, or by the host name of an https public URL.
        """
        public = urlsplit(self.server.options.public_url)
        host = (request.url.hostname or "").rstrip(".")
        is_public = public.scheme == "https" and host == (public.hostname or "").rstrip(".")
        secure = is_public or request.url.scheme == "https"
        token = signed(self.key, kind, value.model_dump(), seconds)
        response.set_cookie(COOKIES[kind], token, int(seconds), httponly=True, samesite="lax", secure=secure)


def link(settings: Server, url: str) -> str:
    """Return an address that signs the operator in, once. It takes the App's private key to make one."""
    if settings.app is None:
        return ""
    token = signed(key_of(settings.app.private_key), "link", {"id": secrets.token_urlsafe(24)}, LINKED)
    return f"{url}/signin?token={token}"


def inside(address: str) -> str:
    """Return a page of this server that a person is sent to after signing in; anything else becomes the first page."""
    ours = address.startswith("/") and not address.startswith(("//", "/\\")) and address.isprintable()
    return address if ours and not address.startswith("/sign") else "/"


def key_of(private_key: SecretStr) -> bytes:
    """Return the key that an App's cookies and links are signed with."""
    text = "".join(private_key.get_secret_value().split())
    return hmac.digest(hashlib.sha256(text.encode()).digest(), PURPOSE, "sha256")


def signed(key: bytes, kind: Kind, claims: Mapping[str, Any], seconds: float) -> str:
    """Return a signed token with these claims, valid for `seconds` seconds."""
    return jwt.encode({**claims, "aud": kind, "exp": int(time.time() + seconds)}, key, ALGORITHM)


def verified_claims(key: bytes, kind: Kind, token: str) -> dict[str, Any] | None:
    """Return what a token says, None where we have not signed it, not for this, or where its time is over."""
    try:
        claims: dict[str, Any] = jwt.decode(token, key, [ALGORITHM], audience=kind, options={"require": ["aud", "exp"]})
    except NOT_OURS:
        return None
    return claims
