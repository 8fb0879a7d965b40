"""Review a branch, save the report, and fail if there are severe findings: python examples/gate.py [REPO] [BASE..HEAD].

If the environment doesn't contain a key, the review runs without a model.
"""

import sys
from pathlib import Path

import deeprepo

# %% What to review. By default, this repository's branch against its default branch.
arguments = sys.argv[1:]
repo = arguments[0] if arguments else "."
change = arguments[1] if len(arguments) > 1 else None

# %% Review it. The key decides which models are used; choose others with root=... and worker=...
try:
    review = deeprepo.review(repo, change, budget=0.50, on_progress=lambda line: print(f"... {line}", file=sys.stderr))
except deeprepo.NothingToReview as nothing:
    sys.exit(str(nothing))

# %% Save it in formats that other tools read.
Path("review.md").write_text(review.to_markdown(), encoding="utf-8")
Path("review.sarif").write_text(review.to_sarif(), encoding="utf-8")

# %% Print the severe findings.
for finding in review.reaching("high"):
    print(f"{finding.path}:{finding.start}: {finding.severity}: {finding.title} [{finding.verdict}]")
for sentence in review.open:
    print(f"not read: {sentence}")
print(f"{len(review.findings)} findings, complete: {review.complete}, cost: ${review.cost.usd}")
sys.exit(1 if review.reaching("high") else 0)
