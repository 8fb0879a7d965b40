"""A block runs although its text ran before. Only the same result, several times, ends a run."""

from collections.abc import Callable, Mapping

import pytest

import deeprepo
from deeprepo_sandbox.providers import Reply, Server, code, in_thread

FREE = deeprepo.Budget(None, None, None, None)
HINT = "This code ran before with exactly the same result"


def ran(
    *blocks: str, worker: Callable[[list[dict[str, str]]], str] = str, turns: int = 12
) -> tuple[deeprepo.Result, list[str]]:
    """Run a root that sends these blocks and then repeats the last one. Return what it was shown, too."""
    shown: list[str] = []

    def root(messages: list[dict[str, str]]) -> str:
        if "no turns left" in messages[-1]["content"]:
            return "NOT FOUND"
        shown.append(messages[-1]["content"])
        return f"```python\n{blocks[min(len(shown), len(blocks)) - 1]}\n```"

    rlm = deeprepo.RLM(root, worker, budget=FREE, turns=turns, block_seconds=1)
    done = rlm.run("What is it?", "".join(map(chr, range(33, 133))))
    return done, shown


def test_block_that_failed_runs_again() -> None:
    """A block that failed because of a missing name runs again once the name is there."""
    done, _ = ran("set_answer(str(total))", "total = 5", "set_answer(str(total))")
    assert (done.outcome, done.answer, len(done.trajectory)) == ("answered", "5", 3)


def busy(left: list[int]) -> Callable[[list[dict[str, str]]], str]:
    """Return a worker that fails a few times."""

    def worker(_: list[dict[str, str]]) -> str:
        left[0] -= 1
        if left[0] >= 0:
            raise RuntimeError("busy")
        return "fine"

    return worker


@pytest.mark.parametrize(
    ("start", "block", "answer"),
    [
        ("todo = list(range(9))", "todo.pop(0)\nif not todo: set_answer('done')", "done"),
        ("todo = list(range(9))", "print(todo.pop(0))\nif not todo: set_answer('done')", "done"),
        ("pos = 0", "print(context[pos:pos + 10])\npos += 10\nif pos > 80: set_answer(str(pos))", "90"),
        ("rows = iter(range(9))", "row = next(rows)\nprint(row)\nif row == 8: set_answer(str(row))", "8"),
        ("n = 0", "n += 1\nr = llm_query('the same')\nif n > 8: set_answer(r)", "fine"),
        ("r = ''", "r = llm_query('the same')\nprint(r[:13])\nif r == 'fine': set_answer(r)", "fine"),
    ],
    ids=["queue", "printed queue", "pager", "iterator", "workers", "retries"],
)
def test_same_text_with_another_effect_runs_each_time(start: str, block: str, answer: str) -> None:
    """Queues, pagers, iterators, paid calls and retries may send the same text in each turn."""
    done, _ = ran(start, block, worker=busy([1]))
    assert (done.outcome, done.answer) == ("answered", answer)


@pytest.mark.parametrize(
    ("blocks", "turns"),
    [
        (["print(1)"], 6),
        (["undefined"], 6),
        (["print('x' * 50_000)"], 6),
        (["while True: pass"], 6),
        (["x = llm_query('q')\nprint('worker error' in x)"], 6),
        (["print(1)", "print(2)"] * 6, 7),
    ],
    ids=["output", "error", "long output", "limit", "failing worker", "two blocks in turn"],
)
def test_root_that_repeats_itself_is_stopped(blocks: list[str], turns: int) -> None:
    """The third time in a row, the same result gets a hint, and the sixth time ends the run."""
    done, shown = ran(*blocks, worker=busy([99]))
    assert (done.outcome, len(done.trajectory)) == ("astray", turns)
    assert [HINT in text for text in shown[1:]] == [False] * (turns - 4) + [True] * 3
    assert f"{HINT}. 2 turns in a row brought no progress, and 5 end the run" in shown[turns - 3]
    assert "The root model was stopped after 5 turns without progress." in done.notes


def test_rejected_key_of_a_worker_affects_no_other_model() -> None:
    """A worker with a rejected key stops neither the root nor a worker with another key at the same address."""

    def reply(body: Mapping[str, object]) -> Reply | str:
        if body["model"] == "root":
            return code(
                "r = [llm_query('q', worker='rejected') for _ in range(2)] + llm_batch(['a', 'b'], worker='good')\n"
                "set_answer(repr(r))"
            )
        return Reply(status=401) if body["model"] == "rejected" else "fine"

    with in_thread(Server(reply)) as server:
        root, good, rejected = (
            deeprepo.Model(f"compatible/{name}", api_key=name, base_url=server.openai_url)
            for name in ("root", "good", "rejected")
        )
        address = server.openai_url.split("/")[2]
        workers = {"good": good, "rejected": rejected}
        done = deeprepo.RLM(root, workers=workers, budget=FREE).run("What?", "text")
    assert done.outcome == "answered"
    assert done.answer.endswith(", 'fine', 'fine']")
    assert done.answer.count(f"compatible at {address} refused the key") == 2
