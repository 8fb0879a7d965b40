import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from families import few

from deeprepo_evals.context import problems, run
from deeprepo_evals.context.methods import METHODS
from deeprepo_evals.context.problems import LAST, Task
from deeprepo_evals.results import Row

ENGINE = ("fanout", "rlm", "rlm-only")


def played(
    tasks: Sequence[Task],
    methods: Sequence[str],
    model: str = "scripted/honest",
    window: int = 200_000,
    depths: tuple[int, ...] = (1,),
) -> list[Row]:
    """Return the rows of a complete run."""
    plan = run.Plan(tuple(tasks), tuple(methods), model, model, window=window, depths=depths)
    ended = asyncio.run(run.carry_out(plan))
    assert (ended.left, ended.why) == (0, ())
    return list(ended.rows)


def verdicts(rows: Sequence[Row]) -> dict[tuple[Any, ...], str]:
    return {(row.item["task"], row.item["method"]): row.result["verdict"] for row in rows}


def test_every_method_answers_if_the_text_fits_the_window() -> None:
    """All methods answer if the text fits the window, except BM25 on key paths and chains."""
    kinds = ("needle", "json", "hop1")
    rows = played([Task(kind, 9_000) for kind in kinds], [name for name in METHODS if name != "codeact-bm25"])
    lost = {("json", "bm25"), ("hop1", "bm25")}
    wrong = {where for where, verdict in verdicts(rows).items() if verdict != "right"}
    assert wrong <= lost
    assert ("json", "bm25") in wrong


@pytest.mark.parametrize("kind", few(["needle", "json"], 0))
def test_engine_finds_a_fact_anywhere_in_the_text(kind: str) -> None:
    """The fact is found anywhere in a text of many chunks, including its last line."""
    rows = played([Task(kind, 120_000, at) for at in (0.0, 0.7, 0.9, LAST)], ENGINE)
    assert {row.result["verdict"] for row in rows} == {"right"}
    assert all(row.result["calls"] > 3 for row in rows if row.item["method"] == "fanout")


def test_single_call_answers_only_if_its_window_includes_the_fact() -> None:
    """The answer is right if the window ends after the fact, and missed if it ends one character earlier."""
    task = Task("needle", 30_000, 0.5)
    end = problems.make(task).ends[0]
    assert [played([task], ["direct"], window=at)[0].result["verdict"] for at in (end, end - 1)] == ["right", "missed"]


def test_chain_across_chunks_needs_a_root() -> None:
    """A single pass can't know the subject of the next link, but a root asks again."""
    rows = played([Task(kind, 120_000) for kind in ("hop1", "hop2")], ENGINE)
    found = verdicts(rows)
    assert {found[kind, "fanout"] for kind in ("hop1", "hop2")} == {"missed"}
    assert {found[kind, name] for kind in ("hop1", "hop2") for name in ("rlm", "rlm-only")} == {"right"}


def test_engine_counts_exactly_beyond_the_window() -> None:
    """The engine counts verified quotes or runs code; a single call only counts what fits its window."""
    rows = played([Task("count", 120_000)], [*ENGINE, "codeact", "direct"], window=40_000)
    assert [row.result["verdict"] for row in rows] == ["right"] * 4 + ["wrong"]


def test_semantic_line_counts_need_workers_that_read_every_line() -> None:
    """At depth 0, the root runs out of turns; at depths 1 and 2, all lines are read. A lazy root fails."""
    tasks = [Task(kind, 90_000, None, seed) for kind, seed in (("oolong", 1), ("pairs", 3))]
    rows = played(tasks[:1], ["rlm-only"], depths=(0, 1, 2))
    assert [row.result["verdict"] for row in rows] == ["partly", "right", "right"]
    turns, calls = ([row.result[name] for row in rows] for name in ("turns", "calls"))
    assert turns == [12, 2, 2]
    assert calls[0] == 12
    assert calls[2] == calls[1] + 1 > 3  # one more call, by the sub-root, whose workers read the text
    assert max(row.result["score"] for row in played(tasks, ["rlm-only"], "scripted/lazy")) < 0.2
