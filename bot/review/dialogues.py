"""Ask a model a question and let it request more code once before it answers, in at most two calls.

The request is the field `look_ups` in the answer form. It is offered only if the second call fits into the
model's window and into the remaining budget, after the first calls of all other prompts.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from bot import render
from bot.errors import DeepRepoError
from bot.findings import joint_opinions, read, verify
from bot.review import foresight
from bot.review.context import look_ups
from bot.review.context.look_up_room import LookedUp
from bot.review.context.look_ups import LookUps
from bot.values import Excerpt, Finding, LookUp
from deeprepo.rlm.errors import BudgetSpent, ProviderError
from deeprepo.rlm.money.calls import Calls
from deeprepo.rlm.values import Completion, Model, Prompt, Purpose

REPEATED = 500  # tokens of the first answer and of the text that introduces the results
# tokens of shown code: for one claim, and for an answer about several claims
ONE_TOKENS, JOINT_TOKENS = look_ups.TOKENS, 8_000


@dataclass(frozen=True, slots=True)
class Dialogues:
    """Asks such questions of one model."""

    calls: Calls
    model: Model
    role: Purpose
    look_ups: LookUps | None  # None: models can't request code

    async def answers(
        self, prompts: Sequence[Prompt], shown: Sequence[Sequence[Excerpt]] = ()
    ) -> list[Completion | DeepRepoError]:
        """Ask each prompt and return its last answer.

        `shown`: the code in each prompt, which is not sent again. If the second call fails, the first answer is
        returned, with its open requests.
        """
        return [reply for reply, _ in await self.answers_with_code(prompts, shown)]

    async def answers_with_code(
        self, prompts: Sequence[Prompt], shown: Sequence[Sequence[Excerpt]] = ()
    ) -> list[tuple[Completion | DeepRepoError, tuple[Excerpt, ...]]]:
        """Ask each prompt and return its last answer, with the code that was looked up for it."""
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
        looked_up = {
            at: await self.show(wishes_by_prompt[at], offers[at], shown[at] if shown else ()) for at, _ in back
        }
        further_prompts = [further(offers[at], reply, looked_up[at]) for at, reply in back]
        second = dict(zip((at for at, _ in back), await self.send(further_prompts), strict=True))
        replies: list[tuple[Completion | DeepRepoError, tuple[Excerpt, ...]]] = []
        for at, reply in enumerate(first):
            last = second.get(at, reply)
            code = tuple(excerpt for each in looked_up.get(at, ()) for excerpt in each.excerpts)
            replies.append((_last_word(reply, last) if isinstance(last, Completion) else reply, code))
        return replies

    async def send(self, prompts: Sequence[Prompt]) -> list[Completion | ProviderError | BudgetSpent]:
        """Send these prompts unchanged."""
        return await self.calls.many(self.model, prompts, self.role)

    def offering(self, prompts: Sequence[Prompt]) -> list[Prompt]:
        """Return the first prompts to send. They offer to request code if a second call fits."""
        more = (JOINT_TOKENS if any(map(_are_several, prompts)) else ONE_TOKENS) + REPEATED
        offers = foresight.second_calls(self.calls, self.model, prompts, self.role, more)
        can_offer = self.look_ups is not None
        return [prompt if can_offer and offer else final(prompt) for prompt, offer in zip(prompts, offers, strict=True)]

    async def show(
        self, wishes: Sequence[LookUp], prompt: Prompt, shown: Iterable[Excerpt] = ()
    ) -> tuple[LookedUp, ...]:
        """Return the requested code without the lines in `shown`, which the dialogue already contains."""
        if self.look_ups is None or not wishes:
            return ()
        return await self.look_ups.show(wishes, _room(prompt), shown)


def wishes(prompt: Prompt, reply: Completion | DeepRepoError) -> tuple[LookUp, ...]:
    """Return what a first answer asks to see; nothing if the prompt did not offer it."""
    has_offer = prompt.answer is not None and prompt.answer.final is not None
    if not has_offer or not isinstance(reply, Completion):
        return ()
    return read.look_ups(reply.data, are_several=_are_several(prompt))


def further(
    prompt: Prompt,
    reply: Completion,
    shown_code: Sequence[LookedUp],
    vague: Sequence[Finding] = (),
) -> Prompt:
    """Return the dialogue extended by the requested code and the question for the final answer.

    The form stays the same, because providers only use their cache if the tools are unchanged.
    """
    form = read.kind(prompt.answer)
    open_claims = joint_opinions.open_claims(reply.data)
    values = {"about": prompt.about, "results": shown_code, "vague": vague, "form": form, "open_claims": open_claims}
    text = render.text("prompts/looked_up.md.j2", **values)
    return prompt.further(reply, text)


def final(prompt: Prompt) -> Prompt:
    """Return the prompt with a form that offers no requests."""
    return replace(prompt, answer=prompt.answer.final or prompt.answer) if prompt.answer else prompt


def _are_several(prompt: Prompt) -> bool:
    """Return whether a prompt is about several claims."""
    return read.kind(prompt.answer) == joint_opinions.VERDICTS


def _room(prompt: Prompt) -> int:
    return JOINT_TOKENS if _are_several(prompt) else ONE_TOKENS


def _has_verdict(reply: Completion | DeepRepoError) -> bool:
    """Return whether a confirmation already has its verdict, so that showing more code isn't worth a call."""
    data = reply.data if isinstance(reply, Completion) else None
    if data and joint_opinions.VERDICTS in data:
        return not joint_opinions.open_claims(data)
    verdict = verify.verdict_of(data)
    return verdict is not None and not verdict.is_undecided


def _last_word(first: Completion | DeepRepoError, last: Completion) -> Completion:
    """Return the final answer without its further requests, and keep what the first answer decided."""
    if isinstance(first, Completion) and first is not last and joint_opinions.VERDICTS in (first.data or {}):
        last = joint_opinions.join_answers(first, last)
    data = {name: value for name, value in last.data.items() if name != "look_ups"} if last.data else None
    return replace(last, data=data)
