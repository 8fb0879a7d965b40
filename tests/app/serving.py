"""Run a server in this process, with real jobs and databases, a port, and a test's own work."""

import asyncio
import hashlib
import hmac
import json
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import httpx2
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from fastapi import FastAPI
from waits import patience

from bot import app
from bot.app import RunningServer, http_server
from bot.app.http_server import Shutdown
from bot.config.server import App, Server, ServerOptions
from bot.storage import FinishedReview, Store
from bot.values import Job, ReviewJob
from bot.workflow.jobs import Apologise, Attempt, Work

SECRET = "a secret of the webhook, planted"
NOBODY = "http://127.0.0.1:9"  # an address where no GitHub answers
HEADS = {n: f"{n:040x}" for n in range(20)}


@cache
def key() -> str:
    """Return a private key, generated once."""
    made = rsa.generate_private_key(65537, 2048)
    form = serialization.PrivateFormat.TraditionalOpenSSL
    return made.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption()).decode()


def settings(folder: Path, **options: object) -> Server:
    """Return a server's settings with credentials; App credentials can be overridden."""
    names = {"app_id": "12", "private_key": key(), "webhook_secret": SECRET, "client_id": "", "client_secret": None}
    held = App.model_validate({name: options.pop(name, usual) for name, usual in names.items()})
    usual = {
        "data": folder,
        "github_api": NOBODY,
        "debounce": 0.0,
        "poll": 0.02,
        "write_pause": 0.0,
        "port": 0,
    }
    return Server(ServerOptions.model_validate(usual | options), held)


def headers(raw: bytes, event: str, guid: str) -> dict[str, str]:
    """Return the headers that GitHub sends with a delivery."""
    return {
        "x-github-event": event,
        "x-github-delivery": guid,
        "x-hub-signature-256": f"sha256={hmac.new(SECRET.encode(), raw, hashlib.sha256).hexdigest()}",
        "content-type": "application/json",
    }


def pull(number: int = 1, action: str = "opened", head: int = 1, installation: int = 7) -> dict[str, Any]:
    """Build a pull request event with the fields that deeprepo reads."""
    return {
        "action": action,
        "number": number,
        "pull_request": {
            "number": number,
            "state": "open",
            "draft": False,
            "head": {"sha": HEADS[head]},
            "author_association": "MEMBER",
        },
        "repository": {"id": 3, "name": "shop", "owner": {"login": "acme"}},
        "installation": {"id": installation},
        "sender": {"login": "somebody", "type": "User"},
    }


@dataclass
class Served:
    """A running server, a client, and the jobs it has done."""

    opened: RunningServer
    http: httpx2.AsyncClient
    done: list[Job]
    more: asyncio.Condition  # notified when `done` grows
    count: int = 0

    async def deliver(self, payload: Mapping[str, Any], event: str = "pull_request", guid: str = "") -> httpx2.Response:
        """Sign and send a delivery; without `guid` each is a new one."""
        self.count += 1
        raw = json.dumps(payload).encode()
        return await self.http.post("/webhook", content=raw, headers=headers(raw, event, guid or f"guid-{self.count}"))

    async def worked(self, asks: int) -> list[Job]:
        """Wait until this many jobs are done, and return them."""
        async with asyncio.timeout(patience()), self.more:
            await self.more.wait_for(lambda: len(self.done) >= asks)
        return self.done


def review(ask: ReviewJob, job: str) -> FinishedReview:
    """Build the stored row of a review without findings."""
    now = time.time()
    return FinishedReview(job, ask.head, ask.trigger, 1, now, now, "success", "offline", 0, 0, 0.0, ask.pull, b"{}")


@asynccontextmanager
async def served(given: Server, work: Work | None = None) -> AsyncIterator[Served]:
    """Run a server that does its jobs with `work` and records them. Giving up a job is an error."""
    done: list[Job] = []
    more = asyncio.Condition()

    def open_work(store: Store, *_: object) -> tuple[Work, Apologise]:
        async def carried_out(ask: Job, job: Attempt) -> None:
            if work is not None:
                await work(ask, job)
            if isinstance(ask, ReviewJob):
                await store.reviews.save(review(ask, job.id))
            async with more:
                done.append(ask)
                more.notify_all()

        async def never(ask: Job, why: str) -> None:
            raise AssertionError(f"{ask} was given up: {why}")

        return carried_out, never

    async with (
        app.open_server(given, open_work, web=True) as opened,
        browser(app.create(opened, web=True), given.options) as http,
    ):
        yield Served(opened, http, done, more)


@asynccontextmanager
async def browser(face: FastAPI, options: ServerOptions) -> AsyncIterator[httpx2.AsyncClient]:
    """Serve an application on a port and yield a client, since only a real server rejects invalid headers."""
    taken = http_server.listen(options)
    over = asyncio.Event()
    answering = asyncio.create_task(http_server.serve(face, taken, options, Shutdown(), until=over))
    try:
        async with httpx2.AsyncClient(base_url=options.address(taken.getsockname()[1]), timeout=patience()) as http:
            yield http
    finally:
        over.set()
        await answering
        taken.close()
