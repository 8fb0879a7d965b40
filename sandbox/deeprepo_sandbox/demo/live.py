"""Run the demo's parts: a sandbox GitHub, the real server, a model, and a pull request with a signed webhook."""

import asyncio
import json
import os
import re
import secrets
import sys
import tempfile
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import bot
from bot.errors import DeepRepoError
from deeprepo_sandbox import demo, providers
from deeprepo_sandbox import github as sandbox
from deeprepo_sandbox.demo import model
from deeprepo_sandbox.github.things import Pull

Waited = TypeVar("Waited")
START, REVIEW, REST = 180.0, 300.0, 10.0  # seconds until the server listens, has reviewed, and has stopped
SHOWN = 20  # lines of the server's log to show if it fails
COMMANDS = ("/deeprepo review", "/deeprepo fix", "/deeprepo rules", "/deeprepo config", "/deeprepo help")
SCRIPTED = "scripted"  # used instead of an effort: the demo's own model answers
LINK = re.compile(r"https?://\S+/signin\?token=\S+")  # signs the operator in; the server prints it among its log lines
Say = Callable[[str], None]


@dataclass(slots=True)
class Bot:
    """The server's process: where it listens, the link to its operator's page, and the last lines of its log."""

    process: asyncio.subprocess.Process
    say: Say | None  # receives each line of the log
    address: asyncio.Future[str]
    page: asyncio.Future[str]
    lines: deque[str] = field(default_factory=lambda: deque(maxlen=SHOWN))

    async def listen(self) -> None:
        """Read its log to the end, and find its address in it."""
        while self.process.stderr is not None and (line := await self.process.stderr.readline()):
            text = line.decode(errors="replace").rstrip()
            self.lines.append(text)
            if self.say:
                self.say(text)
            link = LINK.search(text)
            if link and not self.page.done():
                self.page.set_result(link[0])
            with suppress(ValueError, AttributeError):
                row = json.loads(text)
                where = row.get("address")
                if where and not self.address.done():
                    self.address.set_result(str(where))
        if not self.address.done():
            self.address.set_exception(self.failure("the server did not start"))

    def failure(self, why: str) -> DeepRepoError:
        """Return an error for the user, with the last lines of the server's log."""
        return DeepRepoError("\n".join([f"{why}. The end of its log:", *self.lines]))


@dataclass(frozen=True, slots=True)
class Stage:
    """Everything that the demo runs, and its pull request."""

    gh: sandbox.GitHub
    bot: Bot
    repo: sandbox.Repo
    number: int


@asynccontextmanager
async def server(gh: sandbox.GitHub, data: Path, settings: Mapping[str, str], say: Say | None) -> AsyncIterator[Bot]:
    """Run `deeprepo serve` as the sandbox's App in its own process, until the block ends."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "bot", "serve"),
        env=_environment(gh, data, settings),
        cwd=data,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,  # Ctrl-C must only reach this process, which stops the server afterwards
    )
    loop = asyncio.get_running_loop()
    made = Bot(process, say, loop.create_future(), loop.create_future())
    listening = asyncio.create_task(made.listen())
    try:
        yield made
    finally:
        await _leave(process)
        await listening
        if made.address.done() and not made.address.cancelled():
            made.address.exception()  # retrieved, so that asyncio does not warn


@asynccontextmanager
async def _models(effort: str) -> AsyncIterator[dict[str, str]]:
    """Yield the server's model settings: the demo's own, or the user's."""
    if effort != SCRIPTED:
        given = {name: os.environ.get(f"DEEPREPO_{name}", "") for name in ("ROOT", "WORKER", "BASE_URL", "USD")}
        yield {name: value for name, value in given.items() if value} | {"EFFORT": effort}
        return
    async with providers.openai_server(model.answer) as double:
        yield {
            "ROOT": model.NAME,
            "WORKER": model.NAME,
            "BASE_URL": double.base_url,
            "EFFORT": "low",
            "USD": "",
        }


def _environment(gh: sandbox.GitHub, data: Path, settings: Mapping[str, str]) -> dict[str, str]:
    """Return the server's environment, without the settings of a server that the user may run."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("DEEPREPO_")}
    client, secret = gh.client
    ours = {
        **settings,
        "APP_ID": gh.app_id,
        "CLIENT_ID": client,
        "CLIENT_SECRET": secret,
        "PRIVATE_KEY": gh.private_key,
        "WEBHOOK_SECRET": gh.secret,
        "GITHUB_API": gh.api,
        "DATA": str(data),
        "PORT": "0",
        "DEBOUNCE": "0",
        "WRITE_PAUSE": "0",
        "LOG_FORMAT": "json",
    }
    path = os.pathsep.join(filter(None, [str(Path(bot.__file__).parents[1]), inherited.get("PYTHONPATH", "")]))
    return inherited | {"PYTHONPATH": path} | {f"DEEPREPO_{name}": value for name, value in ours.items()}


async def _leave(process: asyncio.subprocess.Process) -> None:
    """Ask the server to stop, and kill it if it does not."""
    with suppress(ProcessLookupError):
        process.terminate()
        try:
            async with asyncio.timeout(REST):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()


@asynccontextmanager
async def open_stage(port: int, effort: str, say: Say, log: Say | None, *, check: bool = False) -> AsyncIterator[Stage]:
    """Open a sandbox with the sample pull request, and a bot that has received its webhook."""
    with tempfile.TemporaryDirectory(prefix="deeprepo-demo-", ignore_cleanup_errors=True) as folder:
        work, user, data = _prepare(Path(folder))
        secret = secrets.token_hex(20)
        async with (
            _models(effort) as settings,
            sandbox.github(Path(folder, "github"), secret=secret, port=port, check=check) as gh,
        ):
            repo = await gh.repository("acme", "parcel", from_git=work)
            storefront = await gh.repository("acme", "storefront", from_git=user)
            for each in (repo, storefront):  # the operator must administer all of the organization's repositories
                each.add(sandbox.MAINTAINER, "admin")
            repo.open_issue(*demo.ISSUE)
            await repo.commit("main", {".deeprepo.yml": demo.SETTINGS})
            gh.world.commands, gh.world.notices = COMMANDS, (model.NOTICE,) * (effort == SCRIPTED)
            say(f"GitHub     {gh.world.origin}  (a sandbox; nothing leaves this machine)")
            async with server(gh, data, settings, log) as bot:
                address = await _wait(bot, asyncio.shield(bot.address), "the server did not start in time")
                gh.listen(f"{address}/webhook")
                gh.callbacks(f"{address}/signin/done")
                gh.world.links = (("The operator's page", address),)
                say(f"bot        {address}  (`deeprepo serve`, connected to the sandbox as an App)")
                await gh.install()
                number = await repo.open_pull("pull-request", title=demo.TITLE, body=demo.BODY)
                repo.offer(number, demo.repair(), demo.REPAIRED)
                say(f"webhook    sent pull_request.opened, response {gh.deliveries[0].status_code}")
                yield Stage(gh, bot, repo, number)


async def _wait(bot: Bot, event: Awaitable[Waited], failure: str) -> Waited:
    """Await the event. Raises the failure if the server needs too long."""
    try:
        async with asyncio.timeout(START):
            return await event
    except TimeoutError:
        raise bot.failure(failure) from None


def _prepare(folder: Path) -> tuple[Path, Path, Path]:
    """Make the sample's checkout, that of the repository that uses it, and the server's data folder."""
    work, user, data = places = folder / "work", folder / "user", folder / "data"
    for place in places:
        place.mkdir()
    demo.build(str(work))
    demo.build_user(str(user))
    return work, user, data


async def wait_for_review(stage: Stage) -> str:
    """Wait until the review is posted, and return a sentence about it."""
    began, gh, bot = time.monotonic(), stage.gh, stage.bot

    def is_done() -> bool:
        return any(check.status == "completed" for check in gh.pull(stage.number).checks)

    waiting = asyncio.create_task(gh.until(is_done, REVIEW))
    ended = asyncio.create_task(bot.process.wait())
    try:
        await asyncio.wait({waiting, ended}, return_when=asyncio.FIRST_COMPLETED)
        if not waiting.done():
            raise bot.failure("the server has ended")
        await waiting
    except TimeoutError:
        raise bot.failure("no review was posted in time") from None
    finally:
        waiting.cancel()
        ended.cancel()
    return f"{_sentence(gh.pull(stage.number))} ({time.monotonic() - began:.1f} s after the webhook)"


def _sentence(pull: Pull) -> str:
    check = next(check for check in pull.checks if check.status == "completed")
    lines = f"{len(pull.review_comments)} comments on lines"
    return f"{lines}, {len(pull.comments)} in the conversation, and the check: {check.conclusion}, {check.title}"
