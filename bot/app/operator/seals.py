"""What a browser or an address carries for us: JSON Web Tokens, signed so that nobody else can have made them.

The key comes from the App's private key: sessions survive a restart, and a new private key ends them all.
"""

import hashlib
import hmac
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import jwt
from pydantic import SecretStr

PURPOSE = b"deeprepo operator pages 1"
ALGORITHM = "HS256"
LONGEST = 4000  # characters, the most that a browser keeps in a cookie
NOT_OURS = (jwt.InvalidTokenError, ValueError, RecursionError)  # what reading a stranger's text can come to
Kind = Literal["session", "leaving", "link"]  # a seal for one is worth nothing as another


@dataclass(frozen=True, slots=True)
class Seal:
    """Signs and reads."""

    key: bytes = field(repr=False)

    @classmethod
    def of(cls, private_key: SecretStr) -> "Seal":
        """The seal of an App."""
        text = "".join(private_key.get_secret_value().split())
        return cls(hmac.digest(hashlib.sha256(text.encode()).digest(), PURPOSE, "sha256"))

    def close(self, kind: Kind, claims: Mapping[str, Any], seconds: float) -> str:
        """The text that says this, signed, good for so many seconds."""
        return jwt.encode({**claims, "aud": kind, "exp": int(time.time() + seconds)}, self.key, ALGORITHM)

    def open(self, kind: Kind, text: str) -> dict[str, Any] | None:
        """What a text says, None where we have not signed it, not for this, or where its time is over."""
        if len(text) > LONGEST:
            return None
        try:
            needed = {"require": ["aud", "exp"]}
            claims: dict[str, Any] = jwt.decode(text, self.key, [ALGORITHM], audience=kind, options=needed)  # type: ignore[arg-type]
        except NOT_OURS:
            return None
        return claims

    def form(self, session: str) -> str:
        """What a form of this session carries, so that no other site can send it."""
        return hmac.digest(self.key, f"form {session}".encode(), "sha256").hex()


def fresh() -> str:
    """A name that nobody guesses."""
    return secrets.token_urlsafe(24)
