"""The tables of the benchmarks whose judge compares two comments."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from functools import partial

from deeprepo_evals import intervals, tables
from deeprepo_evals.published import judging, tally
from deeprepo_evals.published.desk import Desk
from deeprepo_evals.published.judging import Answers
from deeprepo_evals.published.tally import Tally
from deeprepo_evals.results import Run
from deeprepo_evals.reviews import judge
from deeprepo_evals.reviews.outcome import MeasuredReview
from deeprepo_evals.reviews.review_options import open_model

DEFECTS = "repo, not readability"
LEVELS = ("diff", "file", "repo", DEFECTS)


async def told(desk: Desk) -> tuple[str, tuple[str, ...]]:
    """The tables, and sentences about what the judge left open."""
    if not desk.options.judge:
        count = len(desk.pulls)
        return (
            f"{count} pull requests are reviewed, and nothing is compared yet: name the judge's model with --judge",
            (),
        )
    rows = [row for mine in desk.by.values() for reviews in mine.values() for row in reviews]
    async with AsyncExitStack() as stack:
        model = await open_model(desk.options.judge, stack)
        with Run(desk.options.out, judging.EXPERIMENT) as run:
            asked = judging.items(desk.benchmark, rows, model.name)
            prompt = partial(judging.prompt, desk.benchmark)
            went = await judge.ask(model, asked, prompt, run, max(desk.options.at_once, 8))
            kept = run.rows(asked)
    answers = {(row.item["known"], row.item["candidate"]): row.result for row in kept}
    return "\n".join(_table(desk, answers)), went.why


def _table(desk: Desk, answers: Answers) -> Iterator[str]:
    """One row for each reviewer over the pull requests that all of ours have finished, then one for each peer over the same."""
    benchmark, pulls = desk.benchmark, desk.pulls
    head = ("reviewer", "n", "known", "comments a PR", "precision", "recall", "F1")
    lines = [
        _line(
            name,
            [tally.average(judging.tally(benchmark, pull, row, answers) for row in mine[pull.id]) for pull in pulls],
        )
        for name, mine in desk.by.items()
    ]
    for tool, tallies in sorted(benchmark.peers.items()):
        theirs = [tallies[pull.url] for pull in pulls if pull.url in tallies]
        lines.append(_line(f"{tool} (published)", theirs))
    published = f"; published: {benchmark.peers_judge}" * bool(benchmark.peers)
    yield f"{benchmark.name}, judge {desk.options.judge}{published}"
    yield tables.align(head, lines)
    if any(pull.rejected or any(one.level for one in pull.known) for pull in pulls):
        yield "\nKnown comments found, by how far one has to look; of the comments that people have judged, those accepted:"
        by_level = [(name, *_by_level(desk, mine, answers)) for name, mine in desk.by.items()]
        yield tables.align(("reviewer", *LEVELS, "accepted"), by_level)


def _line(name: str, tallies: list[Tally]) -> tuple[str, ...]:
    said, known = sum(one.said for one in tallies), sum(one.known for one in tallies)
    return (name, str(len(tallies)), f"{known:g}", tally.per_pull(said, len(tallies)), *tally.shares(tallies))


def _by_level(desk: Desk, rows: Mapping[str, Sequence[MeasuredReview]], answers: Answers) -> Iterator[str]:
    """Recall at each level, then precision over the comments that people have judged: accepted against rejected."""
    hits: list[tuple[str, bool]] = []
    accepted = rejected = 0
    reviews = [(pull, row) for pull in desk.pulls for row in rows[pull.id]]
    for pull, row in reviews:
        said = judging.posted(row)
        pairs = judging.found(said, pull.known, answers)
        hits += [(comment.level, at in pairs) for at, comment in enumerate(pull.known)]
        needs = [at for at, comment in enumerate(pull.known) if comment.level == "repo" and not comment.is_remark]
        hits += [(DEFECTS, at in pairs) for at in needs]
        accepted += len(pairs)
        others = [one for number, one in enumerate(said) if number not in pairs.values()]
        rejected += len(judging.found(others, pull.rejected, answers))
    for level in LEVELS:
        mine = [hit for name, hit in hits if name == level]
        yield f"{tally.text(intervals.share(sum(mine), len(mine)))} of {len(mine)}"
    yield f"{tally.text(intervals.share(accepted, accepted + rejected))} of {accepted + rejected}"
