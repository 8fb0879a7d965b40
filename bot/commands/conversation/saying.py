"""The comment that answers a remark, or the sentence that says why it is not answered. Text of models and people is disarmed."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

from bot.commands import CommandReply, Permission, carrying, target
from bot.commands.conversation import answering
from bot.commands.conversation.answering import Withdrawal
from bot.commands.conversation.hearing import HeardRemark
from bot.config import Config
from bot.errors import BudgetSpent, ProviderError
from bot.outputs import facts
from bot.outputs.parts import evidence
from bot.render import code, comment, load, phrase
from bot.review.session import Session

IGNORE, HELP = "/deeprepo ignore", "/deeprepo help"


@dataclass(frozen=True, slots=True)
class RemarkReply:
    """What a remark gets: a reply, a reaction, and the findings that are withdrawn by it: fingerprint and reason."""

    body: str = ""
    reaction: str = ""
    withdrawn: tuple[tuple[str, str], ...] = ()


def refusal(actor: str, standing: Permission, settings: Config, *, names_us: bool, model: bool) -> CommandReply | None:
    """The answer where no model is asked, mostly nothing; None where one is asked."""
    words = load(settings.language)
    most = settings.triggers.replies_per_hour
    if not most or not (names_us or (standing.writes and model)):
        return CommandReply()
    most = most if standing.writes else min(most, carrying.STRANGER)
    if (wait := carrying.judge(standing.earlier, standing.now, most)) is not None:
        minutes, was_told = wait
        return CommandReply("" if was_told else phrase(words, "talk_too_many", minutes, most=most))
    if not standing.writes:
        return CommandReply(phrase(words, "talk_no_permission", actor=actor), "-1")
    return None if model else CommandReply(phrase(words, "talk_no_model", example=code(HELP)))


async def respond(
    heard_remark: HeardRemark,
    last: bytes | None,
    language: str,
    open_session: Callable[[], AbstractAsyncContextManager[Session]],
    clock: Callable[[], float],
) -> RemarkReply:
    """A model's answer as a comment; the reason if the model gave no answer."""
    words, last_review, start = load(language), target.read(last), clock()
    if any(finding.category == "secret" for finding in answering.subjects(heard_remark, last_review)):
        return RemarkReply(phrase(words, "reply_secret"))
    try:
        async with open_session() as session:
            checked_answer = session.calls.masks.cover(await answering.answer(heard_remark, last_review, session))
            cost = facts.cost(session.calls.cost(), clock() - start, words)
            pull = session.pull
    except (ProviderError, BudgetSpent) as error:
        return RemarkReply(phrase(words, "reply_failed", why=str(error)))
    withdrawals = [one for one in checked_answer.withdrawals if one.objection is None]
    if not checked_answer.text and not checked_answer.withdrawals:
        return RemarkReply(reaction="+1")
    body = comment(
        "replies/remark.md.j2",
        words,
        text=checked_answer.text,
        withdrawn=[{"title": one.finding.title, "reason": one.reason} for one in withdrawals],
        kept=[
            {"key": f"talk_{one.objection}", "example": code(_ignore(one))}
            for one in checked_answer.withdrawals
            if one.objection
        ],
        quotes=[evidence(item, pull) for item in checked_answer.quotes],
        cost=cost,
    )
    return RemarkReply(body, "", tuple((one.finding.fingerprint, one.reason) for one in withdrawals))


def _ignore(one: Withdrawal) -> str:
    return f"{IGNORE} {one.finding.number} REASON" if one.finding.number else f"{IGNORE} REASON"
