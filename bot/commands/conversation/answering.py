"""What a model says to a remark: one call, a second one where it asks to see more code. What it quotes is looked up in the tree.

The prompt begins with what stays the same through a thread (the finding, the code), so that a provider's cache serves the next
answer. Whether a finding is withdrawn is decided here, by the model's reason and by what code can check of it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from bot import render
from bot.commands import sources
from bot.commands.answering import MAX_QUOTES, as_it_is_now, verbatim
from bot.commands.conversation.hearing import HeardRemark
from bot.commands.target import LastReview, mentioned
from bot.errors import DeepRepoError
from bot.findings import proof
from bot.findings.alike import alike
from bot.findings.quotes import fold
from bot.findings.read import strict, text, wishes
from bot.review.dialogues import Dialogues
from bot.review.guidance import tongue
from bot.review.session import Session
from bot.values import Evidence, Excerpt, Finding, Message, Prompt, Schema, tokens

MAX_TOKENS = 1_500
CODE_TOKENS, DIFF_TOKENS = 2_200, 2_500  # of the code beside the remark; the diff is shown where no finding is meant
MOST_FINDINGS, MOST_LISTED = 3, 20
MOST_ABOUT = 200  # characters of a remark, where a second request names it
BODY_CHARS = 600
Refused = Literal["unsigned", "proven", "unshown", "unsaid"]
MIN_WORDS, SHARED = 3, 0.3  # words that state a fact; the part of the telling words that the reason takes from them
_ENDING = re.compile(r"[.!?](?=\s|$)")


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """A finding that is taken back, and why. `refused`: it is not, for a reason that the model does not see."""

    finding: Finding
    reason: str
    refused: Refused | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What is answered. An empty text without withdrawals: there is nothing to answer."""

    text: str
    quotes: tuple[Evidence, ...]
    withdrawals: tuple[Withdrawal, ...] = ()


@lru_cache(maxsize=1)
def schema() -> Schema:
    """What the model hands in."""
    quote = strict(path=text("the file"), quote=text("whole lines, verbatim, without line numbers"))
    taken = strict(
        finding={"type": "integer", "description": "the number in the heading of the finding, counted from 1"},
        because={"type": "string", "enum": ["code", "told"], "description": "code shows it, or the person told a fact"},
        reason=text("the reason in one sentence"),
        words=text("for `told`: the words of the last remark that tell the fact, verbatim; else empty"),
    )
    properties: dict[str, Any] = {
        "answer": text("the reply in plain sentences, names of code in backticks; empty if none is needed"),
        "quotes": {"type": "array", "items": quote, "description": "the lines of code that the reply rests on"},
        "withdraw": {"type": "array", "items": taken, "description": "the findings that are wrong; mostly none"},
    }
    told = "reply", "Hand in the reply."
    return Schema(*told, strict(**properties, **wishes()), Schema(*told, strict(**properties)), frozenset(wishes()))


async def answer(heard: HeardRemark, said: LastReview | None, session: Session) -> Answer:
    """The model's answer, checked. Raises ProviderError and BudgetSpent."""
    findings = [await as_it_is_now(one, session.tree) for one in meant(heard, said)]
    model = session.reader or session.root
    if model is None:
        raise ValueError("a conversation needs a model")
    prompt = await _prompt(heard, findings, said, session)
    (reply,) = await Dialogues(session.calls, model, "worker", session.look_ups).answers([prompt])
    if isinstance(reply, DeepRepoError):
        raise reply
    data = reply.data or {}
    quotes = await verbatim(data["quotes"], session.tree)
    return Answer(data["answer"].strip(), quotes, tuple(_withdrawals(data["withdraw"], findings, quotes, heard)))


def meant(heard: HeardRemark, said: LastReview | None) -> tuple[Finding, ...]:
    """The findings that the thread is about; elsewhere those that the remark names by their number."""
    if said is None:
        return ()
    if heard.findings:
        known = [said.by_identity(mark) for mark in heard.findings]
    else:
        known = [said.numbered(number) for number in mentioned(heard.said[-1].text)]
    return tuple(dict.fromkeys(one for one in known if one is not None))[:MOST_FINDINGS]


async def _prompt(heard: HeardRemark, findings: Sequence[Finding], said: LastReview | None, session: Session) -> Prompt:
    """First what stays the same while the head does, then what has been said."""
    code, room = list[Excerpt](), CODE_TOKENS
    for left, finding in zip(range(len(findings), 0, -1), findings, strict=True):
        for excerpt in await proof.gather(finding, session.tree, session.dependents, session.files, room // left):
            room -= tokens(excerpt.body)
            code.append(excerpt)
    if heard.place:
        code += _fitting(await sources.look([heard.place], session.tree), room)
    named = await sources.look(sources.named(heard.said[-1].text), session.tree, code)
    listed = [] if findings or said is None else [one for one in said.findings if one.status != "fixed"][:MOST_LISTED]
    about = render.text(
        "prompts/remark_about.md.j2",
        title=session.pull.title,
        body=render.cut(session.pull.body, BODY_CHARS),
        findings=findings,
        listed=listed,
        top="" if findings else heard.top,
        place=heard.place,
        excerpts=tuple(dict.fromkeys(code)),
        diff=None if findings else sources.diff(session.files, (), DIFF_TOKENS),
    )
    asked = render.text(
        "prompts/remark.md.j2",
        said=heard.said,
        left_out=heard.left_out,
        excerpts=tuple(_fitting(named, max(room, CODE_TOKENS // 2))),
    )
    system = render.text("prompts/remark_system.md.j2") + tongue(session.language)
    messages = (Message("system", system), Message("user", about), Message("user", asked))
    return Prompt(
        messages, answer=schema(), max_tokens=MAX_TOKENS, about=f"the remark: {heard.said[-1].text[:MOST_ABOUT]}"
    )


def _fitting(excerpts: Sequence[Excerpt], room: int) -> Iterator[Excerpt]:
    for excerpt in excerpts:
        if (size := tokens(excerpt.body)) <= room:
            room -= size
            yield excerpt


def _withdrawals(
    rows: Sequence[Mapping[str, Any]], findings: Sequence[Finding], quotes: Sequence[Evidence], heard: HeardRemark
) -> Iterator[Withdrawal]:
    """What the model takes back, each once. What code proved stays; a reason that code shows needs a line that shows it.

    A fact that is told needs the words that tell it, in the remark itself: who wrote that may decide, others in the thread may not.
    """
    wanted = {row["finding"]: row for row in rows[:MAX_QUOTES] if 1 <= row["finding"] <= len(findings)}
    for number, row in sorted(wanted.items()):
        finding, reason = findings[number - 1], " ".join(row["reason"].split())
        refused: Refused | None = None
        if finding.proven:
            refused = "proven"
        elif not heard.lasts:
            refused = "unsigned"
        elif not reason or (row["because"] == "code" and not any(_further(one, finding) for one in quotes)):
            refused = "unshown"
        elif (row["because"] != "code" or _others(heard)) and not _stated(row.get("words", ""), reason, heard):
            refused = "unsaid"
        yield Withdrawal(finding, reason, refused)


def _others(heard: HeardRemark) -> bool:
    """Whether somebody else has spoken in the thread, who may have talked the model into it."""
    actor = heard.said[-1].who
    return any(one.kind != "us" and one.who != actor for one in heard.said)


def _stated(words: str, reason: str, heard: HeardRemark) -> bool:
    """Whether the last remark tells the reason in these very words: as a statement of its own, not as a question or a quotation."""
    wanted = fold(words)
    own = "\n".join(row for row in heard.said[-1].text.split("\n") if not row.lstrip().startswith(">"))
    if len(wanted.split()) < MIN_WORDS or wanted not in fold(own):
        return False
    after = fold(own).partition(wanted)[2]
    ending = _ENDING.search(wanted[-1] + after)
    return (ending is None or ending[0] != "?") and alike(words, reason, SHARED)


def _further(quote: Evidence, finding: Finding) -> bool:
    """Whether a quote shows something that the finding itself did not quote."""
    own = {
        fold(line) for text in (finding.quote, *(one.quote for one in finding.evidence)) for line in text.split("\n")
    }
    further = (fold(line) not in own for line in quote.quote.split("\n") if line.strip())
    return quote.side == "head" and any(further)
