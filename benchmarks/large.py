"""Review large pull requests that break another file, without a model: `make bench NAME=large`.

Each is a real pull request of 12 to 80 files with one small thing added, in a tree that it breaks and in one that tolerates
it. In the worker's place is an oracle, which reports the defect only if one prompt has its lines and its proof. In `rlm` a root
follows the names of the change over two steps (`deeprepo_evals/reviews/follower.py`) and reports what it was shown in the same way.
Two rows have a quick worker (`deeprepo_evals/reviews/quick.py`) and a root that looks at nothing in its turns: what is found with pairs,
and what without them. The last row counts the defects whose lines and proof one prompt of pairs shows. `--quick` has these rows alone.
"""

import statistics
from collections.abc import Iterator, Sequence

from benchmarks import labels
from benchmarks.table import Row, report
from deeprepo_evals.reviews import case_files, score
from deeprepo_evals.reviews.baseline import DiffOnly
from deeprepo_evals.reviews.cases import LARGE
from deeprepo_evals.reviews.matching import Place, part
from deeprepo_evals.reviews.outcome import MeasuredReview
from deeprepo_evals.reviews.product import RehearsalReviewer
from deeprepo_evals.reviews.reviewer import Reviewer

PAIRS, QUICK = RehearsalReviewer("rlm", quick=True), RehearsalReviewer("rlm", quick=True, pairs=False)
DELIVERED = 0.9
PROMISED = {"rlm": 0.9, "fanout": 0.7, PAIRS.name: 0.9}


def main() -> int:
    """The exit code says whether the promises hold."""
    parser = labels.parser(__doc__)
    parser.add_argument("--quick", action="store_true", help="only the rows with a worker that reads single lines")
    asked = parser.parse_args()
    found = case_files.read(asked.cases, (LARGE,), asked.only or ())
    others: tuple[Reviewer, ...] = (
        *(RehearsalReviewer(name) for name in ("fanout", "rlm", "direct")),
        DiffOnly(oracle=True),
    )
    who = (PAIRS, QUICK, *(() if asked.quick else others))
    reviews, figures = labels.measured(asked, found, who)
    return report("large", list(_rows(reviews)), {"figures": figures})


def _rows(done: Sequence[MeasuredReview]) -> Iterator[Row]:
    for name in dict.fromkeys(row.reviewer for row in done):
        pulls = score.group([row for row in done if row.reviewer == name])
        net = statistics.fmean(part(pull, "bad", Place()) - part(pull, "good", Place()) for pull in pulls)
        if name == "diff-only":
            yield Row("large: diff-only, hits on bad - reports on good", net, 0.0)
            continue
        beside = f"{sum(part(pull, 'bad', Place()) for pull in pulls):.0f} of {len(pulls)} on bad"
        yield Row(f"large: {name}, hits on bad - reports on good", net, PROMISED.get(name), beside=beside, least=True)
    bad = [row for row in done if row.reviewer == PAIRS.name and row.case.variant == "bad"]
    told = sum(bool(row.outcome.together) for row in bad)
    yield Row(
        f"large: proof in a prompt of pairs ({told} of {len(bad)})", told / max(1, len(bad)), DELIVERED, least=True
    )


if __name__ == "__main__":
    raise SystemExit(labels.ended(main))
