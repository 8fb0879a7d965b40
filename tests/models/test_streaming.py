"""Streamed replies that pause, stall, break or contain errors, and servers that don't stream."""

import asyncio
from typing import Any, Literal

import pytest
from talking import ANSWER, ANTHROPIC, KEY, TOOL, asked, dialects
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
    """Return each call's reply or error, and the request bodies."""

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
def test_timeout_applies_to_the_silence_between_chunks(name: str) -> None:
    """The timeout limits the silence between two chunks, so a reply may take longer."""
    limit = patience(1.0)
    (done,), _ = ask(name, Reply("word " * 20, pause=limit / 10), timeout=limit)
    assert done.text == "word " * 20


@dialects
def test_stalled_stream_times_out(name: str) -> None:
    """A stream that stalls in the middle times out, and may be billed in full."""
    (error,), _ = ask(name, Reply("word " * 60, fault="stall", usage=Usage(500, 70, 200)), timeout=patience(1.0))
    assert (type(error), error.may_be_billed) == (TimedOut, True)


@dialects
def test_stream_that_never_starts_times_out(name: str) -> None:
    """If nothing arrives, the call times out."""
    (error,), _ = ask(name, Reply(fault="hang"), timeout=0.1)
    assert type(error) is TimedOut


@dialects
@pytest.mark.parametrize("fault", ["drop", "truncate"])
def test_stream_that_ends_early_is_an_error(name: str, fault: Fault) -> None:
    """A stream that ends early raises an error, even if what arrived can be parsed."""
    whole = {"findings": [f"number {n}" for n in range(20)]}
    (error,), _ = ask(name, Reply(data=whole, fault=fault), asked(answer=ANSWER))
    assert (type(error), error.may_be_billed) == (ProviderDown, True)


@dialects
@pytest.mark.parametrize("index", ["given", "missing"])
def test_parallel_calls_in_chunks_keep_their_arguments(name: str, index: Literal["given", "missing"]) -> None:
    """Parallel calls keep their ids and arguments, even if the server sends no index."""
    calls = tuple(ToolCall(f"c{n}", "run", {"code": f"print({n})\n" * 9}) for n in range(3))
    (done,), _ = ask(name, Reply(calls=calls), asked(tool=TOOL), modes=Modes(index=index))
    assert [call.id for call in done.calls] == ["c0_0", "c1_1", "c2_2"]
    assert [call.arguments["code"] for call in done.calls] == [f"print({n})\n" * 9 for n in range(3)]


def test_unusual_chunks_from_compatible_servers_are_handled() -> None:
    """Chunks without choices, second choices, repeated index 0 and content in parts are all handled."""
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
def test_effort_is_sent_until_a_model_refuses_it(name: str) -> None:
    """The effort is sent in the dialect's format, and no longer after a model refuses it."""
    field = "output_config.effort" if name == ANTHROPIC else "reasoning_effort"
    prompt = Prompt(asked().messages, effort="low")
    _, (body,) = ask(name, "ok", prompt)
    assert body["output_config"] == {"effort": "low"} if name == ANTHROPIC else body["reasoning_effort"] == "low"
    done, bodies = ask(name, "ok", prompt, rejects=(field,), times=2)
    assert ([reply.text for reply in done], len(bodies)) == (["ok", "ok"], 3)
    assert not any(part in body for body in bodies[1:] for part in ("output_config", "reasoning_effort"))
    _, (silent,) = ask(name, "ok")
    assert not {"output_config", "reasoning_effort", "reasoning"} & set(silent)
