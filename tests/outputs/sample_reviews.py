"""A sample review to render, and parts to build others."""

from dataclasses import replace
from typing import Any

from bot.findings.rounds import assign_numbers
from bot.values import (
    Basis,
    ChangedFile,
    Coverage,
    CoverageRow,
    Evidence,
    Finding,
    PlacedFinding,
    PullRequest,
    Review,
    Source,
    StrategyChoice,
    Verdict,
)
from deeprepo.rlm.values import Cost, Observation, Turn, Usage
from tests.findings_changed import changed

PULL = PullRequest(
    "Give resolve() a mode", "Why: see below.", "a" * 40, "b" * 40, "main", "modes", "/nowhere/.git", "/nowhere/o"
)
FINDING = Finding(
    path="src/app/loader.py",
    quote="def resolve(package, mode, *, strict):\n    return _walk(package, mode, strict)",
    title="`resolve` now needs `strict`",
    why="The parameter has no default.",
    consequence="TypeError in the callers.",
    severity="high",
    category="contract",
    basis=Basis((Source("analyser", "contracts"),), verdict=Verdict.PROVEN),
    rule="required-parameter",
    start=41,
    end=42,
    evidence=(Evidence("src/app/main.py", '    path = resolve("assets", "rb")', 118, note="in serve()"),),
    trigger="any call of serve()",
    fingerprint="f0e1",
)
COVERAGE = Coverage(
    readings=(
        CoverageRow(
            "unit",
            "src/app/loader.py",
            "resolve",
            "reviewed",
            "worker openai/gpt-5-mini",
            line=41,
            checked="ruff, contracts",
            read="worker openai/gpt-5-mini",
        ),
        CoverageRow("unit", "src/app/style.css", "lines 1-4", "skipped", reason="no check reads CSS"),
        CoverageRow(
            "use", "src/app/main.py", "src/app/loader.py:resolve", "reviewed", "contracts", line=118, checked="reported"
        ),
    ),
    skipped_files=(("package-lock.json", "lock file"),),
    cut=("3 places that use `get` were not looked at",),
)
REVIEW = Review(
    pull=PULL,
    files=(
        ChangedFile(
            "src/app/loader.py",
            "src/app/loader.py",
            "modified",
            added_lines=frozenset({41, 42}),
            removed_lines=frozenset({40}),
        ),
    ),
    strategy=StrategyChoice("parts", "7 files"),
    findings=(
        PlacedFinding(
            replace(FINDING, severity="medium", title="Second", path="src/b.py", evidence=(), fingerprint="f2"),
            "outside",
        ),
        PlacedFinding(FINDING, "inline"),
        PlacedFinding(replace(FINDING, severity="low", title="Third", path="src/c.py", fingerprint="f3"), "folded"),
    ),
    coverage=COVERAGE,
    cost=Cost(12, Usage(31_204, 2_120, 8_100), 0.0123, 0.004, 1, ("openai/gpt-5-mini",)),
    seconds=14.2,
    summary="A mode was added.",
    notes=("The budget was enough.",),
    dropped=1,
    turns=(Turn(1, "print(1)", Observation("1\n")),),
    version="0.1.0",
)
CLEAN = replace(REVIEW, findings=(), cost=Cost(), dropped=0, notes=(), turns=())
UNREAD = replace(
    CLEAN,
    coverage=replace(
        COVERAGE,
        readings=(
            CoverageRow("unit", "a.py", "f", "unread", reason="the budget was spent", line=3),
            *(
                CoverageRow("use", "till.py", "a.py:g", "unread", reason="g is gone; no model is configured", line=line)
                for line in range(1, 13)
            ),
        ),
    ),
)


def numbered(review: Review) -> Review:
    """Number the review's findings as the pipeline does."""
    still = [row for row in review.findings if row.finding.status == "still"]
    numbers = {id(row): number for number, row in enumerate(still, 1)}
    rows = [replace(row, finding=changed(row.finding, number=numbers.get(id(row), 0))) for row in review.findings]
    placed, given = assign_numbers(
        rows, tuple((number, row.finding.fingerprint) for number, row in enumerate(still, 1))
    )
    return replace(review, findings=placed, round=replace(review.round, numbers=given))


REVIEW = numbered(REVIEW)


def with_finding(**changes: Any) -> Review:  # noqa: ANN401 - any field of a finding
    """Return the review with a single finding, in which these fields are changed."""
    return replace(REVIEW, findings=(PlacedFinding(changed(FINDING, **changes), "inline"),))
