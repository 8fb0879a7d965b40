"""`/deeprepo resume`."""

from bot.commands import CommandReply
from bot.workflow import push_count
from bot.workflow.given_command import CommentCommand, GivenCommand


async def run(command: GivenCommand) -> CommandReply:
    """Resume automatic reviews, count pushes from zero, and answer when the next review comes."""
    were_waiting = await push_count.reset_count(command.host, command.context.settings.pause_after)
    was_paused = await command.store.people.resume(command.ask.pull)
    return command.context.say("reply_resumed" if was_paused or were_waiting else "reply_not_paused")


COMMAND = CommentCommand(run, "resume")
