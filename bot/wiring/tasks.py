"""What a server has done in child processes: everything that computes on what a repository or a person has written.

Each function is named to `child.run` and carried out over there, so it takes and returns values only.
"""

import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from bot import commands, config, conversation, pipeline
from bot.commands import CommandContext, CommandReply
from bot.config import Config, Settings
from bot.conversation import RemarkReply
from bot.journal import spans
from bot.journal.writer import Journal
from bot.outputs import OUTPUTS, markdown, posts
from bot.outputs.posts import Comments
from bot.payloads import Change, Made, Question, Remark
from bot.pipeline import Deps
from bot.policy import No
from bot.review.session import Session
from bot.values import PullRequest, Review, ReviewRequest, Trigger
from bot.wiring import review as parts
from bot.wiring.child import ChildPipe
from bot.wiring.local import timed


async def review(
    line: ChildPipe, change: Change, journal: Path, scratch: str, left_out: Mapping[str, str], *, kept: bool = False
) -> Made:
    """The review with everything that is reported of it. `kept`: the lines of its journal go to the parent too."""
    deps = replace(_deps(line, change, journal, scratch, kept=kept), left_out=left_out)
    done = await pipeline.review(_request(change), deps)
    texts = posts.comments(done), markdown.render(done), OUTPUTS["json"]().render(done)
    light = replace(
        done, files=tuple(replace(file, hunks=()) for file in done.files)
    )  # 90,000 hunks are 400 MB over there
    return Made(light, *texts)


async def answer(line: ChildPipe, asked: Question, journal: Path, scratch: str, *, kept: bool = False) -> CommandReply:
    """The answer of a command that may ask a model."""
    return await commands.carry_out(
        asked.word, asked.argument, asked.standing, _context(line, asked, journal, scratch, kept=kept)
    )


async def converse(line: ChildPipe, asked: Remark, journal: Path, scratch: str, *, kept: bool = False) -> RemarkReply:
    """A model's answer to a remark."""
    opened = partial(_open_session, line, asked.change, journal, scratch, kept=kept)
    return await conversation.respond(asked.heard, asked.last, asked.language, opened, time.monotonic)


async def comments(_: ChildPipe, done: Review) -> Comments:
    """The comments of a review once more, after GitHub has refused some of its places."""
    return posts.comments(done)


async def settings(_: ChildPipe, file: bytes, given: Settings) -> Config:
    """Every setting, resolved with the owner's file. Raises ConfigError where that is wrong."""
    return config.resolve({}, file, given)


async def untouched(_: ChildPipe, pull: PullRequest, resolved: Config, trigger: Trigger) -> No | None:
    """Why there is no review, now that the changed files are known."""
    return await pipeline.untouched(pull, resolved, trigger)


def _deps(line: ChildPipe, change: Change, journal: Path, scratch: str, *, kept: bool) -> Deps:
    async def given(_: ReviewRequest, __: str) -> PullRequest:
        return change.pull

    keep = line if kept else None

    def open_journal(_: PullRequest) -> Journal:
        return Journal(journal, watch=spans.exporting(config.telemetry()), keep=keep)

    made = parts.deps(change.flags, scratch, line.say, open_journal, keep_on_cancel=False, hosted=True)

    return replace(
        timed(line, made),
        pull=given,
        tell=line.tell,
        earlier=change.earlier,
        full=change.full,
        ignored=change.ignored,
        rules=change.rules,
        note=change.note,
    )


def _context(line: ChildPipe, asked: Question, journal: Path, scratch: str, *, kept: bool) -> CommandContext:
    """What a command is given that only reads: nothing else can be asked of it."""

    async def last() -> bytes | None:
        return asked.last

    async def top() -> str:
        return asked.top

    async def nothing(*_: object) -> Any:  # noqa: ANN401 - it returns nothing
        raise NotImplementedError("a command in a child process only reads")

    change = asked.change
    return CommandContext(
        settings=asked.settings,
        actor=asked.actor,
        branch=asked.branch,
        last=last,
        submit=nothing,
        suppress=nothing,
        pause=nothing,
        resume=nothing,
        cancel=nothing,
        top=top,
        open_session=partial(_open_session, line, change, journal, scratch, kept=kept) if change is not None else None,
    )


@asynccontextmanager
async def _open_session(
    line: ChildPipe, change: Change, journal: Path, scratch: str, *, kept: bool
) -> AsyncIterator[Session]:
    """The change, read and opened for a question."""
    deps = _deps(line, change, journal, scratch, kept=kept)
    async with (
        pipeline.survey(_request(change), deps) as (subject, resolved),
        deps.open_session(subject, resolved) as session,
    ):
        yield session


def _request(change: Change) -> ReviewRequest:
    return ReviewRequest(change.pull.git_dir, "range", change.pull.base, change.pull.head)
