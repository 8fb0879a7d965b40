"""Replies as they come in: streams that pause, stall, break or carry errors, and replies that are not streams."""

import asyncio
from typing import Any, Literal

import pytest
from talking import ANSWER, ANTHROPIC, KEY, OPENAI, TOOL, asked, dialects
from waits import patience

from deeprepo.rlm import models
from deeprepo.rlm.errors import ProviderDown, ProviderError, TimedOut
from deeprepo.rlm.values import Prompt, ToolCall, Usage
from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.providers import Modes, Reply
from deeprepo_sandbox.providers.reply import Fault


def ask(
    name: str,
    reply: doubles.Script,
    prompt: Prompt | None = None,
    *,
    modes: Modes | None = None,
    rejects: tuple[str, ...] = (),
    timeout: float = 20,
    times: int = 1,
) -> tuple[list[Any], list[Any]]:
    """What each call came to, a reply or its error, and the bodies that the server saw."""

    async def run() -> tuple[list[Any], list[Any]]:
        opened = doubles.anthropic_server if name.startswith("anthropic/") else doubles.openai_server
        async with opened(reply, modes=modes, rejects=rejects) as server:
            model = models.connect(name, KEY, server.base_url, timeout)
            try:
                done = []
                for _ in range(times):
                    try:
                        done.append(await model.complete(prompt or asked()))
                    except ProviderError as error:
                        done.append(error)
                return done, server.requests
            finally:
                await model.close()

    return asyncio.run(run())


@dialects
def test_a_reply_longer_than_the_time_out(name: str) -> None:
    """What counts is the silence between two pieces: a reply may take longer than the time-out."""
    limit = patience(1.0)
    (done,), _ = ask(name, Reply("word " * 20, pause=limit / 10), timeout=limit)
    assert done.text == "word " * 20


@dialects
def test_a_stream_that_stalls(name: str) -> None:
    """A stream that falls silent in the middle is a time-out, and may be billed to its end."""
    (error,), _ = ask(name, Reply("word " * 60, fault="stall", usage=Usage(500, 70, 200)), timeout=patience(1.0))
    assert (type(error), error.may_be_billed) == (TimedOut, True)


@dialects
def test_a_server_that_never_begins(name: str) -> None:
    """Nothing arrived, so nobody knows what is billed."""
    (error,), _ = ask(name, Reply(fault="hang"), timeout=0.1)
    assert type(error) is TimedOut


@dialects
@pytest.mark.parametrize("fault", ["drop", "truncate"])
def test_a_stream_without_its_end(name: str, fault: Fault) -> None:
    """A stream that ends early is a broken reply and never an answer, however much of it would parse."""
    whole = {"findings": [f"number {n}" for n in range(20)]}
    (error,), _ = ask(name, Reply(data=whole, fault=fault), asked(answer=ANSWER))
    assert (type(error), error.may_be_billed) == (ProviderDown, True)


@dialects
def test_a_server_that_does_not_stream(name: str) -> None:
    """Plain JSON, though a stream was asked for, is read all the same."""
    calls = (ToolCall("c", "run", {"code": "x"}),)
    (done,), (body,) = ask(name, Reply("said", calls=calls), asked(tool=TOOL), modes=Modes(streams=False))
    assert (body["stream"], done.text, done.calls[0].arguments) == (True, "said", {"code": "x"})


def test_a_server_without_stream_options() -> None:
    """The usage of a stream is asked for; a server that refuses that is asked without, and it is remembered."""
    done, bodies = ask(OPENAI, Reply("ok", usage=Usage(70, 9)), rejects=("stream_options",), times=2)
    assert [reply.text for reply in done] == ["ok", "ok"]
    assert ["stream_options" in body for body in bodies] == [True, False, False]


@dialects
@pytest.mark.parametrize("index", ["given", "missing"])
def test_calls_in_pieces(name: str, index: Literal["given", "missing"]) -> None:
    """Several calls at once keep their ids and arguments, also from a server that gives no index."""
    calls = tuple(ToolCall(f"c{n}", "run", {"code": f"print({n})\n" * 9}) for n in range(3))
    (done,), _ = ask(name, Reply(calls=calls), asked(tool=TOOL), modes=Modes(index=index))
    assert [call.id for call in done.calls] == ["c0_0", "c1_1", "c2_2"]
    assert [call.arguments["code"] for call in done.calls] == [f"print({n})\n" * 9 for n in range(3)]


def test_what_compatible_servers_send() -> None:
    """Chunks without choices, a second choice, a call with index 0 for each, content in parts."""
    from deeprepo.rlm.models.stream import Chat

    chat = Chat()
    call = {"id": "a", "function": {"name": "run", "arguments": "{}"}}
    for delta in (
        {"role": "assistant", "content": [{"type": "thinking", "thinking": []}, {"type": "text", "text": "hi"}]},
        {"tool_calls": [{"index": 0, **call}]},
        {"tool_calls": [{"index": 0, **call, "id": "b"}]},
    ):
        chat.take({"choices": [{"index": 0, "delta": delta}]})
        chat.take({"choices": [{"index": 1, "delta": {"content": "another choice"}}]})
        chat.take({"choices": []})
        chat.take({})
    assert chat.whole() is None
    chat.take({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 3}})
    found = chat.whole()
    assert found is not None
    message = found["choices"][0]["message"]
    assert (message["content"], [c["id"] for c in message["tool_calls"]]) == ("hi", ["a", "b"])


@dialects
def test_effort(name: str) -> None:
    """The effort is said in the dialect's own way; a model that refuses it is not told twice."""
    field = "output_config.effort" if name == ANTHROPIC else "reasoning_effort"
    prompt = Prompt(asked().messages, effort="low")
    _, (body,) = ask(name, "ok", prompt)
    assert body["output_config"] == {"effort": "low"} if name == ANTHROPIC else body["reasoning_effort"] == "low"
    done, bodies = ask(name, "ok", prompt, rejects=(field,), times=2)
    assert ([reply.text for reply in done], len(bodies)) == (["ok", "ok"], 3)
    assert not any(part in body for body in bodies[1:] for part in ("output_config", "reasoning_effort"))
    _, (silent,) = ask(name, "ok")
    assert not {"output_config", "reasoning_effort", "reasoning"} & set(silent)
