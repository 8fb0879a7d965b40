"""`deeprepo eval roots`: compare three kinds of root models on planted defects, in the real pipeline."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from bot.cli import run as command
from bot.errors import UsageError
from deeprepo_evals.results import Ended, Row
from deeprepo_evals.roots import journal, plan_options, run, scripted
from deeprepo_evals.roots.run import Contender, Plan
from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.providers import Reply, Server


def compared(plan: Plan, out: Path | None = None) -> Ended:
    """Run a comparison and return its result."""
    return asyncio.run(run.carry_out(plan, out))


def small(*strategies: str, roots: tuple[str, ...] = scripted.ROOTS, **rest: Any) -> Plan:  # noqa: ANN401 - fields of Plan
    """Return a plan with one code base of 24 files."""
    rows = tuple(Contender(root, strategy) for strategy in strategies for root in roots)
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


def test_computed_costs_match_the_journal() -> None:
    """The computed costs equal the journal's: $5.04, $0.74 and $0.024 per run, and $1.39 for one call."""
    for behaviour, share in zip((*journal.BEHAVIOURS.values(), journal.BASELINE), (0.02, 0.02, 0.0, 0.0), strict=True):
        root = sum(behaviour.price(usage) for usage in behaviour.turns)
        workers = behaviour.calls * journal.WORKER(journal.PER_CALL)
        assert root + workers == pytest.approx(behaviour.total_usd, rel=0.005)
        assert round(workers / (root + workers), 2) == share


@pytest.mark.slow
def test_rlm_workers_read_files_that_the_root_does_not_delegate() -> None:
    """With `rlm`, workers read all files regardless of the root, so each root finds at least as much."""
    alone, helped = (by_name(compared(small(strategy)).rows) for strategy in ("rlm-only", "rlm"))
    for name in journal.BEHAVIOURS:
        assert helped[name]["files_by_workers"] == helped[name]["files"] == 24
        assert helped[name]["matched"] >= alone[name]["matched"]
    assert helped["failing"]["matched"] > alone["failing"]["matched"] == 0


def test_failing_provider_leaves_the_item_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The result gives the reason and leaves the item to be done later."""
    with doubles.in_thread(Server([Reply(status=401)] * 3)) as server:
        monkeypatch.setenv("DEEPREPO_BASE_URL", server.openai_url)
        ended = compared(plan_options.plan("compatible/down", "", "rlm-only", "10", "1"), tmp_path / "roots.jsonl")
    assert (ended.left, len(ended.rows)) == (1, 0)
    assert ended.why


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (("nonsense", "", "", "", "1"), "is not a full model name"),
        (("openai/gpt-5", "", "", "", "1"), "needs an API key"),
        (("scripted/lazy", "", "", "", "1"), "known are scripted/exhaustive"),
        (("", "scripted/exhaustive", "", "", "1"), "known are scripted/reader"),
        (("", "", "guess", "", "1"), "known are rlm-only, rlm, single-call"),
        (("", "", "", "9", "1"), "10 to 300 files"),
        (("", "", "", "many", "1"), "whole numbers"),
        (("", "", "", "", "x"), "not a seed"),
    ],
)
def test_invalid_options_are_rejected_before_any_paid_call(given: tuple[str, ...], sentence: str) -> None:
    """Invalid options are rejected before any paid call."""
    with pytest.raises(UsageError, match=sentence):
        plan_options.plan(*given)


def test_table_row_shows_the_number_of_found_defects(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The table shows how many of the planted defects the root found."""
    out = tmp_path / "r.jsonl"
    asked = ["--root", "scripted/satisficing", "--strategy", "rlm-only", "--files", "10", "-q", "--out", str(out)]
    assert command(["eval", "roots", *asked]) == 0
    result = json.loads(out.read_text())["result"]
    assert f"{result['matched']}/{result['labels']}" in capsys.readouterr().out
