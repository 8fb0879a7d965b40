"""From what was asked to a table: build the pull requests, review them, ask the benchmark's judge, set the peers' results beside ours."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from bot.errors import UsageError
from deeprepo_evals import intervals, tables
from deeprepo_evals.intervals import Interval
from deeprepo_evals.published import judging
from deeprepo_evals.published.ends import ends
from deeprepo_evals.published.judging import Answers
from deeprepo_evals.published.sets import SETS, Benchmark, Pull, Tally
from deeprepo_evals.results import Run
from deeprepo_evals.reviews import judge
from deeprepo_evals.reviews import run as reviewing
from deeprepo_evals.reviews.baseline import DiffOnly
from deeprepo_evals.reviews.build import clone_of
from deeprepo_evals.reviews.cases import Case
from deeprepo_evals.reviews.outcome import MeasuredReview
from deeprepo_evals.reviews.product import Product
from deeprepo_evals.reviews.review_options import check_models, open_model
from deeprepo_evals.reviews.reviewer import Reviewer

Say = Callable[[str], None]
DEFECTS = "repo, not readability"
LEVELS = ("diff", "file", "repo", DEFECTS)


@dataclass(frozen=True, slots=True)
class Options:
    """What the command was asked for."""

    data: Path  # a clone of the benchmark
    repos: Path
    reviewers: tuple[str, ...]
    flags: Mapping[str, Any] = field(default_factory=dict)
    only: tuple[str, ...] = ()
    exact: bool = False
    peers: str = ""
    judge: str = ""
    at_once: int = 1
    out: Path | None = None
    journals: Path | None = None


@dataclass(frozen=True, slots=True)
class Told:
    """The table, and sentences beside it."""

    table: str
    sentences: tuple[str, ...]
    open: bool


async def carry_out(name: str, options: Options, say: Say) -> Told:
    """Do what is left. Raises UsageError before anything is paid if the request makes no sense."""
    benchmark = await SETS[name](options.data, options.peers)
    reviewers: Mapping[str, Reviewer] = {"deeprepo": Product(flags=options.flags), "diff-only": DiffOnly(options.flags)}
    if options.reviewers != ("deeprepo",) or options.flags["effort"] != "none":
        check_models(options.flags, "direct")
    cases, clones, sentences = await _cases(benchmark, options)
    plan = reviewing.Plan(
        cases=tuple(cases),
        clones=clones,
        reviewers=tuple(reviewers[one] for one in options.reviewers),
        settings={key: value for key, value in options.flags.items() if value is not None},
        at_once=options.at_once,
        out=options.out,
        journals=options.journals,
    )
    done = await reviewing.carry_out(plan, say)
    answers: Answers = {}
    unasked: tuple[str, ...] = ()
    if options.judge:
        say("asking the judge")
        answers, unasked = await _ask(benchmark, done.reviews, options)
    table = "\n".join(_table(benchmark, options, done.reviews, answers))
    told = (*sentences, *done.unbuilt_cases, *(f"left open: {why}" for why in (*done.open, *unasked)))
    return Told(table, told, bool(done.open or unasked))


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
        made = Case(pull.id, benchmark.name, pull.clones[0], both.base, both.head, title=title, body="", url=pull.url)
        cases.append(made)
        clones[pull.id] = clone
    if not cases:
        raise UsageError(
            f"{options.repos} holds none of the {len(wanted)} pull requests: put clones there as OWNER/NAME"
        )
    said = f"{len(cases)} of {len(wanted)} pull requests can be built from the clones in {options.repos}"
    more = f"; {loose} of them only at a later head than the known comments are about (--exact leaves these out)"
    return cases, clones, (said + more * bool(loose),)


async def _ask(
    benchmark: Benchmark, rows: Sequence[MeasuredReview], options: Options
) -> tuple[Answers, tuple[str, ...]]:
    async with AsyncExitStack() as stack:
        model = await open_model(options.judge, stack)
        with Run(options.out, judging.EXPERIMENT) as run:
            asked = judging.items(benchmark, rows, model.name)
            went = await judge.ask(model, asked, partial(judging.prompt, benchmark), run, max(options.at_once, 8))
            kept = run.rows(asked)
    return {(row.item["known"], row.item["candidate"]): row.result for row in kept}, went.why


def _table(benchmark: Benchmark, options: Options, rows: Sequence[MeasuredReview], answers: Answers) -> Iterator[str]:
    """One row for each reviewer over the pull requests that all of ours have finished, then one for each peer over the same."""
    by = {name: {row.case.id: row for row in rows if row.reviewer == name} for name in options.reviewers}
    pulls = [pull for pull in benchmark.pulls if all(pull.id in mine for mine in by.values())]
    if not pulls:
        return
    if not options.judge:
        yield f"{len(pulls)} pull requests are reviewed, and nothing is compared yet: name the judge's model with --judge"
        return
    head = ("reviewer", "n", "known", "comments a PR", "precision", "recall", "F1")
    lines = [
        _line(name, [judging.tally(benchmark, pull, mine[pull.id], answers) for pull in pulls])
        for name, mine in by.items()
    ]
    for tool, tallies in sorted(benchmark.peers.items()):
        lines.append(_line(f"{tool} (published)", [tallies[pull.url] for pull in pulls if pull.url in tallies]))
    yield f"{benchmark.name}, judge {options.judge}" + f"; published: {benchmark.peers_judge}" * bool(benchmark.peers)
    yield tables.align(head, lines)
    if any(pull.rejected or any(one.level for one in pull.known) for pull in pulls):
        yield "\nKnown comments found, by how far one has to look; of the comments that people have judged, those accepted:"
        rows_by_level = [(name, *_by_level(pulls, mine, answers)) for name, mine in by.items()]
        yield tables.align(("reviewer", *LEVELS, "accepted"), rows_by_level)


def _line(name: str, tallies: Sequence[Tally]) -> tuple[str, ...]:
    known, said = sum(one.known for one in tallies), sum(one.said for one in tallies)
    right, told = sum(one.right for one in tallies), sum(one.right + one.wrong for one in tallies)
    shares = [
        intervals.share(right, of) if right in (0, of) else intervals.bootstrap(tallies, measure)
        for measure, of in ((precision, told), (recall, known))
    ]
    figures = (*shares, intervals.bootstrap(tallies, f1))
    return (name, str(len(tallies)), str(known), _number(said, len(tallies)), *(_text(figure) for figure in figures))


def _by_level(pulls: Sequence[Pull], rows: Mapping[str, MeasuredReview], answers: Answers) -> Iterator[str]:
    """Recall at each level, then precision over the comments that people have judged: accepted against rejected."""
    hits: list[tuple[str, bool]] = []
    accepted = rejected = 0
    for pull in pulls:
        said = judging.posted(rows[pull.id])
        pairs = judging.found(said, pull.known, answers)
        hits += [(comment.level, at in pairs) for at, comment in enumerate(pull.known)]
        needs = [at for at, comment in enumerate(pull.known) if comment.level == "repo" and not comment.is_remark]
        hits += [(DEFECTS, at in pairs) for at in needs]
        accepted += len(pairs)
        others = [one for number, one in enumerate(said) if number not in pairs.values()]
        rejected += len(judging.found(others, pull.rejected, answers))
    for level in LEVELS:
        mine = [hit for name, hit in hits if name == level]
        yield f"{_text(intervals.share(sum(mine), len(mine)))} of {len(mine)}"
    yield f"{_text(intervals.share(accepted, accepted + rejected))} of {accepted + rejected}"


def precision(tallies: Sequence[Tally]) -> float:
    """Of the comments of all pull requests together, the share that says a known one."""
    said = sum(one.right + one.wrong for one in tallies)
    return sum(one.right for one in tallies) / said if said else math.nan


def recall(tallies: Sequence[Tally]) -> float:
    """Of the known comments of all pull requests together, the share that was found."""
    known = sum(one.known for one in tallies)
    return sum(one.right for one in tallies) / known if known else math.nan


def f1(tallies: Sequence[Tally]) -> float:
    """The harmonic mean of both; 0 where nothing was found."""
    right = sum(one.right for one in tallies)
    of = sum(one.right + one.wrong + one.known for one in tallies)
    return 2 * right / of if of else math.nan


def _number(count: int, of: int) -> str:
    return f"{count / of:.1f}" if of else "-"


def _text(figure: Interval) -> str:
    return "-" if math.isnan(figure.value) else str(figure)
