"""The whole path on one machine: a GitHub on loopback, the real server beside it, a model, a pull request, a signed webhook."""

import asyncio
import json
import os
import re
import secrets
import shutil
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
START, REVIEW, REST = 180.0, 300.0, 10.0  # seconds: until the server listens, until it has reviewed, until it has left
SHOWN = 20  # lines of the server's log, where it fails
COMMANDS = ("/deeprepo review", "/deeprepo fix", "/deeprepo rules", "/deeprepo config", "/deeprepo help")
SURVEYED = "packages were indexed"  # in the server's log
SCRIPTED = "scripted"  # in place of an effort: the model of the demo answers
LINK = re.compile(r"https?://\S+/signin\?token=\S+")  # signs the operator in; the server prints it beside its log
Say = Callable[[str], None]


@dataclass(slots=True)
class Bot:
    """The server's process: where it listens, the link to its operator's page, and the last lines of its log."""

    process: asyncio.subprocess.Process
    say: Say | None  # who wants to hear the log
    address: asyncio.Future[str]
    page: asyncio.Future[str]
    index_ready: asyncio.Event = field(default_factory=asyncio.Event)  # who takes what from whom is known
    lines: deque[str] = field(default_factory=lambda: deque(maxlen=SHOWN))

    async def listen(self) -> None:
        """Read its log to the end. The line that tells its address is what the demo waits for."""
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
                if SURVEYED in row.values():
                    self.index_ready.set()
                where = row.get("address")
                if where and not self.address.done():
                    self.address.set_result(str(where))
        if not self.address.done():
            self.address.set_exception(self.failure("the server did not start"))

    def failure(self, why: str) -> DeepRepoError:
        """The sentence for the user, with what the server said last."""
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
    """`deeprepo serve` as the App of a sandbox, in a process of its own, until the block ends."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "bot", "serve"),
        env=_environment(gh, data, settings),
        cwd=data,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,  # Ctrl-C is for us: the server is told to leave when the page is gone
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
            made.address.exception()  # looked at, so that nobody warns


@asynccontextmanager
async def _models(effort: str) -> AsyncIterator[dict[str, str]]:
    """The server's settings for models: the demo's own, or those that the user has."""
    if effort != SCRIPTED:
        given = {name: os.environ.get(f"DEEPREPO_{name}", "") for name in ("ROOT", "WORKER", "BASE_URL", "USD")}
        yield {name: value for name, value in given.items() if value} | {"EFFORT": effort}
        return
    async with providers.openai_server(model.answer) as double:
        boxed = {"RUN": "1"} if shutil.which("bwrap") else {}  # then a test reproduces one of the findings
        yield {
            "ROOT": model.NAME,
            "WORKER": model.NAME,
            "BASE_URL": double.base_url,
            "EFFORT": "low",
            "USD": "",
            **boxed,
        }


def _environment(gh: sandbox.GitHub, data: Path, settings: Mapping[str, str]) -> dict[str, str]:
    """The server's settings. A server that the user runs elsewhere has its own, which are no business of the demo."""
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
        "CONSUMERS": "owner",
    }
    path = os.pathsep.join(filter(None, [str(Path(bot.__file__).parents[1]), inherited.get("PYTHONPATH", "")]))
    return inherited | {"PYTHONPATH": path} | {f"DEEPREPO_{name}": value for name, value in ours.items()}


async def _leave(process: asyncio.subprocess.Process) -> None:
    """Tell the server to leave, and make it leave when it does not."""
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
    """A sandbox with the sample change as an open pull request, and the bot that has been told of it."""
    with tempfile.TemporaryDirectory(prefix="deeprepo-demo-", ignore_cleanup_errors=True) as folder:
        work, user, data = _prepare(Path(folder))
        secret = secrets.token_hex(20)
        async with (
            _models(effort) as settings,
            sandbox.github(Path(folder, "github"), secret=secret, port=port, check=check) as gh,
        ):
            gh.subscribe("push")
            repo = await gh.repository("acme", "parcel", from_git=work)
            storefront = await gh.repository("acme", "storefront", from_git=user)
            for each in (repo, storefront):  # as an owner of the organization: who signs in has to administer all of it
                each.add(sandbox.MAINTAINER, "admin")
            repo.open_issue(*demo.ISSUE)
            await repo.commit("main", {".deeprepo.yml": demo.SETTINGS})
            gh.world.commands, gh.world.notices = COMMANDS, (model.NOTICE,) * (effort == SCRIPTED)
            say(f"GitHub     {gh.world.origin}  (a sandbox on this machine; nothing leaves it)")
            async with server(gh, data, settings, log) as bot:
                address = await _wait(bot, asyncio.shield(bot.address), "the server did not start in time")
                gh.listen(f"{address}/webhook")
                gh.callbacks(f"{address}/signin/done")
                gh.world.links = (("The operator's page", address),)
                say(f"the bot    {address}  (`deeprepo serve`, as the App of that GitHub)")
                await gh.install()
                await _wait(bot, bot.index_ready.wait(), "the index of acme/storefront was not ready in time")
                say("index      acme/storefront takes the package parcel from acme/parcel")
                number = await repo.open_pull("pull-request", title=demo.TITLE, body=demo.BODY)
                repo.offer(number, demo.repair(), demo.REPAIRED)
                say(f"webhook    pull_request.opened, signed, answered with {gh.deliveries[0].status_code}")
                yield Stage(gh, bot, repo, number)


async def _wait(bot: Bot, event: Awaitable[Waited], failure: str) -> Waited:
    """What comes of it, within the time that a server has to start."""
    try:
        async with asyncio.timeout(START):
            return await event
    except TimeoutError:
        raise bot.failure(failure) from None


def _prepare(folder: Path) -> tuple[Path, Path, Path]:
    """The author's checkout with the sample change, that of a repository which uses the sample, and the server's data folder."""
    work, user, data = places = folder / "work", folder / "user", folder / "data"
    for place in places:
        place.mkdir()
    demo.build(str(work))
    demo.build_user(str(user))
    return work, user, data


async def wait_for_review(stage: Stage) -> str:
    """Wait until the review is on the pull request; one sentence about what was posted."""
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
    return f"{_sentence(gh.pull(stage.number))}, {time.monotonic() - began:.1f} s after the webhook"


def _sentence(pull: Pull) -> str:
    check = next(check for check in pull.checks if check.status == "completed")
    lines = f"{len(pull.review_comments)} comments on lines"
    return f"{lines}, {len(pull.comments)} in the conversation, check run {check.conclusion} ({check.title})"
