"""Every request to GitHub, under one policy: who may try again, after how long, and with which token."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from functools import cache, partial
from typing import Any, TypeVar

import httpx2

from bot import __version__
from bot.errors import HostDown, HostLimited, HostRefused
from bot.github.answers import Unnamed, Unsent, graphql_data, refused, unanswered
from bot.github.pace import RequestPace
from bot.github.tokens import Token

HEADERS = {
    "Accept": "application/vnd.github+json",
    "Cache-Control": "no-cache",  # what a proxy has kept is not the answer
    "User-Agent": f"deeprepo/{__version__}",
    "X-GitHub-Api-Version": "2022-11-28",  # newer ones are unknown to Enterprise servers
}
ENTERPRISE = "/api/v3/"  # what the path of an Enterprise server's REST API ends with; GraphQL is beside it
TRIES = 3
MOST_LIMITS = 10  # in a row: whoever is told to wait no time at all is not told the truth
MOST_PAGES = 100
UNAUTHORIZED = 401

Answer = TypeVar("Answer")
Asked = Mapping[str, str | int]  # the parameters of a request


class GitHubClient:
    """Speaks for one installation, or for the App itself (installation 0, no token: its key signs)."""

    def __init__(
        self, http: httpx2.AsyncClient, pace: RequestPace, installation: int = 0, token: Token | None = None
    ) -> None:
        self.pace = pace
        self._http, self._installation, self._token = http, installation, token

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
        what = f"{method} {path}"
        answer = await self._answer(method, path, what, body, params)
        try:
            data = answer.json() if answer.content else None
        except ValueError:
            raise HostDown(f"GitHub answered {what} with something that is not JSON") from None
        following = answer.links.get("next", {}).get("url")
        return data, dict(httpx2.URL(following).params) if following else None

    async def _graphql(self, document: str, variables: Mapping[str, object]) -> dict[str, Any]:
        what = "a GraphQL request"
        body = {"query": document, "variables": variables} if variables else {"query": document}
        rest = self._http.base_url
        beside = rest.copy_with(path=f"{rest.path.removesuffix(ENTERPRISE)}/api/graphql")
        address = beside if rest.path.endswith(ENTERPRISE) else "graphql"
        return graphql_data(await self._answer("POST", address, what, body), what)

    async def _answer(
        self, method: str, address: str | httpx2.URL, what: str, body: object = None, params: Asked | None = None
    ) -> httpx2.Response:
        """The answer to one request. `from None`: a request in the chain of an error would carry the token along."""
        try:
            answer = await self._http.request(method, address, json=body, params=params or None)
        except (httpx2.HTTPError, httpx2.StreamError) as error:
            raise unanswered(error, what) from None
        if answer.is_error:
            raise refused(answer, what)
        return answer


@asynccontextmanager
async def opened(
    api: str, auth: httpx2.Auth, pace: RequestPace, installation: int = 0, token: Token | None = None
) -> AsyncIterator[GitHubClient]:
    """A client for one task and its children: they share its connections."""

    async def answered(response: httpx2.Response) -> None:
        left = response.headers.get("x-ratelimit-remaining", "")
        pace.heard(response.status_code, int(left) if left.isdigit() else None)

    http = httpx2.AsyncClient(
        auth=auth,
        base_url=api,
        headers=HEADERS,
        timeout=httpx2.Timeout(pace.timeout, connect=min(10.0, pace.timeout)),
        verify=_trusted() if httpx2.URL(api).scheme == "https" else False,
        follow_redirects=True,  # a renamed repository; the library leaves the token behind when the host changes
        event_hooks={"response": [answered]},
    )
    async with http:
        yield GitHubClient(http, pace, installation, token)


@cache
def _trusted() -> ssl.SSLContext:
    """Which certificates are trusted: the system's, or SSL_CERT_FILE. Reading them takes longer than a request, so once is enough."""
    return httpx2.create_ssl_context()
