"""Estimate a review's calls and cost for each effort.

It rehearses the review with models that only count tokens. The prompts of the model passes are exactly those
of a real review. How the root continues, how often models request more code, and how much is found and
confirmed cannot be known. For those, the averages below are assumed and printed with the estimate.
"""

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bot.findings import placing
from bot.review.foresight import HABIT
from bot.review.judging import SPARE
from bot.review.session import Session
from bot.review.strategies import load
from bot.values import ReviewEffort
from deeprepo.rlm.money import capacity
from deeprepo.rlm.repl import extraction
from deeprepo.rlm.values import CHARS_PER_TOKEN, Completion, Prompt, Schema, ToolCall, Usage, density

PARTS = ("input", "output", "cache_read", "cache_write")
Likely = tuple[Usage, float]  # a call, and the average number of times it is made
LIKELY_CHARS = 4.1  # characters per token, measured on prompts of whole reviews with o200k_base
# tokens of a reply with findings, and of a root's last turn: these, and a share of the tokens read
REPLY_TOKENS, REPLY_SHARE = 400, 0.05
TURN_TOKENS = 220  # tokens of each other turn: a sentence and code
TURN_THINKING = 400  # thinking tokens of a turn; not measured
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
        thinking = self.thinking(TURN_THINKING if prompt.tool else HABIT["worker"])
        may_ask = prompt.answer is not None and prompt.answer.final is not None
        reply_tokens = min(REPLY_TOKENS + round(REPLY_SHARE * size) + thinking, capacity.LARGEST)
        usage = Usage(size, reply_tokens, cache_write=size if prompt.tool or may_ask else 0)
        (self.turn_usages if prompt.tool else self.prompt_usages).append(usage)
        if may_ask:
            self.look_up_usages.append(usage)
        if prompt.tool:
            return Completion(
                "", Usage(), "end", None, (ToolCall("rehearsal", extraction.TOOL.name, {"code": END_CODE}),)
            )
        return Completion("", Usage(), data=_least(prompt.answer))

    def thinking(self, usual: int) -> int:
        """Return the number of thinking tokens assumed for one reply."""
        return usual if capacity.may_think(self.name) else 0

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


# Assumptions for what cannot be counted, from 64 recorded reviews of changes that a root read, without thinking.
# turns of a root whose first prompt has SMALL_PROMPT tokens; 58 of the 64 took at most as many
TURNS = 2.5
MORE_TURNS, SMALL_PROMPT = 0.8, 2_600  # each doubling of that prompt adds MORE_TURNS
OUTPUT = 5_200  # tokens that a block prints, including the message around it
FINDINGS, PART = 1, 1_500  # findings per review, and one more per PART tokens read
MOST_FINDINGS = 30  # the most of any of these reviews
CONFIRMATION, VERDICT = 2_500, 150  # tokens of a confirmation's prompt and answer
# share of model passes (in thirteen other reviews) and of confirmations that request more code
ASKING, DOUBTING = 0.25, 0.5
LOOKED_UP = 3_500  # tokens of the first answer and of the code that is then shown
PROOF, MENDING = 8_000, 0.5  # tokens of the prompt for a reproducing test, and how often the test is repaired
ASSUMED = (
    f"a root model takes {TURNS:g} turns, and {MORE_TURNS:g} more for each doubling of its first prompt above "
    f"{SMALL_PROMPT:,} tokens; models report {FINDINGS} finding, and one more per {PART:,} tokens; at high, each is "
    f"confirmed, otherwise those shown in full and {SPARE} more, at medium only workers'; {ASKING:.0%} of the calls "
    "request more code"
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
    rehearsed = [worker, *others, *([root] if root is not None else [])]
    read = [usage for run in rehearsed for usage in run.prompt_usages]
    first_turns = [usage for run in rehearsed for usage in run.turn_usages[:1]]
    paid = [(run, _calls(run)) for run in rehearsed]
    by_root = _usd([one for one in paid if one[0] is root])
    judge = worker if root is None or effort == "low" else root
    if verify and (read or first_turns):
        most = MOST_FINDINGS if effort == "high" else placing.room(session.survey.files) + SPARE
        found = min(FINDINGS + sum(usage.input for usage in read) / _sized(PART, judge), most)
        is_due = effort != "medium" or worker.prompt_usages  # at medium, not what a root reads
        paid.append((judge, _confirmations(found, judge, proofs, 1.0 if is_due else 0.0)))
    every = [call for _, calls in paid for call in calls]
    usage = Usage(*(round(sum(getattr(one, part) * times for one, times in every)) for part in PARTS))
    calls = round(sum(times for _, times in every))
    weighed = sum([*read, *first_turns], Usage())
    return Estimate(effort, name, calls, usage, weighed, _usd(paid), by_root)


def _calls(run: DryRun) -> list[Likely]:
    """Return what a model reads and, if it is the root, its turns. Its first message lists what it found before."""
    reported = sum(usage.output - run.thinking(HABIT["worker"]) for usage in run.prompt_usages)
    firsts = [replace(usage, input=usage.input + reported) for usage in run.turn_usages[:1]]
    readings: list[Likely] = [(usage, 1.0) for usage in run.prompt_usages]
    again = _again(run, run.look_up_usages, ASKING)
    return [*readings, *again, *(turn for first in firsts for turn in _turns(first, run))]


def _again(run: DryRun, usages: Sequence[Usage], share: float) -> list[Likely]:
    """Return the second calls after requests for more code, whose repeated prompt may be cached."""
    looked_up = _sized(LOOKED_UP, run)
    return [(Usage(usage.input + looked_up, usage.output, usage.input, looked_up), share) for usage in usages]


def _confirmations(count: float, judge: DryRun, proofs: int, share: float) -> list[Likely]:
    """Return the confirmations of a share of the findings, and the calls for `proofs` reproducing tests."""
    thinking = judge.thinking(HABIT["verify"])
    size = Usage(_sized(CONFIRMATION, judge), VERDICT + thinking, cache_write=_sized(CONFIRMATION, judge))
    test_count = min(proofs, math.ceil(count))
    writing = Usage(PROOF, 1_000 + thinking)
    return [
        (size, share * count),
        *((usage, times * share * count) for usage, times in _again(judge, [size], DOUBTING)),
        (writing, test_count * (1 + MENDING)),
        (replace(writing, output=VERDICT), float(test_count)),
    ]


def _turns(first: Usage, root: DryRun) -> list[Likely]:
    """Return a root's calls. Each repeats everything before it, which may be cached."""
    turns = TURNS + MORE_TURNS * max(0.0, math.log2(first.input / _sized(SMALL_PROMPT, root)))
    output = ((turns - 1) * (TURN_TOKENS + root.thinking(TURN_THINKING)) + first.output) / turns
    more = TURN_TOKENS + _sized(OUTPUT, root)
    sizes = [first.input + number * more for number in range(math.ceil(turns))]
    return [
        (Usage(size, round(output), cached, size - cached), min(1.0, turns - number))
        for number, (size, cached) in enumerate(zip(sizes, [0, *sizes], strict=False))
    ]


def _sized(amount: float, model: DryRun) -> int:
    return round(amount * CHARS_PER_TOKEN / density(model.name))


def _usd(paid: Sequence[tuple[DryRun, Sequence[Likely]]]) -> float | None:
    amounts = [(run.price(usage), times) for run, calls in paid for usage, times in calls]
    known = [amount * times for amount, times in amounts if amount is not None]
    return math.fsum(known) if len(known) == len(amounts) else None
