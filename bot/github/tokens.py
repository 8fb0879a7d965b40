"""The secrets that githubkit is handed and the tokens that it makes: narrow, renewed before they expire, ended with their work."""

import asyncio
import time
from contextlib import AbstractAsyncContextManager, nullcontext
from datetime import timedelta
from typing import Any

import httpx
from githubkit import AppInstallationAuthStrategy, GitHubCore
from githubkit.auth.app import AppAuth
from githubkit.cache import MemCache, MemCacheStrategy
from githubkit.utils import UNSET

LEAST = 300.0  # seconds for which a token is used, whatever this machine's clock makes of its end


class Secret(str):
    """A text whose repr does not show it: the library's values show everything in theirs."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "'**********'"


class TokenCache(MemCache):
    """Where githubkit keeps what it makes: the token for one piece of work, the App's signature (40 ms to make) for all."""

    def __init__(self, signatures: MemCache) -> None:
        super().__init__()
        self._signatures, self._token, self._end = signatures, Secret(), 0.0
        self._making = asyncio.Lock()

    async def aget(self, key: str) -> str | None:
        """Look up the signature or the token."""
        return await self._signatures.aget(key) if key.endswith(":jwt") else self.token or None

    async def aset(self, key: str, value: str, ex: timedelta) -> None:
        """Keep the signature or the token."""
        if key.endswith(":jwt"):
            return await self._signatures.aset(key, value, ex)
        self._token, self._end = Secret(value), time.monotonic() + max(LEAST, ex.total_seconds())
        return None

    @property
    def token(self) -> Secret:
        """The token in use, empty while there is none."""
        return self._token if time.monotonic() < self._end else Secret()

    def drop(self, refused: str) -> bool:
        """Forget the token of a header that GitHub did not accept. Whether it was the one in use."""
        known = bool(self._token) and refused.endswith(f" {self._token}")
        if known:
            self._token = Secret()
        return known

    def making(self, *, needed: bool) -> AbstractAsyncContextManager[object]:
        """While a token is needed and missing, requests go one after the other, so that one is made."""
        return self._making if needed and not self.token else nullcontext()


class Kept(MemCacheStrategy):
    """The form in which githubkit takes a cache."""

    def __init__(self, cache: MemCache) -> None:
        super().__init__()
        self._kept = cache

    def get_cache_storage(self) -> MemCache:
        """Give the cache."""
        return self._kept


class Installation(AppInstallationAuthStrategy):
    """An installation's token with some permissions, or with those that its owner has granted where that is less."""

    _auth: AppAuth | None = None

    def get_auth_flow(self, github: "GitHubCore[Any]") -> httpx.Auth:
        """Sign the requests of a client."""
        made = super().get_auth_flow(github)
        self._auth = made if isinstance(made, AppAuth) else None
        return made

    def widen(self) -> bool:
        """Ask for what was granted from now on. Whether something else was asked for before."""
        if self._auth is None or self._auth.permissions is UNSET:
            return False
        self._auth.permissions = UNSET
        return True
