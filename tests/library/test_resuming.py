"""A killed run resumes from its journal without paying twice, even if its code isn't deterministic."""

import asyncio
import json
import random
from pathlib import Path

import pytest

import deeprepo

Messages = list[dict[str, str]]
ASKS = (  # each gives a different result in another process or at another time
    "print(time.ctime())",
    "print(time.strftime('%X'), time.asctime(), time.clock_gettime(0))",
    "print(random.Random().random(), random.SystemRandom().random())",
    "import uuid; print(uuid.uuid1(), uuid.uuid4())",
    "print(os.getpid(), os.times())",
    "print(id(context), id(time))",
    "import logging; logging.basicConfig(format='%(asctime)s %(process)d', force=True); logging.warning('x')",
    "print(datetime.datetime.now().astimezone())",
    "import secrets; print(secrets.token_hex())",
    "print(hash(object()))",
    "print(llm_query(str(hash(object()))))",
    "print([llm_query(f'{one} {hash(one)}') for one in {object(), object()}])",
    "print(hash(float('nan')), hash(print), hash(list), hash(None), {'a': hash('a')})",
    "print([llm_query(f'{object.__hash__(one)}') for one in (object(), object())])",
)


def run_block(block: str, journal: Path) -> tuple[deeprepo.Result, list[str]]:
    """Run this block and two fixed ones, and return the result and what the models were asked."""
    prompts = list[str]()
    blocks = (block, "print(llm_batch(['roll'] * 3))", "set_answer('done')")

    def root(messages: Messages) -> str:
        turn = sum(message["role"] == "assistant" for message in messages)
        prompts.append(f"turn {turn}")
        return f"```python\n{blocks[turn]}\n```"

    def worker(messages: Messages) -> str:
        prompts.append(messages[-1]["content"])
        return str(len(prompts))

    return deeprepo.RLM(root, worker, budget=None).run("?", "text\n" * 9, journal=journal), prompts


@pytest.mark.parametrize("block", ASKS)
def test_interrupted_turn_is_resumed_without_paying_twice(block: str, tmp_path: Path) -> None:
    """If the last turn was interrupted, only that turn is sent, and earlier outputs and calls are reused."""
    journal = tmp_path / "run.jsonl"
    whole, _ = run_block(block, journal)
    rows = journal.read_text().splitlines(keepends=True)
    second_turn = next(at for at, row in enumerate(rows) if json.loads(row).get("number") == 2 and '"turn"' in row)
    journal.write_text("".join(rows[: second_turn + 1]))
    resumed, sent = run_block(block, journal)
    assert sent == ["turn 2"]
    assert [turn.output for turn in resumed.trajectory] == [turn.output for turn in whole.trajectory]
    assert (resumed.calls, resumed.answer, resumed.notes) == (whole.calls, "done", ())


def cut_after_first_answer(block: str, journal: Path) -> tuple[deeprepo.Result, list[str], list[str]]:
    """Interrupt a run after a worker's first answer and resume it; return the result and both prompts."""
    _, whole = run_block(block, journal)
    rows = journal.read_text().splitlines(keepends=True)
    first_answer = next(at for at, row in enumerate(rows) if '"call"' in row and '"worker"' in row and "reply" in row)
    journal.write_text("".join(rows[: first_answer + 1]))
    resumed, sent = run_block(block, journal)
    return resumed, whole, sent


def test_interrupted_block_reuses_its_finished_call(tmp_path: Path) -> None:
    """If a block was interrupted between two calls, only the second call is sent."""
    block = "print(llm_query(f'a {time.ctime()}'), llm_query('b'))"
    _, _, sent = cut_after_first_answer(block, tmp_path / "run.jsonl")
    assert sent[0] == "b"


def test_reordered_calls_get_their_own_recorded_answers(tmp_path: Path) -> None:
    """If a block makes its calls in a different order after a kill, each gets its recorded answer."""
    journal = tmp_path / "run.jsonl"
    block = "print([llm_query(f'{name} {object.__hash__(object())}') for name in 'abc'])"
    run_block(block, journal)
    rows = journal.read_text().splitlines(keepends=True)
    calls = [at for at, row in enumerate(rows) if json.loads(row)["kind"] == "host_call"][:3]
    end = next(at for at, row in enumerate(rows) if json.loads(row)["kind"] == "turn")
    for at, number in zip(calls, (2, 0, 1), strict=True):  # as if called in the order b, c, a
        rows[at] = json.dumps(json.loads(rows[at]) | {"number": number}) + "\n"
    ordered = [*rows[: calls[0]], *(rows[calls[at]] for at in (1, 2, 0))]
    journal.write_text("".join([*ordered, *(row for row in rows[calls[0] : end] if row not in ordered)]))
    resumed, sent = run_block(block, journal)
    assert resumed.trajectory[0].output == "['2', '3', '4']\n"
    assert sent[0] == "turn 1"


def test_equal_prompts_are_separate_requests_unless_reused() -> None:
    """A root can take a vote by asking repeatedly; `reuse=True` reuses the answer to an equal prompt."""
    prompts = list[str]()

    def worker(messages: Messages) -> str:
        prompts.append(messages[-1]["content"])
        return f"sample {len(prompts)}"

    code = "print(llm_batch(['roll'] * 3), llm_query('roll'), llm_query('roll', reuse=True))\nset_answer('x')"
    done = deeprepo.RLM(lambda _: f"```python\n{code}\n```", worker, budget=None).run("?", "text")
    assert done.trajectory[0].output == "['sample 1', 'sample 2', 'sample 3'] sample 4 sample 1\n"
    assert len(prompts) == 4


AT_ONCE = """import asyncio
asked = [asyncio.to_thread(llm_query, prompt) for prompt in ('same', 'same', 'other')]
print(await asyncio.gather(*asked), llm_batch(['same'] * 2), budget())"""
CHILDREN = "print(rlm_query_batched(['a', 'b', 'b', 'c', 'd', 'e']))"


@pytest.mark.parametrize(("block", "depth"), [(AT_ONCE, 1), (CHILDREN, 2)], ids=["calls", "children"])
def test_calls_at_once_are_resumed_exactly(block: str, depth: int, tmp_path: Path) -> None:
    """Wherever a run is interrupted, no finished call is repeated, and each call gets its recorded answer."""
    journal, asked, late = tmp_path / "run.jsonl", list[str](), random.Random(7)  # noqa: S311 - the order

    async def root(messages: Messages) -> str:
        is_child = any("Task:" in message["content"] for message in messages)
        blocks = [AT_ONCE, "set_answer(llm_query('same'))"] if is_child else [block, "set_answer('done')"]
        code = blocks[sum(message["role"] == "assistant" for message in messages)]
        return f"{await answer(messages)}\n```python\n{code}\n```"

    async def answer(_: Messages) -> str:
        number = str(len(asked))
        asked.append(number)
        for _ in range(late.randrange(200)):  # the order of the replies differs from that of the calls
            await asyncio.sleep(0)
        return number

    def run() -> deeprepo.Result:
        asked.clear()
        return deeprepo.RLM(root, answer, deeprepo.Budget(), depth=depth).run("?", "text", journal=journal)

    whole, seen = run(), len(asked)
    rows = journal.read_text().splitlines(keepends=True)
    replies = [at for at, row in enumerate(rows, 1) if json.loads(row)["kind"] == "call"]
    for finished, at in list(enumerate(replies, 1))[:: max(1, len(replies) // 6)]:
        journal.write_text("".join(rows[:at]))
        resumed = run()
        assert (resumed.answer, len(asked)) == ("done", seen - finished)
        assert (run().trajectory, asked) == (resumed.trajectory, [])
        assert len(resumed.trajectory) == len(whole.trajectory)
