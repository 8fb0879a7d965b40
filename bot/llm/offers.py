"""Which prompts may be followed by a second call: the budget and the window hold both. What an earlier run decided stays."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from bot.journal.codec import key as key_of
from bot.journal.writer import Journal
from bot.llm import capacity
from bot.llm.budget import Budget, Hold, dearest, unknown
from bot.llm.sizes import Sizes
from bot.masking.masks import Masks
from bot.ports import Model
from bot.values import Prompt, Purpose, Usage


class Offers:
    """The second calls of one review."""

    def __init__(self, budget: Budget, journal: Journal, masks: Masks, sizes: Sizes) -> None:
        self._budget, self._journal, self._masks, self._sizes = budget, journal, masks, sizes

    @contextmanager
    def promising(self, model: Model, prompts: Sequence[Prompt], role: Purpose, more: int) -> Iterator[list[bool]]:
        """Which of these prompts may be followed by one more call each, in the same dialogue with `more` tokens added to it.

        What these second calls are likely to use is kept back from other roles until the end of the block. What an earlier run
        decided stays: its requests are in the journal.
        """
        prompts = self._masks.prompts(prompts)
        usd, tokens, calls = self._budget.room(role)
        likely = [self._dialogue(model, prompt, role, more) for prompt in prompts]
        usd -= sum(first.usd for first, _ in likely)
        tokens -= sum(first.tokens for first, _ in likely)
        calls -= len(prompts)
        fits_by_prompt: list[bool] = []
        promise = Hold(0, 0.0)
        for prompt, (_, second) in zip(prompts, likely, strict=True):
            known_offer = self._known_offer(model, prompt)
            fits = (
                second.usd <= usd and second.tokens <= tokens and calls >= 1 and self._fits(model, prompt, role, more)
            )
            fits_by_prompt.append(fits if known_offer is None else known_offer)
            if fits_by_prompt[-1]:
                usd, tokens, calls = usd - second.usd, tokens - second.tokens, calls - 1
                promise = Hold(promise.tokens + second.tokens, promise.usd + second.usd)
        self._budget.promise(role, promise)
        try:
            yield fits_by_prompt
        finally:
            self._budget.break_promise(role, promise)

    def knows(self, model: Model, prompt: Prompt) -> bool:
        """Whether an earlier run has sent this prompt."""
        return any(self._earlier_offer(model, self._masks.prompt(prompt)))

    def may_precede(self, model: Model, prompt: Prompt) -> bool:
        """Whether this prompt may be sent before it is certain that its answer is needed. A replay sends recorded ones only."""
        return not self._journal.replays or self.knows(model, prompt)

    def _known_offer(self, model: Model, prompt: Prompt) -> bool | None:
        """Whether an earlier run has sent this prompt with the offer to ask for more, or without; None if neither."""
        with_offer, without = self._earlier_offer(model, prompt)
        return with_offer if with_offer != without else None

    def _earlier_offer(self, model: Model, prompt: Prompt) -> tuple[bool, bool]:
        """Whether an earlier run has sent this prompt with the offer to ask for more, and without."""
        full_prompt = replace(prompt, effort=prompt.effort or self._budget.limits.effort)
        plain = replace(full_prompt, answer=prompt.answer.final or prompt.answer if prompt.answer else None)
        return self._is_recorded(model, full_prompt), self._is_recorded(model, plain)

    def _is_recorded(self, model: Model, prompt: Prompt) -> bool:
        """Whether an earlier run has sent this very prompt."""
        return self._journal.knows(key_of(model.name, prompt)[0])

    def room_for(self, model: Model, size: int, role: Purpose, part: int, most: int) -> int:
        """How many calls of so many tokens, `most` at most, one part in so many of what this role may still use holds."""
        reply = capacity.REPLY + (0 if capacity.thinking(model.name) == "no" else capacity.HABIT[role])
        usage = Usage(size, reply)
        usd = dearest(model.price, usage)
        each = (0.0 if self._budget.is_owned(model.name) else unknown(usage)) if usd is None else usd
        dollars, tokens, calls = (left / part for left in self._budget.room(role))
        fits = min(dollars / each if each else most, tokens / (size + reply), calls, most)
        return max(0, int(fits))

    def _dialogue(self, model: Model, prompt: Prompt, role: Purpose, more: int) -> tuple[Hold, Hold]:
        """What the first and the second call of a dialogue are likely to use."""
        size = self._sizes.likely(model, key_of(model.name, prompt)[1])
        reply = capacity.REPLY + (0 if capacity.thinking(model.name) == "no" else capacity.HABIT[role])
        holds = []
        for usage in (Usage(size, reply), Usage(size + more + reply, reply)):
            usd = dearest(model.price, usage)
            dollars = (0.0 if self._budget.is_owned(model.name) else unknown(usage)) if usd is None else usd
            holds.append(Hold(usage.input + usage.output, dollars))
        return holds[0], holds[1]

    def _fits(self, model: Model, prompt: Prompt, role: Purpose, more: int) -> bool:
        """Whether both calls fit the model's window, as far as anybody knows it."""
        window, (_, second) = self._sizes.window(model), self._dialogue(model, prompt, role, more)
        return window is None or second.tokens + prompt.max_tokens // 2 <= window
