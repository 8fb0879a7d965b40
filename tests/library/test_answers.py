"""Answers: values that agree, faults that are told, an honest no, and replies that are code."""

import asyncio
import json
import re
from collections import Counter
from datetime import date
from enum import Enum
from pathlib import Path
from typing import Any, Literal

import pytest
from pydantic import BaseModel

import deeprepo

FREE = deeprepo.Budget(None, None, None, None)
Messages = list[dict[str, str]]


class Pair(BaseModel):
    """An answer with a default."""

    a: int
    note: str = ""


class Kind(Enum):
    """An answer of few values."""

    A = "a"


def block(code: str) -> str:
    return f"```python\n{code}\n```"


@pytest.mark.parametrize(
    ("kind", "given", "value"),
    [
        (int, ["42", "'42'", "7", "7", "42"], 42),
        (float, ["2.0", "1", "1.0"], 1.0),
        (set[str], ["['c']", "['a', 'b']", "['b', 'a']"], {"a", "b"}),
        (date, ["'2028-01-01'", "'2027-01-01'", "'2027-01-01T00:00:00'"], date(2027, 1, 1)),
        (Pair, ["{'a': 2}", "{'a': 1}", "{'a': '1', 'note': ''}"], Pair(a=1)),
    ],
)
def test_samples_agree_if_their_values_are_equal(kind: Any, given: list[str], value: object) -> None:  # noqa: ANN401
    """Typed answers are compared by value, however they are written. The cost names the models."""
    rest = iter(given)
    done = deeprepo.RLM(lambda _: block(f"set_answer({next(rest)})"), budget=FREE).run(
        "?", "text", answer_type=kind, samples=len(given)
    )
    assert done.value == value
    assert done.agreed == (len(given) + 1) // 2
    assert {name: cost.models for name, cost in done.by_model.items()} == {name: (name,) for name in done.by_model}


@pytest.mark.parametrize(
    ("kind", "given", "words"),
    [
        (Literal["yes", "no"], "'Yes'", "Input should be 'yes' or 'no'"),
        (Kind, "'c'", "Input should be 'a'"),
        (date, "'1 May 2027'", "Input should be a valid date"),
        (int, "'about 7'", "unable to parse string"),
        (list[int], "'1, 2'", "Input should be a valid array"),
        (list[int], "'[1, 2, null]'", "2: Input should be a valid integer"),
    ],
)
def test_root_is_told_why_its_answer_does_not_fit(kind: Any, given: str, words: str) -> None:  # noqa: ANN401
    """The error is about the value, unless the answer is JSON."""
    seen: list[str] = []

    def root(messages: Messages) -> str:
        seen.append(messages[-1]["content"])
        return block(f"set_answer({given})")

    deeprepo.RLM(root, budget=FREE, turns=2).run("?", "text", answer_type=kind)
    assert words in seen[1]
    assert "Invalid JSON" not in seen[1]


def test_worker_that_finds_nothing_may_say_nothing() -> None:
    """A worker that reports that a text doesn't have the answer need not add words."""

    def worker(messages: Messages) -> str:
        has = "noon" in messages[-1]["content"]
        quotes = [{"path": "7.txt", "quote": "The outage began at noon.", "line": 1}] if has else []
        return json.dumps({"found": has, "answer": "at noon" if has else "", "quotes": quotes, "findings": []})

    code = "found = [one['found'] for one in ask_batch([([path], 'When?') for path in tree])]\nset_answer(repr(found))"
    texts = {f"{at}.txt": "nothing of interest\n" for at in range(8)} | {"7.txt": "The outage began at noon.\n"}
    done = deeprepo.RLM(lambda _: block(code), worker, budget=FREE).run("?", texts)
    assert (done.answer, done.notes) == (repr([False] * 7 + [True]), ())


def test_row_of_a_file_is_shown_once(tmp_path: Path) -> None:
    """Pieces of a file of rows end at line ends, and no row is in two of them."""
    place, seen = tmp_path / "rows.jsonl", Counter[str]()
    place.write_text("".join(json.dumps({"id": at, "text": "x" * 60}) + "\n" for at in range(2_000)))

    def worker(messages: Messages) -> str:
        seen.update(re.findall(r'\{"id": (\d+), "text": "x{60}"\}', messages[-1]["content"]))
        return json.dumps({"answer": "no", "found": False, "quotes": [], "findings": []})

    deeprepo.RLM(lambda _: block("ask(tree, 'q')\nset_answer('x')"), worker, budget=FREE).run("q", place)
    assert (len(seen), set(seen.values())) == (2_000, {1})


def test_list_of_messages_is_a_prompt() -> None:
    """A prompt may be a list of messages, as in rlms."""
    rows = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Who?"}]
    root = block(f"set_answer(llm_query({rows!r}) + llm_batch([{rows!r}, 'b'])[0])")
    done = deeprepo.RLM(lambda _: root, json.dumps, budget=FREE).run("q", "text")
    assert done.answer == json.dumps(rows) * 2


IN_TURN = pytest.mark.xfail(reason="threads and children run in turn", strict=True)


class Busy:
    """A model that counts its calls in flight."""

    def __init__(self, code: str) -> None:
        self.code, self.running, self.peak = code, 0, 0

    async def root(self, messages: Messages) -> str:
        return block(self.code) if "Task:" not in messages[-1]["content"] else await self.worker(messages)

    async def worker(self, _: Messages) -> str:
        self.running += 1
        self.peak = max(self.peak, self.running)
        for _ in range(200):
            await asyncio.sleep(0)
        self.running -= 1
        return block("set_answer('ok')")


@pytest.mark.parametrize(
    ("code", "depth"),
    [
        pytest.param("llm_batch([str(at) for at in range(64)])", 1, id="batch"),
        pytest.param(
            "import asyncio\nawait asyncio.gather(*(asyncio.to_thread(llm_query, str(at)) for at in range(16)))",
            1,
            id="threads",
            marks=IN_TURN,
        ),
        pytest.param("rlm_query_batched([str(at) for at in range(8)])", 2, id="children", marks=IN_TURN),
    ],
)
def test_more_than_four_calls_are_in_flight(code: str, depth: int) -> None:
    """Calls that are independent of each other run at the same time."""
    busy = Busy(f"{code}\nset_answer('x')")
    deeprepo.RLM(busy.root, busy.worker, FREE, depth=depth).run("q", "text")
    assert busy.peak >= (4 if depth > 1 else 8)
