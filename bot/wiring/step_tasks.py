"""What is done in child processes of a workflow's step, as `tasks` is for a server.

A child that is given a task imports the task's module. It must find everything here in the memory of the fork server, which has
no use for GitHub's client.
"""

import time
from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from bot import pipeline
from bot.commands import conversation
from bot.commands.conversation import RemarkReply
from bot.payloads import Change, Remark
from bot.pipeline import Deps
from bot.values import Review
from bot.wiring import review as parts
from bot.wiring.child import ChildPipe
from bot.wiring.tasks import apart, ends, open_session, with_fetched


async def review(line: ChildPipe, change: Change, file: str, scratch: str, left_out: Mapping[str, str]) -> Review:
    """The review. `file`: where the base branch keeps its settings."""
    change, left_out = apart(change, left_out)
    return await pipeline.review(ends(change), replace(_deps(line, change, file, scratch), left_out=left_out))


async def converse(line: ChildPipe, remark: Remark, file: str, scratch: str) -> RemarkReply:
    """A model's answer to a remark."""
    opening = partial(open_session, remark.change, _deps(line, remark.change, file, scratch))
    return await conversation.respond(
        remark.heard_remark, remark.last, remark.language, opening, time.monotonic, dict(remark.levels)
    )


def _deps(line: ChildPipe, change: Change, file: str, scratch: str) -> Deps:
    dependencies = parts.deps(change.flags, scratch, line.say, keep_on_cancel=False, on_server=True)
    return replace(with_fetched(line, change, dependencies), file=file)
