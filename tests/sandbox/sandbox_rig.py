"""A sandbox with one pull request, and a client that sends requests like GitHub's own clients."""

import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from deeprepo_sandbox import github as sandbox

ALL = {"metadata": "read", "contents": "read", "pull_requests": "write", "issues": "write", "checks": "write"}
PLAIN = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # quick to create; these tests don't use TLS
BASE = "".join(f"line {n}\n" for n in range(1, 41))
HEAD = BASE.replace("line 10\n", "changed 10\nadded\n").replace("line 30\n", "")
R = "/repos/acme/shop"


@dataclass(frozen=True, slots=True)
class Rig:
    """A sandbox GitHub with a pull request, and a client with a token."""

    gh: sandbox.GitHub
    repo: sandbox.Repo
    number: int
    client: httpx2.AsyncClient
    token: str

    async def call(self, method: str, path: str, body: object = None, **headers: str) -> httpx2.Response:
        """Send a request below the repository, or to another path if it begins with two slashes."""
        where = path.removeprefix("/") if path.startswith("//") else R + path
        head = {"authorization": f"Bearer {self.token}"} | headers
        return await self.client.request(method, where, json=body, headers={k: v for k, v in head.items() if v})

    async def ok(self, method: str, path: str, body: object = None, **headers: str) -> Any:  # noqa: ANN401 - JSON
        """Send a request that must succeed and return its body."""
        answer = await self.call(method, path, body, **headers)
        assert answer.is_success, answer.text
        return answer.json() if answer.content else None

    async def refused(self, method: str, path: str, body: object = None, **headers: str) -> tuple[int, str]:
        """Send a request that must fail and return its status and text."""
        answer = await self.call(method, path, body, **headers)
        assert answer.is_error, answer.text
        return answer.status_code, answer.text

    async def review(self, *comments: object, **fields: object) -> httpx2.Response:
        """Post a review and return the response, whatever its status."""
        said = {"body": "A review.", "event": "COMMENT", "comments": list(comments)} | fields
        return await self.call("POST", f"/pulls/{self.number}/reviews", said)

    async def ask(self, document: str, **variables: object) -> Any:  # noqa: ANN401 - JSON
        """Send a GraphQL query and return the response."""
        address = self.gh.api.replace("/v3", "/graphql")
        head = {"authorization": f"bearer {self.token}"}
        answer = await self.client.post(address, json={"query": document, "variables": variables}, headers=head)
        assert answer.status_code == 200
        return answer.json()


@asynccontextmanager
async def rig(folder: Path, *, private: bool = False) -> AsyncIterator[Rig]:
    """Open a sandbox with a pull request that touches three files. It fails on API violations."""
    async with (
        sandbox.github(folder) as gh,
        httpx2.AsyncClient(base_url=gh.api, trust_env=False, verify=PLAIN) as client,
    ):
        repo = await gh.repository("acme", "shop", files={"a.txt": BASE, "gone.txt": "x\n"}, private=private)
        await repo.commit("feature", {"a.txt": HEAD, "sub/new file.txt": "one\ntwo\n", "gone.txt": None}, "Feature")
        number = await repo.open_pull("feature", title="A feature", body="It does.")
        token = gh.token(ALL, (repo.id,))
        yield Rig(gh, repo, number, client, token)
        await gh.settle()
        assert gh.violations == ()
