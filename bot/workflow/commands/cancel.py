"""`/deeprepo cancel`."""

from bot.commands import CommandReply
from bot.errors import HostRefused
from bot.workflow.given_command import CommentCommand, GivenCommand, StepCommand


async def run(command: GivenCommand) -> CommandReply:
    """Cancel the review in progress, and answer whether there was one."""
    count = await command.server.jobs.cancel(command.job.pull)
    return command.context.say("reply_cancelled" if count else "reply_nothing_running")


async def in_step(command: StepCommand) -> CommandReply:
    """Cancel the workflow's runs that review this pull request, if the job's token may."""
    try:
        count = await command.work.cancel()
    except HostRefused as refusal:
        if not refusal.is_forbidden:
            raise
        return command.context.say("reply_may_not_cancel")
    return command.context.say("reply_run_cancelled" if count else "reply_no_run")


COMMAND = CommentCommand(run, in_step, "cancel")
