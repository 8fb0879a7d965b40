"""Differences between compatible servers: after a 400, the request is adapted and the format remembered."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest
from raw_server import raw_server

from deeprepo.rlm import models
from deeprepo.rlm.errors import BadAnswer, ProviderDown, ProviderRefused
from deeprepo.rlm.values import Completion, Message, Prompt, Schema
from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.providers import Reply

CLOSED = {
    "type": "object",
    "properties": {"ok": {"type": "boolean"}},
    "required": ["ok"],
    "additionalProperties": False,
}
ANSWER = Schema("verdict", "Whether it is right.", CLOSED)
TOOL = Schema("run", "Run code.", {"type": "object", "properties": {"code": {"type": "string"}}})
QUESTION = (Message("user", "is it right?"),)


def ask(
    prompt: Prompt,
    script: doubles.Script,
    rejects: tuple[str, ...] = (),
    name: str = "compatible/some-model",
    times: int = 1,
) -> tuple[list[Completion], list[Any], int]:
    """Return the replies, the request bodies and the number of repeated requests."""

    async def run() -> tuple[list[Completion], list[Any], int]:
        async with doubles.openai_server(script, rejects=rejects) as server:
            model = models.connect(name, "key", server.base_url)
            assert type(model).__name__ == "OpenAIModel"
            try:
                done = [await model.complete(prompt) for _ in range(times)]
            finally:
                await model.close()
            return done, server.requests, server.count - times

    return asyncio.run(run())


def test_refused_response_format_falls_back_to_a_forced_tool() -> None:
    """The answer is requested with a forced tool call, in later requests right away."""
    done, bodies, again = ask(Prompt(QUESTION, ANSWER), {"ok": True}, ("response_format",), times=3)
    assert [reply.data for reply in done] == [{"ok": True}] * 3
    assert [reply.stop for reply in done] == ["end"] * 3
    assert (again, ["tool_choice" in body for body in bodies]) == (1, [False, True, True, True])


def test_schema_is_described_in_words_if_formats_and_tools_are_refused() -> None:
    """The prompt describes the schema in words."""
    (done,), bodies, again = ask(Prompt(QUESTION, ANSWER), '{"ok": false}', ("response_format", "tools"))
    assert (done.data, again) == ({"ok": False}, 2)
    assert '"additionalProperties": false' in bodies[-1]["messages"][-1]["content"]


def test_instructions_become_a_user_message_if_system_role_is_refused() -> None:
    """The instructions are sent as a user message, in later requests right away."""

    def reply(body: Mapping[str, Any]) -> Reply:
        strict = any(message["role"] == "system" for message in body["messages"])
        return Reply("System role not supported", status=400) if strict else Reply("ok")

    prompt = Prompt((Message("system", "be kind"), Message("user", "x"), Message("user", "y")))
    done, bodies, again = ask(prompt, reply, times=2)
    assert ([said.text for said in done], again) == (["ok", "ok"], 1)
    assert bodies[-1]["messages"] == [{"role": "user", "content": "be kind\n\nx\n\ny"}]


def test_model_without_tools_writes_code_in_a_fence() -> None:
    """Without tools, the model writes its code in a fenced block."""
    (done,), _, again = ask(Prompt(QUESTION, tool=TOOL), "```python\nx = 1\n```", ("tools",))
    assert (done.text, done.stop, again) == ("```python\nx = 1\n```", "end", 1)


@pytest.mark.parametrize("field", ["max_tokens", "max_completion_tokens"])
def test_name_of_the_reply_limit_is_found_and_remembered(field: str) -> None:
    """The server's name for the reply limit is found and remembered."""
    for name in ("compatible/some-model", "azure/some-model"):
        done, bodies, again = ask(Prompt(QUESTION, max_tokens=77), "ok", (field,), name, times=2)
        assert [reply.text for reply in done] == ["ok", "ok"]
        assert again <= 1
        assert all(body.get("max_tokens", body.get("max_completion_tokens")) == 77 for body in bodies)


def test_no_key_is_taken_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server without a key doesn't get another provider's key."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-another")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1")

    async def run() -> str:
        async with doubles.openai_server("ok", key="none") as server:
            model = models.connect("ollama/llama", None, server.base_url)
            try:
                return (await model.complete(Prompt(QUESTION))).text
            finally:
                await model.close()

    assert asyncio.run(run()) == "ok"


def test_broken_model_call_raises_bad_answer() -> None:
    """A 400 about the model's own broken call raises BadAnswer, which can be retried."""
    with pytest.raises(BadAnswer, match="Try again"):
        ask(Prompt(QUESTION, tool=TOOL), Reply("Failed to call a function.", status=400, error="tool_use_failed"))


def test_error_in_a_200_response_is_raised() -> None:
    """An error in a 200 response raises an error instead of returning an empty reply."""

    async def run(raw: bytes) -> None:
        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\nconnection: close\r\n\r\n" % len(raw) + raw)

        async with raw_server(serve) as port:
            model = models.connect("compatible/m", None, f"http://127.0.0.1:{port}/v1")
            try:
                await model.complete(Prompt(QUESTION))
            finally:
                await model.close()

    with pytest.raises(ProviderDown, match="status 200"):
        asyncio.run(run(b'{"error": {"message": "upstream died"}}'))
    with pytest.raises(ProviderRefused, match="does not know the model"):
        asyncio.run(run(b'{"error": {"code": 404, "message": "no"}}'))
    with pytest.raises(ProviderDown, match="without a message"):
        asyncio.run(run(b'{"choices": []}'))
    with pytest.raises(ProviderDown, match="stopped in the middle of its reply"):
        asyncio.run(run(b'{"choices": [{"message": {"content": "ha'))
