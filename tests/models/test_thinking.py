"""Thinking is sent back unchanged to the model that wrote it, and only to it. Thinking isn't an answer."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest
from talking import KEY, TOOL

from deeprepo.rlm import models
from deeprepo.rlm.models.answers import json_object, without_thinking
from deeprepo.rlm.values import Completion, Message, Prompt, ToolCall
from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.providers import Modes, Reply
from deeprepo_sandbox.providers.modes import Form

WANTED = [
    ("anthropic/claude-sonnet-5-5", "blocks"),
    ("gemini/gemini-3.5-flash", "thought_signature"),
    ("deepseek/deepseek-chat", "reasoning_content"),
    ("compatible/some-model", "reasoning"),
    ("openrouter/some/model", "reasoning_details"),
]
CALLS = (ToolCall("c", "run", {"code": "x"}), ToolCall("d", "run", {"code": "y"}))


def dialogue(name: str, modes: Modes, turns: int) -> tuple[list[Completion], list[Any]]:
    """Run several turns of a root with one model."""

    async def run() -> tuple[list[Completion], list[Any]]:
        opened = doubles.anthropic_server if name.startswith("anthropic/") else doubles.openai_server
        async with opened(Reply("first I look", calls=CALLS), modes=modes) as server:
            model = models.connect(name, KEY, server.base_url)
            messages = [Message("system", "You review code."), Message("user", "begin")]
            done = []
            try:
                for _ in range(turns):
                    reply = await model.complete(Prompt(tuple(messages), tool=TOOL))
                    done.append(reply)
                    messages.append(Message("assistant", reply.text, reply.calls, extra=reply.extra))
                    messages += [Message("tool", "seen", call_id=call.id) for call in reply.calls]
            finally:
                await model.close()
            return done, server.requests

    return asyncio.run(run())


@pytest.mark.parametrize(("name", "form"), WANTED)
@pytest.mark.parametrize("streams", [True, False])
def test_thinking_is_sent_back_in_every_turn(name: str, form: Form, streams: bool) -> None:
    """Providers that require their thinking back accept each turn, streamed or not."""
    modes = Modes(thinks=50, thinking=form, wants_thinking=True, streams=streams)
    done, _ = dialogue(name, modes, 5)
    assert [len(reply.calls) for reply in done] == [2] * 5
    assert all("think" not in reply.text for reply in done)


@pytest.mark.parametrize(("name", "form"), WANTED)
def test_thinking_is_not_sent_to_another_model(name: str, form: Form) -> None:
    """One model's thinking is not sent to another model of either dialect."""
    (first, *_), _ = dialogue(name, Modes(thinks=50, thinking=form), 1)
    asked = Prompt(
        (
            Message("user", "begin"),
            Message("assistant", first.text, first.calls, extra=first.extra),
            *(Message("tool", "seen", call_id=call.id) for call in first.calls),
        ),
        tool=TOOL,
    )

    async def bodies(other: str) -> str:
        opened = doubles.anthropic_server if other.startswith("anthropic/") else doubles.openai_server
        async with opened("ok") as server:
            model = models.connect(other, KEY, server.base_url)
            await model.complete(asked)
            await model.close()
            return str(server.requests)

    for other in ("anthropic/claude-haiku-4-5", "compatible/another"):
        sent = asyncio.run(bodies(other))
        assert not any(mark in sent for mark in ("signature", "let me think", "redacted", "encrypted"))


def test_thinking_is_not_sent_back_after_a_refusal() -> None:
    """After a refusal that names the field, thinking is no longer sent."""

    def reply(body: Mapping[str, Any]) -> Reply:
        if any("reasoning_content" in message for message in body["messages"]):
            return Reply("property 'reasoning_content' is unsupported", status=400)
        return Reply("go on", calls=CALLS)

    async def run() -> int:
        async with doubles.openai_server(reply, modes=Modes(thinking="reasoning_content")) as server:
            model = models.connect("groq/some", KEY, server.base_url)
            said = await model.complete(Prompt((Message("user", "begin"),), tool=TOOL))
            for _ in range(2):
                messages = (
                    Message("user", "begin"),
                    Message("assistant", "x", extra=said.extra),
                    Message("user", "go on"),
                )
                await model.complete(Prompt(messages, tool=TOOL))
            await model.close()
            return server.count

    assert asyncio.run(run()) == 4


SCHEMA = {"properties": {"ok": {"type": "integer"}}, "required": ["ok"], "additionalProperties": False}
ANSWERED = '{"ok": 2}'


@pytest.mark.parametrize(
    "text",
    [
        f'<think>\nthe author uses {{n}} and {{"ok": 1}}\n</think>\n\n{ANSWERED}',
        f'the template wrote the mark: {{"ok": 1}}\n</think>\n{ANSWERED}',
        f'[THINK]{{"ok": 1}}[/THINK]{ANSWERED}',
        f'◁think▷{{"ok": 1}}◁/think▷{ANSWERED}',
        f'<THINK>{{"ok": 1}}</THINK> <think></think>{ANSWERED}',
        f'<think>it mentions `</think>` {{"ok": 1}} </think> {ANSWERED}',
        f'A draft: {{"ok": 1}}. The answer: {ANSWERED}. It has {{"two": 3}}.',
        f'```json\n{{"ok": 1}}\n```\nno, rather\n```json\n{ANSWERED}\n```',
    ],
)
def test_thinking_text_is_not_an_answer(text: str) -> None:
    """Text in thinking is ignored, and the last JSON object that fits the schema is the answer."""
    answer, unfinished = without_thinking(text)
    assert (json_object(answer, SCHEMA), unfinished) == ({"ok": 2}, False)


@pytest.mark.parametrize("text", ['<think>{"ok": 1}', '[THINK] set_answer("x")\n```python\nx\n```', "◁think▷"])
def test_unfinished_thinking_gives_no_answer(text: str) -> None:
    """If thinking was cut off, there is no answer."""
    assert without_thinking(text) == ("", True)
