"""Second opinions that are asked for more than once while a review grows: each is given once, and may be asked for ahead of time."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from bot.errors import DeepRepoError
from bot.findings import joint_opinions
from bot.findings.joint_opinions import Request
from bot.findings.verify import OpinionQuestion, Send
from bot.values import Finding
from rlm.values import Completion, Prompt

Reply = Completion | DeepRepoError


class Opinions:
    """The second opinions of one review. A finding that has changed since has another prompt, so it gets an opinion of its own.

    `is_allowed`: whether a prompt may be sent before it is certain that anybody needs its answer.
    """

    def __init__(
        self,
        send: Send,
        is_allowed: Callable[[Prompt], bool] = lambda _: True,
    ) -> None:
        self._send, self._is_allowed = send, is_allowed
        self._given: dict[str, Completion] = {}
        self._ahead: set[asyncio.Task[Any]] = set()
        # What code has found, once all of its checks are done: what is asked ahead of time waits for it.
        self.by_code: asyncio.Future[tuple[Finding, ...]] = asyncio.get_running_loop().create_future()

    def code_has_checked(self, findings: Sequence[Finding]) -> None:
        """Every check by code is done, and has found these."""
        if not self.by_code.done():
            self.by_code.set_result(tuple(findings))

    async def answers(self, questions: Sequence[OpinionQuestion]) -> Sequence[Reply]:
        """An answer to each question. What failed before is asked for again."""
        await self.wait()
        return await self._answers(questions, lambda _: True)

    async def ask_ahead(self, questions: Sequence[OpinionQuestion]) -> Sequence[Reply]:
        """The same ahead of time, for work that was begun with `begin`; an error for a prompt that may not be sent yet."""
        return await self._answers(questions, self._is_allowed)

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

    async def _answers(self, questions: Sequence[OpinionQuestion], is_allowed: Callable[[Prompt], bool]) -> list[Reply]:
        new = {text: one for one in questions if (text := _text(one.prompt)) not in self._given}
        requests = joint_opinions.requests([*new.values()])
        replies = await self._ask(requests, is_allowed)
        joint = [one for request in requests if len(request) > 1 for one in request]
        left_out = [(one,) for one in joint if joint_opinions.is_left_out(replies[_text(one.prompt)])]
        replies |= await self._ask(left_out, is_allowed)
        self._given.update({text: reply for text, reply in replies.items() if isinstance(reply, Completion)})
        return [self._given[text] if (text := _text(one.prompt)) in self._given else replies[text] for one in questions]

    async def _ask(self, requests: Sequence[Request], is_allowed: Callable[[Prompt], bool]) -> dict[str, Reply]:
        """The answer about each claim of these requests, by the text of its own prompt."""
        prompts = [joint_opinions.prompt(request) for request in requests]
        may_ask = [is_allowed(prompt) for prompt in prompts]
        allowed_prompts = [prompt for prompt, may in zip(prompts, may_ask, strict=True) if may]
        answers = iter(await self._send(allowed_prompts) if allowed_prompts else ())
        replies: dict[str, Reply] = {}
        for request, may in zip(requests, may_ask, strict=True):
            reply = next(answers) if may else DeepRepoError("not asked ahead of time")
            for one, own in zip(request, joint_opinions.replies(request, reply), strict=True):
                replies[_text(one.prompt)] = own
        return replies

    async def close(self) -> None:
        """Nothing that was begun goes on."""
        for task in self._ahead:
            task.cancel()
        await asyncio.gather(*self._ahead, return_exceptions=True)


def _text(prompt: Prompt) -> str:
    return "\0".join(message.text for message in prompt.messages)
