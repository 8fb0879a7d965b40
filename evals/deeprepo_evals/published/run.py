"""From what was asked to a table: build the pull requests, review them, ask the benchmark's judge, set the peers' results beside ours."""

import tempfile
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean

from bot.errors import UsageError
from deeprepo_evals.published import group_table, pair_table, readings
from deeprepo_evals.published.desk import Desk, Options
from deeprepo_evals.published.ends import ends
from deeprepo_evals.published.readings import AT_COST, Bundle
from deeprepo_evals.published.sets import AACR, MARTIAN, REVIEWBENCH, SETS, Benchmark
from deeprepo_evals.results import Run
from deeprepo_evals.reviews import run as reviewing
from deeprepo_evals.reviews.baseline import DiffOnly, plain_model, quota_of
from deeprepo_evals.reviews.build import build, clone_of
from deeprepo_evals.reviews.cases import Case
from deeprepo_evals.reviews.outcome import MeasuredReview
from deeprepo_evals.reviews.product import Product
from deeprepo_evals.reviews.review_options import check_models
from deeprepo_evals.reviews.reviewer import Reviewer

Say = Callable[[str], None]
Reviews = dict[str, dict[str, list[MeasuredReview]]]  # reviewer -> pull request -> one of each round
PRODUCT, PLAIN = "deeprepo", "diff-only"
TABLES: Mapping[str, Callable[[Desk], Awaitable[tuple[str, tuple[str, ...]]]]] = {
    MARTIAN: pair_table.told,
    AACR: pair_table.told,
    REVIEWBENCH: group_table.told,
}


@dataclass(frozen=True, slots=True)
class Told:
    """The table, and sentences beside it."""

    table: str
    sentences: tuple[str, ...]
    open: bool


async def carry_out(name: str, options: Options, say: Say) -> Told:
    """Do what is left. Raises UsageError before anything is paid if the request makes no sense."""
    benchmark = await SETS[name](options.data, options.peers)
    if options.reviewers != (PRODUCT,) or options.flags["effort"] != "none":
        check_models(options.flags, "parts")
    cases, clones, sentences = await _cases(benchmark, options)
    with ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="deeprepo-eval-")))
        out = options.out or scratch / "results.jsonl"  # a run is made of several parts
        work = _Work(benchmark, replace(options, out=out), tuple(cases), clones, scratch / "cases", say)
        by = await work.reviews()
        pulls = tuple(pull for pull in benchmark.pulls if by and work.is_done(pull.id, by))
        table = ""
        if pulls:
            say("asking the judge")
            desk = Desk(benchmark, work.options, pulls, by, work.repo)
            table, unasked = await TABLES[name](desk)
            work.open.extend(unasked)
    left = (f"left open: {why}" for why in work.open)
    return Told(table, tuple(dict.fromkeys((*sentences, *work.unbuilt, *left))), bool(work.open))


@dataclass(frozen=True, slots=True)
class _Work:
    """The reviews of one command, in parts that go on where they were interrupted."""

    benchmark: Benchmark
    options: Options
    cases: Sequence[Case]
    clones: Mapping[str, Path]
    keep: Path
    say: Say
    unbuilt: list[str] = field(default_factory=list)  # sentences about cases that cannot be built
    open: list[str] = field(default_factory=list)  # why some reviews are left for another time

    def is_done(self, name: str, by: Reviews) -> bool:
        """Whether a pull request has all its reviews by everybody."""
        times = {PRODUCT: self.options.rounds, PLAIN: self.options.readings}
        return all(len(mine.get(name, ())) == times.get(reviewer, 1) for reviewer, mine in by.items())

    async def reviews(self) -> Reviews:
        """Every reviewer's review of each pull request; of several plain calls also what they come to together."""
        settings = {key: value for key, value in self.options.flags.items() if value is not None}
        done: list[MeasuredReview] = []
        if PRODUCT in self.options.reviewers:
            done += await self._review(Product(flags=self.options.flags), self.cases, self.options.rounds, settings)
        if PLAIN in self.options.reviewers:
            del settings["effort"]  # one call is the same beside every effort
            done += await self._plain(settings, done)
        by: Reviews = {}
        for row in done:
            by.setdefault(row.reviewer, {}).setdefault(row.case.id, []).append(row)
        return by

    async def _plain(self, settings: dict[str, object], ours: Sequence[MeasuredReview]) -> Sequence[MeasuredReview]:
        """The plain calls of each pull request; of several also what they come to together, and what as many come to as ours cost."""
        is_wide = self.benchmark.name == REVIEWBENCH
        plain = DiffOnly(self.options.flags, wide=is_wide)
        settings |= {"most": "by size"} if is_wide else {}
        count = self.options.readings
        done = await self._review(plain, self.cases, count, settings)
        if count == 1:
            return done
        bundles = [*self._bundles(readings.several(count), done, dict.fromkeys(self.clones, count))]
        worth = {
            name: readings.count_at_cost(*both)
            for name in self.clones
            if all(both := [[row.outcome for row in rows if row.case.id == name] for rows in (ours, done)])
        }
        if any(worth.values()):
            counts = {name: max(1, number) for name, number in worth.items()}
            more = await self._more(plain, counts, settings)
            bundles += self._bundles(f"{AT_COST} ({fmean(counts.values()):.1f})", more, counts)
        async with plain_model(self.options.flags) as model:
            with Run(self.options.out, readings.EXPERIMENT) as run:
                quota, at_once = quota_of(self.options.flags), max(self.options.at_once, 8)
                joined, why = await readings.join(bundles, model, run, quota, at_once)
        self.open.extend(why)
        return [*done, *joined]

    async def repo(self, name: str) -> Path:
        """The repository of a pull request."""
        return await build(next(case for case in self.cases if case.id == name), self.clones[name], self.keep)

    async def _more(
        self, plain: DiffOnly, counts: Mapping[str, int], settings: Mapping[str, object]
    ) -> list[MeasuredReview]:
        """So many plain calls of each pull request."""
        rows = list[MeasuredReview]()
        for count in sorted(set(counts.values())):
            cases = [case for case in self.cases if counts.get(case.id) == count]
            rows += await self._review(plain, cases, count, settings)
        return rows

    def _bundles(self, name: str, rows: Sequence[MeasuredReview], counts: Mapping[str, int]) -> Iterator[Bundle]:
        """The first readings of each pull request of which all are there."""
        for case, count in counts.items():
            mine = tuple(row for row in rows if row.case.id == case and row.round <= count)
            if len(mine) == count:
                yield Bundle(name, mine)

    async def _review(
        self, reviewer: Reviewer, cases: Sequence[Case], rounds: int, settings: Mapping[str, object]
    ) -> Sequence[MeasuredReview]:
        plan = reviewing.Plan(
            cases=tuple(cases),
            clones=self.clones,
            reviewers=(reviewer,),
            settings=settings,
            rounds=rounds,
            at_once=self.options.at_once,
            out=self.options.out,
            keep=self.keep,
            journals=self.options.journals,
        )
        done = await reviewing.carry_out(plan, self.say)
        self.unbuilt.extend(done.unbuilt_cases)
        self.open.extend(done.open)
        return done.reviews


async def _cases(benchmark: Benchmark, options: Options) -> tuple[list[Case], dict[str, Path], tuple[str, ...]]:
    """The pull requests that can be built from clones at hand, and sentences about the others."""
    cases, clones, loose = [], {}, 0
    wanted = [pull for pull in benchmark.pulls if not options.only or pull.id in options.only]
    for pull in wanted:
        clone = next((found for name in pull.clones if (found := clone_of(options.repos, name))), None)
        both = await ends(pull, clone) if clone else None
        if clone is None or both is None or (options.exact and not both.exact):
            continue
        loose += not both.exact
        title = pull.title or f"Pull request {pull.parts[2]}"
        made = Case(
            pull.id, benchmark.name, pull.clones[0], both.base, both.head, title=title, body=pull.body, url=pull.url
        )
        cases.append(made)
        clones[pull.id] = clone
    if not cases:
        raise UsageError(
            f"{options.repos} holds none of the {len(wanted)} pull requests: put clones there as OWNER/NAME"
        )
    said = f"{len(cases)} of {len(wanted)} pull requests can be built from the clones in {options.repos}"
    more = f"; {loose} of them only at a later head than the known comments are about (--exact leaves these out)"
    return cases, clones, (said + more * bool(loose),)
