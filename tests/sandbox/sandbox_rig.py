"""A sandbox with one pull request, and a client that speaks to it as GitHub's own clients do."""

import ssl
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import jwt

from deeprepo_sandbox import github as sandbox

ALL = {"metadata": "read", "contents": "read", "pull_requests": "write", "issues": "write", "checks": "write"}
PLAIN = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # quick to make; nothing here speaks TLS
BASE = "".join(f"line {n}\n" for n in range(1, 41))
HEAD = BASE.replace("line 10\n", "changed 10\nadded\n").replace("line 30\n", "")
R = "/repos/acme/shop"


@dataclass(frozen=True, slots=True)
class Rig:
    """What a test holds."""

    gh: sandbox.GitHub
    repo: sandbox.Repo
    number: int
    client: httpx2.AsyncClient
    token: str

    async def call(self, method: str, path: str, body: object = None, **headers: str) -> httpx2.Response:
        """One request below the repository, or anywhere for a path that begins with two slashes."""
        where = path.removeprefix("/") if path.startswith("//") else R + path
        head = {"authorization": f"Bearer {self.token}"} | headers
        return await self.client.request(method, where, json=body, headers={k: v for k, v in head.items() if v})

    async def ok(self, method: str, path: str, body: object = None, **headers: str) -> Any:  # noqa: ANN401 - JSON
        """The body of a good answer."""
        answer = await self.call(method, path, body, **headers)
        assert answer.is_success, answer.text
        return answer.json() if answer.content else None

    async def refused(self, method: str, path: str, body: object = None, **headers: str) -> tuple[int, str]:
        """Status and text of a refusal."""
        answer = await self.call(method, path, body, **headers)
        assert answer.is_error, answer.text
        return answer.status_code, answer.text

    async def review(self, *comments: object, **fields: object) -> httpx2.Response:
        """Try to post a review."""
        said = {"body": "A review.", "event": "COMMENT", "comments": list(comments)} | fields
        return await self.call("POST", f"/pulls/{self.number}/reviews", said)

    async def ask(self, document: str, **variables: object) -> Any:  # noqa: ANN401 - JSON
        """A GraphQL document."""
        address = self.gh.api.replace("/v3", "/graphql")
        head = {"authorization": f"bearer {self.token}"}
        answer = await self.client.post(address, json={"query": document, "variables": variables}, headers=head)
        assert answer.status_code == 200
        return answer.json()


def app_jwt(gh: sandbox.GitHub, key: str = "", **claims: object) -> str:
    """The JWT that an App signs."""
    now = int(time.time())
    said = {"iat": now - 60, "exp": now + 540, "iss": gh.app_id} | claims
    return jwt.encode(said, key or gh.private_key, algorithm="RS256")


@asynccontextmanager
async def rig(
    folder: Path,
    *,
    private: bool = False,
    webhook: str | None = None,
    permissions: dict[str, str] | None = None,
    fork: bool = False,
    strict: bool = True,
) -> AsyncIterator[Rig]:
    """A sandbox with a pull request that changes one file, adds one and removes one. `strict`: nothing may break the description."""
    async with (
        sandbox.github(folder, webhook=webhook) as gh,
        httpx2.AsyncClient(base_url=gh.api, trust_env=False, verify=PLAIN) as client,
    ):
        repo = await gh.repository("acme", "shop", files={"a.txt": BASE, "gone.txt": "x\n"}, private=private)
        await repo.commit("feature", {"a.txt": HEAD, "sub/new file.txt": "one\ntwo\n", "gone.txt": None}, "Feature")
        number = await repo.open_pull("feature", title="A feature", body="It does.", fork=fork)
        token = gh.token(permissions or ALL, (repo.id,))
        yield Rig(gh, repo, number, client, token)
        await gh.settle()
        if strict:
            assert gh.violations == ()
