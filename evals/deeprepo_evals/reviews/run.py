"""From what was asked to finished rows: build the cases, have each reviewer review each of them, ask the judges. Resumable."""

import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from bot.errors import GitError, NothingToReview
from deeprepo.rlm.values import Model
from deeprepo_evals import results
from deeprepo_evals.results import Item, Run
from deeprepo_evals.reviews import build, judge, labels, outcome
from deeprepo_evals.reviews.cases import Case
from deeprepo_evals.reviews.judge import JudgeAnswers
from deeprepo_evals.reviews.outcome import MeasuredReview
from deeprepo_evals.reviews.reviewer import Reviewer, Task


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that one run was asked for."""

    cases: tuple[Case, ...]
    clones: Mapping[str, Path]  # of each case that has one
    reviewers: tuple[Reviewer, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)  # what else a result depends on: models, caps
    oracle: bool = False
    rounds: int = 1
    at_once: int = 1
    out: Path | None = None
    keep: Path | None = None  # where built cases are kept
    journals: Path | None = None  # where the calls of each review are recorded

    def items(self) -> list[Item]:
        """What there is to do, one round after the other."""
        return [
            {
                "case": case.id,
                "digest": case.digest,
                "reviewer": reviewer.name,
                "round": number,
                "settings": dict(self.settings),
            }
            for number in range(1, self.rounds + 1)
            for case in self.cases
            if case.id in self.clones
            for reviewer in self.reviewers
        ]


@dataclass(frozen=True, slots=True)
class MeasuredRun:
    """What is finished, and sentences about what is not."""

    reviews: tuple[MeasuredReview, ...]
    total: int
    absent: tuple[str, ...] = ()  # ids of cases without a clone
    unbuilt_cases: tuple[str, ...] = ()  # cases that could not be built
    open: tuple[str, ...] = ()  # why some reviews are left for another time


async def carry_out(plan: Plan, say: Callable[[str], None]) -> MeasuredRun:
    """Do what is left of the plan. Every finished review is kept before the next begins."""
    items = plan.items()
    with Run(plan.out, outcome.EXPERIMENT) as run, ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="deeprepo-eval-")))
        left = {item["case"] for item in run.left(items)}
        repos, broken = await _build(plan, left, plan.keep or scratch / "cases", say)
        doable = [item for item in items if item["case"] in repos or item["case"] not in left]
        work = _Work(plan, repos, scratch)
        went = await results.carry_out(run, doable, work.do, at_once=plan.at_once, say=say)
        rows = run.rows(items)
    absent = tuple(case.id for case in plan.cases if case.id not in plan.clones)
    from deeprepo_evals.reviews import (
        strangers,  # pydantic takes longer to import than the command line may take to answer
    )

    return MeasuredRun(tuple(strangers.read_rows(rows)), len(items), absent, tuple(broken), went.why)


async def ask_judges(
    models: Sequence[Model], rows: Sequence[MeasuredReview], out: Path | None, at_once: int
) -> tuple[tuple[JudgeAnswers, ...], tuple[str, ...]]:
    """What each judge says of every finding at the place of a defect; sentences about what is left open."""
    asked = judge.pairs(rows)
    found: list[JudgeAnswers] = []
    why: list[str] = []
    for model in models:
        with Run(out, judge.EXPERIMENT) as run:
            items = [pair.item(model.name) for pair in asked]
            went = await judge.ask(model, items, judge.question, run, max(at_once, 8))
            told = judge.judges(run.rows(items))
        found.append(next(iter(told), JudgeAnswers(model.name, {})))
        why += went.why
    return tuple(found), tuple(why)


async def _build(
    plan: Plan, wanted_names: set[str], folder: Path, say: Callable[[str], None]
) -> tuple[dict[str, Path], list[str]]:
    """The repositories of the cases that are left; an oracle looks at both variants of a twin."""
    twins = {case.twin for case in plan.cases if case.id in wanted_names and case.twin}
    repos: dict[str, Path] = {}
    broken: list[str] = []
    for case in plan.cases:
        if case.id in plan.clones and (case.id in wanted_names or case.twin in twins):
            say(f"building {case.id}")
            try:
                repos[case.id] = await build.build(case, plan.clones[case.id], folder)
            except GitError as error:
                broken.append(str(error))
    half = {case.twin for case in plan.cases if case.twin in twins and case.id not in repos}
    lone = [case.id for case in plan.cases if case.twin and case.twin in half]
    return {name: repo for name, repo in repos.items() if name not in lone}, broken


@dataclass(frozen=True, slots=True)
class _Work:
    """How one item is done."""

    plan: Plan
    repos: Mapping[str, Path]
    scratch: Path

    async def do(self, item: Item) -> results.Result:
        """Review one case. A case that git cannot read ends the run with its name; what is finished is kept."""
        case = next(case for case in self.plan.cases if case.id == item["case"])
        reviewer = next(one for one in self.plan.reviewers if one.name == item["reviewer"])
        with tempfile.TemporaryDirectory(prefix="review-", dir=self.scratch) as scratch:
            task = Task(case, self.repos[case.id], scratch, self._journal(item), round=item["round"])
            if self.plan.oracle:
                task = replace(task, labels=await labels.of(case, self.repos))
            try:
                told = await reviewer.review(task)
            except (GitError, NothingToReview) as error:
                raise GitError(f"{case.id}: {error}") from error
        return outcome.as_row(case, told)

    def _journal(self, item: Item) -> Path:
        """A file for each review: an interrupted one is gone on with, and no finished call is paid twice."""
        folder = self.plan.journals or self.scratch / "journals"
        folder.mkdir(parents=True, exist_ok=True)
        name = "-".join(map(str, (item["case"], item["reviewer"], item["round"])))
        return folder / f"{name.replace('/', '-').replace(' ', '-')}.jsonl"
