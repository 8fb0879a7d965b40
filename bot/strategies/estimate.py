"""What each strategy would ask and cost, before anything is spent: it is rehearsed with models that only weigh their prompts.

The workers' prompts are the very prompts that a review sends. What a root does in its turns, and how much is found and
checked, nobody knows beforehand: for that the habits below are assumed, and said with the figures.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from bot.agent.dry_run import TURN_TOKENS, DryRun, Price
from bot.findings.joint_opinions import MOST_CLAIMS
from bot.llm import capacity
from bot.review.session import Session
from bot.strategies import load
from bot.values import Usage

NAMES = ("direct", "cascade", "fanout", "rlm")
WITH_ROOT = frozenset({"cascade", "rlm"})


@dataclass(frozen=True, slots=True)
class Habits:
    """What is assumed where nothing can be weighed."""

    turns: int = 5  # of a root
    output: int = 1_200  # tokens that a block prints to it
    questions_per_turn: int = 4  # questions to workers in each of its turns but the last
    question: int = 1_500  # tokens of such a question, with the code that it is about
    findings: float = (
        0.3  # per `part` tokens that workers read, and at least per review: each is checked by a second opinion
    )
    part: int = 9_000
    opinion: int = 3_000  # tokens of a second opinion's prompt about one claim
    claim: int = 1_500  # tokens of each further claim in the same prompt
    # Of the prompts of workers and second opinions: the model asks to see more code, in a second call. Measured: 59 of 69 readers
    # and 30 of 61 second opinions (docs/evaluation.md), which are asked less often since.
    asking: float = 0.7
    looked_up: int = 3_000  # tokens of what it is shown then
    # Of a finding that a test is written about: the test with one mend in two, and the opinion on it.
    proof: int = 8_000
    mending: float = 0.5

    def __str__(self) -> str:
        return (
            f"{self.turns} turns of a root with {self.questions_per_turn} questions each, {self.findings:g} findings for each {self.part:,} tokens "
            f"that workers read, up to {MOST_CLAIMS} of them in one second opinion, {self.asking:.0%} of both with one more call that is shown {self.looked_up:,} tokens of "
            f"code; of models that may think {capacity.HABIT['worker']} tokens of thinking in a worker's "
            f"answer, {capacity.HABIT['verify']} in a second opinion, {capacity.HABIT['root']:,} in a turn of the root"
        )


HABITS = Habits()


@dataclass(frozen=True, slots=True)
class Estimate:
    """One strategy. `usd` is None where a price is unknown."""

    strategy: str
    calls: int
    usage: Usage
    weighed: Usage  # of it: the prompts that are known before, and the least answers to them
    usd: float | None
    root_usd: float | None


async def estimate(name: str, session: Session, *, verify: bool, habits: Habits = HABITS, proofs: int = 0) -> Estimate:
    """Rehearse one strategy over this session, whose models are rehearsals; of `cascade`, a reading that leaves something open.

    `proofs`: findings that a test is written about, if there are so many.
    """
    if name in WITH_ROOT:
        session.effort = "high"  # the root goes on in any case
    await load(name)(session)
    root, worker = session.root, session.reader
    if not isinstance(worker, DryRun) or not isinstance(root, DryRun | None):
        raise TypeError("an estimate needs models that only rehearse")
    weighed = [*worker.prompt_usages, *(root.prompt_usages if root is not None else ())]
    usages = [*worker.prompt_usages, *_again(worker.look_up_usages, habits)]
    turns = []
    if root is not None and root.prompt_usages and name in WITH_ROOT:
        *read, first = root.prompt_usages
        turns = [*read, *_again(root.look_up_usages, habits), *_turns(first, habits, root.thinking("root"))]
    if turns and name == "rlm":
        usages += [Usage(habits.question, 300 + worker.thinking("worker"))] * (
            habits.questions_per_turn * (habits.turns - 1)
        )
    elif root is not None and not turns:
        turns = [*root.prompt_usages, *_again(root.look_up_usages, habits)]
    read_tokens = sum(usage.input for usage in worker.prompt_usages)
    finding_count = math.ceil(habits.findings * max(1.0, read_tokens / habits.part)) if verify else 0
    judge = root or worker
    claims = [min(MOST_CLAIMS, finding_count - at) for at in range(0, finding_count, MOST_CLAIMS)]
    thinking = judge.thinking("verify")
    opinions = [Usage(habits.opinion + habits.claim * (one - 1), 200 * one + thinking) for one in claims]
    opinions += _again(opinions, habits)
    tested = min(proofs, finding_count)
    writing = Usage(habits.proof, 1_000 + judge.thinking("verify"))
    opinions += [writing] * (tested + math.ceil(habits.mending * tested)) + [replace(writing, output=200)] * tested
    by_root = _usd(root.price, turns) if root is not None else 0.0
    rest = _sum(_usd(worker.price, usages), _usd(judge.price, opinions))
    every = [*usages, *turns, *opinions]
    return Estimate(name, len(every), sum(every, Usage()), sum(weighed, Usage()), _sum(by_root, rest), by_root)


def _again(usages: Sequence[Usage], habits: Habits) -> list[Usage]:
    """The second calls of those that ask to see more code: each sends its first prompt and answer again."""
    each = sorted(usages, key=lambda usage: usage.input)[len(usages) // 2 :][:1]
    longer = [replace(usage, input=usage.input + usage.output + habits.looked_up) for usage in each]
    return longer * math.ceil(habits.asking * len(usages))


def _turns(first: Usage, habits: Habits, thinking: int) -> list[Usage]:
    """A root's calls: each sends everything before it again, which the provider may have kept."""
    input_sizes = [first.input + number * (TURN_TOKENS + habits.output) for number in range(habits.turns)]
    before = [0, *input_sizes[:-1]]
    return [
        Usage(size, TURN_TOKENS + thinking, cache_read=cached_size)
        for size, cached_size in zip(input_sizes, before, strict=True)
    ]


def _usd(price: Price, calls: Sequence[Usage]) -> float | None:
    return _sum(*(price(usage) for usage in calls))


def _sum(*parts: float | None) -> float | None:
    known_parts: Iterable[float] = [part for part in parts if part is not None]
    return None if any(part is None for part in parts) else math.fsum(known_parts)
