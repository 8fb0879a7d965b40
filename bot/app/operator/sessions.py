"""Manage the sessions of the operator's pages.

A session starts when a user signs in with GitHub (OAuth), or when the operator opens the link from the
server's log. It is stored in a signed cookie, with the installations that the user administers. Every hour,
the browser is redirected to GitHub and back to check these installations again. A user who no longer
administers any is signed out. GitHub's tokens are not stored.

Cookies and links are JSON Web Tokens, signed with a key that is derived from the App's private key. So
sessions survive a restart of the server, and end when the private key is replaced.
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
from bot.config.server import Server
from bot.storage.database import Scope

RECHECK_SECONDS = 3600.0  # until GitHub is asked again which installations a user administers
SESSION_SECONDS = 12 * 3600.0  # until a user has to sign in again
LINK_SECONDS = 24 * 3600.0  # how long an unused sign-in link is valid
PENDING_SECONDS = 600.0  # how long a user may take to sign in at GitHub
MAX_INSTALLATIONS = 200  # per session; more do not fit into a cookie
OPERATOR = "operator"  # the login of sessions that were started with the link
# For deriving the key of cookies and links from the App's private key
KEY_CONTEXT = b"deeprepo operator pages 1"
ALGORITHM = "HS256"
DECODE_ERRORS = (jwt.InvalidTokenError, ValueError, RecursionError)  # raised when decoding an invalid token
# The audience of a token, so that it can't be used as another kind
Kind = Literal["session", "leaving", "link"]
COOKIES: Mapping[Kind, str] = {"session": "deeprepo", "leaving": "deeprepo-leaving"}


class Session(BaseModel, frozen=True):
    """A signed-in user. `scope` lists the installations that they may see.

    It is None for the operator, who sees all.
    """

    id: str  # random, and included in each form of this session's pages as a CSRF token
    login: str
    scope: Scope
    since: float  # when the user signed in, seconds since 1970
    until: float  # when GitHub has to be asked again, or when the session ends

    @property
    def is_current(self) -> bool:
        """Whether the session can be used without asking GitHub again."""
        return self.until > time.time()

    def may(self, installation: int) -> bool:
        """Return whether the user may see this installation."""
        return self.scope is None or installation in self.scope


class PendingSignIn(BaseModel, frozen=True):
    """A sign-in that waits for the user to return from GitHub. The browser keeps it in a cookie."""

    state: str  # OAuth's `state` parameter
    verifier: str  # the PKCE code verifier, of which GitHub only gets the hash
    back: str  # the page to show after the sign-in


@dataclass(frozen=True, slots=True)
class OAuthClient:
    """The App's OAuth credentials, and the URL to which GitHub redirects users after they signed in."""

    client_id: str
    client_secret: SecretStr
    redirect_uri: str


@dataclass(frozen=True, slots=True)
class Visitor:
    """A GitHub user with the IDs of the installations that they administer."""

    login: str
    installations: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SessionManager:
    """Starts, reads and ends sessions. `key` signs their cookies."""

    server: RunningServer
    key: bytes = field(repr=False)

    def oauth_client(self, request: Request) -> OAuthClient | None:
        """Return the OAuth client for signing in with GitHub, or None if the App has no client secret."""
        app = self.server.app
        if not app.has_sign_in or app.client_secret is None:
            return None
        url = self.server.options.public_url or str(request.base_url).rstrip("/")
        secret = SecretStr(app.client_secret.get_secret_value().strip())
        return OAuthClient(app.client_id, secret, url + manifest.CALLBACK_PATH)

    async def session(self, request: Request) -> Session | None:
        """Return the request's session, or None if it has no valid one.

        The session may need another check at GitHub.
        """
        claims = verified_claims(self.key, "session", request.cookies.get(COOKIES["session"], ""))
        has_ended = not claims or await self.server.store.sessions.is_over(claims["id"])
        return None if has_ended else Session.model_validate(claims)

    async def begin(self, response: Response, request: Request, visitor: Visitor | None) -> None:
        """Start a session by setting its cookie. The `visitor` is None for the operator.

        A visitor's installations have to be checked again after `RECHECK_SECONDS`, but checks don't extend
        the session: it ends `SESSION_SECONDS` after the sign-in.
        """
        now, old = time.time(), await self.session(request)
        login = OPERATOR if visitor is None else visitor.login
        since = old.since if old is not None and old.login == login and not old.is_current else now
        session = Session(
            id=secrets.token_urlsafe(24),
            login=login,
            scope=None if visitor is None else visitor.installations[:MAX_INSTALLATIONS],
            since=since,
            until=since + SESSION_SECONDS if visitor is None else min(now + RECHECK_SECONDS, since + SESSION_SECONDS),
        )
        self._set_cookie(response, request, "session", session, since + SESSION_SECONDS - now)

    async def end(self, response: Response, request: Request) -> None:
        """End the request's session, and delete its cookie.

        The end is stored, so copies of the cookie are invalid too.
        """
        session = await self.session(request)
        if session is not None:
            await self.server.store.sessions.end(session.id, session.since + SESSION_SECONDS)
        response.delete_cookie(COOKIES["session"])

    def start_sign_in(self, response: Response, request: Request, back: str) -> PendingSignIn:
        """Start a sign-in with GitHub, and remember it in a cookie. `back` is the page to show afterwards."""
        pending = PendingSignIn(
            state=secrets.token_urlsafe(24), verifier=secrets.token_urlsafe(48), back=local_path(back)
        )
        self._set_cookie(response, request, "leaving", pending, PENDING_SECONDS)
        return pending

    def pending_sign_in(self, request: Request, state: str) -> PendingSignIn | None:
        """Return the sign-in that this browser started with this `state`, or None if there is none."""
        claims = verified_claims(self.key, "leaving", request.cookies.get(COOKIES["leaving"], ""))
        return PendingSignIn.model_validate(claims) if claims and state and claims["state"] == state else None

    async def use_link(self, token: str) -> bool:
        """Return whether the token belongs to a valid, unused sign-in link. If so, mark the link as used."""
        claims = verified_claims(self.key, "link", token)
        return claims is not None and await self.server.store.sessions.end(claims["id"], claims["exp"])

    def _set_cookie(self, response: Response, request: Request, kind: Kind, value: BaseModel, seconds: float) -> None:
        """The cookie is "Secure" if the request came over https, or if its host is that of the server's https public URL."""
        public = urlsplit(self.server.options.public_url)
        host = (request.url.hostname or "").rstrip(".")
        is_public = public.scheme == "https" and host == (public.hostname or "").rstrip(".")
        secure = is_public or request.url.scheme == "https"
        token = signed(self.key, kind, value.model_dump(), seconds)
        response.set_cookie(COOKIES[kind], token, int(seconds), httponly=True, samesite="lax", secure=secure)


def link(settings: Server, url: str) -> str:
    """Return a one-time link that signs the operator in, or "" if the server has no App yet.

    Creating a link requires the App's private key.
    """
    if settings.app is None:
        return ""
    token = signed(key_of(settings.app.private_key), "link", {"id": secrets.token_urlsafe(24)}, LINK_SECONDS)
    return f"{url}/signin?token={token}"


def local_path(address: str) -> str:
    """Return the address if it is a path on this server, other than the sign-in page. Otherwise return "/".

    This prevents redirects to other sites after a sign-in.
    """
    is_local = address.startswith("/") and not address.startswith(("//", "/\\")) and address.isprintable()
    return address if is_local and not address.startswith("/sign") else "/"


def key_of(private_key: SecretStr) -> bytes:
    """Derive the key that signs an App's cookies and links from its private key."""
    text = "".join(private_key.get_secret_value().split())
    return hmac.digest(hashlib.sha256(text.encode()).digest(), KEY_CONTEXT, "sha256")


def signed(key: bytes, kind: Kind, claims: Mapping[str, Any], seconds: float) -> str:
    """Return a signed token with these claims, valid for `seconds` seconds."""
    return jwt.encode({**claims, "aud": kind, "exp": int(time.time() + seconds)}, key, ALGORITHM)


def verified_claims(key: bytes, kind: Kind, token: str) -> dict[str, Any] | None:
    """Return a token's claims, or None if it is forged, expired, or a token of another kind."""
    try:
        claims: dict[str, Any] = jwt.decode(token, key, [ALGORITHM], audience=kind, options={"require": ["aud", "exp"]})
    except DECODE_ERRORS:
        return None
    return claims
