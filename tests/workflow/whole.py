"""The whole product in one process: the sandbox GitHub, the real server with its jobs and databases, the real pipeline."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import children
from prepared import prepare
from waits import patient

from bot import app
from bot.app import RunningServer
from bot.config import App, Server, ServerOptions
from bot.values import PullRef
from bot.workflow import dispatch
from deeprepo_sandbox import github as sandbox
from deeprepo_sandbox.github.serving import serving

REFUSAL_PAUSE = 0.5  # seconds; long enough for `put_off` to see a job that waits
LOOK = 0.1  # seconds between two looks: each asks a database
QUIET_LOOKS = 2  # at which nothing is left
SECRET = "a secret of the webhook, planted"
BASE = {
    "shop/price.py": 'def total(items, tax):\n    """The sum with tax."""\n    return sum(items) * (1 + tax)\n',
    "shop/cart.py": "from shop.price import total\n\n\ndef pay(items):\n    return total(items, 0.2)\n",
    "README.md": "# A shop\n",
}
# The parameter is gone; the caller in cart.py was forgotten.
BROKEN = {"shop/price.py": 'def total(items):\n    """The sum."""\n    return sum(items)\n'}
# The same, and a name that nothing defines: a finding on a line of the diff.
WORSE = {"shop/price.py": 'def total(items):\n    """The sum."""\n    return sum(items) + rounding\n'}
MENDED = {"shop/cart.py": "from shop.price import total\n\n\ndef pay(items):\n    return total(items)\n"}


@dataclass(frozen=True, slots=True)
class Whole:
    """What a test holds."""

    gh: sandbox.GitHub
    repo: sandbox.Repo
    server: RunningServer
    data: Path
    address: str

    async def opened(self, branch: str = "feature", files: Mapping[str, str] = BROKEN, **how: object) -> int:
        """Open a pull request with the forgotten caller; nobody waits for its review."""
        await self.repo.commit(branch, files)
        return await self.repo.open_pull(branch, title="Prices without tax", body="Tax is added elsewhere.", **how)  # type: ignore[arg-type]

    async def until(self, true: Callable[[], bool]) -> None:
        """Wait until something stands at GitHub."""
        async with patient():
            await self.gh.until(true, None)

    async def quiet(self) -> None:
        """Wait until every delivery has arrived and no job is left, not even one whose delivery the last job brought about."""
        async with patient():
            looks = 0
            while looks < QUIET_LOOKS:
                await self.gh.settle()
                looks = 0 if any((await self.server.jobs.counts()).values()) else looks + 1
                await asyncio.sleep(LOOK if looks == 0 else 0)

    async def put_off(self) -> None:
        """Wait until a job sleeps."""
        async with patient():
            while not (await self.server.jobs.counts())["delayed"]:  # noqa: ASYNC110 - a database tells nobody
                await asyncio.sleep(LOOK)

    async def reviewed(self, **how: object) -> int:
        """Open a pull request and wait for its review."""
        number = await self.opened(**how)  # type: ignore[arg-type]
        await self.quiet()
        return number

    async def pushed(self, files: Mapping[str, str | None]) -> str:
        """Push to the branch of the pull request, and wait for what comes of it. The commit."""
        commit = await self.repo.push("feature", files)
        await self.quiet()
        return commit

    async def said(self, number: int, text: str, author: str = "maintainer", to: int = 0) -> str:
        """Post a comment, in a thread if `to` names one, and wait. Return the new answer, or "" if there is none."""
        before = self.answers(number)
        await (self.repo.reply(number, to, text, author) if to else self.repo.comment(number, text, author=author))
        await self.quiet()
        return next((told for key, told in self.answers(number).items() if key not in before), "")

    def pull(self, number: int) -> PullRef:
        """The key under which the pull request is stored."""
        return PullRef(self.repo.installation, self.repo.id, "acme", "shop", number)

    def ending(self, number: int) -> str | None:
        """The conclusion of the newest check of the head; None while it is in progress, or if there is none."""
        found = max(self.gh.pull(number).checks, key=lambda one: one.id, default=None)
        return found.conclusion if found is not None else None

    def summary(self, number: int) -> str:
        """Our summary comment; there is one."""
        (found,) = [c.body for c in self.gh.pull(number).comments if "## deeprepo" in c.body]
        return found

    def answers(self, number: int) -> dict[int, str]:
        """What we have answered to comments, without the marker, by the id of our comment."""
        stands = self.gh.pull(number)
        ours = [c for c in (*stands.comments, *stands.review_comments) if '"kind": "reply"' in c.body]
        return {c.id: c.body.partition("\n")[2] for c in ours}

    def replies(self, number: int) -> list[str]:
        """Return our answers to comments, without ids."""
        return [*self.answers(number).values()]


Before = Callable[[sandbox.GitHub, sandbox.Repo, Path], Awaitable[None]]


@asynccontextmanager
async def whole(folder: Path, before: Before | None = None, **place: object) -> AsyncIterator[Whole]:
    """Everything, started; at its end nothing that went over the wire was against GitHub's own description.

    `before` prepares the sandbox and the data folder for the server's start.
    """
    children.preload()
    async with sandbox.github(folder / "github", secret=SECRET) as gh:
        repo = await gh.repository("acme", "shop", files=BASE, private=True)
        data = folder / "data"
        if before is not None:
            await before(gh, repo, data)
        if "database_url" not in place:
            await prepare(data)
        client, secret = gh.client
        held = {"app_id": gh.app_id, "private_key": gh.private_key, "webhook_secret": SECRET}
        app_settings = App.model_validate(held | {"client_id": client, "client_secret": secret})
        usual = {"data": data, "github_api": gh.api, "debounce": 0.0, "poll": 0.05, "write_pause": 0.0, "grace": 0.0}
        settings = Server(ServerOptions.model_validate(usual | place), app_settings)
        async with (
            app.open_server(settings, dispatch.open_work, refusal_pause=REFUSAL_PAUSE) as opened,
            serving(app.create(opened)) as address,
        ):
            gh.listen(f"{address}/webhook")
            gh.callbacks(f"{address}/signin/done")
            yield Whole(gh, repo, opened, data, address)
            gh.listen(None)
        assert gh.violations == ()
