import asyncio
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import honest
import pytest
from families import few

import deeprepo
from deeprepo_evals.context import plan_options, problems, run, score
from deeprepo_evals.context.problems import Task
from deeprepo_evals.context.room import ANSWER
from deeprepo_sandbox.providers import Reply, Server, code, in_thread
from deeprepo_sandbox.providers.reply import Script

FREE = deeprepo.Budget(None, None, None, None)
KEY = "sk-a-key-that-nobody-may-see"


def model(server: Server) -> deeprepo.Model:
    """Return a model that uses this server."""
    return deeprepo.Model("compatible/scripted", api_key=KEY, base_url=server.openai_url)


def played(
    blocks: Sequence[str], context: object, tools: object = None, worker: Script = "nobody knows", **how: object
) -> tuple[deeprepo.Result, Server]:
    """Run a root that writes one of these blocks per turn."""
    written = iter(blocks)

    def reply(body: Mapping[str, object]) -> Reply | Script:
        return code(next(written)) if body.get("tools") else worker

    keep = {name: how.pop(name) for name in ("journal", "on_progress") if name in how}
    with in_thread(Server(reply)) as server:
        done = deeprepo.RLM(model(server), budget=FREE, **how).run("What is it?", context, tools, **keep)
    return done, server


SHORT = [
    Task("needle", 60_000, 0.9),
    Task("hop1", 60_000),
    Task("none", 9_000),
    Task("count", 60_000),
    Task("compare", 39_249),
    Task("json", 60_000, 0.9),
]


@pytest.mark.parametrize(
    "tasks", few([SHORT, list(plan_options.tasks("", "", "", ""))], 0), ids=["short", "experiments"]
)
def test_library_run_matches_the_evaluation(tasks: list[Task]) -> None:
    """Verdicts, calls, tokens and turns equal those of the evaluation, which runs in one process."""
    plan = run.Plan(tuple(tasks), ("rlm-only",), "scripted/honest", "scripted/honest")
    rows = asyncio.run(run.carry_out(plan)).rows
    for task, row in zip(tasks, rows, strict=True):
        problem = problems.make(task)
        with in_thread(Server(honest.reply)) as server:
            rlm = deeprepo.RLM(model(server), budget=FREE, answer_form=ANSWER)
            done = rlm.run(problem.question, problem.text)
        verdict = score.judge(done.answer, problem.expected, problem.question)
        told = row.result
        assert row.item["task"] == task.kind
        spent = done.cost.input_tokens + done.cost.output_tokens
        assert (verdict, done.calls, len(done.trajectory), spent) == (
            "right",
            told["calls"],
            told["turns"],
            told["tokens"],
        )


@pytest.mark.parametrize(
    ("context", "block", "answer"),
    [
        ("one\ntwo", "set_answer(context.split()[1])", "two"),
        (
            ["one", "two", {"n": 3}],
            "set_answer([context[2]['n'], tree])",
            "[3, ['item/001.txt', 'item/002.txt', 'item/003.txt']]",
        ),
        (
            {"a/b.txt": "one", "../c": "two"},
            "set_answer([context['../c'], tree])",
            "['two', ['a/b.txt', 'item/002.txt']]",
        ),
        ({"a": "x", "a/b": "y"}, "set_answer(tree)", "['item/001.txt', 'a/b']"),
        ({"d": list(range(3))}, "set_answer(read('d'))", None),
        ("", "set_answer(len(context))", "0"),
        ('{"a": [{"b": 7}]}', "set_answer([context[:3], search('b')])", """['{"a', ['keys/001.txt:1: a[0].b: 7']]"""),
        ("[not json", "set_answer(tree)", "['text/001.txt']"),
        ("[" * 50_000, "set_answer(tree)", "['text/001.txt']"),
    ],
)
def test_context_may_be_text_list_or_mapping(context: object, block: str, answer: str | None) -> None:
    """A context may be a text, list or mapping. Code gets it unchanged, and each item is also a file."""
    done, _ = played([block], context)
    assert done.outcome == "answered"
    assert answer is None or done.answer == answer


def double(n: int, *, times: int = 2) -> int:
    """Multiply a number."""
    return n * times


async def slowly(name: str) -> dict[str, list[str]]:
    """Greet, later."""
    await asyncio.sleep(0)
    return {"hello": [name]}


def test_root_code_can_call_tools() -> None:
    """Synchronous and asynchronous functions work, and the prompt has their signatures and docstrings."""
    done, server = played(["set_answer([double(4), double(4, times=3), slowly('x')])"], "text", [double, slowly])
    assert done.answer == "[8, 12, {'hello': ['x']}]"
    system = server.requests[0]["messages"][0]["content"]
    assert "- double(n: int, *, times: int = 2) -> int: Multiply a number.\n" in system
    assert "- slowly(name: str) -> dict[str, list[str]]: Greet, later.\n" in system


def _raises() -> None:
    raise LookupError("no such city")


def _leaves() -> None:
    raise SystemExit(3)


@pytest.mark.parametrize(
    ("tool", "told"),
    [
        (_raises, "LookupError: no such city"),
        (_leaves, "SystemExit"),
        (object, "no plain data"),
        (lambda: {1, 2}, "no plain data"),
        (lambda: "x" * 3_000_000, "more than 2,097,152 characters"),
        (lambda: next(iter([])), "StopIteration"),
        (lambda needed: needed, "TypeError"),
    ],
)
def test_failing_tool_is_an_error_in_the_block(tool: Callable[..., object], told: str) -> None:
    """The root sees the error, and the run continues."""
    done, _ = played(["print(helper())", "set_answer('done')"], "text", {"helper": tool})
    assert told in str(done.trajectory[0].error)
    assert done.answer == "done"


def test_second_run_resumes_from_the_journal(tmp_path: Path) -> None:
    """A second run with the same journal sends no request and calls no tool."""
    called: Counter[int] = Counter()

    def count(n: int) -> int:
        called[n] += 1
        return sum(called.values())

    blocks = ["print(count(1), count(1), llm_query('?'))", "set_answer(count(2))"]
    first, server = played(blocks, "text", [count], journal=tmp_path / "j")
    again, silent = played([], "text", [count], journal=tmp_path / "j")
    assert (first.answer, again.answer, called) == ("3", "3", Counter({1: 2, 2: 1}))
    assert (server.count, silent.count) == (3, 0)
    assert again == first


def test_journal_of_another_build_saves_its_calls(tmp_path: Path) -> None:
    """A build that identified contexts in another way has also written a usable journal."""
    journal = tmp_path / "j"
    first, _ = played(["print(llm_query('?'))", "set_answer(1)"], "text", journal=journal)
    start, *rest = journal.read_text().splitlines()
    row = {**json.loads(start), "version": "another"}
    journal.write_text("\n".join([json.dumps(row | {"pull": {**row["pull"], "base": "0", "head": "0"}}), *rest, ""]))
    again, silent = played([], "text", journal=journal)
    assert (again.answer, silent.count) == (first.answer, 0)
    assert again.notes[0].startswith("Another build")


def test_journal_contains_no_key(tmp_path: Path) -> None:
    """Neither the journal nor any repr or output contains the key."""
    done, server = played(["set_answer(1)"], "text", journal=tmp_path / "j")
    named = deeprepo.Model("compatible/scripted", api_key=KEY, base_url="http://127.0.0.1:9")
    assert any(KEY in value for value in server.headers[0].values())
    shown = [repr(named), repr(deeprepo.RLM(named)), repr(done), done.to_json(), (tmp_path / "j").read_text()]
    assert not [text for text in shown if KEY in text]


@pytest.mark.parametrize("text", ["not a journal\n", '{"kind": "turn"}\n'])
def test_invalid_journal_is_refused(tmp_path: Path, text: str) -> None:
    """A file that isn't a run's journal gives an error before any request."""
    (tmp_path / "j").write_text(text)
    with pytest.raises(deeprepo.UsageError):
        played([], "text", journal=tmp_path / "j")


ASKS = """can = [name for name in ("ask", "rlm_query") if name in globals()]
set_answer(str(can + [rlm_query("?", tree)] if can else can))"""
NO_ROOT = "[no further root can start here: ask(paths, question) asks the worker about files]"
AT_DEPTH_1 = ["ask", "rlm_query", NO_ROOT]


@pytest.mark.parametrize(
    ("how", "can"),
    [({"depth": 0}, []), ({}, AT_DEPTH_1), ({"depth": 2}, ["ask", "rlm_query", str(AT_DEPTH_1)])],
    ids=["0", "1, unless said", "2"],
)
def test_depth_limits_nested_model_calls(how: dict[str, int], can: list[str]) -> None:
    """Depth 0 allows no model calls, depth 1 (the default) workers, and depth 2 further roots."""
    done, server = played([ASKS, ASKS], "text", **how)
    assert done.answer == str(can)
    told = [request["messages"][0]["content"] for request in server.requests]
    assert ["- rlm_query(" in system for system in told] == [True, False][2 - len(told) :]
    assert {"- ask(" in system for system in told} == {bool(can)}
    assert {"worker" in system for system in told} == {bool(can)}


def test_call_limit_ends_the_run_with_a_note() -> None:
    """With a limit of 2 calls, the run ends after the second turn, and a note gives the reason."""
    blocks = iter(["print(1)"] * 9)
    with in_thread(Server(lambda _: code(f"print({next(blocks)!r})"))) as server:
        done = deeprepo.RLM(model(server), budget=deeprepo.Budget(calls=2)).run("What?", "text")
    assert (done.outcome, len(done.trajectory), server.count) == ("budget", 2, 2)
    assert any("limit of 2 calls" in note for note in done.notes)


@pytest.mark.parametrize(
    ("block", "outcome", "turns", "note"),
    [
        ("print({0!r} * 9)", "turns", 3, "used all 3 turns"),
        ("", "astray", 2, "Its last reply began: 'I think about it.'"),
    ],
)
def test_root_without_turns_left_answers_in_words(block: str, outcome: str, turns: int, note: str) -> None:
    """After its last turn, the root answers in words, and a note explains how the run ended."""
    turn = count()

    def reply(body: Mapping[str, Any]) -> Reply | str:
        if not body.get("tools"):
            return "It is 42."
        return code(block.format(f"seen {next(turn)}")) if block else "I think about it."

    with in_thread(Server(reply)) as server:
        done = deeprepo.RLM(model(server), budget=None, turns=3).run("What?", "text")
    assert (done.outcome, done.answer, server.count) == (outcome, "It is 42.", turns + 1)
    assert any(note in line for line in done.notes)


NESTED = "deep = []\nfor _ in range({levels}): deep = [deep]\n"


def _ask(url: str, text: str) -> str:
    return deeprepo.RLM(deeprepo.Model("compatible/scripted", base_url=url), budget=None).run("?", text).answer


@pytest.mark.parametrize(("status", "kind"), [(401, deeprepo.ProviderError), (404, deeprepo.ProviderError)])
def test_wrong_key_or_model_raises_an_error(status: int, kind: type[Exception]) -> None:
    """A wrong key or model raises an error instead of returning an empty answer."""
    with in_thread(Server(Reply("no", status=status))) as server, pytest.raises(kind):
        deeprepo.RLM(model(server)).run("What?", "text")


def test_run_works_inside_a_running_event_loop() -> None:
    """`run` works inside a running event loop, as in a notebook, and `run_async` in the caller's loop."""

    async def asked() -> tuple[deeprepo.Result, deeprepo.Result]:
        with in_thread(Server(lambda _: code("set_answer(len(context))"))) as server:
            rlm = deeprepo.RLM(model(server), budget=FREE)
            return rlm.run("How long?", "text"), await rlm.run_async("How long?", "text")

    assert [done.answer for done in asyncio.run(asked())] == ["4", "4"]


def test_secret_in_the_context_reaches_no_provider(tmp_path: Path) -> None:
    """The root's code, the caller's functions, the journal and all requests only get a placeholder, and the answer has the secret."""
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    got: list[str] = []

    def keep(value: str) -> str:
        """Keep a value."""
        got.append(value)
        return value

    blocks = ["print(context, read('text/001.txt'))", "set_answer(keep(context.split()[-1]))"]
    done, server = played(blocks, f"the token is\ntoken = {secret}", [keep], journal=tmp_path / "j")
    assert done.answer == secret
    assert "MASKED_SECRET_" in got[0]
    assert secret not in json.dumps(server.requests)
    assert secret not in (tmp_path / "j").read_text()
    assert "MASKED_SECRET_" in done.trajectory[0].output


def test_secret_is_hidden_in_each_piece_of_a_long_context() -> None:
    """A secret that is recognized in one piece of a context is also hidden in the others, and in a folder's other files."""
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    rest = "line\n" * 200_000
    for context in (f"{secret[:20]}\n{rest}{secret}\n", {"a": secret[:20], "b": rest, "c": [secret]}):
        done, server = played(["print(str(context)[:60], str(context)[-60:], 'a1B2' in str(context))"], context)
        assert done.trajectory[0].output.count("MASKED_SECRET_") == 2
        assert "a1B2" not in json.dumps(server.requests).replace("'a1B2' in", "")


def test_memory_for_variables_grows_with_the_context() -> None:
    """Copies of a long text fit, although they need more than `block_memory`."""
    text = "\U0001f600\n" * 5_000_000
    block = "set_answer([len(context), context is context_0, len(context.swapcase()), context.count('\U0001f600')])"
    done, _ = played([block], text, block_memory=16)
    assert done.answer == "[10000000, True, 10000000, 5000000]"


PLACES = ("deeprepo/texts", "deeprepo/rlm/loop", "deeprepo/rlm/models", "deeprepo/rlm/money", "deeprepo/rlm/repl")
