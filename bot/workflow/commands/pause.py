"""`/deeprepo pause`."""

import time
from dataclasses import replace

from bot.commands import CommandContext, CommandReply
from bot.stored import answered
from bot.workflow.given_command import CommentCommand, GivenCommand, StepCommand


async def run(command: GivenCommand) -> CommandReply:
    """Pause automatic reviews of this pull request, and answer how to resume them."""
    people, pull = command.store.people, command.ask.pull
    already = await people.is_paused(pull)
    await people.pause(pull, command.ask.actor, time.time())
    return _reply(command.context, is_already=already)


async def in_step(command: StepCommand) -> CommandReply:
    """Record the pause in the answer, whose marker later runs read."""
    reply = _reply(command.context, is_already=command.answered.is_paused)
    return replace(reply, facts={answered.PAUSED: answered.ON})


def _reply(context: CommandContext, *, is_already: bool) -> CommandReply:
    return context.say("reply_paused_already" if is_already else "reply_paused")


COMMAND = CommentCommand(run, in_step, "pause")
