"""Confirm findings: a model call sees the finding and evidence gathered by code, and only its verdict counts."""

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

VERDICTS: Mapping[str, Verdict] = {verdict.value: verdict for verdict in sorted(Verdict) if verdict.is_answer}
OPEN = "open"  # the first answer of a call that requests more code
OPEN_FORM = f"{OPEN}: the look-ups come first; never in the last answer"
OLDER = "older"  # the limit of a claim that is no finding about this change
LOWEST = len(SEVERITIES)
# Limits of a confirmed claim, with the number of severity steps to subtract
LIMITS = {"none": 0, "smaller": 1, "hand-made": 1, "tests": LOWEST, OLDER: LOWEST}
PROPERTIES: Mapping[str, Mapping[str, Any]] = {
    "verdict": {"type": "string", "enum": list(VERDICTS)},
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
NO_REASON = "the confirmation gave no reason"


# Earlier comments by people that may answer a finding, by the ID used in the prompt: learnings whose scope
# includes it ("S1"), and dismissed claims about its file with the reason ("D1").
Precedents = Mapping[str, OwnerRule | tuple[Finding, str]]
Reply = Completion | DeepRepoError
Ask = Callable[[Sequence[Prompt], Sequence[Sequence[Excerpt]]], Awaitable[Sequence[Reply]]]


@dataclass(frozen=True, slots=True)
class Confirmation:
    """The result of confirming a finding."""

    finding: Finding  # with its verdict
    silencing: Silencing | None = None  # set if a learning answers it, or if it repeats a dismissed claim
    unheard: str = ""  # why there is no verdict
    ground: str = ""  # what it says decides
    unsettled: str = ""  # why it could neither confirm nor refute the claim, and what would settle it
    is_wanted: bool = True  # whether a maintainer would change it in this pull request, if it is true


async def confirm(
    findings: Sequence[Finding],
    tree: Tree,
    dependents: Dependents,
    ask: Ask,
    files: Sequence[ChangedFile],
    pull: PullRequest,
    precedents: Callable[[Finding], Precedents],
) -> list[Confirmation]:
    """Confirm unproven findings.

    If a call gives no verdict, its finding is not refuted but marked `unconfirmed`.
    """
    known = [precedents(finding) for finding in findings]
    gathered = await together(*(proof.gather(finding, tree, dependents, files) for finding in findings))
    shown = [proof.with_signs(excerpts, files) for excerpts in gathered]
    prompts = [_prompt(*claim, pull) for claim in zip(findings, shown, known, strict=True)]
    replies = await ask(prompts, shown)
    return [_confirmation(*answered) for answered in zip(findings, known, replies, strict=True)]


def _confirmation(finding: Finding, precedents: Precedents, reply: Reply) -> Confirmation:
    unheard = _silent(reply)
    if unheard or not isinstance(reply, Completion):
        return Confirmation(finding.with_verdict(finding.verdict, unconfirmed=True), unheard=unheard)
    data = reply.data or {}
    is_wanted = data.get("author_would_change") is not False and data.get("limit") != OLDER
    judged = _judge(finding, data, is_wanted=is_wanted)
    is_open = judged.verdict.is_undecided and verdict_of(data) is not Verdict.CONFIRMED
    unsettled = (str(data.get("reason") or "").strip() or NO_REASON) if is_open else ""
    ground = str(data.get("ground") or "")
    return Confirmation(judged, _answer(precedents, data), ground=ground, unsettled=unsettled, is_wanted=is_wanted)


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
    asking = {**PROPERTIES, "verdict": {"type": "string", "enum": [*VERDICTS, OPEN], "description": OPEN_FORM}}
    form = Schema(*tool, strict(**asking, **wishes()), final, frozenset(wishes()) | extra)
    for name, field in {**(SENTENCE if with_learnings else {}), **(REPEAT if with_dismissals else {})}.items():
        form = with_field(form, name, field)
    return form


def verdict_of(data: Mapping[str, Any] | None) -> Verdict | None:
    """Return the verdict in an answer."""
    verdict = (data or {}).get("verdict")
    return VERDICTS.get(verdict) if isinstance(verdict, str) else None


def _silent(reply: Reply) -> str:
    """Return why a reply has no verdict, such as a truncated answer or a refusal."""
    if not isinstance(reply, Completion):
        return str(reply)
    verdict = verdict_of(reply.data)
    asks = verdict.is_undecided if verdict is not None else (reply.data or {}).get("verdict") == OPEN
    if asks and look_ups(reply.data):  # the code was shown, but the final verdict is missing
        return "it asked to see more code and gave no verdict after that"
    return "its answer held no verdict" if reply.stop in ("length", "refusal") or verdict is None else ""


def _judge(finding: Finding, data: Mapping[str, Any], *, is_wanted: bool) -> Finding:
    verdict = VERDICTS[data["verdict"]]
    if not verdict.is_plausible:  # a refutation without a ground decides nothing
        return finding.with_verdict(verdict if str(data.get("ground") or "").strip() else Verdict.UNPROVEN)
    trigger, part, reason = (str(data.get(name) or "").strip() for name in ("trigger", "holds", "reason"))
    if verdict.is_undecided or not trigger:
        return finding
    lower = LIMITS.get(str(data.get("limit")), 0) if is_wanted else LOWEST
    finding = replace(finding, trigger=trigger, severity=less_severe(finding.severity, lower)).with_verdict(verdict)
    return replace(finding, title=render.title(part), why=reason or finding.why) if part else finding


def _prompt(finding: Finding, excerpts: Sequence[Excerpt], precedents: Precedents, pull: PullRequest) -> Prompt:
    question_text = render.text(
        "prompts/confirm.md.j2",
        title=pull.title,
        body=render.cut(pull.body, AUTHOR_CHARS),
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
            Message("system", render.text("prompts/confirm_system.md.j2")),
            Message("user", question_text),
        ),
        answer=schema(with_learnings=bool(learnings), with_dismissals=bool(dismissed)),
        max_tokens=1024,
        about=f"the claim about {finding.path}: {finding.title}",
    )
