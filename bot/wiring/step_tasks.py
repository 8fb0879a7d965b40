"""What is done in child processes of a workflow's step, as `tasks` is for a server.

A child that is given a task imports the task's module. It must find everything here in the memory of the fork server, which has
no use for GitHub's client.
"""

import time
from collections.abc import Mapping
from functools import partial

from bot import pipeline
from bot.brief import Brief
from bot.commands import conversation
from bot.commands.conversation import RemarkReply
from bot.payloads import Remark
from bot.values import Review
from bot.wiring import tasks
from bot.wiring.child import ChildPipe


async def review(line: ChildPipe, brief: Brief, scratch: str, left_out: Mapping[str, str]) -> Review:
    """The review."""
    brief = tasks.without(brief, left_out)
    return await pipeline.review(brief, tasks.tools(line, brief, scratch))


async def converse(line: ChildPipe, remark: Remark, scratch: str) -> RemarkReply:
    """A model's answer to a remark."""
    opening = partial(tasks.open_session, remark.brief, tasks.tools(line, remark.brief, scratch))
    return await conversation.respond(remark.heard_remark, remark.last, remark.language, opening, time.monotonic)
