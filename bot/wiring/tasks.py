"""What is done in child processes of a server: everything that computes on what a repository or a person has written.

Each function is named to `child.run` and carried out over there, so it takes and returns values only.
"""

import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from bot import commands, config, pipeline
from bot.commands import CommandContext, CommandReply, conversation
from bot.commands.conversation import RemarkReply
from bot.config import Config, Settings
from bot.config.policy import No
from bot.findings import silencing
from bot.journal import spans
from bot.journal.writer import Journal
from bot.outputs import OUTPUTS, json_file, markdown, posts
from bot.outputs.posts import Comments
from bot.payloads import Change, Made, Question, Remark
from bot.pipeline import Deps
from bot.review.session import Session
from bot.values import OwnerRule, PullRequest, Review, ReviewRequest, Trigger
from bot.wiring import review as parts
from bot.wiring.child import ChildPipe
from bot.wiring.local import timed


@dataclass(frozen=True, slots=True)
class Room:
    """Where a child writes. `kept`: the lines of its journal go to the parent too."""

    journal: Path
    scratch: str
    kept: bool


async def review(line: ChildPipe, change: Change, room: Room, left_out: Mapping[str, str]) -> Made:
    """The review with everything that is reported of it."""
    deps = replace(_deps(line, change, room), left_out=left_out)
    done = await pipeline.review(ends(change), deps)
    texts = posts.comments(done), markdown.render(done), OUTPUTS["json"]().render(done)
    files = tuple(replace(file, hunks=()) for file in done.files)  # 90,000 hunks are 400 MB over there
    return Made(replace(done, files=files), *texts)


async def answer(line: ChildPipe, asked: Question, room: Room) -> CommandReply:
    """The answer of a command that may ask a model."""
    return await commands.carry_out(asked.word, asked.argument, asked.standing, _context(line, asked, room))


async def converse(line: ChildPipe, asked: Remark, room: Room) -> RemarkReply:
    """A model's answer to a remark."""
    opening = partial(opened, asked.change, _deps(line, asked.change, room))
    return await conversation.respond(asked.heard, asked.last, asked.language, opening, time.monotonic)


async def page(
    _: ChildPipe, output: bytes, ignored: tuple[tuple[str, str, str], ...], rules: tuple[OwnerRule, ...]
) -> Made:
    """The texts of a stored review under the words that hold now; as JSON only if findings were given numbers by it."""
    stored = json_file.read(output)
    told = silencing.now(stored, ignored, rules)
    numbers = silencing.new_numbers(stored, told)
    written = json_file.numbered(output, numbers) if numbers else ""
    return Made(told, posts.comments(told), markdown.render(told), written)


async def comments(_: ChildPipe, done: Review) -> Comments:
    """The comments of a review once more, after GitHub has refused some of its places."""
    return posts.comments(done)


async def settings(_: ChildPipe, file: bytes | None, bound: bytes | None, given: Settings) -> Config:
    """Every setting, resolved with the owner's file, and with the default branch's where that bounds it. Raises ConfigError."""
    return config.resolve({}, file, given, bound=bound)


async def untouched(_: ChildPipe, pull: PullRequest, resolved: Config, trigger: Trigger) -> No | None:
    """Why there is no review, now that the changed files are known."""
    return await pipeline.untouched(pull, resolved, trigger)


def _deps(line: ChildPipe, change: Change, room: Room) -> Deps:
    def open_journal(_: PullRequest) -> Journal:
        watch = spans.exporting(config.telemetry())
        return Journal(room.journal, watch=watch, keep=line if room.kept else None)

    made = parts.deps(change.flags, room.scratch, line.say, open_journal, keep_on_cancel=False, hosted=True)
    return fetched(line, change, made)


def _context(line: ChildPipe, asked: Question, room: Room) -> CommandContext:
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
        open_session=partial(opened, change, _deps(line, change, room)) if change is not None else None,
    )


def fetched(line: ChildPipe, change: Change, deps: Deps) -> Deps:
    """The parts of a review in a child of a change that was fetched before: what this run asks for comes with the change."""

    async def given(_: ReviewRequest, __: str) -> PullRequest:
        return change.pull

    return replace(
        timed(line, deps),
        pull=given,
        tell=line.tell,
        earlier=change.earlier,
        beside=change.beside,
        full=change.full,
        ignored=change.ignored,
        rules=change.rules,
        note=change.note,
        bound=change.bound,
    )


def ends(change: Change) -> ReviewRequest:
    """The change as a request."""
    return ReviewRequest(change.pull.git_dir, "range", change.pull.base, change.pull.head)


@asynccontextmanager
async def opened(change: Change, deps: Deps) -> AsyncIterator[Session]:
    """The change, read and opened for a question."""
    async with (
        pipeline.survey(ends(change), deps) as (subject, resolved),
        deps.open_session(subject, resolved) as session,
    ):
        yield session
