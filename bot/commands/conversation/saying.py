"""The comment that answers a remark, or the sentence that says why it is not answered. Text of models and people is disarmed."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

from bot.commands import CommandReply, Permission, pace, target
from bot.commands.conversation import answering
from bot.commands.conversation.answering import Withdrawal
from bot.commands.conversation.hearing import HeardRemark
from bot.config import Config
from bot.errors import BudgetSpent, ProviderError
from bot.outputs import facts
from bot.outputs.parts import evidence
from bot.render import code, comment, load
from bot.review.session import Session

IGNORE, HELP = "/deeprepo ignore", "/deeprepo help"


@dataclass(frozen=True, slots=True)
class RemarkReply:
    """What a remark gets: a reply, a reaction, and the findings that are withdrawn by it: fingerprint and reason."""

    body: str = ""
    reaction: str = ""
    withdrawn: tuple[tuple[str, str], ...] = ()


def refusal(actor: str, standing: Permission, settings: Config, *, mentioned: bool, model: bool) -> CommandReply | None:
    """The answer where no model is asked, mostly nothing; None where one is asked."""
    words = load(settings["language"])

    def say(key: str, number: int | None = None, **values: object) -> str:
        return comment("replies/phrase.md.j2", words, key=key, number=number, values=values)

    most = settings.triggers.replies_per_hour
    if not most or not (mentioned or (standing.writes and model)):
        return CommandReply()
    most = most if standing.writes else min(most, pace.STRANGER)
    allowed = pace.judge(standing.earlier, standing.now, most)
    if not allowed.free:
        return CommandReply("" if allowed.told else say("talk_too_many", allowed.minutes, most=most))
    if not standing.writes:
        return CommandReply(say("talk_no_permission", actor=actor), "-1")
    return None if model else CommandReply(say("talk_no_model", example=code(HELP)))


async def respond(
    heard: HeardRemark,
    last: bytes | None,
    language: str,
    opened: Callable[[], AbstractAsyncContextManager[Session]],
    clock: Callable[[], float],
) -> RemarkReply:
    """A model's answer as a comment; the reason if the model gave no answer."""
    words, said, started = load(language), target.read(last), clock()
    if any(finding.category == "secret" for finding in answering.meant(heard, said)):
        return RemarkReply(comment("replies/phrase.md.j2", words, key="reply_secret", number=None, values={}))
    try:
        async with opened() as session:
            made = session.calls.masks.cover(await answering.answer(heard, said, session))
            cost = facts.cost(session.calls.cost(), clock() - started, words)
            pull = session.pull
    except (ProviderError, BudgetSpent) as error:
        values = {"why": str(error)}
        return RemarkReply(comment("replies/phrase.md.j2", words, key="reply_failed", number=None, values=values))
    taken = [one for one in made.withdrawals if one.refused is None]
    if not made.text and not made.withdrawals:
        return RemarkReply(reaction="+1")
    body = comment(
        "replies/remark.md.j2",
        words,
        text=made.text,
        withdrawn=[{"title": one.finding.title, "reason": one.reason} for one in taken],
        kept=[{"key": f"talk_{one.refused}", "example": code(_ignore(one))} for one in made.withdrawals if one.refused],
        quotes=[evidence(item, pull) for item in made.quotes],
        cost=cost,
    )
    return RemarkReply(body, "", tuple((one.finding.fingerprint, one.reason) for one in taken))


def _ignore(one: Withdrawal) -> str:
    return f"{IGNORE} {one.finding.number} REASON" if one.finding.number else f"{IGNORE} REASON"
