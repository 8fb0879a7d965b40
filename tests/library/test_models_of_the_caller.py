"""Models as a caller configures them: sampling, functions, instructions, limits and repeated runs."""

import asyncio
import threading
from collections.abc import Callable, Mapping
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from waits import patience

import deeprepo
from deeprepo_sandbox.providers import Reply, Server, code, in_thread

FREE = deeprepo.Budget(None, None, None, None)
HIDDEN = "a-header-that-nobody-may-see"
Messages = list[dict[str, str]]


def block(text: str) -> str:
    """Return a reply with a code block, as written by a model without tools."""
    return f"So:\n```python\n{text}\n```"


def test_sampling_options_are_passed_to_the_provider(tmp_path: Path) -> None:
    """Sampling options have the provider's names, and recorded replies are only reused if they match."""

    def reply(body: Mapping[str, Any]) -> Reply | str:
        return code("set_answer(llm_query('?'))") if body.get("tools") else "a"

    with in_thread(Server(reply)) as server:
        at = {"base_url": server.openai_url, "api_key": "k"}
        root = deeprepo.Model("openai/gpt-5.4", **at, temperature=0.2, top_p=0.9, seed=7, stop="END", max_tokens=900)
        own = {"extra_body": {"top_k": 3}, "extra_headers": {"x-own": HIDDEN}}
        worker = deeprepo.Model("compatible/w", **at, temperature=0, **own)  # type: ignore[arg-type]
        for model in (root, root, deeprepo.Model("openai/gpt-5.4", **at)):
            deeprepo.RLM(model, worker, FREE).run("?", "text", journal=tmp_path / "j")
    first, second, third = server.requests[:3]
    assert [first[name] for name in ("temperature", "top_p", "seed", "stop")] == [0.2, 0.9, 7, ["END"]]
    assert first.get("max_completion_tokens", first.get("max_tokens")) == 900
    assert (second["temperature"], second["top_k"], server.headers[1]["x-own"]) == (0, 3, HIDDEN)
    assert server.count == 3
    assert "temperature" not in third
    assert HIDDEN not in repr(worker) + (tmp_path / "j").read_text()


def test_synchronous_function_is_never_called_concurrently() -> None:
    """The function maps messages to a text. A synchronous function is never called concurrently."""
    seen, threads = list[Messages](), set[int]()

    def root(messages: Messages) -> str:
        seen.append([dict(message) for message in messages])
        return block("print(llm_batch(['a', 'b']))" if len(messages) == 2 else "set_answer('done')")

    def worker(messages: Messages) -> str:
        threads.add(threading.get_ident())
        return messages[-1]["content"].upper()

    done = deeprepo.RLM(root, worker, budget=0.01).run("What?", "text")
    assert (done.answer, done.trajectory[0].output, done.calls, done.cost.usd) == ("done", "['A', 'B']\n", 4, None)
    assert [message["role"] for message in seen[1]] == ["system", "user", "assistant", "user"]
    assert len(threads) == 1


def test_asynchronous_functions_are_called_concurrently() -> None:
    """Asynchronous functions are called concurrently, and equal names get a suffix."""
    running = most = 0
    together = asyncio.Event()

    async def worker(messages: Messages) -> str:
        nonlocal running, most
        running += 1
        most = max(most, running)
        if most == 3:  # two calls wait for the third one
            together.set()
        await asyncio.wait_for(together.wait(), patience())
        running -= 1
        return "x"

    async def ask(name: str) -> deeprepo.Result:
        root: Callable[[Messages], str] = lambda _: block("set_answer(str(llm_batch(['a', 'b', 'c'])))")  # noqa: E731
        root.__name__ = name
        return await deeprepo.RLM(root, worker, FREE).run_async("?", "text")

    done = asyncio.run(ask("worker"))
    assert (done.answer, most) == ("['x', 'x', 'x']", 3)
    assert done.cost.models == ("function:worker", "function:worker-2")


def _raises(_: Messages) -> str:
    raise KeyError("no weights")


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (_raises, r"the model _raises\(\) raised KeyError: 'no weights' \(test_models_of_the_caller.py, line \d+\)"),
        (lambda _: 3, "returned int: it must return the reply as a string"),
    ],
)
def test_failing_function_is_reported_with_its_line(model: Callable[[Messages], Any], sentence: str) -> None:
    """The error names the function and line, and the function is not called again."""
    with pytest.raises(deeprepo.ProviderError, match=sentence):
        deeprepo.RLM(model).run("?", "text")


def test_system_prompt_can_be_replaced_or_modified() -> None:
    """`system_prompt` is a text that replaces the default, or a function that modifies it."""
    told = list[str]()

    def root(messages: Messages) -> str:
        told.append(messages[0]["content"])
        return block("set_answer('x')")

    deeprepo.RLM(root, system_prompt="Write Python.").run("?", "text")
    deeprepo.RLM(root, system_prompt=lambda ours: ours.replace("You have 12 turns", "Be quick")).run("?", "text")
    assert told[0] == "Write Python."
    assert "; in each, send one block of Python" in told[1]
    assert "Be quick" in told[1]
    with pytest.raises(deeprepo.UsageError, match="system_prompt is ' '"):
        deeprepo.RLM(root, system_prompt=" ").run("?", "text")


def test_most_frequent_answer_of_several_runs_wins(tmp_path: Path) -> None:
    """The most frequent answer wins, ignoring its spelling. Costs add up, and each run has a journal."""
    answers = {7: "Two.", 8: "three", 9: " two "}
    events = list[deeprepo.Event]()
    with in_thread(Server(lambda body: code(f"set_answer({answers[body['seed']]!r})"))) as server:
        model = deeprepo.Model("openai/gpt-5.4", base_url=server.openai_url, api_key="k", seed=7)
        rlm, how = deeprepo.RLM(model, budget=0.6), {"samples": 3, "journal": tmp_path / "run.jsonl"}
        done = rlm.run("?", "text", **how, on_progress=events.append)  # type: ignore[arg-type]
        again = rlm.run("?", "text", **how)  # type: ignore[arg-type]
    assert (done.answer, done.agreed, [one.answer for one in done.samples]) == ("Two.", 2, ["Two.", "three", "two"])
    assert (done.calls, server.count, again.answer) == (3, 3, "Two.")
    assert done.cost.usd == pytest.approx(3 * (done.samples[0].cost.usd or 0))
    assert sorted(place.name for place in tmp_path.iterdir()) == ["run.2.jsonl", "run.3.jsonl", "run.jsonl"]
    assert {event.run for event in events if isinstance(event, deeprepo.Turn)} == {"1/root", "2/root", "3/root"}
    assert str(events[-1]).startswith("answered by 2 of 3: 3 calls, $")


def test_several_runs_share_one_budget() -> None:
    """All runs share one budget, and a failed run doesn't count as an answer."""
    numbers = count()

    def root(_: Messages) -> str:
        if next(numbers) == 0:
            raise OSError("busy")
        return block("set_answer([1])")

    budget = deeprepo.Budget(None, None, 9, None)
    done = deeprepo.RLM(root, budget=budget).run("?", "text", samples=3, answer_type=list[int])
    assert (done.value, done.agreed, len(done.samples)) == ([1], 2, 2)
    assert any("ended before its first turn: the model root() raised OSError" in note for note in done.notes)
    looped = deeprepo.RLM(lambda _: block("print(llm_query('?'))"), budget=budget).run("?", "text", samples=3)
    assert (looped.agreed, looped.outcome, looped.calls) == (0, "budget", 9)
    with pytest.raises(deeprepo.UsageError, match="samples=0"):
        deeprepo.RLM(root).run("?", "text", samples=0)
