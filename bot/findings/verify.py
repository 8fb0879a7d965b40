"""A second opinion: a fresh call sees the finding and evidence that the harness gathered itself. No verdict, no post."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from bot import render
from bot.errors import DeepRepoError
from bot.ports import Tree
from bot.values import Completion, Dependents, Finding, Message, Prompt, Schema, Side

AROUND = 25  # lines shown before and after a quote
MAX_CALLERS = 6
VERDICT = Schema(
    name="verdict",
    description="Hand in the verdict on the finding.",
    parameters={
        "type": "object",
        "properties": {
            "verdict": {"type": "string", "enum": ["confirmed", "refuted", "unproven"]},
            "trigger": {
                "type": "string",
                "description": "the concrete input, call or order of events; empty if there is none",
            },
            "author_would_change": {
                "type": "boolean",
                "description": "whether the author, shown this, would change the code",
            },
            "reason": {"type": "string", "description": "one sentence"},
        },
        "required": ["verdict", "trigger", "author_would_change", "reason"],
        "additionalProperties": False,
    },
)
Ask = Callable[[Sequence[Prompt]], Awaitable[Sequence[Completion | DeepRepoError]]]


async def verify(findings: Sequence[Finding], tree: Tree, dependents: Dependents, ask: Ask) -> tuple[Finding, ...]:
    """Every finding with a verdict. What code has proven is not asked again; an unreadable verdict means unproven."""
    open_ones = [finding for finding in findings if finding.verdict == "unproven"]
    prompts = await asyncio.gather(*(_prompt(finding, tree, dependents) for finding in open_ones))
    replies = await ask(prompts) if prompts else ()
    judged = {id(f): _judged(f, reply) for f, reply in zip(open_ones, replies, strict=True)}
    return tuple(judged.get(id(finding), finding) for finding in findings)


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


async def _prompt(finding: Finding, tree: Tree, dependents: Dependents) -> Prompt:
    places = [(finding.path, finding.start, finding.side), *((e.path, e.line, e.side) for e in finding.evidence)]
    symbols = {
        c.symbol.name
        for c in dependents.symbols
        if c.symbol.path == finding.path and _inside(finding, c.symbol.start, c.symbol.end)
    }
    callers = [r for r in dependents.references if r.symbol in {f"{finding.path}:{name}" for name in symbols}]
    places += [(r.path, r.line, "head") for r in callers[:MAX_CALLERS]]
    excerpts = [await _excerpt(tree, path, line, side) for path, line, side in dict.fromkeys(places)]
    text = render.text("prompts/verify.md.j2", finding=finding, excerpts=[e for e in excerpts if e])
    return Prompt(
        (Message("system", render.text("prompts/verify_system.md.j2")), Message("user", text)),
        answer=VERDICT,
        max_tokens=1024,
    )


def _inside(finding: Finding, start: int, end: int) -> bool:
    return start <= finding.start <= end


async def _excerpt(tree: Tree, path: str, line: int, side: Side) -> dict[str, str] | None:
    blob = await tree.read(path, side)
    if blob is None:
        return None
    lines = blob.decode("utf-8", "replace").split("\n")
    first, last = max(1, line - AROUND), min(len(lines), line + AROUND)
    body = "\n".join(f"{number:>5} {lines[number - 1]}" for number in range(first, last + 1))
    return {"path": path, "side": side, "first": str(first), "last": str(last), "body": body}
