"""Ask a model to answer a remark, with a second call if the model asks for more code. Check its quotes.

The prompt starts with what stays the same within a thread (the finding and the code), so that the next answer
can use the provider's cache. The model can suggest to withdraw a finding. This module decides about that, by
checking the model's reason against the code and the person's words.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal

from bot import render
from bot.commands import CommandReply, Permission, context, sources, target
from bot.commands.answering import MAX_QUOTES, at_current_location, existing_quotes, reply_to
from bot.commands.conversation.threads import RemarkThread
from bot.commands.reading import own_lines
from bot.commands.target import finding_numbers
from bot.errors import public
from bot.findings import proof
from bot.findings.merge import alike
from bot.findings.quotes import fold
from bot.findings.read import asking, strict, text
from bot.findings.silencing import IgnoreList
from bot.outputs import facts
from bot.render import code, comment, load, phrase
from bot.render.places import evidence
from bot.review.guidance import language_instruction
from bot.review.session import Session
from bot.values import Evidence, Excerpt, Finding
from bot.values.review import LastFindings
from deeprepo.rlm.errors import BudgetSpent, ProviderError
from deeprepo.rlm.values import Message, Prompt, Schema, tokens

ANSWER_TOKENS = 1_500
# Limits for the code in the prompt. The diff is only shown if the remark is not about a finding.
CODE_TOKENS, DIFF_TOKENS = 2_200, 2_500
MAX_FINDINGS, MAX_LISTED = 3, 20  # findings with evidence, and findings of which only the titles are listed
BODY_CHARS = 600
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
# Why a finding is not withdrawn: it is proven, no code shows the reason, or the person didn't state the
# reason.
Objection = Literal["proven", "unshown", "unsaid"]
MIN_WORDS = 3  # of a fact that the person stated
MIN_SHARED = 0.3  # share of the distinctive words that the reason must have in common with the person's words
REPLIES_PER_HOUR = 12  # replies to remarks by one person in a pull request


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """A finding that the model wants to withdraw, with its reason.

    With an `objection`, it is not withdrawn.
    """

    finding: Finding
    reason: str
    objection: Objection | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """The model's checked answer. Without text and withdrawals, the remark needs no answer."""

    text: str
    quotes: tuple[Evidence, ...]
    withdrawals: tuple[Withdrawal, ...] = ()


@lru_cache(maxsize=1)
def schema() -> Schema:
    """Return the schema of the model's answer."""
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


async def answer(remark_thread: RemarkThread, last_review: LastFindings | None, session: Session) -> Answer:
    """Ask the model to answer a remark, and check its answer. Raises ProviderError and BudgetSpent."""
    findings = [
        await at_current_location(subject, session.survey.tree) for subject in subjects(remark_thread, last_review)
    ]
    model = session.reader or session.root
    if model is None:
        raise ValueError("a conversation needs a model")
    prompt = await _prompt(remark_thread, findings, last_review, session)
    data = await reply_to(prompt, session, model, "worker")
    quotes = await existing_quotes(data["quotes"], session)
    return Answer(
        data["answer"].strip(), quotes, tuple(_withdrawals(data["withdraw"], findings, quotes, remark_thread))
    )


def subjects(remark_thread: RemarkThread, last_review: LastFindings | None) -> tuple[Finding, ...]:
    """Return the findings that a remark is about: its thread's, or else those that it mentions by number."""
    if last_review is None:
        return ()
    if remark_thread.findings:
        findings = [last_review.by_identity(mark) for mark in remark_thread.findings]
    else:
        findings = [last_review.by_number(number) for number in finding_numbers(remark_thread.remark.text)]
    return tuple(dict.fromkeys(finding for finding in findings if finding is not None))[:MAX_FINDINGS]


async def _prompt(
    remark_thread: RemarkThread, findings: Sequence[Finding], last_review: LastFindings | None, session: Session
) -> Prompt:
    """Return the prompt: first what stays the same within the thread, then the conversation."""
    code, room = list[Excerpt](), CODE_TOKENS
    for left, finding in zip(range(len(findings), 0, -1), findings, strict=True):
        for excerpt in await proof.gather(finding, session.tree, session.dependents, session.files, room // left):
            room -= tokens(excerpt.body)
            code.append(excerpt)
    if remark_thread.place:
        code += _fitting(await sources.find([remark_thread.place], session), room)
    look_ups = await sources.find(sources.names_in(remark_thread.remark.text), session, code)
    open_findings = [] if findings or last_review is None else last_review.open_findings[:MAX_LISTED]
    about = render.text(
        "prompts/remark_about.md.j2",
        title=session.pull.title,
        body=render.cut(session.pull.body, BODY_CHARS),
        findings=findings,
        listed=open_findings,
        top="" if findings else remark_thread.top,
        place=remark_thread.place,
        excerpts=tuple(dict.fromkeys(code)),
        diff=None if findings else sources.diff(session.files, (), DIFF_TOKENS),
    )
    question_text = render.text(
        "prompts/remark.md.j2",
        said=remark_thread.comments,
        left_out=remark_thread.omitted,
        excerpts=tuple(_fitting(look_ups, max(room, CODE_TOKENS // 2))),
    )
    system = render.text("prompts/remark_system.md.j2") + language_instruction(session.language)
    messages = (Message("system", system), Message("user", about), Message("user", question_text))
    return Prompt(
        messages,
        answer=schema(),
        max_tokens=ANSWER_TOKENS,
        about=f"the remark: {remark_thread.remark.text}",
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
    remark_thread: RemarkThread,
) -> Iterator[Withdrawal]:
    """Proven findings are not withdrawn.

    If the reason is in the code, the model must quote a line that shows it. If the reason is a fact that a
    person stated, the model must quote the sentence from the remark itself. Only the remark's author may
    decide about a finding, not other people in the thread.
    """
    rows_by_number = {entry["finding"]: entry for entry in rows[:MAX_QUOTES] if 1 <= entry["finding"] <= len(findings)}
    for number, entry in sorted(rows_by_number.items()):
        finding, reason = findings[number - 1], " ".join(entry["reason"].split())
        objection: Objection | None = None
        if finding.proven or finding.is_masked:
            objection = "proven"
        elif not reason or (entry["because"] == "code" and not any(_shows_more(quote, finding) for quote in quotes)):
            objection = "unshown"
        elif (entry["because"] != "code" or _has_other_authors(remark_thread)) and not _states_reason(
            entry.get("words", ""), reason, remark_thread
        ):
            objection = "unsaid"
        yield Withdrawal(finding, reason, objection)


def _has_other_authors(remark_thread: RemarkThread) -> bool:
    """Return whether others, who may have influenced the model, commented in the thread."""
    actor = remark_thread.remark.who
    return any(comment.kind != "us" and comment.who != actor for comment in remark_thread.comments)


def _states_reason(words: str, reason: str, remark_thread: RemarkThread) -> bool:
    """Return whether the remark contains these words, and the words match the reason.

    Words in quotes, code and questions don't count.
    """
    written = fold(" ".join(own_lines(remark_thread.remark.text))).lower()
    written = " ".join(sentence for sentence in _SENTENCE.split(written) if not sentence.endswith("?"))
    return len(words.split()) >= MIN_WORDS and fold(words).lower() in written and alike(words, reason, MIN_SHARED)


def _shows_more(quote: Evidence, finding: Finding) -> bool:
    """Return whether a quote contains a line that the finding itself does not quote."""
    own = {
        fold(line) for text in (finding.quote, *(item.quote for item in finding.evidence)) for line in text.split("\n")
    }
    further = (fold(line) not in own for line in quote.quote.split("\n") if line.strip())
    return quote.side == "head" and any(further)


IGNORE, HELP = "/deeprepo ignore", "/deeprepo help"


@dataclass(frozen=True, slots=True)
class RemarkReply:
    """The reply to a remark: a comment, a reaction, and the withdrawn findings."""

    body: str = ""
    reaction: str = ""
    withdrawn: tuple[tuple[str, str], ...] = ()  # fingerprints and reasons


def refusal(actor: str, permission: Permission, *, names_us: bool, model: bool) -> CommandReply | None:
    """Return the reply if a remark is not answered by a model, or None if it is. The reply can be empty.

    `names_us`: the remark mentions us. `model`: a model is configured.
    """
    words = load()
    if permission.writes and not names_us and not model:
        return CommandReply()
    if not permission.writes:
        is_informed = permission.earlier or context.wait(permission, context.OUTSIDER_COMMANDS)
        return CommandReply() if is_informed else CommandReply(phrase(words, "talk_no_permission", actor=actor), "-1")
    if (wait := context.wait(permission, REPLIES_PER_HOUR)) is not None:
        return wait.reply("talk_too_many", REPLIES_PER_HOUR)
    if model:
        return None
    text = "" if permission.earlier else phrase(words, "talk_no_model", example=code(HELP))  # once a day
    return CommandReply(text, "confused")


async def respond(
    remark_thread: RemarkThread,
    last: bytes | None,
    silences: IgnoreList,
    open_session: Callable[[], AbstractAsyncContextManager[Session]],
    clock: Callable[[], float],
) -> RemarkReply:
    """Return a reply with a model's answer, or with the reason why there is none.

    `last` is the JSON output of the last review, and `silences` are the dismissals since then.
    """
    words, last_review, start = load(), target.read(last), clock()
    if last_review is not None:
        last_review = replace(last_review, open_findings=silences.split(last_review.open_findings)[0])
    if any(finding.category == "secret" for finding in subjects(remark_thread, last_review)):
        return RemarkReply(phrase(words, "reply_secret"))
    try:
        async with open_session() as session:
            checked_answer = session.survey.shown(await answer(remark_thread, last_review, session))
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
