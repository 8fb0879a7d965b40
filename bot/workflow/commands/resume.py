"""`/deeprepo resume`."""

from dataclasses import replace

from bot.commands import CommandReply
from bot.stored import answered
from bot.values import ReviewAsk
from bot.workflow import pull_state
from bot.workflow.given_command import CommentCommand, GivenCommand, StepCommand


async def run(command: GivenCommand) -> CommandReply:
    """Resume automatic reviews, count pushes from zero, and review the head if it has no review."""
    were_waiting = await pull_state.reset_count(command.host, command.context.settings.pause_after)
    was_paused = await command.store.people.resume(command.ask.pull)
    await command.server.jobs.submit(ReviewAsk(command.ask.pull, "catch-up"), f"resumed-{command.job.delivery}")
    reply = "reply_resumed" if was_paused or were_waiting else "reply_not_paused"
    return command.context.say(reply)


async def in_step(command: StepCommand) -> CommandReply:
    """Record in the answer that reviews are on, and count pushes from zero."""
    were_waiting = await pull_state.reset_count(command.host, command.context.settings.pause_after)
    reply = "reply_resumed_in_step" if command.answered.is_paused or were_waiting else "reply_not_paused"
    return replace(command.context.say(reply), facts={answered.PAUSED: answered.OFF})


COMMAND = CommentCommand(run, in_step, "resume")
