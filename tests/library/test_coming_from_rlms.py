"""What programs for rlms and dspy.RLM do: each of the page "Coming from rlms" has its counterpart here, and works."""

from collections.abc import Callable

import pytest

import deeprepo

Messages = list[dict[str, str]]


def played(
    *blocks: str, worker: Callable[[Messages], str] = lambda _: "said", **how: object
) -> tuple[deeprepo.Result, list[str]]:
    """A run whose root writes these blocks, one a turn, and what its workers were asked."""
    prompts = list[str]()

    def root(messages: Messages) -> str:
        turn = sum(message["role"] == "assistant" for message in messages)
        return f"```python\n{blocks[min(turn, len(blocks) - 1)]}\n```"

    def recording_worker(messages: Messages) -> str:
        prompts.append(messages[-1]["content"])
        return worker(messages)

    tools, depth = how.pop("tools", None), how.pop("depth", 1)
    rlm = deeprepo.RLM(root, recording_worker, budget=None, depth=depth)  # type: ignore[arg-type]
    return rlm.run("?", "some text\n" * 3, tools, **how), prompts  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("block", "answer"),
    [
        ("final = 40 + 2\nFINAL_VAR('final')", "42"),
        ("SUBMIT(42)", "42"),
        ("SUBMIT(answer=42)", "42"),
        ("SUBMIT(low=1, high=2)", "{'low': 1, 'high': 2}"),
        ("answer['content'] = 'x'; answer['ready'] = True", "x"),
        ("answer = {'content': 'y', 'ready': True}", "y"),
        ("FINAL('z')", "z"),
    ],
)
def test_every_way_to_finish_ends_the_run(block: str, answer: str) -> None:
    """Those of the paper, of rlms and of dspy."""
    done, _ = played(block)
    assert (done.outcome, done.answer) == ("answered", answer)


def test_a_variable_that_is_not_there_is_no_answer() -> None:
    """The root is told, and goes on."""
    done, _ = played("FINAL_VAR('nothing')", "set_answer('after all')")
    assert "there is none called 'nothing'" in done.trajectory[0].error
    assert done.answer == "after all"


def test_names_of_queries_and_their_arguments_are_known() -> None:
    """`model=` chooses a worker, the batched forms take lists, and without a further root a task goes to the worker."""
    block = "set_answer([llm_query('a', model=None), llm_query_batched(['b', 'c']), rlm_query('d'), rlm_query_batched(['e'])])"
    done, prompts = played(block)
    assert done.answer == "['said', ['said', 'said'], 'said', ['said']]"
    assert prompts == ["a", "b", "c", "d", "e"]


def test_at_depth_2_each_task_has_a_root_of_its_own() -> None:
    """`rlm_query_batched` starts one after the other; a child finds no further one."""
    block = "set_answer(rlm_query_batched(['x', 'y']) if 'child' not in globals() else 0)"
    done, prompts = played(block, depth=2)
    assert done.answer == str([str(["said", "said"])] * 2)
    assert prompts == ["x", "y", "x", "y"]


def test_values_and_described_functions_are_tools() -> None:
    """As rlms' `custom_tools` has them."""
    tools = {"rate": 0.5, "table": {"a": [1, 2]}, "double": {"tool": lambda x: 2 * x, "description": "twice as much"}}
    done, _ = played("set_answer([rate, table['a'], double(21)])", tools=tools)
    assert done.answer == "[0.5, [1, 2], 42]"


def test_a_value_that_is_no_plain_data_is_refused() -> None:
    """Before anything is asked."""
    with pytest.raises(deeprepo.UsageError, match="neither a function nor plain data"):
        played("set_answer(1)", tools={"thing": object()})


@pytest.mark.parametrize("name", ["context", "search", "llm_query", "set_answer"])
def test_a_given_name_that_a_block_overwrites_comes_back(name: str) -> None:
    """The root is told, and the next block finds it as it was."""
    done, _ = played(f"{name} = 5", f"set_answer(repr({name}) != '5')")
    assert f"[note: {name} belongs to the REPL" in done.trajectory[0].output
    assert done.answer == "True"


def test_a_session_has_its_history_and_takes_further_contexts() -> None:
    """`history` holds the messages of the question before, `context_1` the second context."""
    blocks = iter(("set_answer(len(context))", "set_answer([context_0 == context, context_1, history[-1]['role']])"))

    def root(_: Messages) -> str:
        return f"```python\n{next(blocks)}\n```"

    with deeprepo.RLM(root, budget=None).session("first") as session:
        assert session.run("How long?").answer == "5"
        assert session.run("And this?", "second").answer == "[True, 'second', 'user']"


def test_a_question_without_a_context_is_answered() -> None:
    """As `completion(prompt)` of rlms."""
    done = deeprepo.RLM(lambda _: "```python\nset_answer([2**n for n in range(4)])\n```", budget=None).run("Powers?")
    assert done.answer == "[1, 2, 4, 8]"
