import asyncio
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import date
from pathlib import Path

import pytest
from pydantic import BaseModel

import deeprepo
from deeprepo_sandbox.providers import Reply, Server, code, in_thread

FREE = deeprepo.Budget(None, None, None, None)


class Contract(BaseModel):
    """The type of the answers."""

    party: str
    end: date


@contextmanager
def scripted(*blocks: str | Reply, worker: str = "nobody knows") -> Iterator[tuple[Server, deeprepo.RLM]]:
    """Yield a server and an RLM with these blocks as the root's turns and one answer for all workers."""
    written = iter(blocks)

    def reply(body: Mapping[str, object]) -> Reply | str:
        if not body.get("tools"):
            return worker
        block = next(written)
        return block if isinstance(block, Reply) else code(block)

    with in_thread(Server(reply)) as server:
        yield server, deeprepo.RLM(model(server), budget=FREE)


def model(server: Server, name: str = "scripted") -> deeprepo.Model:
    """Return a model that uses this server."""
    return deeprepo.Model(f"compatible/{name}", base_url=server.openai_url)


def last(server: Server) -> str:
    """Return the last message in the last request."""
    return str(server.requests[-1]["messages"][-1]["content"])


def test_later_question_keeps_variables_and_answers() -> None:
    """Variables and the conversation are kept, and answers to earlier prompts can be reused."""
    blocks = [
        "said = llm_query('Who?')\nset_answer(said)",
        "print(llm_query('Who?', reuse=True))",
        "set_answer([said, len(context)])",
    ]
    with scripted(*blocks, worker="Ada") as (server, rlm), rlm.session("text") as session:
        first, second = session.run("Who is it?"), session.run("And how long is the text?")
    assert (first.answer, second.answer) == ("Ada", "['Ada', 4]")
    assert (first.calls, second.calls, server.count) == (2, 2, 4)
    assert [turn.run for turn in second.trajectory] == ["root-2", "root-2"]
    roles = [message["role"] for message in server.requests[2]["messages"]]
    assert roles == ["system", "user", "assistant", "tool", "assistant", "user"]
    assert server.requests[2]["messages"][-2]["content"] == "Ada"
    assert "Question: And how long is the text?" in server.requests[2]["messages"][-1]["content"]


def test_further_context_has_memory_of_its_own() -> None:
    """A further context doesn't count as the memory of the root's variables, which are kept."""
    with scripted("x = 7\nset_answer(x)", "set_answer([x, len(context_1.swapcase())])") as (_, rlm):
        rlm.block_memory = 16
        with rlm.session("text") as session:
            session.run("What?")
            assert session.run("And here?", "\U0001f600\n" * 5_000_000).answer == "[7, 10000000]"


def test_each_question_starts_with_full_limits() -> None:
    """The second question starts with full limits."""
    with scripted("print(1)", "print(2)", "set_answer(3)") as (server, _):
        rlm = deeprepo.RLM(model(server), budget=deeprepo.Budget(calls=2), turns=2)
        with rlm.session("text") as session:
            outcomes = [session.run("What?").outcome, session.run("And now?").outcome]
    assert outcomes == ["turns", "answered"]


def test_session_resumes_from_its_journal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Answered questions are replayed without requests or tool calls, and a new one continues."""
    called: Counter[int] = Counter()

    def count(n: int) -> int:
        called[n] += 1
        return sum(called.values())

    def asked(rlm: deeprepo.RLM, *questions: str) -> list[deeprepo.Result]:
        with rlm.session("text", [count], journal=tmp_path / "j") as session:
            return [session.run(question) for question in questions]

    with scripted("x = count(1)\nset_answer(x)", "set_answer([x, llm_query('?')])") as (_, rlm):
        before = asked(rlm, "One?", "Two?")
    with scripted("set_answer([x, count(2)])") as (server, rlm):
        after = asked(rlm, "One?", "Two?", "Three?")
    assert after[:2] == before
    assert (after[2].answer, server.count, called) == ("[1, 2]", 1, Counter({1: 1, 2: 1}))
    with scripted() as (silent, rlm):
        assert asked(rlm, "One?", "Two?", "Three?") == after
    assert silent.count == 0


def test_session_survives_a_provider_failure() -> None:
    """Only the failed question is lost; the variables are kept."""
    blocks = "x = 7\nset_answer(x)", Reply("no", status=401), "set_answer(x + 1)"
    with scripted(*blocks) as (_, rlm), rlm.session("text") as session:
        session.run("One?")
        with pytest.raises(deeprepo.ProviderError):
            session.run("Two?")
        assert session.run("Three?").answer == "8"


def test_session_works_in_one_event_loop_until_it_is_closed() -> None:
    """A session works asynchronously and in a running loop, but not in two loops or after it was closed."""

    async def awaited(rlm: deeprepo.RLM) -> list[str]:
        async with rlm.session("text") as session:
            return [(await session.run_async(question)).answer for question in ("One?", "Two?")]

    async def notebook(rlm: deeprepo.RLM) -> list[str]:
        with rlm.session("text") as session:
            answers = [session.run(question).answer for question in ("One?", "Two?")]
            with pytest.raises(deeprepo.UsageError, match="one event loop"):
                await session.run_async("Three?")
        with pytest.raises(deeprepo.UsageError, match="closed"):
            session.run("Four?")
        return answers

    for way in (awaited, notebook):
        with scripted("x = 1\nset_answer(x)", "set_answer(x + 1)") as (_, rlm):
            assert asyncio.run(way(rlm)) == ["1", "2"]


def test_cancelled_session_is_closed() -> None:
    """Cancelling kills the REPL in the middle of a block, so the session can't continue."""

    async def cancelled(rlm: deeprepo.RLM) -> None:
        async with rlm.session("text") as session:
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(2.0):
                    await session.run_async("One?")
            with pytest.raises(deeprepo.UsageError, match="closed"):
                await session.run_async("Two?")

    with scripted(Reply(fault="hang")) as (_, rlm):
        asyncio.run(cancelled(rlm))


def test_root_code_chooses_a_worker_by_name() -> None:
    """Query functions accept a worker's name, the first worker is the default, and the prompt lists all."""
    blocks = [
        "print(llm_query('a'), llm_batch(['b'], 'strong'), llm_query('c', worker='cheap'))",
        "print(ask(tree, 'who?', worker='strong')['answer'], ask_batch([(tree, 'when?')], worker='strong')[0]['answer'])",
        "llm_query('d', worker='other')",
        "set_answer('done')",
    ]
    with scripted(*blocks, worker='{"answer": "yes", "found": true, "quotes": []}') as (server, _):
        workers = {"cheap": model(server, "small"), "strong": model(server, "large")}
        done = deeprepo.RLM(model(server), workers=workers, budget=FREE).run("What?", "text")
    asked = [request["model"] for request in server.requests if not request.get("tools")]
    assert asked == ["small", "large", "small", "large", "large"]
    assert "there is no worker 'other': there is cheap, strong" in str(done.trajectory[2].error)
    assert '"cheap" (compatible/small), "strong" (compatible/large)' in server.requests[0]["messages"][0]["content"]


def test_progress_events_are_typed_and_printable() -> None:
    """Calls, turns and the result arrive as typed, printable events. Errors in the callback are ignored."""
    told: list[deeprepo.Event] = []

    def hear(event: deeprepo.Event) -> None:
        told.append(event)
        raise LookupError("a progress bar that fails")

    with scripted("print(llm_query('Who?', reuse=True))", "set_answer(1)") as (_, rlm):
        done = rlm.run("What?", "text", on_progress=hear)
    call = ["Started", "Call"]
    assert [type(event).__name__ for event in told] == [*call, *call, "Turn", *call, "Turn", "Result"]
    assert (told[4], told[7], told[8]) == (*done.trajectory, done)
    for kind in (deeprepo.Started, deeprepo.Call):
        calls = [(event.run, event.turn, event.role) for event in told if isinstance(event, kind)]
        assert calls == [("root", 1, "root"), ("root", 1, "worker"), ("root", 2, "root")]
    assert [event.total for event in told if isinstance(event, deeprepo.Call)][-1] == done.cost
    assert done.by_model == {"compatible/scripted": done.cost}
    lines = [str(event) for event in told]
    assert all("\n" not in line for line in lines)
    assert lines[4] == "root, turn 1: 13 characters printed"
    assert lines[3].startswith("root, turn 1: worker compatible/scripted: ")
    assert lines[8] == "answered: 3 calls, price unknown"


def test_answer_has_the_requested_type() -> None:
    """The root sees the schema and validation errors, and the value is an instance of the type."""
    blocks = ["set_answer({'party': 'Acme', 'end': 'soon'})", "set_answer({'party': 'Acme', 'end': '2027-01-31'})"]
    with scripted(*blocks) as (server, rlm):
        done = rlm.run("Which contract?", "text", answer_type=Contract)
    assert done.value == Contract(party="Acme", end=date(2027, 1, 31))
    assert json.loads(done.answer) == json.loads(done.to_json())["value"] == {"party": "Acme", "end": "2027-01-31"}
    assert '"party"' in server.requests[0]["messages"][1]["content"]
    assert "the answer does not fit its schema: end: Input should be a valid date" in last(server)


@pytest.mark.parametrize(
    ("kind", "block", "value"),
    [
        (list[int], "set_answer([1, 2])", [1, 2]),
        (int, "set_answer('42')", 42),
        (str, "set_answer('a \"text\"')", 'a "text"'),
        (
            Contract,
            """set_answer('{"party": "Acme", "end": "2027-01-31"}')""",
            Contract(party="Acme", end=date(2027, 1, 31)),
        ),
        (list[int], "answer['content'] = '[3]'\nanswer['ready'] = True", [3]),
        (set[str], "set_answer({'a', 'b'})", {"a", "b"}),
        (Contract, "set_answer('NOT FOUND')", None),
    ],
)
def test_any_pydantic_type_is_accepted(kind: object, block: str, value: object) -> None:
    """Any type that pydantic validates works, and "NOT FOUND" becomes None."""
    with scripted(block) as (_, rlm):
        done = rlm.run("What?", "text", answer_type=kind)
    assert (done.outcome, done.value) == ("answered", value)


@pytest.mark.parametrize(
    ("block", "told"),
    [
        ("answer['content'] = 'x'\nanswer['ready'] = True", "NOTE: answer"),
        ("set_answer(object())", "plain data is needed"),
        ("set_answer('x')", "does not fit"),
        ("set_answer(list(range(20000)))", "at most 60,000"),
    ],
)
def test_invalid_answer_can_be_corrected(block: str, told: str) -> None:
    """If an answer doesn't fit the type, the root gets an error and can correct it."""
    with scripted(block, "set_answer([1])") as (server, rlm):
        done = rlm.run("What?", "text", answer_type=list[int])
    assert told in last(server)
    assert (done.outcome, done.value, len(done.trajectory)) == ("answered", [1], 2)


def test_secret_in_a_typed_answer_reaches_no_provider(tmp_path: Path) -> None:
    """The secret isn't sent to a provider, even in a later question's history."""
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    blocks = "set_answer([context.split()[-1]])", "set_answer(['done'])"
    with scripted(*blocks) as (server, rlm), rlm.session(f"token = {secret}", journal=tmp_path / "j") as session:
        done = session.run("Which token?", answer_type=list[str])
        session.run("And now?", answer_type=list[str])
    assert (done.value, json.loads(done.answer)) == ([secret], [secret])
    assert secret not in json.dumps(server.requests)
    assert secret not in (tmp_path / "j").read_text()


def test_long_session_drops_its_oldest_outputs() -> None:
    """If the prompt no longer fits, old outputs are removed from it, but the variables are kept."""
    blocks = [f"x{n} = '{n}' * 9000\nprint(x{n}); set_answer(len(x{n}))" for n in range(4)]
    sent: list[int] = []
    written = iter(blocks)

    def reply(body: Mapping[str, object]) -> Reply:
        sent.append(sum(len(str(message)) for message in body["messages"]))  # type: ignore[attr-defined]
        if sent[-1] > 30_000:
            return Reply("maximum context length is 8000 tokens", status=400)
        return code(next(written))

    with in_thread(Server(reply)) as server, deeprepo.RLM(model(server), budget=FREE).session("text") as session:
        answers = [session.run(f"Question {n}?").answer for n in range(4)]
    assert answers == ["9000"] * 4
    assert any("left out" in str(message["content"]) for message in server.requests[-1]["messages"])
