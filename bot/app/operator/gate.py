"""Who is looking: sessions in a signed cookie, begun by GitHub's web flow or by the link in the server's log.

A session says which installations its person administers. GitHub is asked again every hour, by sending the browser there and
back; who has lost the right meanwhile comes back without it. No token of GitHub's is kept.
"""

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from pydantic import SecretStr
from starlette.requests import Request
from starlette.responses import Response

from bot.app import manifest
from bot.app.operator.seals import Kind, Seal, fresh
from bot.app.operator.visitors import Door, Visitor
from bot.app.running_server import RunningServer
from bot.config import Server
from bot.storage.days import Scope

CHECKED = 3600.0  # seconds after which GitHub is asked again what a person administers
LONGEST = 12 * 3600.0  # seconds after which a person has to sign in again
LINKED = 24 * 3600.0  # seconds for which the link of the log is good, once
AWAY = 600.0  # seconds that a person may stay at GitHub to agree
MOST = 200  # installations of one session: a cookie holds no more
COOKIES: Mapping[Kind, str] = {"session": "deeprepo", "leaving": "deeprepo-leaving"}
OPERATOR = "operator"  # the name of who has come by the link


@dataclass(frozen=True, slots=True)
class SignedIn:
    """Somebody who has signed in. `scope` is None for the operator, who sees everything."""

    id: str
    login: str
    scope: Scope
    since: float  # when they signed in, seconds since 1970
    until: float  # when the right is looked up again, or the session is over

    def may(self, installation: int) -> bool:
        """Whether this installation is theirs."""
        return self.scope is None or installation in self.scope


@dataclass(frozen=True, slots=True)
class Departure:
    """What a browser carries while it is at GitHub."""

    state: str
    verifier: str  # of PKCE: only its hash went to GitHub
    back: str  # the page to go to afterwards
    since: float  # of the session that is looked at again; 0: of none


@dataclass(frozen=True, slots=True)
class Gate:
    """Lets people in."""

    server: RunningServer
    seal: Seal
    used: set[str] = field(default_factory=set)  # links that were used and sessions that were ended

    @classmethod
    def of(cls, server: RunningServer) -> "Gate":
        """The gate of a running server."""
        return cls(server, Seal.of(server.app.private_key))

    def door(self, request: Request) -> Door | None:
        """What people sign in with at GitHub, None where the App has no client secret."""
        app = self.server.app
        if not app.signs_in or app.client_secret is None:
            return None
        here = self.server.place.public_url or str(request.base_url).rstrip("/")
        return Door(app.client_id, SecretStr(app.client_secret.get_secret_value().strip()), here + manifest.SIGNED_IN)

    def session(self, request: Request) -> SignedIn | None:
        """Whose request this is, None where nobody has signed in or the session is over."""
        session = self._read(request)
        return session if session is not None and session.until > time.time() and session.id not in self.used else None

    def stale(self, request: Request) -> SignedIn | None:
        """The session of a person about whom GitHub has to be asked again."""
        session = self._read(request)
        asked = session is not None and session.scope is not None and session.until <= time.time()
        return session if asked else None

    def begin(self, response: Response, request: Request, visitor: Visitor | None, since: float = 0.0) -> None:
        """Let somebody in: a visitor for as long as GitHub need not be asked again, the operator (None) for the day."""
        now = time.time()
        since = since or now
        scope = None if visitor is None else visitor.installations[:MOST]
        login = OPERATOR if visitor is None else visitor.login
        until = since + LONGEST if visitor is None else min(now + CHECKED, since + LONGEST)
        session = asdict(SignedIn(fresh(), login, scope, since, until))
        self._set(response, request, "session", session, since + LONGEST - now)

    def end(self, response: Response, request: Request) -> None:
        """End the session, also for a copy of its cookie."""
        session = self._read(request)
        if session is not None:
            self.used.add(session.id)
        response.delete_cookie(COOKIES["session"])

    def leave(self, response: Response, request: Request, back: str) -> Departure:
        """Send somebody to GitHub: the cookie that they come back with."""
        old = self.stale(request)
        departure = Departure(fresh(), fresh() + fresh(), inside(back), old.since if old else 0.0)
        self._set(response, request, "leaving", asdict(departure), AWAY)
        return departure

    def departure(self, request: Request, state: str) -> Departure | None:
        """What the browser left with, None unless `state` is the one that it was given."""
        claims = self.seal.open("leaving", request.cookies.get(COOKIES["leaving"], ""))
        if claims is None or not state or claims["state"] != state:
            return None
        return Departure(**{one.name: claims[one.name] for one in fields(Departure)})

    def use_link(self, token: str) -> bool:
        """Whether this is a link that we have made and nobody has used yet. It is used up by that."""
        claims = self.seal.open("link", token)
        if claims is None or claims["id"] in self.used:
            return False
        self.used.add(claims["id"])
        return True

    def form(self, session: SignedIn) -> str:
        """What the session's forms carry."""
        return self.seal.form(session.id)

    def _read(self, request: Request) -> SignedIn | None:
        claims = self.seal.open("session", request.cookies.get(COOKIES["session"], ""))
        if claims is None:
            return None
        scope = None if claims["scope"] is None else tuple(claims["scope"])
        return SignedIn(**{one.name: claims[one.name] for one in fields(SignedIn)} | {"scope": scope})

    def _set(self, response: Response, request: Request, kind: Kind, claims: Mapping[str, Any], seconds: float) -> None:
        """Keep it in the browser, out of reach for scripts. Where people come by https it goes over https alone."""
        public = self.server.place.public_url or ""
        outside = public.startswith("https://") and request.headers.get("host", "") == public.removeprefix("https://")
        secure = outside or request.url.scheme == "https"
        value = self.seal.close(kind, claims, seconds)
        response.set_cookie(COOKIES[kind], value, int(seconds), httponly=True, samesite="lax", secure=secure)


def link(settings: Server, here: str) -> str:
    """An address that signs the operator in, once. It takes the App's private key to make one."""
    if settings.app is None:
        return ""
    return f"{here}/signin?token={Seal.of(settings.app.private_key).close('link', {'id': fresh()}, LINKED)}"


def inside(address: str) -> str:
    """A page of this server that a person is sent to after signing in; anything else becomes the first page."""
    ours = address.startswith("/") and not address.startswith(("//", "/\\")) and address.isprintable()
    return address if ours and not address.startswith("/sign") else "/"
