"""Programs for rlms and dspy.RLM, as on the page "Coming from rlms", work with deeprepo too."""

from collections.abc import Callable

import pytest

import deeprepo

Messages = list[dict[str, str]]


def played(
    *blocks: str, worker: Callable[[Messages], str] = lambda _: "said", **how: object
) -> tuple[deeprepo.Result, list[str]]:
    """Run a root that writes one of these blocks per turn, and return the result and the workers' prompts."""
    prompts = list[str]()

    def root(messages: Messages) -> str:
        turn = sum(message["role"] == "assistant" for message in messages)
        return f"```python\n{blocks[min(turn, len(blocks) - 1)]}\n```"

    def recording_worker(messages: Messages) -> str:
        prompts.append(messages[-1]["content"])
        return worker(messages)

    tools = how.pop("tools", None)
    rlm = deeprepo.RLM(root, recording_worker, budget=None, **how)  # type: ignore[arg-type]
    return rlm.run("?", "some text\n" * 3, tools), prompts  # type: ignore[arg-type]


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
def test_every_way_to_give_an_answer_ends_the_run(block: str, answer: str) -> None:
    """The paper's, rlms' and dspy's ways to give an answer all work."""
    done, _ = played(block)
    assert (done.outcome, done.answer) == ("answered", answer)


def test_each_batched_query_at_depth_2_has_its_own_root() -> None:
    """`rlm_query_batched` starts a root per task, and these roots can't start further ones."""
    block = "set_answer(rlm_query_batched(['x', 'y']) if 'child' not in globals() else 0)"
    done, prompts = played(block, depth=2)
    assert done.answer == str([str(["said", "said"])] * 2)
    assert prompts == ["x", "y", "x", "y"]


def test_setup_runs_in_each_repl_and_roots_of_a_root_have_their_own_tools() -> None:
    """A root's code finds the names of `setup`, as does a root that it starts. The latter has only `child_tools`."""
    found = "[base, double(2), 'price' in globals()]"
    blocks = iter((f"set_answer([{found}, rlm_query('go on')])", f"set_answer({found})"))

    def root(_: Messages) -> str:
        return f"```python\n{next(blocks)}\n```"

    setup = "base = 41\ndef double(x):\n    return 2 * x"
    rlm = deeprepo.RLM(root, budget=None, depth=2, child_tools={}, setup=setup)
    assert rlm.run("?", "text", {"price": len}).answer == "[[41, 4, True], '[41, 4, False]']"


def test_failing_setup_is_a_usage_error() -> None:
    """Code for the setup that raises ends the run before its first call."""
    with pytest.raises(deeprepo.UsageError, match=r"the setup failed: (?s:.*)ZeroDivisionError"):
        played("set_answer(1)", setup="1 / 0")


def test_session_has_a_history_and_further_contexts() -> None:
    """`history` contains the previous question's messages, and `context_1` the second context."""
    blocks = iter(("set_answer(len(context))", "set_answer([context_0 == context, context_1, history[-1]['role']])"))

    def root(_: Messages) -> str:
        return f"```python\n{next(blocks)}\n```"

    with deeprepo.RLM(root, budget=None).session("first") as session:
        assert session.run("How long?").answer == "5"
        assert session.run("And this?", "second").answer == "[True, 'second', 'user']"


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("It is clear.\n\nFINAL(42)\n", "42"),
        ('FINAL("the Ada (old)")', "the Ada (old)"),
        ("FINAL_VAR(total)", "[1, 2]"),
        ("FINAL_VAR('total')", "[1, 2]"),
    ],
)
def test_plain_text_final_ends_the_run(said: str, answer: str) -> None:
    """FINAL(...) or FINAL_VAR(...) on the last line of a reply without code ends the run."""
    replies = iter(["```python\ntotal = [1, 2]\n```", said])
    done = deeprepo.RLM(lambda _: next(replies), budget=None).run("?", "text")
    assert (done.outcome, done.answer, len(done.trajectory)) == ("answered", answer, 2)


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("FINAL(42)\nThat was a guess.", "There was no code"),
        ("I will write FINAL(42) later", "There was no code"),
        ("FINAL_VAR(nothing)", "there is no variable 'nothing'"),
    ],
)
def test_other_mentions_of_final_do_not_end_the_run(said: str, shown: str) -> None:
    """FINAL elsewhere in a reply, and FINAL_VAR with an unknown name, end nothing."""
    seen: list[str] = []

    def root(messages: Messages) -> str:
        seen.append(messages[-1]["content"])
        return said if len(seen) == 1 else "```python\nset_answer('done')\n```"

    done = deeprepo.RLM(root, budget=None).run("?", "text")
    assert done.answer == "done"
    assert shown in seen[1]
