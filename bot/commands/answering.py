"""Ask a model a question about the change, for the commands `ask` and `explain`.

The model is shown code, and can once ask to see more. Its quotes are checked. Its calls are reserved under
the repository's budget and recorded, like those of a review. In the reply, all text from the model or the
change is escaped, every quote has its location, and the cost is shown at the end.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Any

from bot import render
from bot.commands import sources, target
from bot.commands.context import CommandContext, CommandReply
from bot.commands.target import CommandTarget
from bot.errors import DeepRepoError, public
from bot.findings import proof
from bot.findings.quotes import check_quotes, find_quote, with_true_text
from bot.findings.read import asking, strict, text
from bot.outputs import facts
from bot.render import Safe, link
from bot.render.places import evidence, permalink
from bot.review.dialogues import Dialogues
from bot.review.guidance import language_instruction
from bot.review.session import Session
from bot.values import Evidence, Excerpt, Finding
from bot.values.review import LastFindings
from deeprepo.impact.ports import Tree
from deeprepo.rlm.errors import BadAnswer, BudgetSpent, ProviderError
from deeprepo.rlm.values import Message, Model, Prompt, Purpose, Schema

ANSWER_TOKENS = 2_048
MAX_QUOTES = 8
THREAD_CHARS, PULL_CHARS = 4_000, 2_000


@dataclass(frozen=True, slots=True)
class CheckedAnswer:
    """A model's answer, without quotes that don't exist in the code."""

    text: str
    quotes: tuple[Evidence, ...]
    sketch: str | None


@lru_cache(maxsize=1)
def schema() -> Schema:
    """Return the schema of the model's answer."""
    properties: dict[str, Any] = {
        "answer": text("the reply, in plain sentences; names of code in backticks"),
        "quotes": {
            "type": "array",
            "items": strict(path=text("the file"), quote=text("whole lines, verbatim, without line numbers")),
            "description": "the lines of the shown code that the reply rests on",
        },
        "sketch": {
            "type": ["string", "null"],
            "description": "code that shows what is meant, at most 30 lines; null if none is needed",
        },
    }
    return asking("reply", "Hand in the reply.", properties)


async def answer(template: str, question: str, about: CommandTarget, session: Session, model: Model) -> CheckedAnswer:
    """Ask the model a question about `about`, and return its checked answer.

    `template` is the name of the prompt's template. Raises ProviderError and BudgetSpent.
    """
    excerpts: tuple[Excerpt, ...] = ()
    if about.finding is not None:
        finding = await at_current_location(about.finding, session.survey.tree)
        about = replace(about, finding=finding)
        excerpts = tuple(dict.fromkeys(await proof.gather(finding, session.tree, session.dependents, session.files)))
    excerpts += await sources.find(sources.names_in(question), session, excerpts)
    role: Purpose = "root" if model is session.root else "worker"
    data = await reply_to(_prompt(template, question, about, session, excerpts), session, model, role)
    if not data["answer"].strip():
        raise BadAnswer(f"{model.name} returned an empty answer")
    sketch = (data["sketch"] or "").strip("\n") or None
    return CheckedAnswer(data["answer"].strip(), await existing_quotes(data["quotes"], session), sketch)


async def reply_to(prompt: Prompt, session: Session, model: Model, role: Purpose) -> Mapping[str, Any]:
    """Return a model's answer to a prompt. If the model asks for more code, show it the code first.

    Raises ProviderError and BudgetSpent.
    """
    (reply,) = await Dialogues(session.calls, model, role, session.look_ups).answers([prompt])
    if isinstance(reply, DeepRepoError):
        raise reply
    return reply.data or {}


async def at_current_location(finding: Finding, tree: Tree) -> Finding:
    """Return the finding at its quote's current location. Code may have moved since the review."""
    current = await check_quotes(finding, tree)
    return current if isinstance(current, Finding) else finding


def _prompt(
    template: str, question: str, about: CommandTarget, session: Session, excerpts: Sequence[Excerpt]
) -> Prompt:
    question_text = render.text(
        f"prompts/{template}.md.j2",
        question=question,
        finding=about.finding,
        thread=render.cut(about.thread, THREAD_CHARS),
        title=session.pull.title,
        body=render.cut(session.pull.body, PULL_CHARS),
        excerpts=excerpts,
        diff=sources.diff(session.files, {excerpt.path for excerpt in excerpts}),
    )
    system = render.text("prompts/ask_system.md.j2") + language_instruction(session.language)
    messages = Message("system", system), Message("user", question_text)
    return Prompt(messages, answer=schema(), max_tokens=ANSWER_TOKENS, about=f"the question: {question}")


async def existing_quotes(quotes: Sequence[Mapping[str, str]], session: Session) -> tuple[Evidence, ...]:
    """Return the quotes that exist in the code after the change, or else before it, with their lines."""
    proofs: dict[tuple[str, int], Evidence] = {}
    for quote in quotes[: 4 * MAX_QUOTES]:
        item = Evidence(quote["path"], quote["quote"].strip("\n"))
        proof = await _place(item, session)
        if proof is not None:
            proofs.setdefault((proof.path, proof.line), proof)
    return tuple(proofs.values())[:MAX_QUOTES]


async def _place(item: Evidence, session: Session) -> Evidence | None:
    at = await find_quote(session.tree, item.path, item.quote)
    if at is None:
        return None
    return await with_true_text(replace(item, line=at[1], side=at[0]), session.survey.tree)


OpenSession = Callable[[], AbstractAsyncContextManager[Session]]


def _is_secret(about: CommandTarget) -> bool:
    """Return whether the finding is a leaked secret. Its code is neither shown to models nor quoted."""
    return about.finding is not None and about.finding.category == "secret"


def _stored_reply(finding: Finding, last_review: LastFindings, context: CommandContext, *, model: bool) -> CommandReply:
    """`model`: whether a model is configured."""
    words, pull = context.words, last_review.pull
    place = permalink(pull, finding.path, finding.side, finding.start, finding.end)
    return context.reply(
        "replies/explain",
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


async def _model_reply(
    template: str,
    question: str,
    about: CommandTarget,
    context: CommandContext,
    open_session: OpenSession,
    instead: CommandReply | None = None,
) -> CommandReply:
    """Return a reply with a model's answer. If there is none, return the reason, and `instead` if given."""
    start = time.monotonic()
    try:
        async with open_session() as session:
            model, pull = session.root or session.reader, session.pull
            if model is None:
                return instead or context.say("reply_no_model", example="`/deeprepo explain 1`")
            checked_answer = session.survey.shown(await answer(template, question, about, session, model))
            cost = facts.cost(session.calls.budget.cost(), time.monotonic() - start, context.words)
    except (ProviderError, BudgetSpent) as error:  # daily caps were checked before the session was opened
        failure_text = context.say("reply_failed", why=public(error)).body
        return CommandReply(f"{failure_text}\n{instead.body if instead else ''}".strip())
    quotes = [evidence(item, pull) for item in checked_answer.quotes]
    return context.reply(
        "replies/answer", text=checked_answer.text, quotes=quotes, sketch=checked_answer.sketch, cost=cost
    )


async def ask(argument: str, context: CommandContext) -> CommandReply:
    """Answer the command `ask`: a question about the change, or in a thread, about the thread's finding."""
    if not argument.strip():
        return context.say("reply_no_question", example="`/deeprepo ask who calls this?`")
    if context.open_session is None:
        return context.say("reply_no_model", example="`/deeprepo explain 1`")
    about = target.thread_target(context)
    if _is_secret(about):
        return context.say("reply_secret")
    return await _model_reply("ask", argument, about, context, context.open_session)


async def explain(argument: str, context: CommandContext) -> CommandReply:
    """Answer the command `explain` with a model's explanation of a finding, or with the stored finding."""
    about = target.find(argument, context)
    if about.finding is None or about.last_review is None:
        return about.missing(context, "explain 2")
    stored_reply = _stored_reply(about.finding, about.last_review, context, model=context.open_session is not None)
    if context.open_session is None or _is_secret(about):
        return stored_reply
    return await _model_reply("explain", about.rest, about, context, context.open_session, instead=stored_reply)
