"""Limits of the static checks: results over a limit are counted, and such a review never passes as clean."""

import asyncio
import json
from pathlib import Path

import pytest
from fakes import Repository
from families import few

from bot import verdict
from bot.values import Review, TypedChange
from bot.wiring.review import local_review


def review(repository: Repository, folder: Path, **flags: object) -> Review:
    """Review the last commit with static checks only."""
    scratch = folder / "scratch"
    scratch.mkdir()
    return asyncio.run(
        local_review(
            TypedChange(str(repository.folder), "range", "HEAD~1", "HEAD"), {"effort": "none", **flags}, str(scratch)
        )
    )


@pytest.mark.parametrize(
    ("path", "line"), few([("a.js", "const x{n} = 1; x{n} = 2;\n"), ("a.py", "print(undefined_name_{n})\n")], 1)
)
def test_results_over_the_limit_are_counted(repository: Repository, tmp_path: Path, path: str, line: str) -> None:
    """Of thousands of results, the 100 most severe are listed, and the file counts as not checked."""
    repository.commit({"r": "x\n"}, "before")
    repository.commit({path: "".join(line.format(n=n) for n in range(2_300))}, "after")
    done = review(repository, tmp_path)
    assert len(done.reported) == 100
    assert verdict.of(done).conclusion == "findings"
    (one,) = [row for row in done.coverage.open if row.kind == "check" and "only the first 100" in row.reason]
    assert one.path == path
    assert not done.coverage.complete
    assert not done.notes


def test_finding_on_a_very_long_line_has_a_short_quote(repository: Repository, tmp_path: Path) -> None:
    """The finding on a very long line quotes at most 500 characters, which are found in the file."""
    repository.commit({"a.js": "const n = 1;\n"}, "before")
    repository.commit({"a.js": f"const n = 1;\nn = 2; const words = '{'word ' * 200}';\n"}, "after")
    done = review(repository, tmp_path)
    (placed,) = done.reported
    assert (placed.finding.rule, placed.finding.start) == ("no-const-assign", 2)
    assert len(placed.finding.quote) <= 500


@pytest.mark.parametrize(
    ("run", "reason"),
    [
        ({"results": [], "invocations": [{"executionSuccessful": False}]}, "the run of Semgrep failed"),
        ({}, "has no results"),
        (
            {"results": [{"message": {"text": "m"}, "level": "error", "baselineState": "new", "locations": [{"physicalLocation": {"artifactLocation": {"uri": "a.txt"}, "region": {"startLine": 99}}}]}]},
            "1 result without a matching line in this commit",
        ),
    ],
    ids=["failed", "truncated", "of another commit"],
)  # fmt: skip
def test_incomplete_sarif_run_makes_the_review_incomplete(
    repository: Repository, tmp_path: Path, run: dict[str, object], reason: str
) -> None:
    """If an imported SARIF run failed, is truncated or fits another commit, the review is incomplete."""
    repository.commit({"a.txt": "x\n"}, "before")
    repository.commit({"a.txt": "x\ny\n"}, "after")
    log = {"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "Semgrep"}}, **run}]}
    done = review(repository, tmp_path, sarif=[("s.sarif", json.dumps(log).encode())])
    assert verdict.of(done).conclusion == "incomplete"
    assert any(reason in row.reason for row in done.coverage.open)
