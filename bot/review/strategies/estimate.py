"""Estimate a review's calls and cost for each effort.

It rehearses the review with models that only count tokens. The prompts of the model passes are exactly those
of a real review. How the root continues, how often models request more code, and how much is found and
confirmed cannot be known. For those, the averages below are assumed and printed with the estimate.
"""

import json
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bot.findings.placing import MOST_IN_FULL
from bot.review.foresight import HABIT
from bot.review.judging import SPARE
from bot.review.session import Session
from bot.review.strategies import load
from bot.values import ReviewEffort
from deeprepo.rlm.money import capacity
from deeprepo.rlm.repl import extraction
from deeprepo.rlm.values import CHARS_PER_TOKEN, Completion, Prompt, Purpose, Schema, ToolCall, Usage, density

PARTS = ("input", "output", "cache_read", "cache_write")
Likely = tuple[Usage, float]  # a call, and the average number of times it is made
LIKELY_CHARS = 4.1  # characters per token, measured on prompts of whole reviews with o200k_base
# tokens of an answer with findings: these, and a share of the tokens read
REPLY_TOKENS, REPLY_SHARE = 600, 0.06
TURN_TOKENS = 800  # tokens of a root's reply: its reasoning and its code
OVERHEAD = 4  # tokens around each message
Price = Callable[[Usage], float | None]
END_CODE = "set_answer('rehearsed')"


@dataclass
class DryRun:
    """A model that is never called.

    It counts the tokens of each prompt and returns a minimal reply. Satisfies `deeprepo.rlm.values.Model`.
    """

    name: str
    price: Price
    prompt_usages: list[Usage] = field(default_factory=list)  # what each prompt would use
    # the same for prompts whose answer may request more code
    look_up_usages: list[Usage] = field(default_factory=list)
    turn_usages: list[Usage] = field(default_factory=list)  # what each turn of a root would use

    async def complete(self, prompt: Prompt) -> Completion:
        """Return an empty answer, or the shortest block that ends a root's run."""
        form = prompt.answer or prompt.tool
        size = sum(self._tokens(m.text) + OVERHEAD for m in prompt.messages)
        size += self._tokens(json.dumps(form.parameters)) if form is not None else 0
        reply_tokens = REPLY_TOKENS + round(REPLY_SHARE * size) + self.thinking("worker")
        reply_tokens = TURN_TOKENS if prompt.tool else reply_tokens
        usage = Usage(size, min(reply_tokens, capacity.LARGEST))
        (self.turn_usages if prompt.tool else self.prompt_usages).append(usage)
        if prompt.answer is not None and prompt.answer.final is not None:
            self.look_up_usages.append(usage)
        if prompt.tool:
            return Completion(
                "", Usage(), "end", None, (ToolCall("rehearsal", extraction.TOOL.name, {"code": END_CODE}),)
            )
        return Completion("", Usage(), data=_least(prompt.answer))

    def thinking(self, role: Purpose) -> int:
        """Return the number of thinking tokens assumed for one reply."""
        return HABIT[role] if capacity.may_think(self.name) else 0

    def _tokens(self, text: str) -> int:
        return int(len(text) / density(self.name) * CHARS_PER_TOKEN / LIKELY_CHARS) + 1

    async def close(self) -> None:
        """Do nothing, since there is no connection."""


def _least(form: Schema | None) -> dict[str, Any]:
    """Return an empty answer that fits the form.

    An answer that doesn't fit would be requested again and counted twice. Optional fields are left out, because
    an empty summary of the change would mean that the model has not read it.
    """
    properties = form.parameters.get("properties", {}) if form is not None else {}
    required = {name: entry for name, entry in properties.items() if form is None or name not in form.forgiven}
    return {name: [] if entry.get("type") == "array" else "" for name, entry in required.items()}


# Assumptions for what cannot be counted: averages of the thirteen reviews in docs/evaluation.md, and for a
# root's turns, of 46 others. All their requests were recorded. Tokens are counted with `o200k_base`; other tokenizers
# may need more.
TURNS = 2.2  # turns of a root whose first prompt has SMALL_PROMPT tokens
MORE_TURNS, SMALL_PROMPT = 0.6, 2_600  # each doubling of that prompt adds MORE_TURNS
OUTPUT = 3_700  # tokens that a block prints, including the message around it
# FINDINGS per PART tokens read, and at least per review; as many are confirmed as are shown in full, and a few more
FINDINGS, PART = 0.7, 9_000
CONFIRMATION = 6_500  # tokens of a confirmation's prompt
# share of model passes and of confirmations that request more code in a second call
ASKING, DOUBTING = 0.25, 0.5
UNSEEN = 0.1  # share of the findings that are confirmed at effort medium, if the root reads the change
LOOKED_UP = 3_500  # tokens of the first answer and of the code that is then shown
PROOF, MENDING = 8_000, 0.5  # tokens of the prompt for a reproducing test, and how often the test is repaired
ASSUMED = (
    f"a root model takes {TURNS:g} turns, and {MORE_TURNS:g} more for each doubling of its first prompt above {SMALL_PROMPT:,} tokens, models report {FINDINGS:g} findings per {PART:,} tokens, one more call each confirms up to {MOST_IN_FULL + SPARE} of them ({UNSEEN:.0%} at medium if a root reads the change), "
    f"and {ASKING:.0%} of the calls request more code"
)


@dataclass(frozen=True, slots=True)
class Estimate:
    """The estimate for one effort and its strategy. `usd` is None if a price is unknown."""

    effort: ReviewEffort
    strategy: str
    calls: int
    usage: Usage
    # the part of `usage` that is known in advance: the prompts of the passes, and minimal answers
    weighed: Usage
    usd: float | None
    root_usd: float | None


async def estimate(name: str, effort: ReviewEffort, session: Session, *, verify: bool, proofs: int = 0) -> Estimate:
    """Rehearse a strategy over this session, whose models must be `DryRun`.

    `proofs`: the maximum number of findings to reproduce with a test.
    """
    session.effort = effort
    await load(name)(session)
    root, worker = session.root, session.reader
    if not isinstance(worker, DryRun) or not isinstance(root, DryRun | None):
        raise TypeError("an estimate needs models that only rehearse")
    others = [other for other in session.others if isinstance(other, DryRun)]
    by_others = [usage for run in others for usage in run.prompt_usages]
    read = [*worker.prompt_usages, *by_others, *(root.prompt_usages if root is not None else ())]
    read_tokens = sum(usage.input for usage in read)
    readings = _likely(worker.prompt_usages) + _again(worker.look_up_usages, ASKING, _sized(LOOKED_UP, worker))
    root_calls, first_turns = list[Likely](), list[Usage]()
    if root is not None:
        first_turns = root.turn_usages[:1]
        root_calls = _likely(root.prompt_usages) + _again(root.look_up_usages, ASKING, _sized(LOOKED_UP, root))
        for first in root.turn_usages[:1]:
            root_calls += _turns(first, root)
    judge = worker if root is None or effort == "low" else root
    share = UNSEEN if effort == "medium" and name == "root" else 1.0
    confirmations = _confirmations(read_tokens, judge, proofs, share) if verify and read_tokens else []
    by_root = _usd(root.price, root_calls) if root is not None else 0.0
    beside = [_usd(run.price, _likely(run.prompt_usages)) for run in others]
    rest = _sum(_usd(worker.price, readings), *beside, _usd(judge.price, confirmations))
    every = [*readings, *_likely(by_others), *root_calls, *confirmations]
    usage = Usage(*(round(sum(getattr(one, part) * times for one, times in every)) for part in PARTS))
    calls = round(sum(times for _, times in every))
    weighed = sum([*read, *first_turns], Usage())
    return Estimate(effort, name, calls, usage, weighed, _sum(by_root, rest), by_root)


def _likely(usages: Iterable[Usage]) -> list[Likely]:
    return [(usage, 1.0) for usage in usages]


def _again(usages: Sequence[Usage], share: float, looked_up: int) -> list[Likely]:
    """Return the second calls after requests for more code, whose repeated prompt may be cached."""
    return [(replace(usage, input=usage.input + looked_up, cache_read=usage.input), share) for usage in usages]


def _confirmations(read_tokens: int, judge: DryRun, proofs: int, share: float) -> list[Likely]:
    count = min(FINDINGS * max(1.0, read_tokens / _sized(PART, judge)), MOST_IN_FULL + SPARE)
    thinking = judge.thinking("verify")
    size = Usage(_sized(CONFIRMATION, judge), 200 + thinking)
    test_count = min(proofs, math.ceil(count))
    writing = Usage(PROOF, 1_000 + thinking)
    return [
        (size, share * count),
        *((usage, times * share * count) for usage, times in _again([size], DOUBTING, _sized(LOOKED_UP, judge))),
        (writing, test_count * (1 + MENDING)),
        (replace(writing, output=200), float(test_count)),
    ]


def _turns(first: Usage, root: DryRun) -> list[Likely]:
    """Return a root's calls. Each repeats everything before it, which may be cached."""
    turns = TURNS + MORE_TURNS * max(0.0, math.log2(first.input / SMALL_PROMPT))
    turn = TURN_TOKENS + _sized(OUTPUT, root)
    input_sizes = [first.input + number * turn for number in range(math.ceil(turns))]
    before = [0, *input_sizes[:-1]]
    return [
        (Usage(size, TURN_TOKENS, cache_read=cached_size), min(1.0, turns - number))
        for number, (size, cached_size) in enumerate(zip(input_sizes, before, strict=True))
    ]


def _sized(amount: float, model: DryRun) -> int:
    return round(amount * CHARS_PER_TOKEN / density(model.name))


def _usd(price: Price, calls: Sequence[Likely]) -> float | None:
    amounts = [(price(usage), times) for usage, times in calls]
    return _sum(*(amount * times if amount is not None else None for amount, times in amounts))


def _sum(*parts: float | None) -> float | None:
    known_parts: Iterable[float] = [part for part in parts if part is not None]
    return None if any(part is None for part in parts) else math.fsum(known_parts)
