"""Every request to GitHub, under one policy: who may try again, after how long, and with which token."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from functools import cache, partial
from typing import Any, TypeVar
from urllib.parse import urlsplit

import httpx
from githubkit import GitHub
from githubkit.auth import BaseAuthStrategy
from githubkit.cache import MemCacheStrategy
from githubkit.exception import GitHubException

from bot import __version__
from bot.errors import HostDown, HostLimited, HostRefused
from bot.github.answers import Unnamed, Unsent, translated
from bot.github.pace import RequestPace
from bot.github.tokens import Token

VERSION = "2022-11-28"  # of the API; the library's own choice is too new for Enterprise servers
TRIES = 3
MOST_LIMITS = 10  # in a row: whoever is told to wait no time at all is not told the truth
MOST_PAGES = 100
UNAUTHORIZED = 401

Answer = TypeVar("Answer")
Asked = Mapping[str, str | int]  # the parameters of a request


class Door:
    """Speaks for one installation, or for the App itself (installation 0, no token: its key signs)."""

    def __init__(
        self, client: GitHub[BaseAuthStrategy], pace: RequestPace, installation: int = 0, token: Token | None = None
    ) -> None:
        self.pace = pace
        self._client, self._installation, self._token = client, installation, token

    async def get(self, path: str, **params: str | int) -> Any:  # noqa: ANN401 - JSON
        """One answer."""
        data, _ = await self._patient(partial(self._send, "GET", path, params=params), again=True)
        return data

    async def pages(self, path: str, key: str = "", most: int = MOST_PAGES, **params: str | int) -> AsyncIterator[Any]:
        """The items of a list, page after page; `key` names the list where the answer is an object."""
        asked: Asked | None = {"per_page": 100, **params}
        for _ in range(most):
            data, asked = await self._patient(partial(self._send, "GET", path, params=asked), again=True)
            for item in data.get(key, ()) if key else data:
                yield item
            if asked is None:
                return

    async def write(self, method: str, path: str, body: object = None, *, again: bool = False) -> Any:  # noqa: ANN401 - JSON
        """A request that changes something. `again`: doing it twice is the same as once, so a lost answer costs a second try."""
        data, _ = await self._patient(partial(self._send, method, path, body=body), again=again, write=True)
        return data

    async def order(self, method: str, path: str, body: object = None) -> Any:  # noqa: ANN401 - JSON
        """A request that leaves nothing for people to see, like one for a token: not paced, and tried again."""
        data, _ = await self._patient(partial(self._send, method, path, body=body), again=True)
        return data

    async def revoke(self) -> None:
        """End the token in use."""
        await self._send("DELETE", "installation/token")

    async def ask(self, document: str, **variables: object) -> dict[str, Any]:
        """A question that only GraphQL answers."""
        return await self._patient(partial(self._graphql, document, variables), again=True)

    async def change(self, document: str, **variables: object) -> None:
        """A mutation that may be done twice."""
        await self._patient(partial(self._graphql, document, variables), again=True, write=True)

    async def _patient(self, send: Callable[[], Awaitable[Answer]], *, again: bool, write: bool = False) -> Answer:
        """Send, wait out limits as long as patience lasts, try again where nothing can be done twice by it."""
        waited, limits, tries = 0.0, 0, 0
        while True:
            if write:
                await self.pace.turn(self._installation)
            waited += await self._quiet(waited)
            try:
                answer = await self._authorized(send)
            except HostLimited as limit:
                named = None if isinstance(limit, Unnamed) else limit.retry_after
                limit.retry_after = self.pace.limited(self._installation, named)
                limits += 1
                if waited + limit.retry_after > self.pace.patience or limits == MOST_LIMITS:
                    raise
            except HostDown as down:
                tries += 1
                if tries == TRIES or not (again or isinstance(down, Unsent)):
                    raise
                await self.pace.breathe(tries)
            else:
                self.pace.fine(self._installation)
                return answer

    async def _quiet(self, waited: float) -> float:
        """Wait until the installation's last limit is over, whoever met it; raises HostLimited where that takes too long."""
        left = self.pace.left(self._installation)
        if waited + left > self.pace.patience:
            raise HostLimited(f"GitHub asked to wait for {left:.0f} s more", left)
        await asyncio.sleep(left)
        return left

    async def _authorized(self, send: Callable[[], Awaitable[Answer]]) -> Answer:
        """Send with the token in use. A 401 has stored nothing: with a new token the same is sent once more."""
        if self._token is None:
            return await send()
        used = await self._token.current()
        try:
            return await send()
        except HostRefused as refused:
            if refused.status != UNAUTHORIZED or not self._token.drop(used):
                raise
        await self._token.current()
        return await send()

    async def _send(
        self, method: str, path: str, *, body: object = None, params: Asked | None = None
    ) -> tuple[Any, Asked | None]:
        """One request as it is: the JSON of the answer, and what the next page is asked with."""
        try:
            done = await self._client.arequest(method, path, json=body, params=params or None)
            data = done.json() if done.content else None
        except (GitHubException, ValueError) as error:
            raise translated(error, f"{method} {path}") from None  # a request in the chain would carry the token along
        following = done.raw_response.links.get("next", {}).get("url")
        return data, dict(httpx.URL(following).params) if following else None

    async def _graphql(self, document: str, variables: Mapping[str, object]) -> dict[str, Any]:
        try:
            return await self._client.graphql.arequest(document, dict(variables))
        except (GitHubException, ValueError) as error:
            raise translated(error, "a GraphQL request") from None


@asynccontextmanager
async def opened(
    api: str,
    auth: BaseAuthStrategy,
    pace: RequestPace,
    installation: int = 0,
    token: Token | None = None,
    memory: MemCacheStrategy | None = None,
) -> AsyncIterator[Door]:
    """A door for one task and its children: they share its connections. `memory` outlives it: of one App on one server."""

    async def asked(request: httpx.Request) -> None:
        request.headers["X-GitHub-Api-Version"] = VERSION

    async def answered(response: httpx.Response) -> None:
        left = response.headers.get("x-ratelimit-remaining", "")
        pace.heard(response.status_code, int(left) if left.isdigit() else None)

    made = GitHub(
        auth,
        base_url=api,
        user_agent=f"deeprepo/{__version__}",
        timeout=httpx.Timeout(pace.timeout, connect=min(10.0, pace.timeout)),
        ssl_verify=_trusted() if urlsplit(api).scheme == "https" else False,
        auto_retry=False,  # it would repeat writes
        http_cache=False,
        cache_strategy=memory or MemCacheStrategy(),  # the shared one mixes servers and keys
        async_event_hooks={"request": [asked], "response": [answered]},
    )
    async with made:
        yield Door(made, pace, installation, token)


@cache
def _trusted() -> ssl.SSLContext:
    """Which certificates are believed: reading them takes longer than a request, so once is enough."""
    return httpx.create_ssl_context()
