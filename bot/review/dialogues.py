"""Ask a model a question and let it request more code once before it answers, in at most two calls.

The request is the field `look_ups` in the answer form. It is offered only if the second call fits into the
model's window and into the remaining budget, after the first calls of all other prompts.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bot import render
from bot.findings import confirm, read
from bot.findings.confirm import Reply
from bot.review import foresight
from bot.review.context import look_ups
from bot.review.context.look_ups import LookedUp, LookUps
from bot.values import Excerpt, LookUp
from deeprepo.rlm.errors import BudgetSpent, ProviderError
from deeprepo.rlm.money.calls import Calls
from deeprepo.rlm.values import Completion, Model, Prompt, Purpose

REPEATED = 500  # tokens of the first answer and of the text that introduces the results


@dataclass(frozen=True, slots=True)
class Exchange:
    """The first answer to a prompt, and if it requested code, that code and the second answer."""

    first: Reply
    looked_up: tuple[LookedUp, ...] = ()
    second: Reply | None = None

    @property
    def answer(self) -> Reply:
        """The last answer without further requests; the first one, with its open requests, if the second call failed."""
        if not isinstance(self.second, Completion):
            return self.first
        data = self.second.data or {}
        return replace(self.second, data={name: value for name, value in data.items() if name != "look_ups"} or None)


@dataclass(frozen=True, slots=True)
class Dialogues:
    """Asks such questions of one model."""

    calls: Calls
    model: Model
    role: Purpose
    look_ups: LookUps | None  # None: models can't request code

    async def answers(self, prompts: Sequence[Prompt], shown: Sequence[Sequence[Excerpt]] = ()) -> list[Reply]:
        """Ask each prompt and return its last answer. Code in `shown` is not sent again."""
        return [exchange.answer for exchange in await self.exchanges(prompts, shown)]

    async def exchanges(self, prompts: Sequence[Prompt], shown: Sequence[Sequence[Excerpt]] = ()) -> list[Exchange]:
        """Ask each prompt and return both answers. For the arguments, see `answers`."""
        offers = self._offering(prompts)
        first = await self._send(offers)
        looked_up = dict[int, tuple[LookedUp, ...]]()
        further = list[Prompt]()
        for at, (prompt, reply) in enumerate(zip(offers, first, strict=True)):
            if self.look_ups is not None and isinstance(reply, Completion) and (wishes := _wishes(prompt, reply)):
                looked_up[at] = await self.look_ups.show(wishes, look_ups.TOKENS, shown[at] if shown else ())
                further.append(_further(prompt, reply, looked_up[at]))
        second = dict(zip(looked_up, await self._send(further), strict=True))
        return [Exchange(reply, looked_up.get(at, ()), second.get(at)) for at, reply in enumerate(first)]

    async def _send(self, prompts: Sequence[Prompt]) -> list[Completion | ProviderError | BudgetSpent]:
        return await self.calls.many(self.model, prompts, self.role) if prompts else []

    def _offering(self, prompts: Sequence[Prompt]) -> list[Prompt]:
        """Return the first prompts to send. They offer to request code if a second call fits."""
        offers = foresight.second_calls(self.calls, self.model, prompts, self.role, look_ups.TOKENS + REPEATED)
        can_offer = self.look_ups is not None
        return [
            prompt if can_offer and offer else _final(prompt) for prompt, offer in zip(prompts, offers, strict=True)
        ]


def _wishes(prompt: Prompt, reply: Completion) -> tuple[LookUp, ...]:
    """Return what a first answer asks to see; nothing if the prompt did not offer it, or if it has the verdict."""
    has_offer = prompt.answer is not None and prompt.answer.final is not None
    verdict = confirm.verdict_of(reply.data)
    return read.look_ups(reply.data) if has_offer and (verdict is None or verdict.is_undecided) else ()


def _further(prompt: Prompt, reply: Completion, looked_up: Sequence[LookedUp]) -> Prompt:
    """Return the dialogue extended by the requested code and the question for the final answer.

    The form stays the same, because providers only use their cache if the tools are unchanged.
    """
    values = {"about": prompt.about, "results": looked_up, "form": read.kind(prompt.answer)}
    return prompt.further(reply, render.text("prompts/looked_up.md.j2", **values))


def _final(prompt: Prompt) -> Prompt:
    return replace(prompt, answer=prompt.answer.final or prompt.answer) if prompt.answer else prompt
