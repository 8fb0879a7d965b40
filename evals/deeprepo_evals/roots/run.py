"""One contender over one code base, through the product's own pipeline; and the whole comparison, resumable."""

import shutil
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bot import checkout, config, pipeline
from bot.brief import Brief
from bot.config import Settings
from bot.review.opening import Models, open_session
from bot.review.session import Session
from bot.review.survey import Survey
from bot.values import Review, TypedChange
from deeprepo.rlm.errors import BudgetSpent, ProviderDown
from deeprepo.rlm.journal.writer import Journal
from deeprepo.rlm.values import Limits, Model
from deeprepo_evals import match, models, one_call, plant, results, rlm_only
from deeprepo_evals.opened import OpenedBy
from deeprepo_evals.plant.values import CodeBase
from deeprepo_evals.roots import scripted, window
from deeprepo_evals.roots.tally import CountedModel, Tally

EXPERIMENT = "roots"
BASELINE = "single-call"
MADE = 2  # rises when the same seed gives another code base


@dataclass(frozen=True, slots=True)
class Contender:
    """One row of the comparison. A strategy of the product, or the single call."""

    root: str
    strategy: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What is compared, over which code bases."""

    contenders: tuple[Contender, ...]
    worker: str
    files: tuple[int, ...] = (289,)
    seeds: tuple[int, ...] = (1,)
    scope: plant.Scope = "whole"
    window: int = window.CHARACTERS
    rounds: int = 1
    turns: int = 12
    verify: bool = False
    usd: float | None = None  # of the whole run

    def items(self) -> list[dict[str, Any]]:
        """What there is to do."""
        rest = {"made": MADE, "worker": self.worker, "scope": self.scope, "turns": self.turns, "verify": self.verify}
        return [
            {**asdict(one), **rest, "files": files, "seed": seed, "round": number}
            | ({"window": self.window} if one.strategy == BASELINE else {})
            for number in range(1, self.rounds + 1)
            for files in self.files
            for seed in self.seeds
            for one in self.contenders
        ]


async def carry_out(
    plan: Plan, out: Path | None, say: Callable[[str], None] = lambda _: None, trace: Path | None = None
) -> results.Ended:
    """Do what is left of the comparison. Raises UsageError for what cannot be done at all."""
    items = plan.items()
    with results.Run(out, EXPERIMENT) as run, tempfile.TemporaryDirectory(prefix="deeprepo-roots-") as scratch:
        async with _open_models(plan) as real:
            return await results.finish(run, items, _Arena(plan, real, Path(scratch), trace, say).do)


@asynccontextmanager
async def _open_models(plan: Plan) -> AsyncIterator[Mapping[str, Model]]:
    """The real models, connected once. Raises UsageError for one that cannot be had."""
    async with AsyncExitStack() as stack:
        real: dict[str, Model] = {}
        for name in dict.fromkeys((plan.worker, *(one.root for one in plan.contenders))):
            if not name.startswith(scripted.PREFIX):
                real[name] = models.connect(name)
                stack.push_async_callback(real[name].close)
        yield real


class _Arena:
    """Where reviews take place; a code base is written once and read by all contenders."""

    def __init__(
        self, plan: Plan, real: Mapping[str, Model], scratch: Path, trace: Path | None, say: Callable[[str], None]
    ) -> None:
        self.plan, self.real, self.scratch, self.trace, self.say = plan, real, scratch, trace, say
        self.spent = 0.0
        self._built: dict[tuple[int, int], tuple[CodeBase, Path]] = {}

    async def do(self, item: results.Item) -> results.Result:
        """One review, as figures. Raises ProviderDown where no answer came at all."""
        self.say(f"{item['root']}, {item['strategy']}, {item['files']} files")
        left = None if self.plan.usd is None else self.plan.usd - self.spent
        if left is not None and left <= 0:
            raise BudgetSpent(
                f"the cap of ${self.plan.usd:,.2f} of this comparison is reached: allow more with --max-usd"
            )
        code, repo = await self._code(item["files"], item["seed"])
        tally = Tally()
        chosen = self._models(item, code, tally)
        started = time.monotonic()
        review = await self._review(item, chosen, left, repo, tally)
        self.spent += sum(usd or 0.0 for usd in tally.usd.values())
        if tally.refusal():  # half a review is no result
            raise BudgetSpent(f"{tally.refusal()} (--max-usd)")
        if review.cut.fault == "provider" and not tally.roles:
            raise ProviderDown(next(iter(review.notes), f"{item['root']} gave no answer"))
        return _figures(review, code, tally, time.monotonic() - started)

    async def _code(self, files: int, seed: int) -> tuple[CodeBase, Path]:
        if (files, seed) not in self._built:
            code = plant.codebase(seed, files, scope=self.plan.scope)
            self._built[files, seed] = code, await plant.build(code, self.scratch / f"{seed}-{files}.git")
        return self._built[files, seed]

    def _models(self, item: results.Item, code: CodeBase, tally: Tally) -> Models:
        edge = item.get("window")
        root = self.real.get(item["root"]) or scripted.root(item["root"], code, edge)
        worker = self.real.get(item["worker"]) or scripted.worker(code)
        return Models(CountedModel(root, "root", tally), CountedModel(worker, "worker", tally))

    async def _review(self, item: results.Item, chosen: Models, usd: float | None, repo: Path, tally: Tally) -> Review:
        baseline = item["strategy"] == BASELINE
        limits = Limits(usd=usd, tokens=None, calls=None, seconds=None, turns=item["turns"])
        name = f"{item['root']}-{item['strategy']}-{item['files']}-{item['seed']}-{item['round']}".replace("/", "-")
        journal = Journal(self.trace / f"{name}.jsonl", fresh=True) if self.trace else Journal()

        @asynccontextmanager
        async def open_desk(subject: Survey) -> AsyncIterator[Session]:
            if baseline:
                for unit in window.beyond(subject.units, item["window"]):  # beyond the characters of one call
                    del subject.tracker.units[unit]
            async with open_session(subject, chosen, {}, limits, journal=journal, keep_on_cancel=False) as session:
                tally.at, tally.refusal = lambda: session.calls.at, lambda: session.calls.budget.refused
                yield session

        scratch = self.scratch / f"{repo.stem}-scratch"
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir()
        strategy = {BASELINE: one_call.__name__, "rlm-only": rlm_only.__name__}.get(item["strategy"], item["strategy"])
        settings = config.resolve({"verify": item["verify"], "analyzers": ()}, None, Settings())
        pull = await checkout.pull(TypedChange(str(repo), "range", "base", "head"), str(scratch))
        return await pipeline.review(Brief(pull, settings), OpenedBy(opener=open_desk, strategy=strategy))


def _figures(review: Review, code: CodeBase, tally: Tally, seconds: float) -> dict[str, Any]:
    """The figures of one review."""
    rows = [row for row in review.coverage.readings if row.kind == "unit"]
    read = [row for row in rows if row.state == "reviewed"]
    findings = [placed.finding for placed in review.reported]
    found = match.match(findings, code.labels)
    return {
        "turns": len(review.turns),
        "dispatches": tally.roles.count("worker"),
        "delegated": tally.delegated_calls,
        "files": len({row.path for row in rows}),
        "files_read": len(_whole(rows, {id(row) for row in read})),
        "files_by_workers": len(_whole(rows, {id(row) for row in read if "worker" in row.by})),
        "units": len(rows),
        "units_read": len(read),
        "labels": len(code.labels),
        "findings": len(findings),
        "matched": len(found.pairs),
        "proven": found.proven,
        "recall": found.recall,
        "precision": found.precision,
        "usd": review.cost.usd,
        "root_usd": review.cost.root_usd,
        "input": review.cost.usage.input,
        "output": review.cost.usage.output,
        "root_input": tally.usage["root"].input,
        "seconds": round(seconds, 3),
        "partial": review.cut.partial,
        "notes": list(review.notes),
    }


def _whole(rows: list[Any], row_numbers: set[int]) -> set[str]:
    """The files all of whose units are among these rows."""
    paths = {row.path for row in rows}
    return paths - {row.path for row in rows if id(row) not in row_numbers}
