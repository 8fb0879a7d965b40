"""`/deeprepo pause` and `/deeprepo resume`."""

import time
from dataclasses import replace

from bot.commands import CommandContext, CommandReply
from bot.stored import answered
from bot.values import ReviewJob
from bot.workflow import pull_state
from bot.workflow.given_command import BareCommand, CommentCommand, GivenCommand, StepCommand


async def pause(command: GivenCommand) -> CommandReply:
    """Pause automatic reviews of this pull request, and answer how to resume them."""
    people, pull = command.store.people, command.job.pull
    already = await people.is_paused(pull)
    await people.pause(pull, command.job.actor, time.time())
    return _paused(command.context, is_already=already)


async def pause_in_step(command: StepCommand) -> CommandReply:
    """Record the pause in the answer, whose marker later runs read."""
    reply = _paused(command.context, is_already=command.answered.is_paused)
    return replace(reply, facts={answered.PAUSED: answered.ON})


def _paused(context: CommandContext, *, is_already: bool) -> CommandReply:
    return context.say("reply_paused_already" if is_already else "reply_paused")


async def resume(command: GivenCommand) -> CommandReply:
    """Resume automatic reviews, count pushes from zero, and review the head if it has no review."""
    were_waiting = await _reset(command)
    was_paused = await command.store.people.resume(command.job.pull)
    await command.server.jobs.submit(ReviewJob(command.job.pull, "catch-up"), f"resumed-{command.attempt.delivery}")
    return command.context.say("reply_resumed" if was_paused or were_waiting else "reply_not_paused")


async def resume_in_step(command: StepCommand) -> CommandReply:
    """Record in the answer that reviews are on, and count pushes from zero."""
    were_waiting = await _reset(command)
    reply = "reply_resumed_in_step" if command.answered.is_paused or were_waiting else "reply_not_paused"
    return replace(command.context.say(reply), facts={answered.PAUSED: answered.OFF})


async def _reset(command: BareCommand) -> bool:
    return await pull_state.reset_count(command.host, command.context.settings.pause_after)


PAUSE, RESUME = CommentCommand(pause, pause_in_step, "pause"), CommentCommand(resume, resume_in_step, "resume")
