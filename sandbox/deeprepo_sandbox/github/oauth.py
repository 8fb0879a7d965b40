"""The web flow of an App: a person agrees, the App gets a code, and for the code a token that acts for the person.

As strict as GitHub: the address to go back to must be one of the App's, a code is good once and for ten minutes, for the address
and the secret that it was asked with, and only with the word whose hash was sent at the beginning (PKCE).
"""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import quote, urlencode

from deeprepo_sandbox.github.things import App, Json, Repository, Token, User
from deeprepo_sandbox.github.world import World

CODE, TOKEN = timedelta(minutes=10), timedelta(hours=8)
BAD = "bad_verification_code", "The code passed is incorrect or expired."
MISMATCH = "redirect_uri_mismatch", "The redirect_uri MUST match the registered callback URL for this application."
CLIENT = "incorrect_client_credentials", "The client_id and/or client_secret passed are incorrect."


@dataclass(frozen=True, slots=True)
class Code:
    """What a person has agreed to."""

    app: App
    user: User
    back: str
    challenge: str  # "" without PKCE
    expires: datetime


class Flow:
    """The codes of one sandbox, and who has agreed to which App already: they are not asked again."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._codes: dict[str, Code] = {}
        self._agreed: set[tuple[int, str]] = set()

    def repositories(self) -> tuple[Repository, ...]:
        """Those that are there, for whose people the page asks."""
        return tuple(one for one in self.world.repositories.values() if not one.is_deleted)

    def app(self, query: Mapping[str, str]) -> App | None:
        """The App that sends a person here."""
        return next((app for app in self.world.apps.values() if app.client_id == query.get("client_id")), None)

    def has_agreed(self, app: App, login: str) -> bool:
        """Whether the person in the browser has agreed before, so that they go back at once."""
        return (app.id, login) in self._agreed

    def agree(self, app: App, query: Mapping[str, str], login: str) -> str:
        """The address that a browser is sent to once this person has agreed, or because of what is wrong."""
        back, state = query.get("redirect_uri") or next(iter(app.callbacks), ""), query.get("state", "")
        if back not in app.callbacks:
            return _to(
                next(iter(app.callbacks), self.world.origin),
                error=MISMATCH[0],
                error_description=MISMATCH[1],
                state=state,
            )
        method, challenge = query.get("code_challenge_method", ""), query.get("code_challenge", "")
        if challenge and method != "S256":
            return _to(back, error="invalid_request", error_description="Only S256 is supported.", state=state)
        self._agreed.add((app.id, login))
        made = secrets.token_hex(10)
        self._codes[made] = Code(app, self.world.user(login), back, challenge, self.world.now() + CODE)
        return _to(back, code=made, state=state)

    def exchange(self, query: Mapping[str, str]) -> Json:
        """The token for a code. What is wrong is said with status 200."""
        app = self.app(query)
        if app is None or not hmac.compare_digest(app.client_secret.encode(), query.get("client_secret", "").encode()):
            return _error(CLIENT)
        code = self._codes.pop(query.get("code", ""), None)
        if code is None or code.app is not app or code.expires <= self.world.now():
            return _error(BAD)
        if query.get("redirect_uri", code.back) != code.back:
            return _error(MISMATCH)
        if code.challenge and not hmac.compare_digest(code.challenge, _hash(query.get("code_verifier", ""))):
            return _error(BAD)
        text = f"ghu_{secrets.token_urlsafe(27).replace('-', 'x').replace('_', 'y')}"
        self.world.tokens[text] = Token(code.user, app, None, {}, None, self.world.now() + TOKEN)
        return {"access_token": text, "expires_in": int(TOKEN.total_seconds()), "token_type": "bearer", "scope": ""}


def _to(back: str, **values: str) -> str:
    return f"{back}{'&' if '?' in back else '?'}{urlencode(values, quote_via=quote)}"


def _error(which: tuple[str, str]) -> Json:
    return {"error": which[0], "error_description": which[1], "error_uri": "https://docs.github.com/apps"}


def _hash(verifier: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
