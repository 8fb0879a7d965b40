"""How an answer is written: whatever a model or the change brings is disarmed, every quote has its place, the cost is below."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import PurePosixPath

from bot.commands import answering
from bot.commands.context import CommandContext, CommandReply
from bot.commands.target import CommandTarget, LastReview
from bot.errors import BudgetSpent, ProviderError
from bot.outputs import facts
from bot.outputs.parts import evidence
from bot.render import Safe, link
from bot.review.session import Session
from bot.values import Finding

OpenSession = Callable[[], AbstractAsyncContextManager[Session]]


def secret(about: CommandTarget) -> bool:
    """Whether the finding is a leaked secret: its code is shown to no model, and quoted in no answer."""
    return about.finding is not None and about.finding.category == "secret"


def stored_reply(finding: Finding, last_review: LastReview, context: CommandContext, *, model: bool) -> CommandReply:
    """The finding as the last review has it."""
    words, pull = context.words, last_review.pull
    place = facts.permalink(pull, finding.path, finding.side, finding.start, finding.end)
    return context.reply(
        "explain",
        number=finding.number,
        mark=Safe(facts.MARKS[finding.severity]),
        title=finding.title,
        severity=words.say(finding.severity),
        where=link(facts.where(finding, words)[:160], place),
        origin=facts.origin(finding, words),
        quote=finding.quote,
        language=PurePosixPath(finding.path).suffix.lstrip("."),
        why=finding.why,
        consequence=finding.consequence,
        trigger=finding.trigger,
        evidence=[evidence(item, pull) for item in finding.evidence],
        suggestion=finding.suggestion,
        model=model,
    )


async def model_reply(
    template: str,
    question: str,
    about: CommandTarget,
    context: CommandContext,
    open_session: OpenSession,
    instead: CommandReply | None = None,
) -> CommandReply:
    """A model's answer; without a model, the reason and what is known without it."""
    start = context.clock()
    try:
        async with open_session() as session:
            model, pull = session.root or session.reader, session.pull
            if model is None:
                return instead or context.say("reply_no_model", example="`/deeprepo explain`")
            checked_answer = session.calls.masks.cover(
                await answering.answer(template, question, about, session, model)
            )
            cost = facts.cost(session.calls.cost(), context.clock() - start, context.words)
    except (ProviderError, BudgetSpent) as error:  # a cap of the day is met before the change is opened
        failure_text = context.say("reply_failed", why=str(error)).body
        return CommandReply(f"{failure_text}\n{instead.body if instead else ''}".strip())
    quotes = [evidence(item, pull) for item in checked_answer.quotes]
    return context.reply("answer", text=checked_answer.text, quotes=quotes, sketch=checked_answer.sketch, cost=cost)
