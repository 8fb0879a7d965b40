"""What may be asked beyond a first question: the budget and the window hold it. What an earlier run decided stays."""

from collections.abc import Sequence
from dataclasses import replace

from bot.journal.codec import key as key_of
from bot.journal.writer import Journal
from bot.llm import capacity
from bot.llm.budget import Budget
from bot.llm.sizes import Sizes
from bot.masking.masks import Masks
from bot.ports import Model
from bot.values import Prompt, Purpose, Usage


class Offers:
    """The second calls of one review."""

    def __init__(self, budget: Budget, journal: Journal, masks: Masks, sizes: Sizes) -> None:
        self._budget, self._journal, self._masks, self._sizes = budget, journal, masks, sizes

    def second_calls(self, model: Model, prompts: Sequence[Prompt], role: Purpose, more: int) -> list[bool]:
        """Which of these prompts may be followed by one more call each, in the same dialogue with `more` tokens added to it.

        What an earlier run decided stays: its requests are in the journal.
        """
        prompts = self._masks.prompts(prompts)
        usd, tokens, calls = self._budget.room(role)
        reply, window = self._reply(model, role), self._sizes.window(model)
        sizes = [self._sizes.likely(model, key_of(model.name, prompt)[1]) for prompt in prompts]
        usd -= sum(self._budget.worst(model.price, model.name, Usage(size, reply)) for size in sizes)
        tokens -= sum(size + reply for size in sizes)
        calls -= len(prompts)
        may_follow = []
        for prompt, size in zip(prompts, sizes, strict=True):
            usage = Usage(size + more + reply, reply)
            second, need = self._budget.worst(model.price, model.name, usage), usage.input + usage.output
            fits_window = window is None or need + prompt.max_tokens // 2 <= window
            with_offer, without = self._sent_before(model, prompt)
            may = (
                with_offer if with_offer != without else second <= usd and need <= tokens and calls >= 1 and fits_window
            )
            may_follow.append(may)
            if may:
                usd, tokens, calls = usd - second, tokens - need, calls - 1
        return may_follow

    def knows(self, model: Model, prompt: Prompt) -> bool:
        """Whether an earlier run has sent this prompt."""
        return any(self._sent_before(model, self._masks.prompt(prompt)))

    def may_precede(self, model: Model, prompt: Prompt) -> bool:
        """Whether this prompt may be sent before it is certain that its answer is needed. A replay sends recorded ones only."""
        return not self._journal.replays or self.knows(model, prompt)

    def room_for(self, model: Model, size: int, role: Purpose, part: int, most: int) -> int:
        """How many calls of so many tokens, `most` at most, one part in so many of what this role may still use holds."""
        reply = self._reply(model, role)
        each = self._budget.worst(model.price, model.name, Usage(size, reply))
        usd, tokens, calls = (left / part for left in self._budget.room(role))
        return max(0, int(min(usd / each if each else most, tokens / (size + reply), calls, most)))

    def _reply(self, model: Model, role: Purpose) -> int:
        """The tokens of a reply, as an estimate assumes them."""
        return capacity.REPLY + (0 if capacity.thinking(model.name) == "no" else capacity.HABIT[role])

    def _sent_before(self, model: Model, prompt: Prompt) -> tuple[bool, bool]:
        """Whether an earlier run has sent this prompt with the offer to ask for more, and without."""
        full = replace(prompt, effort=prompt.effort or self._budget.limits.effort)
        plain = replace(full, answer=prompt.answer.final or prompt.answer if prompt.answer else None)
        with_offer, without = (self._journal.knows(key_of(model.name, one)[0]) for one in (full, plain))
        return with_offer, without
