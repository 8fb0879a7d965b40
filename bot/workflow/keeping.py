"""What is stored of a review: its findings and figures for the next round, and the check run while it is not ended."""

import asyncio
import json
import time
from contextlib import suppress

from bot.errors import HostError
from bot.github import Host
from bot.publish import checks
from bot.render import line, visible
from bot.storage import Finished, Known, Store
from bot.storage.reviews import Ended, State
from bot.values import Ending, Finding, PullRef, Review, ReviewAsk
from bot.workflow.reviewing import SUPERSEDED

TITLE = 200  # characters of a pull request's title in a list


def place(last: bytes | None) -> tuple[str, str, str] | None:
    """Which change the last review was of: merge base, head, and the branch that it was compared with, whose settings held."""
    try:
        pull = json.loads(last)["pull"] if last else None
        return (str(pull["base"]), str(pull["head"]), str(pull["base_name"])) if pull else None
    except (ValueError, KeyError, TypeError):
        return None


async def due(pull: PullRef, head: str, base: str, store: Store) -> bool:
    """Whether the last review was of another head, or compared it with another branch; of one that cannot be read the head alone is known."""
    if head not in await store.reviews.heads(pull):
        return True
    last = await asyncio.to_thread(place, await store.reviews.last(pull))
    return last is not None and last[1:] != (head, base)


def finished(
    ask: ReviewAsk,
    job: str,
    done: Review,
    ending: Ending,
    started: float,
    output: str,
    *,
    fork: bool = False,
    journal: str = "",
) -> Finished:
    """The row of a review."""
    said = [_known(placed.finding, "listed" if placed.place == "folded" else "posted") for placed in done.findings]
    said += [_known(finding, "open") for finding in done.still]
    said += [_known(finding, "fixed") for finding in done.fixed]
    said += [
        _known(item.finding, "withdrawn" if item.scope == "withdrawn" else "suppressed") for item in done.suppressed
    ]
    return Finished(
        id=job,
        pull=ask.pull,
        head=done.pull.head,
        trigger=ask.trigger,
        round=done.round.number,
        started=started,
        finished=time.time(),
        conclusion=ending,
        strategy=done.strategy,
        calls=done.cost.calls,
        tokens=done.cost.usage.input + done.cost.usage.output,
        usd=done.cost.usd,
        output=output.encode(),
        fork=fork,
        accepted=frozenset(one.identity for one in done.fixed if one.fingerprint in done.accepted),
        by_rule={one.finding.identity: one.rule.number for one in done.suppressed if one.rule and one.rule.learned},
        title=line(visible(done.pull.title))[:TITLE],
        state=outcome(done),
        found=len(done.findings),
        still=len(done.still),
        fixed=len(done.fixed),
        journal=journal or None,
        findings=tuple({known.fingerprint: known for known in reversed(said)}.values()),
    )


def outcome(done: Review) -> Ended:
    """How a review ended, as a word for lists."""
    said = bool(done.findings or done.still)
    return done.fault or ("partial" if done.partial else "findings" if said else "clean")


def _known(finding: Finding, state: State) -> Known:
    """The row of a finding. A model's words may hold characters that no database takes."""
    path, title = visible(finding.path), line(finding.title)
    return Known(finding.identity, state, finding.severity, finding.category, finding.source, path, title)


async def ignored(pull: PullRef, store: Store) -> tuple[tuple[str, str, str], ...]:
    """What is not to be reported again in this pull request: fingerprint, reason, and "finding" or "withdrawn"."""
    found = await store.people.suppressions(pull, time.time())
    return tuple(
        (one.fingerprint, one.reason or f"@{one.who} asked for it", "withdrawn" if one.withdrawn else "finding")
        for one in found
    )


async def begun(pull: PullRef, host: Host, number: int, run: str, store: Store) -> None:
    """Remember the check run until it is ended; those that a dead process left on earlier heads are ended now."""
    for other, left in await store.checks.of(pull):
        if other != run:
            with suppress(HostError):
                if left != number:
                    await checks.ended(host, left, other, SUPERSEDED, "cancelled")
                await store.checks.ended(other)
    await store.checks.begun(pull, number, run, time.time())
