import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from families import few

from bot.agent.texts import roots
from bot.values import Limits
from deeprepo_evals.context import problems, room, run, session
from deeprepo_evals.context.methods import METHODS
from deeprepo_evals.context.problems import KINDS, LAST, Task
from deeprepo_evals.results import Row
from deeprepo_sandbox.scripted import ScriptedModel

ENGINE = ("fanout", "rlm", "rlm-only")


def played(
    tasks: Sequence[Task], methods: Sequence[str], model: str = "scripted/honest", window: int = 200_000
) -> list[Row]:
    """The rows of a whole run."""
    plan = run.Plan(tuple(tasks), tuple(methods), model, model, window=window)
    ended = asyncio.run(session.carry_out(plan))
    assert (ended.left, ended.why) == (0, ())
    return list(ended.rows)


def verdicts(rows: Sequence[Row]) -> dict[tuple[Any, ...], str]:
    return {(row.item["task"], row.item["method"]): row.result["verdict"] for row in rows}


def test_what_fits_into_a_window_every_method_answers() -> None:
    """But passages by BM25, which lose a key path and the ends of a chain: there is no right word in the question."""
    rows = played([Task(kind, 9_000) for kind in KINDS], list(METHODS))
    lost = {("json", "bm25"), ("hop1", "bm25"), ("hop2", "bm25")}
    wrong = {where for where, verdict in verdicts(rows).items() if verdict != "right"}
    assert wrong <= lost
    assert ("json", "bm25") in wrong


@pytest.mark.parametrize("kind", few(["needle", "json"], 0))
def test_the_engine_finds_a_fact_wherever_it_stands(kind: str) -> None:
    """In a text of many pieces, in the very last line too; `deeprepo eval context --position sweep` asks for every position."""
    rows = played([Task(kind, 120_000, at) for at in (0.0, 0.7, 0.9, LAST)], ENGINE)
    assert {row.result["verdict"] for row in rows} == {"right"}
    assert all(row.result["calls"] > 3 for row in rows if row.item["method"] == "fanout")


def test_a_plain_call_is_right_exactly_up_to_the_end_of_its_window() -> None:
    """One character more or less decides."""
    task = Task("needle", 30_000, 0.5)
    end = problems.make(task).ends[0]
    assert [played([task], ["direct"], window=at)[0].result["verdict"] for at in (end, end - 1)] == ["right", "missed"]


def test_a_fact_on_the_border_of_two_plain_pieces_is_lost_and_in_overlapping_ones_it_is_not() -> None:
    """What `chunked` cuts in two nobody has read."""
    task = Task("needle", 30_000, 0.5)
    middle = problems.make(task).ends[0] - 10
    found = verdicts(played([task], ["chunked", "fanout", "rlm"], window=middle))
    assert found == {("needle", "chunked"): "missed", ("needle", "fanout"): "right", ("needle", "rlm"): "right"}


def test_a_chain_through_many_pieces_takes_a_root() -> None:
    """One pass of readers cannot know whom the next link is about; a root asks again."""
    rows = played([Task(kind, 120_000) for kind in ("hop1", "hop2")], ENGINE)
    found = verdicts(rows)
    assert {found[kind, "fanout"] for kind in ("hop1", "hop2")} == {"missed"}
    assert {found[kind, name] for kind in ("hop1", "hop2") for name in ("rlm", "rlm-only")} == {"right"}


def test_counting_beyond_a_window_is_exact() -> None:
    """By quotes whose places code counts, or by code over the text; a plain call counts what it sees."""
    rows = played([Task("count", 120_000)], [*ENGINE, "codeact", "direct"], window=40_000)
    assert [row.result["verdict"] for row in rows] == ["right"] * 4 + ["wrong"]


def test_a_value_that_no_quote_proves_is_not_believed() -> None:
    """A model that always has a number: readers must quote, so that nothing is made up; a plain call repeats it."""
    found = verdicts(played([Task("none", 60_000)], ["fanout", "direct"], "scripted/guesser"))
    assert found == {("none", "fanout"): "right", ("none", "direct"): "made up"}


def test_a_model_that_writes_garbage_is_wrong_and_ends_nothing() -> None:
    """Every method comes to an end, a root long before its turns are used up."""
    rows = played([Task("needle", 9_000)], list(METHODS), "scripted/garbage")
    assert not any(row.result["correct"] for row in rows)
    assert {row.result["turns"] for row in rows if row.item["method"] in {"codeact", "rlm", "rlm-only"}} == {6}


def test_a_row_tells_what_it_cost() -> None:
    """Calls, tokens, dollars, seconds, turns, and where the fact stood."""
    (row,) = played([Task("needle", 9_000, LAST)], ["rlm"])
    told = row.result
    assert (told["calls"], told["turns"], told["usd"], told["failed_calls"]) == (2, 1, 0.0, 0)
    assert told["tokens"] == told["input"] + told["output"] > 3_000
    assert told["ends"] == [told["length"]]


def test_a_root_may_start_another_one_over_some_of_the_files() -> None:
    """The child's `context` is those files and nothing else, and its answer comes back as text."""
    made = problems.make(Task("needle", 900_000))
    replies = [
        "```python\nsaid = rlm_query('How long is it?', [tree[1], 'nowhere.txt'])\nprint(said)\n```",
        "```python\nFINAL(f'{len(context)} in {tree}')\n```",
        "```python\nFINAL(said)\n```",
    ]
    model = ScriptedModel(replies, price=0.0)

    async def asked() -> tuple[str, int]:
        async with room.open_room(made, room.Pair(model, model), Limits(), 200_000, None) as opened:
            return (await roots.ask(opened.inquiry)).summary, len(opened.files["text/002.txt"])

    said, length = asyncio.run(asked())
    assert said == f"{length} in ['text/002.txt']"
    assert "Not there: nowhere.txt" in model.prompts[1].messages[1].text


def test_a_root_alone_has_nobody_to_ask() -> None:
    """CodeAct: the names of the workers are neither in its instructions nor in its REPL."""
    model = ScriptedModel(["```python\nprint(llm_query('?'))\n```", "```python\nFINAL('none')\n```"], price=0.0)

    async def asked() -> str | None:
        made = problems.make(Task("needle", 9_000))
        async with room.open_room(made, room.Pair(model, model), Limits(), 200_000, None) as opened:
            return (await roots.ask(opened.inquiry, alone=True)).turns[0].observation.error

    assert "'llm_query' is not defined" in str(asyncio.run(asked()))
    assert "llm_query" not in model.prompts[0].messages[0].text
