"""The strategy `one-call`, the baseline of roots: the root's model reads all that it is given in one call. No review uses it."""

from dataclasses import replace

from bot.review import worker_replies
from bot.review.dialogues import Exchange
from bot.review.prompts import MOST_CALLERS, PromptWriter
from bot.review.session import Session
from bot.review.strategies import parts
from bot.values import Source, Transcript
from deeprepo.rlm.errors import ProviderError


async def run(session: Session) -> Transcript:
    """Ask once about every region that isn't skipped. Raises ProviderError if there is no root model."""
    if session.root is None:
        raise ProviderError("the baseline needs a root model")
    writer = PromptWriter(session.survey, None, may_ask=False)
    sent = await writer.of_units(session.tracker.unread(), "", "none", MOST_CALLERS)
    prompt = replace(sent.prompt, answer=sent.prompt.answer and sent.prompt.answer.final)
    (reply,) = await session.calls.many(session.root, [prompt], "root")
    source = Source("model", session.root.name, "root")
    answer = worker_replies.combined(sent, Exchange(reply), source, session.tracker)
    await parts.take(session, answer)
    notes = (answer.error,) if answer.error else ()
    partial = bool(answer.error or session.tracker.unread())
    return Transcript(tuple(session.results.findings), answer.text, partial=partial, notes=notes)
