"""Review a branch, keep the report, and fail if something severe was found: python examples/gate.py [REPO] [BASE..HEAD].

Without a key in the environment the review is made by code alone.
"""

import sys
from pathlib import Path

import deeprepo

# %% What to review: this repository's branch against its default branch, if nothing else is named.
arguments = sys.argv[1:]
repo = arguments[0] if arguments else "."
change = arguments[1] if len(arguments) > 1 else None

# %% Review it. Models are chosen by the key that is set; name them with root=... and worker=...
try:
    review = deeprepo.review(repo, change, budget=0.50, on_progress=lambda line: print(f"... {line}", file=sys.stderr))
except deeprepo.NothingToReview as nothing:
    sys.exit(str(nothing))

# %% Keep it in the forms that others read.
Path("review.md").write_text(review.to_markdown(), encoding="utf-8")
Path("review.sarif").write_text(review.to_sarif(), encoding="utf-8")

# %% Report what counts.
for finding in review.reaching("high"):
    print(f"{finding.path}:{finding.start}: {finding.severity}: {finding.title} [{finding.verdict}]")
for sentence in review.open:
    print(f"not read: {sentence}")
print(f"{len(review.findings)} findings, complete: {review.complete}, cost: ${review.cost.usd}")
sys.exit(1 if review.reaching("high") else 0)
