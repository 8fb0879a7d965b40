"""A question to a model that may ask to see more code, once, before it answers: two calls at most.

The offer is the field `look_ups` in the form of the answer. It is made if the second call fits too: the model's window, and
what the review may still spend, beside the first calls of all the others.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bot import render
from bot.errors import DeepRepoError
from bot.findings import joint_opinions, read, verify
from bot.review import foresight
from bot.review.context import look_ups
from bot.review.context.look_up_room import LookedUp
from bot.review.context.look_ups import LookUps
from bot.values import Finding, LookUp
from deeprepo.rlm.errors import BudgetSpent, ProviderError
from deeprepo.rlm.money.calls import Calls
from deeprepo.rlm.values import Completion, Model, Prompt, Purpose

REPEATED = 500  # tokens of the first answer and of what is said with the results
ONE_TOKENS, JOINT_TOKENS = look_ups.TOKENS, 8_000  # of what is shown; to an answer about several claims


@dataclass(frozen=True, slots=True)
class Dialogues:
    """Such questions to one model."""

    calls: Calls
    model: Model
    role: Purpose
    look_ups: LookUps | None  # None: nobody may ask back

    async def answers(self, prompts: Sequence[Prompt]) -> list[Completion | DeepRepoError]:
        """Ask each prompt and return its last answer. If the second call failed it is the first one, with what it still asks for."""
        offers = self.offering(prompts)
        first = await self.send(offers)
        wishes_by_prompt = [
            () if _has_verdict(reply) else wishes(prompt, reply) for prompt, reply in zip(offers, first, strict=True)
        ]
        back = [
            (index, reply)
            for index, reply in enumerate(first)
            if isinstance(reply, Completion) and wishes_by_prompt[index]
        ]
        further_prompts = [
            further(offers[at], reply, await self.show(wishes_by_prompt[at], offers[at])) for at, reply in back
        ]
        second = dict(zip((at for at, _ in back), await self.send(further_prompts), strict=True))
        replies: list[Completion | DeepRepoError] = []
        for at, reply in enumerate(first):
            last = second.get(at, reply)
            replies.append(_last_word(reply, last) if isinstance(last, Completion) else reply)
        return replies

    async def send(self, prompts: Sequence[Prompt]) -> list[Completion | ProviderError | BudgetSpent]:
        """Send these prompts as they are."""
        return await self.calls.many(self.model, prompts, self.role)

    def offering(self, prompts: Sequence[Prompt]) -> list[Prompt]:
        """Return the prompts as they are to be sent first: with the offer where it can be kept, else without."""
        more = (JOINT_TOKENS if any(map(_are_several, prompts)) else ONE_TOKENS) + REPEATED
        offers = foresight.second_calls(self.calls, self.model, prompts, self.role, more)
        can_offer = self.look_ups is not None
        return [prompt if can_offer and offer else final(prompt) for prompt, offer in zip(prompts, offers, strict=True)]

    async def show(self, wishes: Sequence[LookUp], prompt: Prompt) -> tuple[LookedUp, ...]:
        """Return the code that the reader of a prompt has asked for."""
        if self.look_ups is None or not wishes:
            return ()
        return await self.look_ups.show(wishes, _room(prompt))


def wishes(prompt: Prompt, reply: Completion | DeepRepoError) -> tuple[LookUp, ...]:
    """Return what a first answer asks to see; nothing where nothing was offered."""
    has_offer = prompt.answer is not None and prompt.answer.final is not None
    if not has_offer or not isinstance(reply, Completion):
        return ()
    return read.look_ups(reply.data, are_several=_are_several(prompt))


def further(prompt: Prompt, reply: Completion, shown_code: Sequence[LookedUp], vague: Sequence[Finding] = ()) -> Prompt:
    """Return the same dialogue, with the code that was asked for and the question for the last answer, after which nothing more is shown.

    The form stays: providers read the beginning of a dialogue from their cache only if its tools are the same.
    """
    form = prompt.answer.name if prompt.answer is not None else ""
    open_claims = joint_opinions.open_claims(reply.data)
    values = {"about": prompt.about, "results": shown_code, "vague": vague, "form": form, "open_claims": open_claims}
    text = render.text("prompts/looked_up.md.j2", **values)
    return prompt.further(reply, text)


def final(prompt: Prompt) -> Prompt:
    """Return the prompt whose answer can ask for nothing."""
    return replace(prompt, answer=prompt.answer.final or prompt.answer) if prompt.answer else prompt


def _are_several(prompt: Prompt) -> bool:
    """Whether a prompt is about several claims."""
    return prompt.answer is not None and prompt.answer.name == joint_opinions.VERDICTS


def _room(prompt: Prompt) -> int:
    return JOINT_TOKENS if _are_several(prompt) else ONE_TOKENS


def _has_verdict(reply: Completion | DeepRepoError) -> bool:
    """Whether a second opinion has come to a verdict: what it would like to see besides cannot be worth another call."""
    data = reply.data if isinstance(reply, Completion) else None
    if data and joint_opinions.VERDICTS in data:
        return not joint_opinions.open_claims(data)
    verdict = verify.verdict_of(data)
    return verdict is not None and not verdict.is_undecided


def _last_word(first: Completion | DeepRepoError, last: Completion) -> Completion:
    """An answer after which nothing more is shown: what it asks for all the same is left out, what the first has decided stays."""
    if isinstance(first, Completion) and first is not last and joint_opinions.VERDICTS in (first.data or {}):
        last = joint_opinions.join_answers(first, last)
    data = {name: value for name, value in last.data.items() if name != "look_ups"} if last.data else None
    return replace(last, data=data)
