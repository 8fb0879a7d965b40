"""Anthropic's API: cache marks, separate system prompts, and models that refuse a forced tool call."""

import asyncio
from typing import Any

from deeprepo.rlm import models
from deeprepo.rlm.values import Completion, Message, Prompt, Schema, ToolCall
from deeprepo_sandbox import providers as doubles

ANSWER = Schema("verdict", "Whether it is right.", {"type": "object", "properties": {"ok": {"type": "boolean"}}})
TOOL = Schema("run", "Run code.", {"type": "object", "properties": {"code": {"type": "string"}}})


def ask(
    prompt: Prompt, script: doubles.Script, rejects: tuple[str, ...] = (), times: int = 1
) -> tuple[list[Completion], list[Any]]:
    """Return the replies and the request bodies."""

    async def run() -> tuple[list[Completion], list[Any]]:
        async with doubles.anthropic_server(script, rejects=rejects) as server:
            model = models.connect("anthropic/claude", "key", server.base_url)
            assert type(model).__name__ == "AnthropicModel"
            try:
                done = [await model.complete(prompt) for _ in range(times)]
            finally:
                await model.close()
            return done, server.requests

    return asyncio.run(run())


def marks(body: dict[str, Any]) -> list[str]:
    """Return the texts with a cache mark."""
    blocks = [*body.get("system", ()), *(block for message in body["messages"] for block in message["content"])]
    return [block.get("text") or block.get("content") for block in blocks if "cache_control" in block]


def test_single_question_marks_only_the_system_prompt() -> None:
    """For a single question, only the system prompt is marked, because the rest would never be read from the cache."""
    _, (body,) = ask(Prompt((Message("system", "S"), Message("user", "U"))), "ok")
    assert marks(body) == ["S"]


def test_dialogue_marks_its_prefix() -> None:
    """A dialogue in the REPL marks the system prompt, the first user message and the last message."""
    turns = (
        Message("system", "S"),
        Message("user", "U"),
        Message("assistant", "", (ToolCall("c", "run", {"code": "x"}),)),
        Message("tool", "T", call_id="c"),
    )
    _, (body,) = ask(Prompt(turns, tool=TOOL), "ok")
    assert marks(body) == ["S", "U", "T"]


def test_refused_forced_tool_falls_back_to_a_json_schema() -> None:
    """After refusing a forced tool call, the model gets a JSON schema, in later requests right away."""
    done, bodies = ask(Prompt((Message("user", "U"),), ANSWER), {"ok": True}, ("tool_choice",), times=3)
    assert [reply.data for reply in done] == [{"ok": True}] * 3
    assert ["output_config" in body for body in bodies] == [False, True, True, True]


def test_truncated_answer_gives_no_data() -> None:
    """An answer that was cut off at max_tokens gives no data, even if it can be parsed."""
    (done,), _ = ask(Prompt((Message("user", "U"),), ANSWER), doubles.Reply(data={"ok": True}, stop="length"))
    assert (done.data, done.stop) == (None, "length")
