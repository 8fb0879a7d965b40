"""`/deeprepo pause`."""

import time

from bot.commands import CommandReply
from bot.workflow.given_command import CommentCommand, GivenCommand


async def run(command: GivenCommand) -> CommandReply:
    """Pause automatic reviews of this pull request, and answer how to resume them."""
    people, pull = command.store.people, command.ask.pull
    already = await people.is_paused(pull)
    await people.pause(pull, command.ask.actor, time.time())
    return command.context.say("reply_paused_already" if already else "reply_paused")


COMMAND = CommentCommand(run, "pause")
