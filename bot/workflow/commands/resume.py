"""`/deeprepo resume`."""

from dataclasses import replace

from bot.commands import CommandContext, CommandReply
from bot.stored import answered
from bot.workflow import pull_state
from bot.workflow.given_command import CommentCommand, GivenCommand, StepCommand


async def run(command: GivenCommand) -> CommandReply:
    """Resume automatic reviews, count pushes from zero, and answer when the next review comes."""
    were_waiting = await pull_state.reset_count(command.host, command.context.settings.pause_after)
    was_paused = await command.store.people.resume(command.ask.pull)
    return _reply(command.context, was_paused=was_paused or were_waiting)


async def in_step(command: StepCommand) -> CommandReply:
    """Record in the answer that reviews are on, and count pushes from zero."""
    were_waiting = await pull_state.reset_count(command.host, command.context.settings.pause_after)
    reply = _reply(command.context, was_paused=command.answered.is_paused or were_waiting)
    return replace(reply, facts={answered.PAUSED: answered.OFF})


def _reply(context: CommandContext, *, was_paused: bool) -> CommandReply:
    return context.say("reply_resumed" if was_paused else "reply_not_paused")


COMMAND = CommentCommand(run, in_step, "resume")
