"""Record which rule decided each question about a reference, for `explain`.

A question is answered by a list of rules. The first rule that answers wins, and its docstring is the reason.
"""

from collections.abc import Callable, Sequence
from contextvars import ContextVar

from deeprepo.impact.changes import UsePlace
from deeprepo.impact.structs import Struct


class Step(Struct, frozen=True):
    """One answer: which rule gave it, and the rules before it that gave none."""

    place: UsePlace
    question: str
    answer: str
    rule: str
    module: str  # of the rule
    reason: str  # what the rule says, from its docstring
    passed: tuple[str, ...]


# Receives every answer while it is set.
STEPS: ContextVar[list[Step] | None] = ContextVar("STEPS", default=None)


def record(
    place: UsePlace,
    question: str,
    answer: str,
    rule: Callable[..., object],
    passed: Sequence[Callable[..., object]] = (),
) -> None:
    """Record an answer for `explain`."""
    steps = STEPS.get()
    if steps is not None:
        reason = " ".join((rule.__doc__ or "").partition("\n\n")[0].split())
        names = tuple(one.__name__ for one in passed)
        steps.append(Step(place, question, answer, rule.__name__, rule.__module__, reason, names))
