"""Review large pull requests that break another file, without a model: `make bench NAME=large`.

Each is a real pull request of 12 to 80 files with one small thing added, in a tree that it breaks and in one that tolerates
it. In the worker's place is an oracle, which reports the defect only if one prompt has its lines and its proof. In `rlm` a root
follows the names of the change over two steps (`deeprepo_evals/reviews/follower.py`) and reports what it was shown in the same way.
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

PROMISED = {"rlm": 0.9}


def main() -> int:
    """The exit code says whether the promises hold."""
    asked = labels.parser(__doc__).parse_args()
    found = case_files.read(asked.cases, (LARGE,), asked.only or ())
    who: tuple[Reviewer, ...] = (*(RehearsalReviewer(name) for name in ("parts", "rlm")), DiffOnly(oracle=True))
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


if __name__ == "__main__":
    raise SystemExit(labels.ended(main))
