"""What was asked of `deeprepo eval reviews`, made into a plan, carried out, scored and told."""

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from bot.errors import UsageError
from deeprepo.rlm.values import Model
from deeprepo_evals.reviews import build, case_files, run, score, table
from deeprepo_evals.reviews.matching import Place, View, Words
from deeprepo_evals.reviews.reviewer import Reviewer
from deeprepo_evals.reviews.run import MeasuredRun, Plan

BASELINE = "diff-only"
REHEARSED = ("parts", "rlm")  # strategies that an oracle can act in
MOST_JUDGES = 2


@dataclass(frozen=True, slots=True)
class ReviewOptions:
    """The options of the command."""

    cases: Path
    repos: Path
    kinds: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    strategies: tuple[str, ...] = ()
    baseline: str | None = None
    flags: Mapping[str, Any] = field(default_factory=dict)
    oracle: bool = False
    judges: tuple[str, ...] = ()
    rounds: int = 1
    at_once: int = 1
    out: Path | None = None
    keep: Path | None = None
    journals: Path | None = None


@dataclass(frozen=True, slots=True)
class ReviewFigures:
    """What came of it: figures, and sentences beside them."""

    figures: tuple[score.Figure, ...]
    sentences: tuple[str, ...] = ()  # what is not there, and why
    open: bool = False  # some reviews are left for another time

    def text(self) -> str:
        """The tables."""
        return table.text(self.figures) + "\n"

    def as_json(self) -> str:
        """Return the figures and sentences as JSON."""
        told = {
            "figures": [asdict(one) for one in self.figures],
            "sentences": self.sentences,
        }
        return json.dumps(told, ensure_ascii=False, indent=1) + "\n"


async def carry_out(options: ReviewOptions, say: Callable[[str], None]) -> ReviewFigures:
    """Do it. Raises UsageError before anything is paid where the request makes no sense."""
    plan = await _plan(options)
    async with AsyncExitStack() as stack:
        judges = [await open_model(name, stack) for name in options.judges]
        done = await run.carry_out(plan, say)
        say("asking the judges")
        told, unasked = await run.ask_judges(judges, done.reviews, options.out, options.at_once)
    views: list[View] = [Words(judge) for judge in told] or [Place()]
    figures = score.figures(done.reviews, views)
    return ReviewFigures(tuple(figures), (*_missing(done), *unasked), bool(done.open or unasked))


async def _plan(options: ReviewOptions) -> Plan:
    """Raises UsageError where a part of the request does not fit the others."""
    if len(options.judges) > MOST_JUDGES:
        raise UsageError("name at most two judges")
    reviewers = tuple(_reviewers(options))
    found = await asyncio.to_thread(case_files.read, options.cases, options.kinds, options.only)
    settings = {name: value for name, value in options.flags.items() if value is not None}
    settings |= {"oracle": True} if options.oracle else {}
    return Plan(
        cases=found,
        clones=build.clones(found, options.repos),
        reviewers=reviewers,
        settings=settings,
        oracle=options.oracle,
        rounds=options.rounds,
        at_once=options.at_once,
        out=options.out,
        keep=options.keep,
        journals=options.journals,
    )


def _reviewers(options: ReviewOptions) -> Iterator[Reviewer]:
    """Whoever is measured, ours first. Raises UsageError or ConfigError, as for a key that is missing."""
    if options.baseline not in (None, BASELINE):
        raise UsageError(f"unknown baseline {options.baseline!r}: there is {BASELINE}")
    from deeprepo_evals.reviews.baseline import DiffOnly
    from deeprepo_evals.reviews.product import Product, RehearsalReviewer

    for name in options.strategies or (() if options.baseline and not options.oracle else ("parts",)):
        if options.oracle and name not in REHEARSED:
            raise UsageError(f"--oracle replaces the worker: it reads with {', '.join(REHEARSED)}, not {name}")
        if not options.oracle:
            check_models(options.flags, name)
        yield RehearsalReviewer(name) if options.oracle else Product(name, options.flags)
    if options.baseline:
        if not options.oracle:
            check_models(options.flags, "parts")
        yield DiffOnly(options.flags, oracle=options.oracle)


def check_models(flags: Mapping[str, Any], strategy: str) -> None:
    """Check that the models can be reached, before the first case is built. `auto` would fall back to no model."""
    from bot import config
    from bot.wiring.access import Connections

    environment = config.environment()
    Connections(environment, flags).models(config.resolve({**flags, "strategy": strategy}, None, environment))


async def open_model(name: str, stack: AsyncExitStack) -> Model:
    """A model by its name, closed with the stack."""
    from deeprepo_evals import models

    model = models.connect(name)
    stack.push_async_callback(model.close)
    return model


def _missing(results: MeasuredRun) -> Iterator[str]:
    if results.absent:
        yield f"without a clone: {', '.join(results.absent)} (`deeprepo eval fetch` brings them)"
    yield from results.unbuilt_cases
    yield from (f"left open: {why}" for why in results.open)
    if len(results.reviews) < results.total:
        yield f"{len(results.reviews)} of {results.total} reviews are finished"
