"""Measure without a model whether prompts contain the proof of known defects: `make bench NAME=oracle`.

Real pull requests with a known defect are reviewed in `parts` by a scripted worker that reports the labelled defect when, and
only when, its prompt holds the defect's changed lines and, where the proof lies elsewhere, a line of the evidence; beside it the
same worker gets the diff alone, in one call. What then is in the review at the right file, within ten lines, was delivered.
The same as `deeprepo eval reviews --oracle --baseline diff-only`, with the promises beside and the tokens of all prompts. Prompts show the
change, its definitions and their callers. The proof of a twin is elsewhere: a root searches for it, and a worker can ask for it.
"""

import os
import statistics
from collections.abc import Callable, Iterator, Sequence

from benchmarks import labels
from benchmarks.table import Row, report
from deeprepo_evals.reviews import case_files, score
from deeprepo_evals.reviews.baseline import DiffOnly
from deeprepo_evals.reviews.cases import LARGE, TWINS
from deeprepo_evals.reviews.matching import Place, hit, part
from deeprepo_evals.reviews.outcome import MeasuredReview
from deeprepo_evals.reviews.product import RehearsalReviewer

DELIVERED, CROSS_FILE, SECONDS, LARGEST = 0.90, 0.80, 1.0, 5_000


def rows(done: Sequence[MeasuredReview]) -> Iterator[Row]:
    """What is promised of the harness, with the baseline beside it."""
    yield _delivered("labelled defects delivered", done, DELIVERED, lambda _: True)
    yield _delivered("of these cross-file", done, CROSS_FILE, lambda scope: scope == "cross-file")
    ours, theirs = _net(done, "parts"), _net(done, "diff-only")
    if ours is not None:
        beside = f"diff-only {theirs:.2f}"
        yield Row("twins: hits on bad - reports on good", ours, None, beside=beside, least=True)
    sent = [row.outcome.input for row in done if row.reviewer == "parts"]
    if sent:
        yield Row(f"prompt tokens of {len(sent)} reviews", float(sum(sent)), unit="tokens")
    small = [r for r in done if r.reviewer == "parts" and r.case.files <= LARGEST and not r.case.variant]
    if small:
        seconds = statistics.median(row.outcome.seconds for row in small)
        yield Row(
            f"own time of a case, p50 ({len(small)} of up to {LARGEST:,} files)",
            seconds,
            SECONDS,
            unit="s",
            beside=f"load {os.getloadavg()[0]:.1f}",
        )


def _delivered(what: str, done: Sequence[MeasuredReview], limit: float, wanted: Callable[[str], bool]) -> Row:
    told = {name: _hits(done, name, wanted) for name in ("parts", "diff-only")}
    ours, theirs = (sum(hits) / max(1, len(hits)) for hits in told.values())
    count = f"{sum(told['parts'])} of {len(told['parts'])}"
    return Row(f"{what} ({count})", ours, limit, beside=f"diff-only {theirs:.2f}", least=True)


def _hits(done: Sequence[MeasuredReview], reviewer: str, wanted: Callable[[str], bool]) -> list[bool]:
    return [
        hit(row, number, Place(), aloud=False)
        for row in done
        for number, defect in enumerate(row.case.defects)
        if row.reviewer == reviewer and not row.case.variant and wanted(defect.scope)
    ]


def _net(done: Sequence[MeasuredReview], reviewer: str) -> float | None:
    pulls = score.group([row for row in done if row.case.kind == TWINS and row.reviewer == reviewer])
    values = [part(pull, "bad", Place()) - part(pull, "good", Place()) for pull in pulls]
    return statistics.fmean(values) if values else None


def main() -> int:
    """The exit code says whether the promises hold."""
    asked = labels.parser(__doc__).parse_args()
    found = [case for case in case_files.read(asked.cases, (), asked.only or ()) if case.kind != LARGE]
    done, figures = labels.measured(asked, found, (RehearsalReviewer("parts"), DiffOnly(oracle=True)))
    if asked.only:
        return 0
    print()
    return report("oracle", list(rows(done)), {"figures": figures})


if __name__ == "__main__":
    raise SystemExit(labels.ended(main))
