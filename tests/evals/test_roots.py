"""`deeprepo eval roots`: compare three kinds of root models on planted defects, in the real pipeline."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from deeprepo_evals.results import Ended, Row
from deeprepo_evals.roots import journal, run, scripted
from deeprepo_evals.roots.run import Contender, Plan


def compared(plan: Plan, out: Path | None = None) -> Ended:
    """Run a comparison and return its result."""
    return asyncio.run(run.carry_out(plan, out))


def small(*strategies: str, **rest: Any) -> Plan:  # noqa: ANN401 - fields of Plan
    """Return a plan with one code base of 24 files."""
    rows = tuple(Contender(root, strategy) for strategy in strategies for root in scripted.ROOTS)
    return Plan(rows, scripted.READER, (24,), **rest)


def by_name(rows: tuple[Row, ...]) -> dict[str, Any]:
    """Map each root's short name to its result."""
    return {row.item["root"].removeprefix("scripted/"): row.result for row in rows}


@pytest.mark.slow
def test_three_roots_delegate_as_in_the_journal() -> None:
    """The roots delegate all, some or none of the files to workers, and findings follow from that."""
    found = by_name(compared(small("rlm-only")).rows)
    assert [found[name]["delegated"] for name in journal.BEHAVIOURS] == [5, 1, 0]
    assert [found[name]["files_by_workers"] for name in journal.BEHAVIOURS] == [19, 3, 0]
    assert [found[name]["turns"] for name in journal.BEHAVIOURS] == [
        5,
        4,
        6,
    ]  # the last root is stopped after five turns without progress
    assert found["exhaustive"]["matched"] > found["failing"]["matched"] == 0


@pytest.mark.slow
def test_rlm_workers_read_files_that_the_root_does_not_delegate() -> None:
    """With `rlm`, workers read all files regardless of the root, so each root finds at least as much."""
    alone, helped = (by_name(compared(small(strategy)).rows) for strategy in ("rlm-only", "rlm"))
    for name in journal.BEHAVIOURS:
        assert helped[name]["files_by_workers"] == helped[name]["files"] == 24
        assert helped[name]["matched"] >= alone[name]["matched"]
    assert helped["failing"]["matched"] > alone["failing"]["matched"] == 0
