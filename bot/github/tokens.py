"""Installation tokens: narrow, made when needed, made again before they expire, revoked when done."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable

import httpx
from githubkit import GitHubCore
from githubkit.auth import BaseAuthStrategy
from pydantic import SecretStr

LASTS = 50 * 60.0  # GitHub's last an hour


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


class Bearer(BaseAuthStrategy, httpx.Auth):
    """Requests that carry the token in use, also if it was made again in the middle."""

    def __init__(self, token: Token) -> None:
        self._token = token

    def get_auth_flow(self, github: GitHubCore[BaseAuthStrategy]) -> httpx.Auth:  # noqa: ARG002 - the library's form
        """What signs a request."""
        return self

    async def async_auth_flow(self, request: httpx.Request) -> AsyncGenerator[httpx.Request, httpx.Response]:
        """Sign a request."""
        request.headers["Authorization"] = f"Bearer {(await self._token.current()).get_secret_value()}"
        yield request
