"""The whole product in one process: the sandbox GitHub and the real server with its jobs and databases."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import children
from prepared import prepare
from waits import Changes, patient

from bot import app
from bot.app import RunningServer
from bot.config.server import App, Server, ServerOptions
from bot.values import PullRef
from bot.workflow import dispatch
from deeprepo_sandbox import github as sandbox
from deeprepo_sandbox.github.serving import serving

REFUSAL_PAUSE = 0.5  # seconds; long enough for `put_off` to see a delayed job
SECRET = "a secret of the webhook, planted"
BASE = {
    "shop/price.py": 'def total(items, tax):\n    """The sum with tax."""\n    return sum(items) * (1 + tax)\n',
    "shop/cart.py": "from shop.price import total\n\n\ndef pay(items):\n    return total(items, 0.2)\n",
    "README.md": "# A shop\n",
}
# Removes a parameter but forgets the caller in cart.py.
BROKEN = {"shop/price.py": 'def total(items):\n    """The sum."""\n    return sum(items)\n'}
# Like BROKEN, but also uses an undefined name, which is a finding on a line of the diff.
WORSE = {"shop/price.py": 'def total(items):\n    """The sum."""\n    return sum(items) + rounding\n'}
MENDED = {"shop/cart.py": "from shop.price import total\n\n\ndef pay(items):\n    return total(items)\n"}


@dataclass(frozen=True, slots=True)
class Whole:
    """A running product and the handles that a test needs."""

    gh: sandbox.GitHub
    repo: sandbox.Repo
    server: RunningServer
    data: Path
    address: str
    changes: Changes  # jobs that ended

    async def opened(self, branch: str = "feature", files: Mapping[str, str | None] = BROKEN, **how: object) -> int:
        """Open a pull request that forgets a caller, and return its number without waiting for the review."""
        await self.repo.commit(branch, files)
        return await self.repo.open_pull(branch, title="Prices without tax", body="Tax is added elsewhere.", **how)  # type: ignore[arg-type]

    async def until(self, true: Callable[[], bool]) -> None:
        """Wait until a condition on the sandbox GitHub is true."""
        async with patient():
            await self.gh.until(true, None)

    async def quiet(self) -> None:
        """Wait until all deliveries have arrived and no job is left, also none that the last job's requests caused."""
        async with patient():
            known = -1
            while known != len(self.gh.deliveries):
                await self.gh.settle()
                known = len(self.gh.deliveries)
                await self.changes.until(self.is_idle)
                await self.gh.settle()

    async def is_idle(self) -> bool:
        """Return whether no job is left."""
        return not any((await self.server.jobs.counts()).values())

    async def put_off(self, tries: int = 1) -> None:
        """Wait until a job is delayed after this many tries."""

        async def is_delayed() -> bool:
            return any(job.state == "delayed" and job.tries >= tries for job in await self.server.jobs.list_jobs())

        await self.changes.until(is_delayed)

    async def reviewed(self, **how: object) -> int:
        """Open a pull request, wait for its review, and return its number."""
        number = await self.opened(**how)  # type: ignore[arg-type]
        await self.quiet()
        return number

    async def pushed(self, files: Mapping[str, str | None]) -> str:
        """Push to the pull request's branch, wait for all resulting jobs, and return the commit."""
        commit = await self.repo.push("feature", files)
        await self.quiet()
        return commit

    async def said(self, number: int, text: str, author: str = "maintainer", to: int = 0) -> str:
        """Post a comment, in thread `to` if given, and wait. Return the new answer, "" if there is none."""
        before = self.answers(number)
        await (self.repo.reply(number, to, text, author) if to else self.repo.comment(number, text, author=author))
        await self.quiet()
        return next((told for key, told in self.answers(number).items() if key not in before), "")

    def pull(self, number: int) -> PullRef:
        """Return the key under which the pull request is stored."""
        return PullRef(self.repo.installation, self.repo.id, "acme", "shop", number)

    def ending(self, number: int) -> str | None:
        """Return the conclusion of the head's newest check, or None if it is in progress or there is none."""
        found = max(self.gh.pull(number).checks, key=lambda one: one.id, default=None)
        return found.conclusion if found is not None else None

    def summary(self, number: int) -> str:
        """Return our summary comment. Fail unless there is exactly one."""
        (found,) = [c.body for c in self.gh.pull(number).comments if "## deeprepo" in c.body]
        return found

    def answers(self, number: int) -> dict[int, str]:
        """Return our answers to comments without their markers, keyed by comment ID."""
        stands = self.gh.pull(number)
        ours = [c for c in (*stands.comments, *stands.review_comments) if '"kind": "reply"' in c.body]
        return {c.id: c.body.partition("\n")[2] for c in ours}

    def replies(self, number: int) -> list[str]:
        """Return our answers to comments, without their IDs."""
        return [*self.answers(number).values()]


Before = Callable[[sandbox.GitHub, sandbox.Repo, Path], Awaitable[None]]


@asynccontextmanager
async def whole(
    folder: Path, before: Before | None = None, changes: Changes | None = None, **place: object
) -> AsyncIterator[Whole]:
    """Start the product. On exit, fail if any request or response violated GitHub's API description.

    `before` can prepare the sandbox and the data folder before the server starts.
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
        usual = {"data": data, "github_api": gh.api, "debounce": 0.0, "poll": 0.1, "write_pause": 0.0, "grace": 0.0}
        settings = Server(ServerOptions.model_validate(usual | place), app_settings)
        changes = changes or Changes()
        changes.follow_jobs()
        async with (
            app.open_server(settings, dispatch.open_work, refusal_pause=REFUSAL_PAUSE) as opened,
            serving(app.create(opened)) as address,
        ):
            gh.listen(f"{address}/webhook")
            gh.callbacks(f"{address}/signin/done")
            yield Whole(gh, repo, opened, data, address, changes)
            gh.listen(None)
        assert gh.violations == ()
