"""What a review may still ask: by what is left of its caps, and in a run that goes on by what an earlier one has asked."""

from collections.abc import Sequence
from dataclasses import replace

from deeprepo.rlm.journal import codec
from deeprepo.rlm.money import capacity
from deeprepo.rlm.money.calls import Calls
from deeprepo.rlm.values import Model, Prompt, Purpose, Usage

REPLY = 400  # tokens of a structured answer, as an estimate assumes them
# Tokens of thinking that an estimate assumes
HABIT: dict[Purpose, int] = {"verify": 600, "worker": 800, "pairs": 1_200, "root": 2_000}


def second_calls(calls: Calls, model: Model, prompts: Sequence[Prompt], role: Purpose, more: int) -> list[bool]:
    """Return which of these prompts may be followed by one more call each, in the same dialogue with `more` tokens added to it.

    What an earlier run decided stays: its requests are in the journal.
    """
    prompts = calls.masks.prompts(prompts)
    usd, tokens, count = calls.budget.room(role)
    reply, window = _usual_reply(model, role), calls.sizes.window(model)
    sizes = [calls.sizes.likely(model, codec.key(model, prompt)[1]) for prompt in prompts]
    usd -= sum(calls.budget.worst(model.price, model.name, Usage(size, reply)) for size in sizes)
    tokens -= sum(size + reply for size in sizes)
    count -= len(prompts)
    may_follow = []
    for prompt, size in zip(prompts, sizes, strict=True):
        second = Usage(size + more + reply, reply)
        cost, need = calls.budget.worst(model.price, model.name, second), second.input + second.output
        fits_window = window is None or need + prompt.max_tokens // 2 <= window
        with_offer, without = _sent_before(calls, model, prompt)
        is_affordable = cost <= usd and need <= tokens and count >= 1 and fits_window
        may_follow.append(with_offer if with_offer != without else is_affordable)
        if may_follow[-1]:
            usd, tokens, count = usd - cost, tokens - need, count - 1
    return may_follow


def room_for(calls: Calls, model: Model, size: int, role: Purpose, part: int, most: int) -> int:
    """Return how many calls of so many tokens, `most` at most, one part in so many of what this role may still use holds."""
    reply = _usual_reply(model, role)
    each = calls.budget.worst(model.price, model.name, Usage(size, reply))
    usd, tokens, count = (left / part for left in calls.budget.room(role))
    return max(0, int(min(usd / each if each else most, tokens / (size + reply), count, most)))


def may_precede(calls: Calls, model: Model, prompt: Prompt) -> bool:
    """Return whether this prompt may be sent before it is certain that its answer is needed. A replay sends recorded ones only."""
    return not calls.journal.replayed or any(_sent_before(calls, model, calls.masks.prompts([prompt])[0]))


def _usual_reply(model: Model, role: Purpose) -> int:
    """The tokens of a reply, as an estimate assumes them."""
    return REPLY + (HABIT[role] if capacity.may_think(model.name) else 0)


def _sent_before(calls: Calls, model: Model, prompt: Prompt) -> tuple[bool, bool]:
    """Whether an earlier run has sent this prompt with the offer to ask for more, and without."""
    full = replace(prompt, effort=prompt.effort or calls.budget.limits.effort)
    plain = replace(full, answer=prompt.answer.final or prompt.answer if prompt.answer else None)
    with_offer, without = (calls.journal.outcomes.knows(codec.key(model, one)[0]) for one in (full, plain))
    return with_offer, without
