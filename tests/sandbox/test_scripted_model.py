"""The scripted model."""

import asyncio

import pytest

from bot.errors import RateLimited
from bot.values import Completion, Message, Prompt, Usage
from deeprepo_sandbox.scripted import ScriptedModel

PROMPT = Prompt((Message("user", "1234"),))


def test_a_sequence() -> None:
    """Texts, data, whole completions and errors are played in order, and the prompts are kept."""
    whole = Completion("c", Usage(1, 1), "length")
    model = ScriptedModel(["a", {"b": 1}, whole, RateLimited("wait", 2.0)])

    async def run() -> list[Completion]:
        return [await model.complete(PROMPT) for _ in range(3)]

    a, b, c = asyncio.run(run())
    assert (a.text, a.data, b.text, b.data, c) == ("a", None, '{"b": 1}', {"b": 1}, whole)
    with pytest.raises(RateLimited):
        asyncio.run(model.complete(PROMPT))
    assert model.prompts == [PROMPT] * 4
