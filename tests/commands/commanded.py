"""A pull request on which commands are given, with a real repository, review and database."""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from fakes import Repository

from bot import config, pipeline, storage
from bot.commands import CommandContext, CommandReply, Permission, answering
from bot.config import Settings
from bot.github import Host
from bot.outputs import json_file
from bot.review.opening import Models, open_session
from bot.review.session import Session
from bot.stored import markers
from bot.values import (
    Bases,
    CommandJob,
    CommentRef,
    Dismissal,
    Job,
    PullFacts,
    PullRef,
    RepositoryFacts,
    Review,
    TypedChange,
)
from bot.wiring import review as wiring
from bot.workflow import commands
from bot.workflow.given_command import GivenCommand
from bot.workflow.pull_state import PullState
from bot.workflow.server import Server
from deeprepo.rlm.values import Limits
from deeprepo_sandbox.scripted import Script, ScriptedModel

BEFORE: dict[str, str | bytes | None] = {
    "shop/__init__.py": "",
    "shop/rates.py": "def quote(weight, express=False):\n    return weight\n\n\ndef fee(weight):\n    return 2\n",
    "shop/labels.py": "from shop.rates import quote\n\n\ndef label(parcel):\n    return quote(parcel.weight, express=True)\n",
    "shop/till.py": "from shop.rates import fee\n\n\ndef pay(parcel):\n    return fee(parcel.weight)\n",
    "shop/limits.py": "MAX_WEIGHT = 31\n",
}
AFTER: dict[str, str | bytes | None] = {"shop/rates.py": "def quote(weight, *, service):\n    return weight\n"}
READING = {"ask": answering.ask, "explain": answering.explain}  # the commands that a child process answers
WRITER = Permission("write", 0.0)
PULL = PullRef(7, 11, "acme", "shop", 1)
FACTS = PullFacts(
    "A change", "", "colleague", "User", False, "open", False, "main", "a" * 40, "feature", "b" * 40, False, (), "", 1, 1, 0, RepositoryFacts("acme/shop"),  # noqa: FBT003
)  # fmt: skip


@dataclass
class Scene:
    """A pull request and what its commands depend on. `folder` is the folder of its database."""

    repository: Repository
    review: Review
    settings: bytes = b""
    operator: Settings = field(default_factory=Settings)
    data: bytes | None = None
    top: str = ""
    folder: Path = Path()
    model: ScriptedModel | None = None
    limits: Limits = field(default_factory=Limits)
    asked: list[Job] = field(default_factory=list)

    def answers(self, *script: Mapping[str, Any]) -> ScriptedModel:
        """Set up a model that gives these replies."""
        given: Script = [{"quotes": [], "sketch": None} | reply for reply in script]
        self.model = ScriptedModel(given, "scripted/root", price=1e-6)
        return self.model

    def thread(self, number: int) -> str:
        """Return a finding's identity, and place later commands in its comment thread."""
        found = self.review.reported[number].finding
        self.top = markers.make("finding", fingerprint=found.identity) + f"\n**{found.title}**"
        return found.identity

    def rendered(self) -> None:
        """Store the review again after changing it."""
        self.data = json_file.render(self.review).encode()

    def give(self, word: str, argument: str = "", standing: Permission = WRITER) -> CommandReply:
        """Give a command and return the reply, except for those that need the queue: review and cancel."""
        return asyncio.run(self._give(word, argument, standing))

    def silenced(self) -> tuple[Dismissal, ...]:
        """Return the stored dismissals."""

        async def look() -> tuple[Dismissal, ...]:
            async with storage.open_store(self._url) as store:
                return await store.people.dismissals(PULL)

        return asyncio.run(look())

    @property
    def _url(self) -> str:
        return f"sqlite:///{self.folder / 'store.sqlite'}"

    async def _give(self, word: str, argument: str, standing: Permission) -> CommandReply:
        context = self._context()
        refusal = commands.refusal(word, context.actor, standing)
        if refusal is not None or word in READING:
            return refusal or await READING[word](argument, context)
        async with storage.open_store(self._url) as store:
            ask = CommandJob(PULL, word, argument, context.actor, CommentRef(1, "issue"))
            host = cast("Host", SimpleNamespace(pull=PULL))
            jobs = SimpleNamespace(submit=self._submit)
            server = cast("Server", SimpleNamespace(store=store, jobs=jobs))
            job = cast("Job", SimpleNamespace(delivery="comment-1"))
            state = PullState(FACTS, Bases("a" * 40, "a" * 40, 1, 0), paused=False, file=None)
            return await commands.answer(GivenCommand(ask, context, state, host, job, server))

    async def _submit(self, ask: Job, _delivery: str) -> None:
        self.asked.append(ask)

    def _context(self) -> CommandContext:
        resolved = config.resolve({}, self.settings, self.operator)
        opening = self._open_session if self.model else None
        return CommandContext(resolved, "maintainer", "main", self.data, self.top, opening)

    @asynccontextmanager
    async def _open_session(self) -> AsyncIterator[Session]:
        """Open a session over the change, with the scripted model as its root."""
        with tempfile.TemporaryDirectory() as scratch:
            brief = await wiring.brief(TypedChange(str(self.repository.folder)), {"strategy": "offline"}, scratch)
            models = Models(self.model, self.model)
            async with (
                pipeline.survey(brief, wiring.tools(brief, scratch, lambda _: None)) as subject,
                open_session(
                    replace(subject, brief=replace(brief, pull=self.review.pull)),
                    models,
                    {},
                    self.limits,
                ) as session,
            ):
                yield session


def scene(repository: Repository, after: Mapping[str, str | bytes | None] = AFTER) -> Scene:
    """Create a change that forgets two callers, and review it without a model."""
    repository.commit(BEFORE, "before")
    repository.git("checkout", "-qb", "feature")
    repository.commit(dict(after), "after")
    with tempfile.TemporaryDirectory() as scratch:
        review = asyncio.run(wiring.local_review(TypedChange(str(repository.folder)), {"strategy": "offline"}, scratch))
    review = replace(review, pull=replace(review.pull, url="https://github.com/acme/shop"))
    return Scene(repository, review, data=json_file.render(review).encode())
