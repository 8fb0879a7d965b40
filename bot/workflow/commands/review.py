"""`/deeprepo review` and `/deeprepo full review`."""

from bot.commands import CommandReply
from bot.values import ReviewJob
from bot.workflow.given_command import CommentCommand, GivenCommand, StepCommand

# Commands that start a review, and whether the review is full.
REVIEWS = {"review": False, "full review": True}


async def run(command: GivenCommand) -> CommandReply:
    """Request a review of the head and base that the person saw. The review itself is the answer."""
    job, facts, is_full = command.job, command.state.facts, REVIEWS[command.job.word]
    request = ReviewJob(job.pull, "command", is_full, job.actor, job.comment, facts.head_sha, base=facts.base_ref)
    await command.server.jobs.submit(request, f"comment-{job.comment.kind}-{job.comment.id}")
    return CommandReply()


async def in_step(_: StepCommand) -> CommandReply:
    """Answer nothing: the step reviews after its other commands, and the review is the answer."""
    return CommandReply()


REVIEW, FULL_REVIEW = CommentCommand(run, in_step, "review"), CommentCommand(run, in_step, "full review")
