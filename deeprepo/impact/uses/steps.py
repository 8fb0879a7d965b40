"""Record what the search did and which rule decided each question about a reference, for `explain`.

A question is answered by a list of rules. The first rule that answers wins, and its docstring is the reason.
"""

from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from contextvars import ContextVar
from typing import TypeVar

from deeprepo.impact.changes import Reference, UsePlace
from deeprepo.impact.structs import Struct, field
from deeprepo.impact.values import Use

PACKAGE = "deeprepo.impact."
Asked = TypeVar("Asked")
Answer = TypeVar("Answer", bound=str)


class Step(Struct, frozen=True):
    """One answer, and the rule that gave it."""

    place: UsePlace
    question: str
    answer: str
    rule: str
    module: str  # of the rule
    reason: str  # what the rule says, from its docstring


class Trace(Struct):
    """What a search did."""

    steps: list[Step] = field(default_factory=list)
    doubts: dict[str, str] = field(default_factory=dict)  # changed definition -> why another one may be in use
    proposed: set[str] = field(default_factory=set)  # files that contain the words of an import of a changed file
    names: dict[str, Collection[str]] = field(default_factory=dict)  # searched file -> names that it may use
    uses: dict[tuple[str, int], list[Use]] = field(default_factory=lambda: defaultdict(list))  # found by path and line
    dropped: dict[UsePlace, Callable[..., object]] = field(default_factory=dict)  # reference -> step after the search

    def searched(self, path: str, names: Collection[str], uses: Iterable[Use]) -> None:
        """Add a searched file, the names searched for, and the identifiers found."""
        self.names[path] = names
        for use in uses:
            self.uses[path, use.line].append(use)


# Receives everything while it is set.
TRACE: ContextVar[Trace | None] = ContextVar("TRACE", default=None)


def record(place: UsePlace, question: str, answer: str, rule: Callable[..., object]) -> None:
    """Record an answer for `explain`."""
    trace = TRACE.get()
    if trace is not None:
        module = rule.__module__.removeprefix(PACKAGE)
        trace.steps.append(Step(place, question, answer, rule.__name__, module, reason(rule)))


def kept_by(
    step: Callable[..., object], before: Iterable[Reference], after: Iterable[Reference]
) -> tuple[Reference, ...]:
    """Return the references that a step after the search keeps, and record the others."""
    kept = tuple(after)
    if (trace := TRACE.get()) is not None:
        left = {row.use_place for row in kept}
        trace.dropped |= {row.use_place: step for row in before if row.use_place not in left}
    return kept


def location(function: Callable[..., object]) -> str:
    """Return where a function is."""
    return f"{function.__name__} in {function.__module__.removeprefix(PACKAGE)}"


def reason(rule: Callable[..., object]) -> str:
    """Return what a rule says: the first paragraph of its docstring."""
    return " ".join((rule.__doc__ or "").partition("\n\n")[0].split())


async def first_answer(
    question: str, rules: Sequence[Callable[[Asked], Awaitable[Answer | None]]], case: Asked, place: UsePlace
) -> Answer:
    """Return the answer of the first rule that gives one. The last rule must always answer."""
    for rule in rules:
        answer = await rule(case)
        if answer is not None:
            record(place, question, answer, rule)
            return answer
    raise AssertionError(f"no rule answers {question}")
