"""Confirm findings with a second model call, which sees the finding and evidence gathered by code.

Only its verdict counts.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from bot import render
from bot.errors import DeepRepoError
from bot.findings import proof
from bot.findings.read import FINAL, look_ups, strict, text, wishes, with_field
from bot.values import (
    SEVERITIES,
    ChangedFile,
    Dependents,
    Excerpt,
    Finding,
    OwnerRule,
    PullRequest,
    Silencing,
    Verdict,
    less_severe,
)
from deeprepo.impact.concurrency import together
from deeprepo.impact.ports import Tree
from deeprepo.rlm.values import Completion, Message, Prompt, Schema

OPINIONS: Mapping[str, Verdict] = {verdict.value: verdict for verdict in sorted(Verdict) if verdict.opinion}
OPEN = "open"  # the first answer of a call that requests more code
OPEN_FORM = f"{OPEN}: the look-ups come first; never in the last answer"
# Limits of a confirmed claim, with the number of severity steps to subtract; None means that it is no finding
# about this change.
LIMITS: Mapping[str, int | None] = {"none": 0, "smaller": 1, "hand-made": 1, "tests": len(SEVERITIES), "older": None}
PROPERTIES: Mapping[str, Mapping[str, Any]] = {
    "verdict": {"type": "string", "enum": list(OPINIONS)},
    "trigger": text("the concrete input, call or order of events; empty if there is none"),
    "author_would_change": {
        "type": "boolean",
        "description": "whether a careful maintainer, shown this before merging, would want it changed",
    },
    "reason": text("one sentence; of an unproven claim: what would settle it"),
    "holds": text(
        f"of a confirmed claim that says several things of which not all hold: what holds, as one sentence of at most {render.TITLE_CHARS} characters; else empty"
    ),
    "limit": {
        "type": "string",
        "enum": list(LIMITS),
        "description": "of a confirmed claim, else none. smaller: it happens, and does less harm than claimed; hand-made: only a request that no program of"
        " this repository sends; tests: it is about a test, or only a test run comes to it; older: the same happened before the change, in this file or where the code was moved"
        " from, and to end it is not what the change is for",
    },
    "ground": text(
        "of a refutation: the line that makes the claim false, verbatim, or the library function with its version, or language rule, by name; of a confirmed claim about code outside the change: the line there that goes wrong, verbatim; else empty"
    ),
}
SENTENCE: Mapping[str, Mapping[str, Any]] = {
    "sentence": text(
        "the id of the sentence that by itself makes this very claim false or unwanted, such as S1; else empty"
    )
}
REPEAT: Mapping[str, Mapping[str, Any]] = {
    "repeats": text("the id of the dismissed claim that this one makes again in other words, such as D1; else empty"),
}
AUTHOR_CHARS = 1_200  # characters of the pull request's description
NO_REASON = "the second model call gave no reason"


# Earlier comments by people that may answer a finding, by the ID used in the prompt: learnings whose scope
# includes it ("S1"), and dismissed claims about its file with the reason ("D1").
Precedents = Mapping[str, OwnerRule | tuple[Finding, str]]


@dataclass(frozen=True, slots=True)
class OpinionQuestion:
    """A finding to confirm, with the code gathered for it."""

    finding: Finding
    excerpts: tuple[Excerpt, ...]
    precedents: Precedents
    prompt: Prompt


Ask = Callable[[Sequence[OpinionQuestion]], Awaitable[Sequence[Completion | DeepRepoError]]]


@dataclass(frozen=True, slots=True)
class Opinion:
    """The result of confirming a finding."""

    finding: Finding  # with its verdict
    silencing: Silencing | None = None  # set if a learning answers it, or if it repeats a dismissed claim
    unheard: str = ""  # why there is no verdict
    unsettled: str = ""  # why it could neither confirm nor refute the claim, and what would settle it


async def verify(
    findings: Sequence[Finding],
    tree: Tree,
    dependents: Dependents,
    ask: Ask,
    files: Sequence[ChangedFile] = (),
    pull: PullRequest | None = None,
    precedents: Callable[[Finding], Precedents] = lambda _: {},
) -> list[Opinion]:
    """Confirm the unproven findings.

    If a call gives no verdict, its finding is not refuted but marked `unconfirmed`.
    """
    known = {id(finding): precedents(finding) for finding in findings if finding.verdict.is_undecided}
    open_ones = [finding for finding in findings if id(finding) in known]
    questions = [_question(finding, tree, dependents, files, pull, known[id(finding)]) for finding in open_ones]
    replies = iter(await ask(await together(*questions)) if questions else ())
    return [
        _opinion(finding, known[id(finding)], next(replies)) if id(finding) in known else Opinion(finding)
        for finding in findings
    ]


def _opinion(finding: Finding, precedents: Precedents, reply: Completion | DeepRepoError) -> Opinion:
    unheard = _silent(reply)
    if unheard is not None or not isinstance(reply, Completion):
        return Opinion(finding.with_verdict(finding.verdict, unconfirmed=True), unheard=unheard or str(reply))
    data = reply.data or {}
    judged = _judge(finding, data)
    return Opinion(judged, _answer(precedents, data), unsettled=_unsettled(judged, data))


def _unsettled(judged: Finding, data: Mapping[str, Any]) -> str:
    """Return what would settle a claim that an opinion left open; empty if it confirmed or refuted the claim."""
    if OPINIONS[data["verdict"]] is Verdict.CONFIRMED or not judged.verdict.is_undecided:
        return ""
    return str(data.get("reason") or "").strip() or NO_REASON


def _answer(precedents: Precedents, data: Mapping[str, Any]) -> Silencing | None:
    """Return the earlier comment that answers a finding, if the confirmation named its ID."""
    precedent = precedents.get(str(data.get("sentence") or "")) or precedents.get(str(data.get("repeats") or ""))
    if precedent is None:
        return None
    if isinstance(precedent, OwnerRule):
        return Silencing(precedent.text, "rule", replace(precedent, text=""))
    return Silencing(precedent[1], "repeat")


@cache
def schema(*, with_learnings: bool = False, with_dismissals: bool = False) -> Schema:
    """Return the form of a confirmation's answer, with fields for earlier comments if there are any."""
    tool, extra = ("verdict", "Hand in the verdict on the finding."), frozenset({"holds", "limit", "ground"})
    final = Schema(f"{FINAL}{tool[0]}", tool[1], strict(**PROPERTIES), forgiven=extra)
    asking = {**PROPERTIES, "verdict": {"type": "string", "enum": [*OPINIONS, OPEN], "description": OPEN_FORM}}
    form = Schema(*tool, strict(**asking, **wishes()), final, frozenset(wishes()) | extra)
    for name, field in {**(SENTENCE if with_learnings else {}), **(REPEAT if with_dismissals else {})}.items():
        form = with_field(form, name, field)
    return form


def verdict_of(data: Mapping[str, Any] | None) -> Verdict | None:
    """Return the verdict in an answer."""
    verdict = (data or {}).get("verdict")
    return OPINIONS.get(verdict) if isinstance(verdict, str) else None


def _silent(reply: Completion | DeepRepoError) -> str | None:
    """Truncated answers, refusals and failures have no verdict."""
    if not isinstance(reply, Completion):
        return str(reply)
    verdict = verdict_of(reply.data)
    asks = verdict.is_undecided if verdict is not None else (reply.data or {}).get("verdict") == OPEN
    if asks and look_ups(reply.data):  # the code was shown, but the final verdict is missing
        return "it asked to see more code and gave no verdict after that"
    if reply.stop in ("length", "refusal") or verdict is None:
        return "its answer held no verdict"
    return None


def _judge(finding: Finding, data: Mapping[str, Any]) -> Finding:
    verdict, finding = OPINIONS[data["verdict"]], finding.with_verdict(finding.verdict)
    if not verdict.is_plausible:  # a refutation without a ground is only an opinion
        has_ground = str(data.get("ground") or "").strip()
        return finding.with_verdict(verdict if has_ground else Verdict.UNPROVEN)
    trigger = str(data.get("trigger") or "").strip()
    lower = LIMITS.get(str(data.get("limit") or "none"), 0)
    if verdict.is_undecided or not trigger:
        return finding
    if data.get("author_would_change") is False or lower is None:
        # True, but not worth changing here, so it is neither reported nor worth a root turn
        return replace(finding, severity="low")
    finding = replace(finding, trigger=trigger, severity=less_severe(finding.severity, lower)).with_verdict(verdict)
    part, reason = (str(data.get(name) or "").strip() for name in ("holds", "reason"))
    return replace(finding, title=render.title(part), why=reason or finding.why) if part else finding


async def _question(
    finding: Finding,
    tree: Tree,
    dependents: Dependents,
    files: Sequence[ChangedFile],
    pull: PullRequest | None,
    precedents: Precedents,
) -> OpinionQuestion:
    excerpts = proof.with_signs(await proof.gather(finding, tree, dependents, files), files)
    return OpinionQuestion(finding, excerpts, precedents, _prompt(finding, excerpts, pull, precedents))


def _prompt(finding: Finding, excerpts: Sequence[Excerpt], pull: PullRequest | None, precedents: Precedents) -> Prompt:
    question_text = render.text(
        "prompts/verify.md.j2",
        title=pull.title if pull else "",
        body=render.cut(pull.body, AUTHOR_CHARS) if pull else "",
        finding=finding,
        excerpts=excerpts,
    )
    learnings = [precedent for precedent in precedents.values() if isinstance(precedent, OwnerRule)]
    dismissed = [precedent for precedent in precedents.values() if not isinstance(precedent, OwnerRule)]
    if precedents:
        said = render.text("prompts/precedents.md.j2", learnings=learnings, dismissed=dismissed)
        question_text = f"{question_text.rstrip()}\n\n{said.strip()}\n"
    return Prompt(
        (
            Message("system", render.text("prompts/verify_system.md.j2")),
            Message("user", question_text),
        ),
        answer=schema(with_learnings=bool(learnings), with_dismissals=bool(dismissed)),
        max_tokens=1024,
        about=f"the claim about {finding.path}: {finding.title}",
    )
