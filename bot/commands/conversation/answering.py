"""Ask a model to answer a remark, with a second call if it asks for more code. Its quotes are checked.

The prompt starts with what does not change within a thread (the finding, the code), so that the provider's
cache serves the next answer. This module decides whether a finding is withdrawn, by the model's reason and
what can be checked in the code.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal

from bot import render
from bot.commands import CommandReply, Permission, context, sources, target
from bot.commands.answering import MAX_QUOTES, at_current_location, reply_to, verbatim
from bot.commands.conversation.hearing import HeardRemark
from bot.commands.reading import own_lines
from bot.commands.target import finding_numbers
from bot.config import Config
from bot.errors import public
from bot.findings import proof
from bot.findings.merge import alike
from bot.findings.quotes import fold
from bot.findings.read import asking, strict, text
from bot.findings.silencing import IgnoreList
from bot.outputs import facts
from bot.outputs.parts import evidence
from bot.render import code, comment, load, phrase
from bot.review.guidance import language_instruction
from bot.review.session import Session
from bot.values import Evidence, Excerpt, Finding
from bot.values.review import LastReview
from deeprepo.rlm.errors import BudgetSpent, ProviderError
from deeprepo.rlm.values import Message, Prompt, Schema, tokens

REMARK_TOKENS = 1_500
# Of the code next to the remark; the diff is shown if there is no finding.
CODE_TOKENS, DIFF_TOKENS = 2_200, 2_500
MOST_FINDINGS, MOST_LISTED = 3, 20
MOST_ABOUT = 200  # characters of a remark that a second request repeats
BODY_CHARS = 600
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
Objection = Literal["proven", "unshown", "unsaid"]
MIN_WORDS = 3  # words of a stated fact
SHARED = 0.3  # share of the distinctive words that the reason has in common with the statement


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """A withdrawn finding and the reason. With an `objection`, it is not withdrawn."""

    finding: Finding
    reason: str
    objection: Objection | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer. An empty text without withdrawals means that nothing needs an answer."""

    text: str
    quotes: tuple[Evidence, ...]
    withdrawals: tuple[Withdrawal, ...] = ()


@lru_cache(maxsize=1)
def schema() -> Schema:
    """Return the schema of the answer."""
    quote = strict(path=text("the file"), quote=text("whole lines, verbatim, without line numbers"))
    withdrawal_schema = strict(
        finding={"type": "integer", "description": "the number in the heading of the finding, counted from 1"},
        because={"type": "string", "enum": ["code", "told"], "description": "code shows it, or the person told a fact"},
        reason=text("the reason in one sentence"),
        words=text("for `told`: the whole sentence of the last remark that states the fact, verbatim; else empty"),
    )
    properties: dict[str, Any] = {
        "answer": text("the reply in plain sentences, names of code in backticks; empty if none is needed"),
        "quotes": {"type": "array", "items": quote, "description": "the lines of code that the reply rests on"},
        "withdraw": {
            "type": "array",
            "items": withdrawal_schema,
            "description": "the findings that are wrong; mostly none",
        },
    }
    return asking("reply_to_remark", "Hand in the reply.", properties)


async def answer(heard_remark: HeardRemark, last_review: LastReview | None, session: Session) -> Answer:
    """Ask the model and check its answer. Raises ProviderError and BudgetSpent."""
    findings = [await at_current_location(subject, session.tree) for subject in subjects(heard_remark, last_review)]
    model = session.reader or session.root
    if model is None:
        raise ValueError("a conversation needs a model")
    prompt = await _prompt(heard_remark, findings, last_review, session)
    data = await reply_to(prompt, session, model, "worker")
    quotes = await verbatim(data["quotes"], session.tree)
    return Answer(data["answer"].strip(), quotes, tuple(_withdrawals(data["withdraw"], findings, quotes, heard_remark)))


def subjects(heard_remark: HeardRemark, last_review: LastReview | None) -> tuple[Finding, ...]:
    """Return the findings of the thread, or else those that the remark names by number."""
    if last_review is None:
        return ()
    if heard_remark.findings:
        findings = [last_review.by_identity(mark) for mark in heard_remark.findings]
    else:
        findings = [last_review.by_number(number) for number in finding_numbers(heard_remark.said[-1].text)]
    return tuple(dict.fromkeys(finding for finding in findings if finding is not None))[:MOST_FINDINGS]


async def _prompt(
    heard_remark: HeardRemark, findings: Sequence[Finding], last_review: LastReview | None, session: Session
) -> Prompt:
    """Return the prompt: first what does not change with the head, then the conversation."""
    code, room = list[Excerpt](), CODE_TOKENS
    for left, finding in zip(range(len(findings), 0, -1), findings, strict=True):
        for excerpt in await proof.gather(finding, session.tree, session.dependents, session.files, room // left):
            room -= tokens(excerpt.body)
            code.append(excerpt)
    if heard_remark.place:
        code += _fitting(await sources.look([heard_remark.place], session), room)
    look_ups = await sources.look(sources.names_in(heard_remark.said[-1].text), session, code)
    open_findings = [] if findings or last_review is None else last_review.open_findings[:MOST_LISTED]
    about = render.text(
        "prompts/remark_about.md.j2",
        title=session.pull.title,
        body=render.cut(session.pull.body, BODY_CHARS),
        findings=findings,
        listed=open_findings,
        top="" if findings else heard_remark.top,
        place=heard_remark.place,
        excerpts=tuple(dict.fromkeys(code)),
        diff=None if findings else sources.diff(session.files, (), DIFF_TOKENS),
    )
    question_text = render.text(
        "prompts/remark.md.j2",
        said=heard_remark.said,
        left_out=heard_remark.left_out,
        excerpts=tuple(_fitting(look_ups, max(room, CODE_TOKENS // 2))),
    )
    system = render.text("prompts/remark_system.md.j2") + language_instruction(session.language)
    messages = (Message("system", system), Message("user", about), Message("user", question_text))
    return Prompt(
        messages,
        answer=schema(),
        max_tokens=REMARK_TOKENS,
        about=f"the remark: {heard_remark.said[-1].text[:MOST_ABOUT]}",
    )


def _fitting(excerpts: Sequence[Excerpt], room: int) -> Iterator[Excerpt]:
    for excerpt in excerpts:
        if (size := tokens(excerpt.body)) <= room:
            room -= size
            yield excerpt


def _withdrawals(
    rows: Sequence[Mapping[str, Any]],
    findings: Sequence[Finding],
    quotes: Sequence[Evidence],
    heard_remark: HeardRemark,
) -> Iterator[Withdrawal]:
    """Yield what the model withdraws, each finding once. Proven findings stay.

    A reason from the code needs a line that shows it. A fact stated by a person needs their exact words in
    the remark itself, because only its author may decide, not others in the thread.
    """
    rows_by_number = {entry["finding"]: entry for entry in rows[:MAX_QUOTES] if 1 <= entry["finding"] <= len(findings)}
    for number, entry in sorted(rows_by_number.items()):
        finding, reason = findings[number - 1], " ".join(entry["reason"].split())
        objection: Objection | None = None
        if finding.proven or finding.is_masked:
            objection = "proven"
        elif not reason or (entry["because"] == "code" and not any(_further(quote, finding) for quote in quotes)):
            objection = "unshown"
        elif (entry["because"] != "code" or _others(heard_remark)) and not _states_reason(
            entry.get("words", ""), reason, heard_remark
        ):
            objection = "unsaid"
        yield Withdrawal(finding, reason, objection)


def _others(heard_remark: HeardRemark) -> bool:
    """Return whether others commented in the thread, who may have influenced the model."""
    actor = heard_remark.said[-1].who
    return any(speech.kind != "us" and speech.who != actor for speech in heard_remark.said)


def _states_reason(words: str, reason: str, heard_remark: HeardRemark) -> bool:
    """Return whether the last remark states these words: not quoted, not in code, not as a question."""
    written = fold(" ".join(own_lines(heard_remark.said[-1].text))).lower()
    written = " ".join(sentence for sentence in _SENTENCE.split(written) if not sentence.endswith("?"))
    return len(words.split()) >= MIN_WORDS and fold(words).lower() in written and alike(words, reason, SHARED)


def _further(quote: Evidence, finding: Finding) -> bool:
    """Return whether a quote shows something that the finding itself does not quote."""
    own = {
        fold(line) for text in (finding.quote, *(item.quote for item in finding.evidence)) for line in text.split("\n")
    }
    further = (fold(line) not in own for line in quote.quote.split("\n") if line.strip())
    return quote.side == "head" and any(further)


IGNORE, HELP = "/deeprepo ignore", "/deeprepo help"


@dataclass(frozen=True, slots=True)
class RemarkReply:
    """The answer to a remark: a comment, a reaction, and the withdrawn findings with reasons."""

    body: str = ""
    reaction: str = ""
    withdrawn: tuple[tuple[str, str], ...] = ()


def refusal(
    actor: str, permission: Permission, settings: Config, *, names_us: bool, model: bool
) -> CommandReply | None:
    """Return the answer, often empty, if no model is asked; None if one is asked."""
    words = load()
    most = settings.triggers.replies_per_hour
    if not most or (permission.writes and not names_us and not model):
        return CommandReply()
    if not permission.writes:
        is_told = permission.earlier or context.wait(permission, context.STRANGER)
        return CommandReply() if is_told else CommandReply(phrase(words, "talk_no_permission", actor=actor), "-1")
    if (wait := context.wait(permission, most)) is not None:
        return wait.reply("talk_too_many", most)
    if model:
        return None
    text = "" if permission.earlier else phrase(words, "talk_no_model", example=code(HELP))  # once a day
    return CommandReply(text, "confused")


async def respond(
    heard_remark: HeardRemark,
    last: bytes | None,
    silences: IgnoreList,
    open_session: Callable[[], AbstractAsyncContextManager[Session]],
    clock: Callable[[], float],
) -> RemarkReply:
    """Return a model's answer as a comment, or why there is none.

    `silences` are decisions since the review.
    """
    words, last_review, start = load(), target.read(last), clock()
    if last_review is not None:
        last_review = replace(last_review, open_findings=silences.split(last_review.open_findings)[0])
    if any(finding.category == "secret" for finding in subjects(heard_remark, last_review)):
        return RemarkReply(phrase(words, "reply_secret"))
    try:
        async with open_session() as session:
            checked_answer = session.survey.shown(await answer(heard_remark, last_review, session))
            cost = facts.cost(session.calls.budget.cost(), clock() - start, words)
            pull = session.pull
    except (ProviderError, BudgetSpent) as error:
        return RemarkReply(phrase(words, "reply_failed", why=public(error)))
    withdrawals = [withdrawal for withdrawal in checked_answer.withdrawals if withdrawal.objection is None]
    if not checked_answer.text and not checked_answer.withdrawals:
        return RemarkReply(reaction="+1")
    body = comment(
        "replies/remark.md.j2",
        words,
        text=checked_answer.text,
        withdrawn=[{"title": withdrawal.finding.title, "reason": withdrawal.reason} for withdrawal in withdrawals],
        kept=[
            {"key": f"talk_{withdrawal.objection}", "example": code(_ignore(withdrawal))}
            for withdrawal in checked_answer.withdrawals
            if withdrawal.objection
        ],
        quotes=[evidence(item, pull) for item in checked_answer.quotes],
        cost=cost,
    )
    return RemarkReply(
        body, "", tuple((withdrawal.finding.fingerprint, withdrawal.reason) for withdrawal in withdrawals)
    )


def _ignore(withdrawal: Withdrawal) -> str:
    return f"{IGNORE} {withdrawal.finding.number} REASON" if withdrawal.finding.number else f"{IGNORE} REASON"
