"""Read one change in several passes.

In addition to the pass that sees the code around the change, two passes read only the diff, or other models
do. One of the two starts from the end and asks what the code does now. The other starts from the top and asks
whether the change does what it says. Each pass misses some defects, and the number of passes that report a
defect shows how reliable it is. Findings about the same defect are merged before they are confirmed.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from bot.findings.merge import merge
from bot.review import foresight
from bot.review.context.packing import pack
from bot.review.prompts import INSTRUCTIONS, PART_ANSWER
from bot.review.session import Session, Worker, WorkerReply, verified
from bot.review.workers import ModelWorker, join
from bot.values import Finding, Unit, at_least, severity_rank

LEAST = 400  # tokens of a change; a smaller one is read in a single pass
# tokens of the largest change that gets several passes, and of one prompt
MOST_TOKENS, PROMPT = 120_000, 24_000
BUDGET_PART = 4  # at most 1/BUDGET_PART of a review's budget pays for these passes
MOST_ASKED = 6  # findings of these passes that the pass with the surrounding code is asked about
OWN_PASSES = 2  # passes of the worker's model over the diff, if no other models are configured


async def read(session: Session, reader: Worker, units: Sequence[Unit]) -> WorkerReply:
    """Read these code regions, and if they are the whole change, also read only their diff."""
    if not isinstance(reader, ModelWorker):
        return await reader.review(units)
    groups = pack(units, _room(session)) if len(units) == len(session.tracker.units) else []
    others = [
        asyncio.create_task(worker.read_alone(groups, backwards=not index % 2))
        for index, worker in enumerate(_others(session, groups))
    ]
    if others and session.effort == "medium":
        reader = replace(reader, others=partial(_reported_by_others, session, others))
    try:
        replies = [await reader.review(units), *await asyncio.gather(*others)]
    finally:
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
    # A pass that failed partly counts if it reported something, since its findings count as votes.
    count = sum(bool(reply.findings) or not (reply.error or reply.notes) for reply in replies)
    together = join(replies)
    return replace(
        together,
        findings=tuple(
            replace(
                finding, basis=replace(finding.basis, readings=count, is_declined=_key(finding) in together.asked_about)
            )
            for finding in together.findings
        ),
    )


async def _reported_by_others(
    session: Session, others: Sequence[asyncio.Task[WorkerReply]], own: Sequence[Finding]
) -> list[Finding]:
    """Return the findings that only passes over the diff report, the worst first.

    Each finding is verified against the tree first. `own`: those of the pass that is asked about them.
    """
    least = session.survey.brief.settings.minimum_severity
    least = least if at_least(least, "medium") else "medium"
    replies = await asyncio.gather(*others)
    checked = [await verified(session, one) for one in (*own, *(one for reply in replies for one in reply.findings))]
    found = merge([one for one in checked if isinstance(one, Finding) and not one.is_remark])
    bare = [one for one in found if one.basis.is_from_diff_only and at_least(one.severity, least)]
    return sorted(bare, key=lambda one: (severity_rank(one.severity), -one.basis.votes))[:MOST_ASKED]


def _key(finding: Finding) -> tuple[str, str, str]:
    return finding.path, finding.quote, finding.title


def _others(session: Session, groups: Sequence[Sequence[Unit]]) -> list[ModelWorker]:
    """Return the workers that read only the diff.

    They are fixed at the start, by the size of the change and the remaining budget.
    """
    worker, size = session.worker, sum(unit.tokens for group in groups for unit in group)
    if session.effort == "low" or not LEAST <= size <= MOST_TOKENS or not isinstance(worker, ModelWorker):
        return []
    workers = [replace(worker, model=model) for model in session.others] or [worker] * OWN_PASSES
    each, calls = size // len(groups) + INSTRUCTIONS, len(groups) * len(workers)
    held = min(foresight.room_for(session.calls, one.model, each, one.role, BUDGET_PART, calls) for one in workers)
    return workers[: held // len(groups)]


def _room(session: Session) -> int:
    """Return the tokens of diff in one prompt, at most PROMPT and less in a small window."""
    worker = session.worker
    window = session.calls.sizes.window(worker.model) if isinstance(worker, ModelWorker) else None
    return PROMPT if window is None else max(LEAST, min(PROMPT, window - INSTRUCTIONS - PART_ANSWER))
