"""A second opinion: a fresh call sees the finding and evidence that the harness gathered itself. Only a verdict decides."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from bot import render
from bot.concurrency import together
from bot.errors import DeepRepoError
from bot.findings import proof
from bot.findings.read import look_ups, strict, text, wishes
from bot.ports import Tree
from bot.values import ChangedFile, Completion, Dependents, Finding, Message, Prompt, PullRequest, Schema, Verdict

OPINIONS: Mapping[str, Verdict] = {verdict.value: verdict for verdict in sorted(Verdict) if verdict.opinion}
PROPERTIES: Mapping[str, Mapping[str, Any]] = {
    "verdict": {"type": "string", "enum": list(OPINIONS)},
    "trigger": text("the concrete input, call or order of events; empty if there is none"),
    "author_would_change": {"type": "boolean", "description": "whether the author, shown this, would change the code"},
    "reason": text("one sentence"),
}
BODY_CHARS = 1_200  # of what the author says
Ask = Callable[[Sequence[Prompt]], Awaitable[Sequence[Completion | DeepRepoError]]]


@dataclass(frozen=True, slots=True)
class Verified:
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
) -> Verified:
    """What code has proven is not asked again. A call that gave no verdict refutes nothing: its finding is `unconfirmed`."""
    open_ones = [finding for finding in findings if finding.verdict.open]
    prompts = await together(*(_prompt(finding, tree, dependents, files, pull) for finding in open_ones))
    replies = await ask(prompts) if prompts else ()
    judged = {id(f): _judged(f, reply) for f, reply in zip(open_ones, replies, strict=True)}
    unheard = {
        f.fingerprint: why for f, reply in zip(open_ones, replies, strict=True) if (why := _silent(reply)) is not None
    }
    return Verified(tuple(judged.get(id(finding), finding) for finding in findings), unheard)


@lru_cache(maxsize=1)
def schema() -> Schema:
    """What a second opinion is asked to hand in."""
    told = "verdict", "Hand in the verdict on the finding."
    return Schema(*told, strict(**PROPERTIES, **wishes()), Schema(*told, strict(**PROPERTIES)), frozenset(wishes()))


def opinion(reply: Completion) -> Verdict | None:
    """Return the verdict that a reply holds."""
    given = reply.data.get("verdict") if reply.data else None
    return OPINIONS.get(given) if isinstance(given, str) else None


def _silent(reply: Completion | DeepRepoError) -> str | None:
    """Why a reply is no verdict; None if it is one. An answer that broke off, a refusal and a failure are none."""
    if not isinstance(reply, Completion):
        return str(reply)
    verdict = opinion(reply)
    if reply.stop in ("length", "refusal") or verdict is None:
        return "its answer held no verdict"
    if verdict.open and reply.data and look_ups(reply.data):  # they were shown, and what it would have said is lost
        return "it asked to see more code and gave no verdict after that"
    return None


def _judged(finding: Finding, reply: Completion | DeepRepoError) -> Finding:
    if not isinstance(reply, Completion) or _silent(reply) is not None:
        return replace(finding, unconfirmed=True)
    data = reply.data or {}
    verdict = OPINIONS[data["verdict"]]
    if not verdict.stands:
        return replace(finding, verdict=verdict, unconfirmed=False)
    trigger = str(data.get("trigger") or "").strip()
    if verdict.open or not trigger or data.get("author_would_change") is False:
        return replace(finding, unconfirmed=False)
    return replace(finding, verdict=verdict, trigger=trigger, unconfirmed=False)


async def _prompt(
    finding: Finding, tree: Tree, dependents: Dependents, files: Sequence[ChangedFile], pull: PullRequest | None
) -> Prompt:
    excerpts = await proof.gather(finding, tree, dependents, files)
    said = {"title": pull.title, "body": render.cut(pull.body, BODY_CHARS)} if pull else {"title": "", "body": ""}
    asked = render.text("prompts/verify.md.j2", **said, finding=finding, excerpts=excerpts)
    return Prompt(
        (Message("system", render.text("prompts/verify_system.md.j2")), Message("user", asked)),
        answer=schema(),
        max_tokens=1024,
    )
