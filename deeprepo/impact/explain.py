"""`python -P -m deeprepo.impact explain BASE..HEAD PATH:LINE`: which rules judged the references on one line, and why."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from deeprepo.impact.uses.verdict import Step

NOT_COMPARED = "No reference to a changed definition was compared on this line."


def steps_on(steps: Iterable[Step], path: str, line: int) -> list[Step]:
    """Return the steps that concern one line."""
    return [step for step in steps if (step.path, step.line) == (path, line)]


def lines(steps: Sequence[Step], findings: Sequence[str]) -> Iterator[str]:
    """Yield the explanation: for each target, the answer to each question, and then what was reported."""
    if not steps:
        yield NOT_COMPARED
    for target, answers in groupby(steps, lambda step: step.target):
        yield f"Compared with {target}:"
        for step in answers:
            yield f"  {step.question}: {_answer(step)}, decided by {step.rule}"
            yield f"    the rule: {step.reason}"
            if step.passed:
                yield f"    rules before it that did not decide: {', '.join(step.passed)}"
    yield "Reported for this line:" if findings else "Nothing is reported for this line."
    yield from (f"  {finding}" for finding in findings)


def _answer(step: Step) -> str:
    """Return the answer in words."""
    if isinstance(step.answer, bool):
        return "yes" if step.answer else "no"
    return step.answer
