"""Second opinions that are asked for more than once while a review grows: each is given once, and may be asked for ahead of time."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from typing import Any

from bot.errors import DeepRepoError
from bot.findings.verify import Ask
from bot.values import Completion, Prompt


class Opinions:
    """The second opinions of one review. A finding that has changed since has another prompt, so it gets an opinion of its own.

    `allowed`: whether a prompt may be sent before it is certain that anybody needs its answer.
    """

    def __init__(self, ask: Ask, is_allowed: Callable[[Prompt], bool] = lambda _: True) -> None:
        self._ask, self._allowed = ask, is_allowed
        self._given: dict[str, Completion] = {}
        self._ahead: set[asyncio.Task[Any]] = set()

    async def answers(self, prompts: Sequence[Prompt]) -> Sequence[Completion | DeepRepoError]:
        """An answer to each prompt. What failed before is asked for again."""
        await self.wait()
        return await self._answers(prompts)

    async def ask_ahead(self, prompts: Sequence[Prompt]) -> Sequence[Completion | DeepRepoError]:
        """The same ahead of time, for work that was begun with `begin`; an error for a prompt that may not be sent yet."""
        may_ask = [self._allowed(prompt) for prompt in prompts]
        replies = iter(await self._answers([prompt for prompt, may in zip(prompts, may_ask, strict=True) if may]))
        return [next(replies) if may else DeepRepoError("not asked ahead of time") for may in may_ask]

    def begin(self, work: Coroutine[Any, Any, object]) -> None:
        """Do this meanwhile; `answers` waits for its end."""
        self._ahead.add(asyncio.create_task(work))

    async def wait(self) -> None:
        """Wait for the end of everything that was begun. Raises the first error of it."""
        while self._ahead:
            tasks, self._ahead = self._ahead, set()
            try:
                await asyncio.gather(*tasks)
            finally:
                self._ahead |= {task for task in tasks if not task.done()}

    async def _answers(self, prompts: Sequence[Prompt]) -> list[Completion | DeepRepoError]:
        prompts_by_text = {text: prompt for prompt in prompts if (text := _text(prompt)) not in self._given}
        replies = dict(
            zip(
                prompts_by_text,
                await self._ask(tuple(prompts_by_text.values())) if prompts_by_text else (),
                strict=True,
            )
        )
        self._given.update({text: reply for text, reply in replies.items() if isinstance(reply, Completion)})
        return [self._given[text] if (text := _text(prompt)) in self._given else replies[text] for prompt in prompts]

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """At the end nothing that was begun goes on."""
        try:
            yield
        finally:
            for task in self._ahead:
                task.cancel()
            await asyncio.gather(*self._ahead, return_exceptions=True)


def _text(prompt: Prompt) -> str:
    return "\0".join(message.text for message in prompt.messages)
