"""What a request is signed with: an installation's token, or the App's own signature.

Installation tokens are narrow, made when needed, made again before they expire, revoked when done.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable

import httpx2
from pydantic import SecretStr

from bot.errors import ConfigError

LASTS = 50 * 60.0  # GitHub's last an hour
# Seconds: GitHub takes a signature for no longer than that; and when a new one is made.
SIGNED, AGAIN = (10 * 60, 8 * 60.0)
DRIFT = 60  # seconds by which this clock may be ahead of GitHub's


class Token:
    """The token in use. `make` makes a new one; None: there is only the first one."""

    def __init__(
        self,
        make: Callable[[], Awaitable[SecretStr]] | None = None,
        first: SecretStr | None = None,
        lasts: float = LASTS,
    ) -> None:
        self._make, self._now, self._lasts = make, first, lasts
        self._made = 0.0
        self._lock = asyncio.Lock()

    async def current(self) -> SecretStr:
        """The token to send now."""
        async with self._lock:
            clock = asyncio.get_running_loop().time
            if self._make and (self._now is None or clock() - self._made > self._lasts):
                self._now, self._made = await self._make(), clock()
            return self._now or SecretStr("")

    def drop(self, refused: SecretStr) -> bool:
        """GitHub takes this one no more. Whether another can be had."""
        if self._make and self._now == refused:
            self._now = None
        return self._make is not None

    @property
    def unused(self) -> bool:
        """Whether there is none to revoke."""
        return self._now is None


class Bearer(httpx2.Auth):
    """Requests that carry the token in use, also if it was made again in the middle."""

    def __init__(self, token: Token) -> None:
        self._token = token

    async def async_auth_flow(self, request: httpx2.Request) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        """Sign a request."""
        request.headers["Authorization"] = f"Bearer {(await self._token.current()).get_secret_value()}"
        yield request


class AppSignature(httpx2.Auth):
    """Requests that the App signs with its key, as a JSON Web Token (RS256).

    A signature is kept for minutes: to read the key and to sign takes 40 ms of the event loop. Only this class imports the
    libraries that sign: a client with a token works without them.
    """

    def __init__(self, app_id: str, key: SecretStr) -> None:
        self._app_id, self._key = app_id, key
        self._signed, self._made = SecretStr(""), 0.0

    async def async_auth_flow(self, request: httpx2.Request) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        """Sign a request. Raises ConfigError if the key cannot sign."""
        now = time.time()
        if not self._made <= now < self._made + AGAIN:  # a clock that was set back counts as well
            self._signed, self._made = self._sign(int(now) - DRIFT), now
        request.headers["Authorization"] = f"Bearer {self._signed.get_secret_value()}"
        yield request

    def _sign(self, issued: int) -> SecretStr:
        import jwt
        from cryptography.exceptions import UnsupportedAlgorithm

        claims = {"iss": self._app_id, "iat": issued, "exp": issued + SIGNED}
        try:
            return SecretStr(jwt.encode(claims, self._key.get_secret_value(), algorithm="RS256"))
        # A public key cannot sign.
        except (jwt.PyJWTError, UnsupportedAlgorithm, ValueError, TypeError, AttributeError):
            wrong = "the App's private key cannot be used: it must be the whole PEM file that GitHub gave"
            raise ConfigError(wrong) from None
