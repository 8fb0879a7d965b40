"""A question to a model that may ask to see more code, once, before it answers: two calls at most.

The offer is the field `look_ups` in the form of the answer. It is made if the second call fits too: the model's window, and
what the review may still spend, beside the first calls of all the others.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from bot import render
from bot.context import look_ups
from bot.context.look_up_room import LookedUp
from bot.context.look_ups import LookUps
from bot.errors import BudgetSpent, DeepRepoError, ProviderError
from bot.findings import read, verify
from bot.llm.calls import Calls
from bot.ports import Model
from bot.values import Completion, Finding, LookUp, Prompt, Purpose

REPEATED = 500  # tokens of the first answer and of what is said with the results


@dataclass(frozen=True, slots=True)
class Dialogues:
    """Such questions to one model."""

    calls: Calls
    model: Model
    role: Purpose
    look_ups: LookUps | None  # None: nobody may ask back

    async def answers(self, prompts: Sequence[Prompt]) -> list[Completion | DeepRepoError]:
        """The last answer to each prompt. If the second call failed it is the first one, with what it still asks for."""
        with self.offering(prompts) as offers:
            first = await self.send(offers)
        wishes_by_prompt = [
            () if _has_verdict(reply) else wishes(prompt, reply) for prompt, reply in zip(offers, first, strict=True)
        ]
        back = [(at, reply) for at, reply in enumerate(first) if isinstance(reply, Completion) and wishes_by_prompt[at]]
        further_prompts = [further(offers[at], reply, await self.show(wishes_by_prompt[at])) for at, reply in back]
        second = dict(zip((at for at, _ in back), await self.send(further_prompts), strict=True))
        replies: list[Completion | DeepRepoError] = []
        for at, reply in enumerate(first):
            last = second.get(at, reply)
            replies.append(_without_wishes(last) if isinstance(last, Completion) else reply)
        return replies

    async def send(self, prompts: Sequence[Prompt]) -> list[Completion | ProviderError | BudgetSpent]:
        """Send these prompts as they are."""
        return await self.calls.many(self.model, prompts, self.role)

    @contextmanager
    def offering(self, prompts: Sequence[Prompt]) -> Iterator[list[Prompt]]:
        """The prompts as they are to be sent first: with the offer where it can be kept, else without."""
        more = look_ups.TOKENS + REPEATED
        with self.calls.offers.promising(self.model, prompts, self.role, more) as offers:
            can_offer = self.look_ups is not None
            yield [one if can_offer and offer else final(one) for one, offer in zip(prompts, offers, strict=True)]

    async def show(self, look_ups: Sequence[LookUp]) -> tuple[LookedUp, ...]:
        """The code that was asked for."""
        return await self.look_ups.show(look_ups) if self.look_ups is not None and look_ups else ()


def wishes(prompt: Prompt, reply: Completion | DeepRepoError) -> tuple[LookUp, ...]:
    """What a first answer asks to see; nothing where nothing was offered."""
    has_offer = prompt.answer is not None and prompt.answer.final is not None
    return read.look_ups(reply.data) if has_offer and isinstance(reply, Completion) else ()


def further(prompt: Prompt, reply: Completion, shown_code: Sequence[LookedUp], vague: Sequence[Finding] = ()) -> Prompt:
    """The same dialogue, with the code that was asked for and the question for the last answer, after which nothing more is shown.

    The form stays: providers read the beginning of a dialogue from their cache only if its tools are the same.
    """
    form = prompt.answer.name if prompt.answer is not None else ""
    text = render.text("prompts/looked_up.md.j2", about=prompt.about, results=shown_code, vague=vague, form=form)
    return prompt.further(reply, text)


def final(prompt: Prompt) -> Prompt:
    """The prompt whose answer can ask for nothing."""
    return replace(prompt, answer=prompt.answer.final or prompt.answer) if prompt.answer else prompt


def _has_verdict(reply: Completion | DeepRepoError) -> bool:
    """Whether a second opinion has come to a verdict: what it would like to see besides cannot be worth another call."""
    verdict = verify.opinion(reply) if isinstance(reply, Completion) else None
    return verdict is not None and not verdict.open


def _without_wishes(reply: Completion) -> Completion:
    """An answer after which nothing more is shown: what it asks for all the same is left out."""
    return replace(
        reply, data={name: value for name, value in reply.data.items() if name != "look_ups"} if reply.data else None
    )
