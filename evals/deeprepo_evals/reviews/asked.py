"""What was asked of `deeprepo eval reviews`, made into a plan, carried out, scored and told."""

import asyncio
import json
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from bot.errors import UsageError
from bot.ports import Model
from deeprepo_evals.reviews import build, case_files, compare, hand, martian, run, score, table
from deeprepo_evals.reviews.judge import Judged
from deeprepo_evals.reviews.matching import Place, View, Words
from deeprepo_evals.reviews.reviewer import Reviewer
from deeprepo_evals.reviews.run import Done, Plan

BASELINE = "diff-only"
REHEARSED = ("fanout", "direct", "rlm")  # strategies that an oracle can act in
MOST_JUDGES = 2


@dataclass(frozen=True, slots=True)
class Asked:
    """The options of the command."""

    cases: Path
    repos: Path
    kinds: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    strategies: tuple[str, ...] = ()
    baseline: str | None = None
    commands: tuple[str, ...] = ()
    flags: Mapping[str, Any] = field(default_factory=dict)
    oracle: bool = False
    quick: bool = False
    judges: tuple[str, ...] = ()
    labels: Path | None = None
    to_label: Path | None = None
    golden: Path | None = None
    martian_out: Path | None = None
    rounds: int = 1
    at_once: int = 1
    out: Path | None = None
    keep: Path | None = None
    journals: Path | None = None


@dataclass(frozen=True, slots=True)
class Told:
    """What came of it: figures, and sentences beside them."""

    figures: tuple[score.Figure, ...]
    beside: tuple[str, ...] = ()  # comparisons and agreements
    sentences: tuple[str, ...] = ()  # what is not there, and why
    open: bool = False  # some reviews are left for another time

    def text(self) -> str:
        """The tables and what is below them."""
        return "\n".join([table.text(self.figures), "", *self.beside, ""])

    def as_json(self) -> str:
        """The same for programs."""
        told = {
            "figures": [asdict(one) for one in self.figures],
            "beside": self.beside,
            "sentences": self.sentences,
        }
        return json.dumps(told, ensure_ascii=False, indent=1) + "\n"


async def carry_out(asked: Asked, say: Callable[[str], None]) -> Told:
    """Do it. Raises UsageError before anything is paid where the request makes no sense."""
    people = hand.read(asked.labels) if asked.labels else None
    plan, absent = await _plan(asked)
    async with AsyncExitStack() as stack:
        judges = [await _judge(name, stack) for name in asked.judges]
        done = await run.carry_out(plan, say)
        say("asking the judges")
        told, unasked = await run.judged(judges, done.reviewed, asked.out, asked.at_once)
    views = _views(told, people)
    if asked.martian_out:
        martian.write(done.reviewed, asked.martian_out)
    beside = [*_beside(done, views, told, people), *_labelled(asked, done)]
    figures = score.figures(done.reviewed, views)
    return Told(tuple(figures), tuple(beside), (*absent, *_missing(done), *unasked), bool(done.open or unasked))


async def _plan(asked: Asked) -> tuple[Plan, tuple[str, ...]]:
    """Raises UsageError where a part of the request does not fit the others."""
    if len(asked.judges) > MOST_JUDGES:
        raise UsageError("name at most two judges")
    if asked.golden and not asked.judges and not asked.martian_out:
        raise UsageError("golden comments name no lines: name a judge with --judge PROVIDER/MODEL, or --martian-out")
    reviewers = tuple(_reviewers(asked))
    found = await asyncio.to_thread(case_files.read, asked.cases, () if asked.golden else asked.kinds, asked.only)
    absent: tuple[str, ...] = ()
    if asked.golden:
        found, absent = await martian.cases(found, martian.golden(asked.golden), asked.repos)
        if not found:
            raise UsageError(
                f"none of the golden pull requests can be rebuilt: {absent[0] if absent else 'no comment'}"
            )
    settings = {name: value for name, value in asked.flags.items() if value is not None}
    settings |= {"oracle": True} if asked.oracle else {}
    settings |= {"quick": True} if asked.quick else {}
    settings |= {"commands": list(asked.commands)} if asked.commands else {}
    plan = Plan(
        cases=found,
        clones=build.clones(found, asked.repos),
        reviewers=reviewers,
        settings=settings,
        oracle=asked.oracle,
        rounds=asked.rounds,
        at_once=asked.at_once,
        out=asked.out,
        keep=asked.keep,
        journals=asked.journals,
    )
    return plan, absent


def _reviewers(asked: Asked) -> Iterator[Reviewer]:
    """Whoever is measured, ours first. Raises UsageError or ConfigError, as for a key that is missing."""
    if asked.quick and not asked.oracle:
        raise UsageError("--quick-worker is a script in the worker's place: it goes with --oracle")
    if asked.baseline not in (None, BASELINE):
        raise UsageError(f"unknown baseline {asked.baseline!r}: there is {BASELINE}")
    from deeprepo_evals.reviews.baseline import DiffOnly
    from deeprepo_evals.reviews.contract import Command
    from deeprepo_evals.reviews.product import Product, Rehearsed

    alone = not (asked.baseline or asked.commands)
    for name in asked.strategies or (("fanout",) if alone or asked.oracle else ()):
        if asked.oracle and name not in REHEARSED:
            raise UsageError(f"--oracle replaces the worker: it reads with {', '.join(REHEARSED)}, not {name}")
        if not asked.oracle:
            _check_models(asked.flags, name)
        yield Rehearsed(name, asked.quick) if asked.oracle else Product(name, asked.flags)
    if asked.baseline:
        if not asked.oracle:
            _check_models(asked.flags, "direct")
        yield DiffOnly(asked.flags, oracle=asked.oracle)
    for line in asked.commands:
        yield Command(_words(line))


def _words(line: str) -> tuple[str, ...]:
    try:
        words = tuple(shlex.split(line))
    except ValueError as error:
        raise UsageError(f"{line!r} is not a command: {error}") from error
    if not words:
        raise UsageError("an empty command reviews nothing")
    return words


def _check_models(flags: Mapping[str, Any], strategy: str) -> None:
    """A model that cannot be reached is said before the first case is built. `auto` would fall back to no model."""
    from bot import config, wiring

    environment = config.environment()
    address = partial(wiring.address, flags=flags, settings=environment)
    wiring.models(config.resolve({**flags, "strategy": strategy}, None, environment), address)


async def _judge(name: str, stack: AsyncExitStack) -> Model:
    from bot import wiring

    model = wiring.connect_model(name)
    stack.push_async_callback(model.close)
    return model


def _views(judges: Sequence[Judged], people: hand.Hand | None) -> list[View]:
    """By whose word something is a hit: each judge's, a person's; by place where nobody was asked."""
    found: list[View] = [Words(judge) for judge in judges]
    found += [people] if people is not None else []
    return found or [Place()]


def _beside(done: Done, views: Sequence[View], judges: Sequence[Judged], people: hand.Hand | None) -> Iterator[str]:
    yield from compare.sentences(compare.differences(done.reviewed, views))
    yield from compare.agreements(judges)
    if people is not None:
        right, of = hand.right(people, done.reviewed)
        yield f"by hand: {right} of {of} findings that were judged are right"


def _labelled(asked: Asked, done: Done) -> Iterator[str]:
    if asked.to_label:
        left = hand.write(done.reviewed, asked.to_label)
        yield f"{left} verdicts are open in {asked.to_label}: set them to true or false, then give it with --labels"


def _missing(done: Done) -> Iterator[str]:
    if done.absent:
        yield f"without a clone: {', '.join(done.absent)} (`deeprepo eval fetch` brings them)"
    yield from done.broken
    yield from (f"left open: {why}" for why in done.open)
    if len(done.reviewed) < done.total:
        yield f"{len(done.reviewed)} of {done.total} reviews are finished"
