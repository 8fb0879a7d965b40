"""A model that says what it was told to say: for tests, demos and rehearsals. Nothing leaves the process."""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from deeprepo.rlm.errors import ProviderError, ProviderRefused
from deeprepo.rlm.values import Completion, Prompt, Usage
from deeprepo_sandbox import honest

Reply = str | Mapping[str, Any] | Completion | ProviderError
Script = Sequence[Reply] | Callable[[Prompt], Reply]

CHARS_PER_TOKEN = 4


class ScriptedModel:
    """Answers from a sequence, one reply per call, or from a function of the prompt. Satisfies `ports.Model`.

    A text is a plain reply, a mapping a structured answer, a ProviderError is raised. Where a reply names no usage,
    tokens are counted as a quarter of the characters. `price` is dollars per token, None for a price that is unknown.
    """

    def __init__(
        self, script: Script, name: str = "scripted/model", delay: float = 0.0, price: float | None = None
    ) -> None:
        self.name = name
        self.prompts: list[Prompt] = []  # what it was asked, in order
        self.peak = 0  # most calls in flight at once
        self._script, self._delay, self._price, self._flying = script, delay, price, 0

    def __repr__(self) -> str:
        return f"ScriptedModel({self.name!r})"

    async def complete(self, prompt: Prompt) -> Completion:
        """The next reply. Raises ProviderRefused where the sequence has come to its end."""
        self.prompts.append(prompt)
        reply = self._next(prompt)
        self._flying += 1
        self.peak = max(self.peak, self._flying)
        try:
            await asyncio.sleep(self._delay)
        finally:
            self._flying -= 1
        if isinstance(reply, ProviderError):
            raise reply
        return _completion(reply, prompt)

    def _next(self, prompt: Prompt) -> Reply:
        if callable(self._script):
            return self._script(prompt)
        if len(self.prompts) > len(self._script):
            raise ProviderRefused(
                f"the script of {self.name} has {len(self._script)} replies and was asked for one more"
            )
        return self._script[len(self.prompts) - 1]

    def price(self, usage: Usage) -> float | None:
        """Dollars for this usage, None where no price was given."""
        return None if self._price is None else (usage.input + usage.output) * self._price

    async def close(self) -> None:
        """Nothing is open."""


def _completion(reply: str | Mapping[str, Any] | Completion, prompt: Prompt) -> Completion:
    if isinstance(reply, str):
        reply = Completion(reply, Usage())
    elif not isinstance(reply, Completion):
        if prompt.answer is not None and "files" in prompt.answer.parameters["properties"]:
            reply = honest.told(reply, (message.text for message in prompt.messages))
        reply = Completion(json.dumps(dict(reply)), Usage(), data=reply)
    if reply.usage != Usage():
        return reply
    asked = sum(len(message.text) for message in prompt.messages)
    return replace(reply, usage=Usage(asked // CHARS_PER_TOKEN + 1, len(reply.text) // CHARS_PER_TOKEN + 1))
