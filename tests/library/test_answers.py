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
from waits import patience

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


class Busy:
    """A model that answers its workers and children only when this many of them are waiting."""

    def __init__(self, code: str, wanted: int) -> None:
        self.code, self.wanted, self.prompts = code, wanted, list[str]()
        self.are_there = asyncio.Event()

    async def root(self, messages: Messages) -> str:
        return await self.worker(messages) if "Task:" in messages[-1]["content"] else block(self.code)

    async def worker(self, messages: Messages) -> str:
        self.prompts.append(messages[-1]["content"])
        if len(self.prompts) == self.wanted:
            self.are_there.set()
        await asyncio.wait_for(self.are_there.wait(), patience(30))
        return block("set_answer('ok')")


MODULES = "import asyncio, concurrent.futures as cf\nfrom functools import partial\n"
AT_ONCE = {
    "batch": "r = llm_batch([str(at) for at in range(8)])",
    "to_thread": "r = await asyncio.gather(*(asyncio.to_thread(llm_query, str(at)) for at in range(8)))",
    "partial": "r = await asyncio.gather(*(asyncio.to_thread(partial(llm_query, str(at))) for at in range(8)))",
    "executor": "r = await asyncio.gather(*[asyncio.get_running_loop().run_in_executor(None, llm_query, str(at)) for at in range(8)])",
    "gather": "r = await asyncio.gather(*[llm_query(str(at)) for at in range(8)])",
    "gather, written out": f"r = await asyncio.gather({', '.join(f'llm_query(str({at}))' for at in range(8))})",
    "tasks": "r = [await one for one in [asyncio.create_task(llm_query(str(at))) for at in range(8)]]",
    "awaited": "async def one(at): return await llm_query(str(at))\nr = await asyncio.gather(*map(one, range(8)))",
    "run": "async def all(): return await asyncio.gather(*(llm_query(str(at)) for at in range(8)))\nr = asyncio.run(all())",
    "map": "with cf.ThreadPoolExecutor(8) as pool: r = list(pool.map(llm_query, map(str, range(8))))",
    "submit": "pool = cf.ThreadPoolExecutor()\nr = [one.result() for one in [pool.submit(llm_query, str(at)) for at in range(8)]]",
    "as_completed": "pool = cf.ThreadPoolExecutor()\n"
    "r = [one.result() for one in cf.as_completed({pool.submit(llm_query, prompt=str(at)): at for at in range(8)})]",
    "left alone": "pool = cf.ThreadPoolExecutor()\n_ = [pool.submit(llm_query, str(at)) for at in range(8)]\nr = 'x' * 8",
}


@pytest.mark.parametrize("code", AT_ONCE.values(), ids=AT_ONCE)
def test_calls_that_python_makes_at_once_are_sent_at_once(code: str) -> None:
    """They are sent in the program's order. No thread starts."""
    busy = Busy(f"{MODULES}{code}\nset_answer(str(len(r)))", 8)
    done = deeprepo.RLM(busy.root, busy.worker, FREE).run("q", "text")
    assert (done.answer, done.trajectory[0].output) == ("8", "")
    assert busy.prompts == [str(at) for at in range(8)]


def test_four_roots_run_at_once() -> None:
    """Their turns are listed in the order in which they were started."""
    busy = Busy("r = rlm_query_batched([f't{at}' for at in range(8)])\nset_answer(str(r))", 4)
    done = deeprepo.RLM(busy.root, busy.worker, FREE, depth=2).run("q", "text")
    assert done.answer == str(["ok"] * 8)
    assert [turn.run for turn in done.trajectory] == ["root", *(f"root.{at}" for at in range(1, 9))]


@pytest.mark.parametrize(
    "code",
    [
        "async def one(at): return llm_query(str(at))\nr = await asyncio.gather(*map(one, range(3)))",
        "with cf.ThreadPoolExecutor() as pool: r = list(pool.map(lambda at: llm_query(str(at)), range(3)))",
        "r = await asyncio.gather(*(asyncio.to_thread(lambda: llm_query('x')) for _ in range(3)))",
        "tasks = [llm_query(str(at)) for at in range(3)]\nr = await asyncio.gather(*tasks)",
    ],
)
def test_root_is_told_once_that_calls_run_in_turn(code: str) -> None:
    """Calls inside a function run in turn, because no thread can start. A batch needs no note."""
    turns = iter([f"{MODULES}{code}", code, "r = llm_batch(['a', 'b', 'c'])\nset_answer(str(len(r)))"])
    done = deeprepo.RLM(lambda _: block(next(turns)), lambda _: "ok", budget=FREE).run("q", "text")
    assert done.answer == "3"
    assert [turn.output.count("one after the other") for turn in done.trajectory] == [1, 0, 0]
