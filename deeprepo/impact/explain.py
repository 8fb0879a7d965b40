"""`python -P -m deeprepo.impact explain BASE..HEAD PATH:LINE`: how one line was judged, and why.

An old line is judged by the rules in `uses/verdict.py`, a new line by what its names refer to (`new_lines`).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from deeprepo.impact.changes import ChangedSymbol, Dependent, Dependents
from deeprepo.impact.uses.verdict import Step
from deeprepo.impact.values import Place, Report

NOT_COMPARED = "No reference to a changed definition was compared on this line."


def steps_on(steps: Iterable[Step], path: str, line: int) -> list[Step]:
    """Return the steps that concern one line."""
    return [step for step in steps if (step.path, step.line) == (path, line)]


def old_line(steps: Sequence[Step], users: Dependents) -> Iterator[str]:
    """Yield how each definition that the line may refer to changes, and the answer to each question about it."""
    if not steps:
        yield NOT_COMPARED
    symbols = users.by_key()
    for target, answers in groupby(steps, lambda step: step.target):
        yield f"Compared with {target}:"
        if target in symbols:
            yield f"  the change: {_change(symbols[target])}"
        yield from _imports(users.files, steps[0].path, target.partition(":")[0])
        for step in answers:
            yield f"  {step.question}: {_answer(step)}, decided by {step.rule}"
            yield f"    the rule: {step.reason}"
            if step.passed:
                yield f"    rules before it that did not decide: {', '.join(step.passed)}"


def _change(symbol: ChangedSymbol) -> str:
    """Return how a definition changes, and which parts of its contract with its users do."""
    parts = ", ".join(symbol.contract)
    return f"{symbol.change}, which may affect users ({parts})" if parts else f"{symbol.change}, with the same contract"


def _imports(files: Iterable[Dependent], path: str, changed: str) -> Iterator[str]:
    """Yield the lines with which a file imports a changed file."""
    for one in files:
        if (one.path, one.target) == (path, changed):
            via = f" through {one.via}" if one.via else ""
            yield f"  the import: line {one.line} imports {changed}{via}"


def new_line(conclusions: Mapping[str, str], report: Report, path: str, line: int) -> Iterator[str]:
    """Yield what each name on a new line refers to, and which findings were dropped. Yield nothing for other lines."""
    if conclusions:
        yield "Names on this new line:"
    yield from (f"  {name}: {says}" for name, says in conclusions.items())
    for one in report.built:
        if one.path == path and line in (one.line, *one.also):
            yield f"Dropped: `{one.name}` {one.says or 'is not there'} [{one.rule}]"
            yield f"  {_why_dropped(one)}"


def reported(findings: Sequence[str]) -> Iterator[str]:
    """Yield the findings on the line."""
    yield "Reported for this line:" if findings else "Nothing is reported for this line."
    yield from (f"  {finding}" for finding in findings)


def _why_dropped(place: Place) -> str:
    if place.precedent:
        return f"{place.precedent} has the same problem before the change, so the analysis doesn't understand that code"
    return "the build or other code may create it"


def _answer(step: Step) -> str:
    """Return the answer in words."""
    if isinstance(step.answer, bool):
        return "yes" if step.answer else "no"
    return step.answer
