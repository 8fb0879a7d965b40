"""Work out which calls a review can still afford. A resumed run repeats what the earlier run decided."""

from collections.abc import Sequence
from dataclasses import replace

from deeprepo.rlm.journal import codec
from deeprepo.rlm.money import capacity
from deeprepo.rlm.money.calls import Calls
from deeprepo.rlm.values import Model, Prompt, Purpose, Usage

REPLY = 400  # tokens of a structured answer, assumed in estimates
# Thinking tokens, assumed in estimates
HABIT: dict[Purpose, int] = {"verify": 600, "worker": 800, "root": 2_000}


def second_calls(calls: Calls, model: Model, prompts: Sequence[Prompt], role: Purpose, more: int) -> list[bool]:
    """Return for each prompt whether one more call may follow in its dialogue, with `more` added tokens.

    A decision of an earlier run is repeated, since its requests are in the journal.
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


def affordable_calls(calls: Calls, model: Model, size: int, role: Purpose, part: int, most: int) -> int:
    """Return how many calls of `size` tokens fit, at most `most`.

    They may use 1/`part` of what is left for this role.
    """
    reply = _usual_reply(model, role)
    each = calls.budget.worst(model.price, model.name, Usage(size, reply))
    usd, tokens, count = (left / part for left in calls.budget.room(role))
    return max(0, int(min(usd / each if each else most, tokens / (size + reply), count, most)))


def _usual_reply(model: Model, role: Purpose) -> int:
    return REPLY + (HABIT[role] if capacity.may_think(model.name) else 0)


def _sent_before(calls: Calls, model: Model, prompt: Prompt) -> tuple[bool, bool]:
    """Return whether an earlier run sent this prompt with the offer of more code, and without it."""
    full = replace(prompt, effort=prompt.effort or calls.budget.limits.effort)
    plain = replace(full, answer=prompt.answer.final or prompt.answer if prompt.answer else None)
    with_offer, without = (calls.journal.outcomes.knows(codec.key(model, one)[0]) for one in (full, plain))
    return with_offer, without
