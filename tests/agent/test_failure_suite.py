"""However a root fails, the review ends in time, with a summary, all code read, and within its limits."""

import asyncio
from collections.abc import Callable

import pytest
from failing_roots import ROOTS, WORKERS, Root
from families import few
from shop import Table
from waits import patience

from bot.findings.quotes import locate
from bot.review import strategies
from bot.review.analyzer_worker import AnalyzerWorker
from bot.review.session import Session
from bot.values import Transcript
from deeprepo.rlm.values import Prompt
from deeprepo_sandbox.scripted import Reply


def script(root: Root) -> Callable[[Prompt], Reply]:
    """Return a function that gives the root's replies in order and then repeats the last one."""
    waiting = list(root.replies)

    def answer(_: Prompt) -> Reply:
        if len(waiting) > 1 or not root.forever:
            return waiting.pop(0) if waiting else root.replies[-1]
        return waiting[0]

    return answer


def reviewed(table: Table, root: Root) -> tuple[Transcript, Session]:
    """Run the strategy `rlm` with this root."""
    table.root, table.worker = script(root), WORKERS[root.worker]()
    table.limits, table.price = root.limits, root.price

    async def step(session: Session) -> tuple[Transcript, Session]:
        session.analyzers = AnalyzerWorker({}, session.survey)
        return await asyncio.wait_for(strategies.run("rlm", session), patience(30)), session

    return table.run(step)


def told(session: Session) -> str:
    """Return everything that the root was shown after its first two messages."""
    prompts = session.root.prompts if session.root else []
    return "\n".join(message.text for message in (prompts[-1].messages[2:] if prompts else ()))


@pytest.mark.parametrize("root", few(ROOTS, *range(0, len(ROOTS), 4)), ids=[root.name for root in ROOTS])
def test_summary_coverage_and_limits_are_correct_for_every_root_failure(table: Table, root: Root) -> None:
    """The summary, the coverage and all limits are right whatever the root does."""
    transcript, session = reviewed(table, root)
    cost, caps, seen = session.calls.budget.cost(), root.limits, told(session)
    said = "\n".join((*(turn.observation.output for turn in transcript.turns), seen))
    assert transcript.summary.strip(), "an empty review"
    assert not session.tracker.unread() or transcript.partial, "units were left unread, and nothing is said of it"
    assert not session.tracker.unread() or root.partial, "units were left unread within the budget"
    assert caps.calls is None or cost.calls <= caps.calls
    assert caps.tokens is None or cost.usage.input + cost.usage.output <= caps.tokens
    assert caps.usd is None or (cost.usd or 0.0) <= caps.usd
    assert len(session.root.prompts) + len(session.worker.model.prompts) == cost.calls, "sent and counted differ"
    assert len(transcript.turns) <= 2 * caps.turns
    for part in root.sees:
        assert part in said
    for part in root.never:
        assert part not in seen
    assert root.findings in {None, len(transcript.findings)}
    assert transcript.partial or not root.partial
    for finding in transcript.findings:
        assert stands(session, finding.path, finding.quote)


def stands(session: Session, path: str, quote: str) -> bool:
    """Return whether a quote occurs in the changed file."""
    texts = [unit.text for unit in session.units if unit.path == path]
    return any(locate(text, quote) for text in texts)
