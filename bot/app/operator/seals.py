"""What a browser or an address carries for us, signed so that nobody else can have made it.

The key comes from the App's private key: sessions survive a restart, and a new private key ends them all.
"""

import base64
import hashlib
import hmac
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import SecretStr

PURPOSE = b"deeprepo operator pages 1"
LONGEST = 4000  # characters, the most that a browser keeps in a cookie
Kind = Literal["session", "leaving", "link", "form"]  # a seal for one is worth nothing as another


@dataclass(frozen=True, slots=True)
class Seal:
    """Signs and reads."""

    key: bytes = field(repr=False)

    @classmethod
    def of(cls, private_key: SecretStr) -> "Seal":
        """The seal of an App."""
        text = "".join(private_key.get_secret_value().split())
        return cls(hmac.digest(hashlib.sha256(text.encode()).digest(), PURPOSE, "sha256"))

    def close(self, kind: Kind, claims: Mapping[str, Any]) -> str:
        """The text that says this, signed. `until`, in seconds since 1970, must be among it."""
        body = _text(json.dumps(dict(claims), separators=(",", ":")).encode())
        return f"{body}.{self._mark(kind, body)}"

    def open(self, kind: Kind, text: str, now: float) -> dict[str, Any] | None:
        """What a text says, None where we have not signed it, not for this, or where its time is over."""
        body, _, mark = text.partition(".")
        if len(text) > LONGEST or not hmac.compare_digest(self._mark(kind, body).encode(), mark.encode()):
            return None
        claims: dict[str, Any] = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
        return claims if claims["until"] > now else None

    def form(self, session: str) -> str:
        """What a form of this session carries, so that no other site can send it."""
        return self._mark("form", session)

    def _mark(self, kind: Kind, body: str) -> str:
        return _text(hmac.digest(self.key, f"{kind}.{body}".encode("utf-8", "replace"), "sha256"))


def fresh() -> str:
    """A name that nobody guesses."""
    return secrets.token_urlsafe(24)


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")
