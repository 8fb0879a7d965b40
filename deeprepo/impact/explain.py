"""`python -P -m deeprepo.impact explain BASE..HEAD PATH:LINE`: how the search judged one line, from its trace."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from deeprepo.impact.changes import ChangedSymbol, Dependents
from deeprepo.impact.structs import Struct
from deeprepo.impact.uses.budget import listed
from deeprepo.impact.uses.steps import Step, Trace, location, reason
from deeprepo.impact.values import Arguments

ABOUT_REMOVALS = "gone"  # the question about the name of a definition, which doesn't arise if the change leaves it
NOT_COMPARED = "No reference to a changed definition was compared on this line."


class Explanation(Struct, frozen=True):
    """A line of the head, and what the search did."""

    trace: Trace
    dependents: Dependents
    path: str
    line: int

    def rows(self, findings: Sequence[str]) -> Iterator[str]:
        """Yield what was found on the line, each answer with the rule that gave it, and the findings."""
        for use in dict.fromkeys(self.trace.uses.get((self.path, self.line), ())):
            yield f"Identifier {use.name}{_passed(use.arguments)}"
        steps = [step for step in self.trace.steps if step.place[1:] == (self.path, self.line)]
        symbols = self.dependents.by_key()
        for target, group in groupby(sorted(steps, key=_target), _target):
            yield f"Compared with {target}:"
            yield from (f"  {row}" for row in self._change(target, symbols.get(target)))
            yield from _answers([*group], symbols.get(target))
            yield from self._dropped(target)
        if not steps:
            yield NOT_COMPARED
            yield from (f"  {row}" for row in self._lost())
        yield "Reported for this line:" if findings else "Nothing is reported for this line."
        yield from (f"  {finding}" for finding in findings)

    def _change(self, key: str, symbol: ChangedSymbol | None) -> Iterator[str]:
        if symbol is not None:
            yield f"the definition: {' -> '.join(dict.fromkeys(side.head or side.name for side in symbol.sides))}"
            yield f"the change: {symbol.change}"
            yield f"the contract: {' and '.join(symbol.contract) or 'unchanged'}"
        if key in self.trace.doubts:
            yield f"its signature proves nothing: {self.trace.doubts[key]}"

    def _dropped(self, target: str) -> Iterator[str]:
        for place, step in self.trace.dropped.items():
            if place == (target, self.path, self.line):
                yield f"  dropped: by {location(step)}"
                yield f"    the rule: {reason(step)}"

    def _lost(self) -> Iterator[str]:
        names = dict.fromkeys((one.before or one.symbol).short for one in self.dependents.symbols)
        yield f"changed definitions: {listed([*names]) or 'none'}"
        if self.path in self.trace.names:
            searched = listed(sorted(self.trace.names[self.path]))
            yield f"the file was searched for: {searched or 'nothing, as its imports bind none of their names'}"
        elif self.path in self.trace.proposed:
            yield "no import of the file leads to a changed file"
        else:
            yield "no search found the file"


def _target(step: Step) -> str:
    return step.place[0]


def _answers(steps: Sequence[Step], symbol: ChangedSymbol | None) -> Iterator[str]:
    """Yield the answers; that an identifier is no reference only if none on the line is one."""
    steps = [step for step in steps if step.rule != "unrelated"] or steps
    is_gone = symbol is None or not {"removed", "renamed"}.isdisjoint(symbol.contract)
    rows = dict[str, None]()
    for step in steps:
        if is_gone or step.question != ABOUT_REMOVALS or step.answer in ("lost", "likely"):
            rows[f"  {step.question}: {step.answer}, decided by {step.rule} in {step.module}"] = None
            rows[f"    the rule: {step.reason}"] = None
    yield from rows


def _passed(arguments: Arguments | None) -> str:
    if arguments is None:
        return ""
    passed = ["1 argument" if arguments.positional == 1 else f"{arguments.positional} arguments"]
    passed += [f"{name}=" for name in arguments.keywords]
    passed += ["others that are not written out"] if arguments.spread else []
    return f" with {' and '.join(passed)}"
