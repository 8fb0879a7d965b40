"""A second opinion: a fresh call sees the finding and evidence that the harness gathered itself. Only a verdict decides."""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from bot import render
from bot.concurrency import together
from bot.errors import DeepRepoError
from bot.findings import proof
from bot.findings.read import former, look_ups, strict, text, wishes
from bot.ports import Tree
from bot.values import (
    SEVERITIES,
    ChangedFile,
    Completion,
    Dependents,
    Finding,
    Message,
    Prompt,
    PullRequest,
    Schema,
    Verdict,
    less_severe,
)

OPINIONS: Mapping[str, Verdict] = {verdict.value: verdict for verdict in sorted(Verdict) if verdict.opinion}
OPEN = "open"  # what a first answer says that asks to see more
# What a confirmed claim comes to, and how many steps less severe it is then; None: it is no finding about this change.
LIMITS: Mapping[str, int | None] = {"none": 0, "smaller": 1, "hand-made": 1, "tests": len(SEVERITIES), "older": None}
GROUNDS = ("code", "language", "library")
FORMER: Mapping[str, Mapping[str, Any]] = {
    "verdict": {"type": "string", "enum": list(OPINIONS)},
    "trigger": text("the concrete input, call or order of events; empty if there is none"),
    "author_would_change": {"type": "boolean", "description": "whether the author, shown this, would change the code"},
    "reason": text("one sentence"),
}
PROPERTIES: Mapping[str, Mapping[str, Any]] = {
    **FORMER,
    "limit": {
        "type": "string",
        "enum": list(LIMITS),
        "description": "of a confirmed claim. smaller: it happens, and does less harm than claimed; hand-made: only a request that no program of"
        " this repository sends; tests: only tests meet it; older: the code before the change had it as well; else none",
    },
    "ground": text(
        "of a refutation: the line that makes the claim false, verbatim, or the library function with its version, or language rule, by name; else empty"
    ),
    "by": {
        "type": "string",
        "enum": list(GROUNDS),
        "description": "what a refutation rests on: a line of code, a rule of the language or its standard library, or a published library",
    },
}
# A function of a library, and the version of it that is meant.
_FUNCTION = re.compile(r"(?<!\w)[A-Za-z_]\w*+(?:\(\)|(?:\.|::|#|->)[A-Za-z_])")
_VERSION = re.compile(r"(?<![\w.])v?\d++(?:\.\d++)*+(?!\w)")
BODY_CHARS = 1_200  # of what the author says
Ask = Callable[[Sequence[Prompt]], Awaitable[Sequence[Completion | DeepRepoError]]]


@dataclass(frozen=True, slots=True)
class Verification:
    """Every finding with its verdict, and why no opinion came on some of them: by the finding's fingerprint."""

    findings: tuple[Finding, ...]
    unheard: Mapping[str, str]


async def verify(
    findings: Sequence[Finding],
    tree: Tree,
    dependents: Dependents,
    ask: Ask,
    files: Sequence[ChangedFile] = (),
    pull: PullRequest | None = None,
) -> Verification:
    """What code has proven is not asked again. A call that gave no verdict refutes nothing: its finding is `unconfirmed`."""
    open_ones = [finding for finding in findings if finding.verdict.open]
    prompts = await together(*(_prompt(finding, tree, dependents, files, pull) for finding in open_ones))
    replies = await ask(prompts) if prompts else ()
    judged_by_id = {id(f): _judge(f, reply) for f, reply in zip(open_ones, replies, strict=True)}
    unheard = {
        f.fingerprint: why for f, reply in zip(open_ones, replies, strict=True) if (why := _silent(reply)) is not None
    }
    return Verification(tuple(judged_by_id.get(id(finding), finding) for finding in findings), unheard)


@lru_cache(maxsize=1)
def schema() -> Schema:
    """What a second opinion is asked to hand in."""
    tool, extra = ("verdict", "Hand in the verdict on the finding."), frozenset({"limit", "ground", "by"})
    asking = {
        **PROPERTIES,
        "verdict": {
            "type": "string",
            "enum": [*OPINIONS, OPEN],
            "description": f"{OPEN}: the look-ups come first; never in the last answer",
        },
    }
    before = Schema(*tool, strict(**FORMER))
    final = Schema(*tool, strict(**PROPERTIES), forgiven=extra, former=before)
    before = Schema(*tool, strict(**FORMER, **former(wishes())), before, frozenset(wishes()))
    return Schema(*tool, strict(**asking, **wishes()), final, frozenset(wishes()) | extra, before)


def opinion(reply: Completion) -> Verdict | None:
    """Return the verdict that a reply holds."""
    verdict = reply.data.get("verdict") if reply.data else None
    return OPINIONS.get(verdict) if isinstance(verdict, str) else None


def _silent(reply: Completion | DeepRepoError) -> str | None:
    """Why a reply is no verdict; None if it is one. An answer that broke off, a refusal and a failure are none."""
    if not isinstance(reply, Completion):
        return str(reply)
    verdict = opinion(reply)
    asks = verdict.open if verdict is not None else (reply.data or {}).get("verdict") == OPEN
    if asks and look_ups(reply.data):  # they were shown, and what it would have said is lost
        return "it asked to see more code and gave no verdict after that"
    if reply.stop in ("length", "refusal") or verdict is None:
        return "its answer held no verdict"
    return None


def _judge(finding: Finding, reply: Completion | DeepRepoError) -> Finding:
    if not isinstance(reply, Completion) or _silent(reply) is not None:
        return replace(finding, unconfirmed=True)
    data = reply.data or {}
    verdict = OPINIONS[data["verdict"]]
    if not verdict.stands:  # without a ground it is one more opinion; earlier versions asked for none
        has_ground = "ground" not in data or _holds(str(data["ground"] or ""), str(data.get("by") or ""))
        return replace(finding, verdict=verdict if has_ground else Verdict.UNPROVEN, unconfirmed=False)
    trigger = str(data.get("trigger") or "").strip()
    if verdict.open or not trigger or data.get("author_would_change") is False:
        return replace(finding, unconfirmed=False)
    lower = LIMITS.get(str(data.get("limit") or "none"), 0)
    if lower is None:
        return replace(finding, unconfirmed=False)
    severity = less_severe(finding.severity, lower)
    return replace(finding, verdict=verdict, trigger=trigger, severity=severity, unconfirmed=False)


def _holds(ground: str, by: str) -> bool:
    """Whether a ground can be looked up: of what a library does, the function and the version decide."""
    if by == "library":
        return bool(_FUNCTION.search(ground) and _VERSION.search(ground))
    return bool(ground.strip())


async def _prompt(
    finding: Finding, tree: Tree, dependents: Dependents, files: Sequence[ChangedFile], pull: PullRequest | None
) -> Prompt:
    excerpts = await proof.gather(finding, tree, dependents, files)
    pull_fields = (
        {"title": pull.title, "body": render.cut(pull.body, BODY_CHARS)} if pull else {"title": "", "body": ""}
    )
    question_text = render.text("prompts/verify.md.j2", **pull_fields, finding=finding, excerpts=excerpts)
    return Prompt(
        (Message("system", render.text("prompts/verify_system.md.j2")), Message("user", question_text)),
        answer=schema(),
        max_tokens=1024,
        about=f"the claim about {finding.path}: {finding.title}",
    )
