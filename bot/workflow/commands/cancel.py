"""`/deeprepo cancel`."""

from bot.commands import CommandReply
from bot.workflow.given_command import CommentCommand, GivenCommand


async def run(command: GivenCommand) -> CommandReply:
    """Cancel the review in progress, and answer whether there was one."""
    count = await command.server.jobs.cancel(command.ask.pull)
    return command.context.say("reply_cancelled" if count else "reply_nothing_running")


COMMAND = CommentCommand(run, "cancel")
