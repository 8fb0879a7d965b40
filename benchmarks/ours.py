"""Our engine under the same watch as the peers, and the promises that only we make, each in a process of its own.

    python -m benchmarks.ours TASK URL FOLDER [TIMEOUT]

TASK: compare, four. FOLDER holds the journal.
"""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import timing
from bot import config, render
from bot.brief import Brief
from bot.review.agent import tools
from bot.review.agent.state import RunState
from bot.review.coverage import CoverageTracker
from bot.review.session import Session
from bot.review.survey import Survey
from bot.secrets.masking import Masks
from bot.values import Dependents, PullRequest, Source
from deeprepo.rlm.journal.writer import Journal
from deeprepo.rlm.loop.conversation import Conversation
from deeprepo.rlm.loop.root import RootRun
from deeprepo.rlm.loop.stall import StallGuard
from deeprepo.rlm.models import connect
from deeprepo.rlm.money.budget import Budget
from deeprepo.rlm.money.calls import Calls
from deeprepo.rlm.repl.process import CALL_MEGABYTES, CALL_SECONDS, Repl
from deeprepo.rlm.values import Limits

LIMITS = Limits(usd=None, tokens=None, calls=None, seconds=None, turns=400, concurrency=64)


class Patient(StallGuard):
    """Forty empty turns in a row are what is measured here; a review would be stopped after five."""

    @property
    def astray(self) -> bool:
        """Never."""
        return False


class NoTree:
    """A tree without files: the engine is measured, not git."""

    async def entries(self, side: str = "head") -> dict[str, Any]:  # noqa: ARG002 - the protocol's own
        """No paths."""
        return {}

    async def read_many(self, paths: object, side: str = "head") -> dict[str, bytes]:  # noqa: ARG002 - the same
        """No contents."""
        return {}


class OwnAccount:
    """The root's turns over an open REPL: budget, journal on disk, coverage and all."""

    BATCH, FINISH = "llm_batch", 'set_answer("done")'

    def __init__(self, url: str, folder: Path, timeout: float = 60.0) -> None:
        self.url, self.folder, self.timeout, self.runs = url, folder, timeout, 0

    @staticmethod
    def block(code: str) -> dict[str, str]:
        """One turn with this code."""
        return {"tool": code}

    def run(self, model: str) -> None:
        """One whole run with this root."""
        self.runs += 1
        asyncio.run(self._run(model, self.folder / f"journal-{model}-{self.runs}.jsonl"))

    async def _run(self, model: str, journal: Path) -> None:
        root = connect(f"compatible/{model}", base_url=self.url, timeout=self.timeout)
        async with open_session(self.url, journal, self.timeout) as session:
            session.root = root
            state = RunState(session, source=Source("model", "", "root"))
            conversation = Conversation(partial(render.text, "prompts/root_turn.md.j2"))
            limits: dict[str, Any] = {
                "turns": LIMITS.turns,
                "output_chars": LIMITS.output_chars,
                "turn_seconds": LIMITS.turn_seconds,
            }
            limits |= {"call_seconds": CALL_SECONDS, "call_megabytes": CALL_MEGABYTES}
            facts: dict[str, Any] = {"gate": False, "takes_notes": False, "consumers": ()}
            conversation.open(render.text("prompts/root_system.md.j2", **limits, **facts), "ctx " * 100)
            async with Repl(await tools.variables(session), tools.functions(state), LIMITS) as repl:
                await RootRun(state, root, repl, conversation, Patient(LIMITS.turns)).run()
            await root.close()


class Asks:
    """A worker that only passes prompts on: what is between the block and the calls."""

    name = "worker"

    def __init__(self, model: Any) -> None:  # noqa: ANN401 - a model
        self.model = model


@asynccontextmanager
async def open_session(url: str, journal: Path, timeout: float) -> AsyncIterator[Session]:
    """A review of nothing, with everything behind it that a review has."""
    pull = PullRequest("a change", "", "0" * 40, "0" * 40, "main", "feature", ".")
    model = connect("compatible/worker", base_url=url, timeout=timeout)
    written = Journal(journal)
    calls = Calls(Budget(LIMITS), written, Masks())
    worker: Any = Asks(model)
    tree: Any = NoTree()
    try:
        yield Session(
            Survey(
                Brief(pull, config.resolve({}, None, config.Settings())),
                (),
                (),
                Dependents(),
                tree,
                CoverageTracker((), (), Dependents()),
            ),
            tree,
            calls,
            worker,
            worker,
            reader=model,
        )
    finally:
        written.close()
        await model.close()


def main() -> int:
    """One task."""
    task, url, folder, timeout = sys.argv[1], sys.argv[2], Path(sys.argv[3]), float([*sys.argv, "60"][4])
    engine = OwnAccount(url, folder, timeout)
    if task == "compare":
        found = timing.measure(engine)
        engine.run("root-four")
        timing.told(found)
    elif task == "four":
        engine.run("root-four")
        lines = [json.loads(line) for path in folder.glob("journal-*") for line in path.read_text().splitlines()]
        calls = [line for line in lines if line["kind"] == "call" and line["role"] == "worker"]
        timing.told({"calls": len(calls), "failed": sum("error" in line for line in calls)})
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
