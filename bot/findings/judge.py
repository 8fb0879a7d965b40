"""What may be said: findings that code has proven or a second call has confirmed. The rest is counted, not posted."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.findings.merge import merge
from bot.findings.verify import Ask, verify
from bot.ports import Tree
from bot.values import Dependents, Finding


@dataclass(frozen=True, slots=True)
class Judged:
    """The findings that may be said, and how many may not."""

    said: tuple[Finding, ...]
    dropped: int


async def judge(findings: Sequence[Finding], tree: Tree, dependents: Dependents, ask: Ask | None) -> Judged:
    """Merge, verify, keep. Without `ask` nobody gives a second opinion, and unproven findings are said as such."""
    merged = merge(findings)
    if ask is None:
        return Judged(tuple(f for f in merged if f.verdict != "refuted"), 0)
    judged = await verify(merged, tree, dependents, ask)
    said = tuple(finding for finding in judged if finding.verdict in {"proven", "confirmed"})
    return Judged(said, len(judged) - len(said))
