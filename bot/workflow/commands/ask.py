"""`/deeprepo ask` and `/deeprepo explain`, which are answered in a child process from the change, if a model can be asked."""

from dataclasses import replace
from functools import partial

from bot.commands import CommandReply, answering
from bot.errors import OverLimit, public
from bot.payloads import Question
from bot.values.daily import CapReached
from bot.wiring import access
from bot.workflow import spending
from bot.workflow.given_command import Answering, CommentCommand, GivenCommand, StepCommand


async def answer_in_step(answer: Answering, command: StepCommand) -> CommandReply:
    """Answer a command with a function that reads the change, in a GitHub Actions step."""
    return await command.work.ask(answer, command.job.argument)


async def answer_in_child(answer: Answering, command: GivenCommand) -> CommandReply:
    """Answer a command with a function that reads the change."""
    job, given, server = command.job, command.context, command.server
    name = f"{job.pull.repository}-{job.pull.number}-comment-{job.comment.id}"
    question = Question(answer, job.argument, given, name)
    try:
        if not access.can_ask(given.settings):
            return await server.answer(question)
        async with (
            server.fetch(job.pull, command.state) as pull,
            spending.reserve(job.pull, name, given.settings, server) as grant,
        ):
            if isinstance(grant, CapReached):
                return given.say("reply_failed", why=spending.refusal(grant))
            brief = command.state.brief(pull, given.settings.within(grant.usd), name)
            return await server.answer(replace(question, brief=brief))
    except OverLimit as error:
        return given.say("reply_failed", why=public(error))


ASK = CommentCommand(
    partial(answer_in_child, answering.ask), partial(answer_in_step, answering.ask), "ask QUESTION", is_long=True
)
EXPLAIN = CommentCommand(
    partial(answer_in_child, answering.explain), partial(answer_in_step, answering.explain), "explain [NUMBER]"
)
