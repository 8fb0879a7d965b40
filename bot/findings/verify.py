"""A second opinion: a fresh call sees the finding and evidence that the harness gathered itself. No verdict, no post."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from bot import render
from bot.errors import BadAnswer, DeepRepoError
from bot.findings import proof
from bot.findings.read import strict, text
from bot.ports import Tree
from bot.values import ChangedFile, Completion, Dependents, Finding, Message, Prompt, Schema

VERDICT = Schema(
    name="verdict",
    description="Hand in the verdict on the finding.",
    parameters=strict(
        verdict={"type": "string", "enum": ["confirmed", "refuted", "unproven"]},
        trigger=text("the concrete input, call or order of events; empty if there is none"),
        author_would_change={
            "type": "boolean",
            "description": "whether the author, shown this, would change the code",
        },
        reason=text("one sentence"),
    ),
)
Ask = Callable[[Sequence[Prompt]], Awaitable[Sequence[Completion | DeepRepoError]]]


@dataclass(frozen=True, slots=True)
class Verified:
    """Every finding with its verdict, and why no opinion came on some of them: by the finding's fingerprint."""

    findings: tuple[Finding, ...]
    unheard: Mapping[str, str]


async def verify(
    findings: Sequence[Finding], tree: Tree, dependents: Dependents, ask: Ask, files: Sequence[ChangedFile] = ()
) -> Verified:
    """What code has proven is not asked again; an unreadable verdict means unproven."""
    open_ones = [finding for finding in findings if finding.verdict == "unproven"]
    prompts = await asyncio.gather(*(_prompt(finding, tree, dependents, files) for finding in open_ones))
    replies = await ask(prompts) if prompts else ()
    judged = {id(f): _judged(f, reply) for f, reply in zip(open_ones, replies, strict=True)}
    unheard = {
        f.fingerprint: str(reply)
        for f, reply in zip(open_ones, replies, strict=True)
        if not isinstance(reply, (Completion, BadAnswer))
    }
    return Verified(tuple(judged.get(id(finding), finding) for finding in findings), unheard)


def _judged(finding: Finding, reply: Completion | DeepRepoError) -> Finding:
    data = reply.data if isinstance(reply, Completion) else None
    if not data or data.get("verdict") not in ("confirmed", "refuted"):
        return finding
    trigger = str(data.get("trigger") or "").strip()
    if data["verdict"] == "refuted":
        return replace(finding, verdict="refuted")
    if not trigger or data.get("author_would_change") is False:
        return finding
    return replace(finding, verdict="confirmed", trigger=trigger)


async def _prompt(finding: Finding, tree: Tree, dependents: Dependents, files: Sequence[ChangedFile]) -> Prompt:
    excerpts = await proof.gather(finding, tree, dependents, files)
    asked = render.text("prompts/verify.md.j2", finding=finding, excerpts=excerpts)
    return Prompt(
        (Message("system", render.text("prompts/verify_system.md.j2")), Message("user", asked)),
        answer=VERDICT,
        max_tokens=1024,
    )
