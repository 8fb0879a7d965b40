"""Helpers for tests of both API dialects, with a model that talks to a local server over HTTP."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import pytest

from deeprepo.rlm import models
from deeprepo.rlm.models import Key
from deeprepo.rlm.values import Completion, Message, Model, Prompt, Schema
from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.providers import Server

KEY = "sk-Very-Secret-123456"
ASKED = "the text of a hostile pull request"
ANSWER = Schema(
    "findings",
    "What is wrong with the change.",
    {
        "type": "object",
        "properties": {"findings": {"type": "array", "items": {"type": "string"}}},
        "required": ["findings"],
        "additionalProperties": False,
    },
)
TOOL = Schema("run", "Run code.", {"type": "object", "properties": {"code": {"type": "string"}}, "required": ["code"]})
OPENAI, ANTHROPIC = "openai/gpt-5-mini", "anthropic/claude-sonnet-4-5"

T = TypeVar("T")
dialects = pytest.mark.parametrize("name", [OPENAI, ANTHROPIC])


def asked(text: str = ASKED, answer: Schema | None = None, tool: Schema | None = None) -> Prompt:
    return Prompt((Message("system", "You review code."), Message("user", text)), answer, tool)


def talk(
    name: str, script: doubles.Script, use: Callable[[Model, Server], Awaitable[T]], key: Key = KEY, timeout: float = 20
) -> T:
    """Run `use` with a model of this name that talks to a server with this script."""

    async def run() -> T:
        opened = doubles.anthropic_server if name.startswith("anthropic/") else doubles.openai_server
        async with opened(script, key=KEY if key == KEY else "") as server:
            model = models.connect(name, key, server.base_url, timeout)
            try:
                return await use(model, server)
            finally:
                await model.close()

    return asyncio.run(run())


def complete(name: str, reply: doubles.Script, prompt: Prompt | None = None) -> Completion:
    return talk(name, reply, lambda model, _: model.complete(prompt or asked()))
