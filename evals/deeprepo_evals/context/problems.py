"""The problems: a text of a given length, a question, and what must come out. Made from a seed; pure."""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from bot.errors import UsageError
from deeprepo_evals.context import documents, hay, lines
from deeprepo_evals.context.score import Expected, Scoring

FORM = 1  # rises when the same task gives another problem than before
LEAST, MOST = 4_000, 20_000_000  # characters of a text
LAST = "last"  # the very last line
Position = float | str | None
POSITIONS: tuple[Position, ...] = (*(step / 10 for step in range(11)), LAST)


@dataclass(frozen=True, slots=True)
class Task:
    """Which problem is meant. `position` is None for kinds that spread their facts over the whole text."""

    kind: str
    size: int
    position: Position = None
    seed: int = 1


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem, whose text stands at `path` where it has one; `score` says what `expected` may be and how it is compared."""

    text: str
    question: str
    expected: Expected
    ends: tuple[int, ...] = ()  # where each fact that the answer needs has been read, in characters
    scoring: Scoring = "numbers"
    path: Path | None = None


@lru_cache(maxsize=1)
def make(task: Task) -> Problem:
    """The problem of a task, the same each time. Raises UsageError for one that cannot be made."""
    check(task)
    return KINDS[task.kind](task)


def check(task: Task) -> None:
    """Raise UsageError for a task that cannot be made."""
    if task.kind not in KINDS:
        raise UsageError(f"unknown task {task.kind!r}: known are {', '.join(KINDS)}")
    if not LEAST <= task.size <= MOST:
        raise UsageError(f"a text has {LEAST:,} to {MOST:,} characters, not {task.size:,}")
    at = task.position
    if at != LAST and at is not None and not (isinstance(at, float) and 0 <= at <= 1):
        raise UsageError(f"a position is a number from 0.0 to 1.0 or {LAST!r}, not {at}")


def _number(name: str, value: str) -> str:
    return f"The secret magic number of {name} is {value}."


def _needle(task: Task) -> Problem:
    chance = _chance(task)
    (name, *others), (value, *rest) = hay.names(chance, 4), hay.numbers(chance, 4)
    facts = [(_at(task), _number(name, value))]
    facts += [(chance.random(), _number(*pair)) for pair in zip(others, rest, strict=True)]
    return _problem(task, facts, f"What is the secret magic number of {name}?", (value,), fact_count=1)


def _multi(task: Task) -> Problem:
    chance = _chance(task)
    names, values = hay.names(chance, 3), hay.numbers(chance, 3)
    facts = [(at, _number(*pair)) for at, *pair in zip((0.2, 0.5, 0.8), names, values, strict=True)]
    question = f"What are the secret magic numbers of {names[0]}, {names[1]} and {names[2]}, in this order?"
    return _problem(task, facts, question, tuple(values))


def _decoys(task: Task) -> Problem:
    """Three sentences that name another number and say that it is wrong, two of them before the true one."""
    chance = _chance(task)
    (name,), (value, *wrong) = hay.names(chance, 1), hay.numbers(chance, 4)
    lies = (
        f"Rumour has it that the secret magic number of {name} is {wrong[0]}, but that is false.",
        f"A draft gave {wrong[1]} as the secret magic number of {name}; the draft was withdrawn.",
        f"Correction: {wrong[2]} is not the secret magic number of {name}.",
    )
    facts = [(0.6, _number(name, value)), *zip((0.1, 0.4, 0.9), lies, strict=True)]
    return _problem(task, facts, f"What is the secret magic number of {name}?", (value,), fact_count=1)


def _none(task: Task) -> Problem:
    """The numbers of others stand there, and the name that is asked for stands there, without a number."""
    chance = _chance(task)
    (name, *others), values = hay.names(chance, 4), hay.numbers(chance, 3)
    facts = [(chance.random(), _number(*pair)) for pair in zip(others, values, strict=True)]
    facts.append((0.5, f"Nobody has written down the number of {name}."))
    return _problem(task, facts, f"What is the secret magic number of {name}?", (), fact_count=0)


def _hops(task: Task, hops: int) -> Problem:
    """A chain of names, each in another part of the text; the last one has the number. Later links stand further up."""
    chance = _chance(task)
    names, values = hay.names(chance, hops + 3), hay.numbers(chance, 3)
    steps = [f"The {hay.RELATIONS[step]} of {names[step]} is {names[step + 1]}." for step in range(hops)]
    facts = [(0.85 - 0.3 * step, said) for step, said in enumerate(steps)]
    facts.append((0.12, _number(names[hops], values[0])))
    facts += [(chance.random(), _number(*pair)) for pair in zip(names[hops + 1 :], values[1:], strict=True)]
    of = "".join(f"the {hay.RELATIONS[step]} of " for step in reversed(range(hops)))
    return _problem(
        task, facts, f"What is the secret magic number of {of}{names[0]}?", (values[0],), fact_count=hops + 1
    )


def _count(task: Task) -> Problem:
    chance = _chance(task)
    word, other = chance.sample(hay.FRUITS, 2)
    times = chance.randint(10, 40)
    facts = [(chance.random(), f"Section {n + 1} of the report mentions a {word} once.") for n in range(times)]
    facts += [(chance.random(), f"Section {n + 51} of the report mentions a {other} once.") for n in range(9)]
    return _problem(
        task, facts, f"How often does the word '{word}' occur in the text?", (str(times),), fact_count=times
    )


def _compare(task: Task) -> Problem:
    chance = _chance(task)
    companies, rates = "ABCDEF", hay.numbers(chance, 48)
    wanted = chance.choice(companies)
    facts = []
    for n, rate in enumerate(rates):
        company = companies[n % len(companies)]
        facts.append((chance.random(), f"In year {n + 1} company {company} grew by {rate} basis points."))
    mine = [int(rate) for n, rate in enumerate(rates) if companies[n % len(companies)] == wanted]
    facts.sort(key=lambda fact: f"company {wanted} " not in fact[1])
    question = f"What is the highest growth of company {wanted}, in basis points?"
    return _problem(task, facts, question, (str(max(mine)),), fact_count=len(mine))


def _json(task: Task) -> Problem:
    made = documents.document(task.size, _at(task), _chance(task))
    question = f"Which value stands at the key path {made.path} in the JSON document?"
    return Problem(made.text, question, (made.value,), (made.end,))


def _labelled(task: Task, kinds: Mapping[str, Callable[..., Expected]]) -> Problem:
    """Seeds take turns with the kinds of questions."""
    chance = _chance(task)
    text, totals = lines.make(task.size, chance)
    question, expected = lines.ask(kinds, totals, task.seed - 1, chance)
    return Problem(text, question, expected, scoring="oolong")


KINDS: Mapping[str, Callable[[Task], Problem]] = {
    "needle": _needle,
    "json": _json,
    "multi": _multi,
    "decoys": _decoys,
    "none": _none,
    "hop1": lambda task: _hops(task, 1),
    "hop2": lambda task: _hops(task, 2),
    "count": _count,
    "compare": _compare,
    "oolong": lambda task: _labelled(task, lines.COUNTS),
    "pairs": lambda task: _labelled(task, lines.PAIRED),
}
PLACED = ("needle", "json")  # kinds with one fact whose position is chosen


def _problem(
    task: Task,
    facts: list[tuple[float, str]],
    question: str,
    expected: tuple[str, ...],
    fact_count: int | None = None,
) -> Problem:
    """The facts in the hay; the first `fact_count` of them are what the answer needs."""
    text = hay.stack(task.size, task.seed, facts)
    used = facts if fact_count is None else facts[:fact_count]
    ends = tuple(text.index(said) + len(said) for _, said in used)
    return Problem(text, question, expected, ends)


def _chance(task: Task) -> random.Random:
    return random.Random(f"{task.kind} {task.size} {task.position} {task.seed}")  # noqa: S311 - seeded on purpose


def _at(task: Task) -> float:
    """As a number; above 1 is behind everything."""
    return 2.0 if task.position == LAST else float(0.5 if task.position is None else task.position)
