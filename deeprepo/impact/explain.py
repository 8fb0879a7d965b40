"""`python -P -m deeprepo.impact explain BASE..HEAD PATH:LINE`: how one line was judged, and why.

An old line is judged by the rules in `uses/sites.py`, `uses/verdict.py` and `uses/breaks.py`, a new line by what its
names refer to (`new_lines`).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from deeprepo.impact.changes import ChangedSymbol, Dependent, Dependents
from deeprepo.impact.uses.steps import Step
from deeprepo.impact.values import Place, Report

# The questions about the name of a definition, which don't arise if the change leaves it.
ABOUT_REMOVALS = ("removed", "probably removed")
PACKAGE = "deeprepo.impact."
NOT_COMPARED = "No reference to a changed definition was compared on this line."


def old_line(steps: Iterable[Step], users: Dependents, path: str, line: int) -> Iterator[str]:
    """Yield how each definition that the line may refer to changes, and the answer to each question about it."""
    mine = sorted((step for step in steps if step.place[1:] == (path, line)), key=lambda step: step.place)
    if not mine:
        yield NOT_COMPARED
    symbols = users.by_key()
    for target, answers in groupby(mine, lambda step: step.place[0]):
        yield f"Compared with {target}:"
        symbol = symbols.get(target)
        yield from _change(symbol) if symbol is not None else ()
        yield from _imports(users.files, path, target.partition(":")[0])
        is_gone = symbol is None or not {"removed", "renamed"}.isdisjoint(symbol.contract)
        for step in answers:
            if is_gone or step.question not in ABOUT_REMOVALS or step.answer != "no":
                yield f"  {step.question}: {step.answer}, decided by {step.rule} in {step.module.removeprefix(PACKAGE)}"
                yield f"    the rule: {step.reason}"
                if step.passed:
                    yield f"    rules before it that did not decide: {', '.join(step.passed)}"


def _change(symbol: ChangedSymbol) -> Iterator[str]:
    """Yield how a definition changes, and which parts of its contract with its users do."""
    sides = [side.head for side in (symbol.before, symbol.after) if side is not None and side.head]
    if len(set(sides)) == len(("before", "after")):
        yield f"  the definitions: {' -> '.join(sides)}, read by outline in resolving.offers"
    yield f"  the change: {symbol.change}, found by changed_symbols in uses.symbols"
    parts = f"yes, {' and '.join(symbol.contract)}" if symbol.contract else "no, it has the same contract"
    yield f"  affects users: {parts}, decided by changed_contract in uses.symbols"


def _imports(files: Iterable[Dependent], path: str, changed: str) -> Iterator[str]:
    """Yield the lines with which a file imports a changed file."""
    for one in files:
        if (one.path, one.target) == (path, changed):
            via = f" through {one.via}" if one.via else ""
            yield f"  the import: line {one.line} imports {changed}{via}, found by importing in uses.importing"


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
