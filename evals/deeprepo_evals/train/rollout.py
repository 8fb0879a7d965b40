"""One rollout: a root alone (`rlm-only`) over one code base, through the product's pipeline, engine, REPL and coverage."""

import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from bot import checkout, config, pipeline
from bot.brief import Brief
from bot.config import Settings
from bot.review.opening import Models, open_session
from bot.review.session import Session
from bot.review.survey import Survey
from bot.values import Review, TypedChange
from deeprepo.rlm.journal.writer import Journal
from deeprepo.rlm.values import Limits, Model
from deeprepo_evals import plant, rlm_only
from deeprepo_evals.opened import OpenedBy
from deeprepo_evals.train.facts import Facts, Till, facts_of
from deeprepo_evals.train.tasks import Task

MOST_TOKENS = 5_000_000  # of one rollout; a loop over workers ends here
FLAGS = {"verify": False, "analyzers": ()}  # what code proves by itself teaches a root nothing


@dataclass(frozen=True, slots=True)
class Rollout:
    """What it came to. `failure` is the kind of error that ended the root's model ("ProviderDown"), where one did."""

    facts: Facts
    review: Review
    failure: str = ""
    why: str = ""
    was_capped: bool = False  # a cap stopped some of its calls


async def roll(
    task: Task,
    root: Model,
    worker: Model,
    *,
    trace: Path | None = None,
    usd: float | None = None,
) -> Rollout:
    """Let this root review this code base. Both models are closed at the end; `trace` is where the journal is kept, `usd` a cap."""
    code, till = task.code(), Till()
    limits = Limits(usd=usd, tokens=MOST_TOKENS, calls=None, seconds=None, turns=task.turns)
    with tempfile.TemporaryDirectory(prefix="deeprepo-train-") as folder:
        repo = await plant.build(code, Path(folder) / "repo.git")
        scratch = Path(folder) / "scratch"
        scratch.mkdir()
        journal = Journal(trace or scratch / "journal.jsonl", fresh=True, watch=till)  # only a file has the messages
        opened = partial(_desk, Models(root, worker), limits, journal)
        pull = await checkout.pull(TypedChange(str(repo), "range", "base", "head"), str(scratch))
        brief = Brief(pull, config.resolve(FLAGS, None, Settings()))
        review = await pipeline.review(brief, OpenedBy(opener=opened, strategy=rlm_only.__name__))
    return Rollout(facts_of(review, code, till, task.turns), review, till.failure, till.why, till.was_capped)


@asynccontextmanager
async def _desk(models: Models, limits: Limits, journal: Journal, subject: Survey) -> AsyncIterator[Session]:
    async with open_session(subject, models, {}, limits, journal=journal) as session:
        yield session
