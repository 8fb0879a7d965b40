"""Show the definitions that a change calls: their signatures, and their bodies if they fit.

Bodies matter because they show what a callee returns or raises. Pure functions.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from bot import blocks
from bot.diff.units import ShownLines
from bot.review.context import definitions, identifiers, snippets
from bot.values import Excerpt
from deeprepo.rlm.values import tokens

WHOLE_DEFINITION_LINES = 8  # lines of a definition that is always shown whole
WHOLE_BODY_LINES = 24  # lines of a body that is shown whole if it fits
BEGIN = 6  # first lines shown of a longer body
MAX_RESULTS = 12  # results shown of a longer body, which is cut to what its callers depend on
WHOLE_STATEMENT_LINES = 4  # lines of a statement with such a result that is shown whole
BENEATH = 2  # definitions in the same file that are followed from one body
LONGEST_PATTERN = 8  # lines of a branch's pattern
SMALL_GAP_LINES = 4  # lines between two shown lines that are shown too, because they may be the decisive ones
_PATTERN_END = re.compile(r"\s*[)\]}].*(?:=>|->)")
_RESULT = re.compile(r"\s*(?:return|yield|throw|raise|assert|panic!|bail!)\b|.*=>|.*\)\s*throws\b")


@dataclass(frozen=True, slots=True)
class Callee:
    """A called definition and the lines of its file."""

    path: str
    line: int
    name: str  # its name, and its caller if that is not the change itself
    rows: Sequence[str]

    @property
    def first(self) -> list[int]:
        """The lines of its annotations and its signature, or of the whole definition if it is small."""
        whole = blocks.statement(self.rows, self.line)
        last = whole.end if len(whole) <= WHOLE_DEFINITION_LINES else definitions.last_line(self.rows, self.line)
        return [*blocks.annotations(self.rows, self.line), *range(self.line, last + 1)]

    @property
    def body(self) -> list[int]:
        """The lines that callers depend on.

        A short body is shown whole, a longer one by its first lines and by its results with their conditions.
        """
        whole = blocks.statement(self.rows, self.line)
        if len(whole) <= WHOLE_BODY_LINES:
            return [*blocks.annotations(self.rows, self.line), *range(self.line, whole.end + 1)]
        first = self.first
        ends = [n for n in range(first[-1] + 1, whole.end + 1) if _RESULT.match(self.rows[n - 1])][:MAX_RESULTS]
        heads = {next((at for at in blocks.openings(self.rows, n, self.line) if at != n), n) for n in ends}
        statements = (blocks.statement(self.rows, n) for n in ends)
        rest = {
            n
            for statement in statements
            if len(statement) <= WHOLE_STATEMENT_LINES
            for n in range(statement.start, statement.end + 1)
        }
        patterns = {line for n in (*ends, *heads) for line in self._pattern(n)}
        begin = range(first[-1] + 1, min(whole.end, first[-1] + BEGIN) + 1)
        numbers = sorted({*first, *begin, *ends, *heads, *rest, *patterns})
        gaps = [range(one + 1, other) for one, other in pairwise(numbers) if other - one - 1 <= SMALL_GAP_LINES]
        return sorted({*numbers, *(line for gap in gaps for line in gap)})

    def _pattern(self, number: int) -> range:
        """Return the lines of a branch's pattern that ends on this line.

        The pattern says which values take the branch.
        """
        text = self.rows[number - 1]
        if not _PATTERN_END.match(text):
            return range(0)
        depth = blocks.indent(text)
        above = range(number - 1, max(self.line, number - LONGEST_PATTERN) - 1, -1)
        return range(next((n for n in above if blocks.indent(self.rows[n - 1]) <= depth), number), number)

    def beneath(self) -> Iterator["Callee"]:
        """Yield what its body calls in the same file, if that name is defined only once."""
        call_names = [name for n in self.body for name in self._calls(n)]
        names = [
            name for name in dict.fromkeys(call_names) if identifiers.telling(name) and not identifiers.single(name)
        ]
        defined = definitions.names(self.path, self.rows[self.line - 1])
        for name in [name for name in names if name not in defined][:BENEATH]:
            lines = [n for n, text in enumerate(self.rows, 1) if name in text and self._defines(name, text)]
            if len(lines) == 1:
                yield Callee(self.path, lines[0], f"{name}, which {self.name} calls", self.rows)

    def _calls(self, number: int) -> Iterator[str]:
        return (call.name for call in definitions.calls(self.path, self.rows[number - 1]))

    def _defines(self, name: str, text: str) -> bool:
        return name in definitions.names(self.path, text)

    def excerpt(self, numbers: Sequence[int]) -> Excerpt:
        """Return these lines as an excerpt."""
        return snippets.cut(self.path, self.rows, numbers, f"defines {self.name}")


def signatures(callees: Iterable[Callee], room: int) -> tuple[list[Callee], int]:
    """Return the callees whose first lines fit, and the tokens that these need."""
    kept_callees: list[Callee] = []
    tokens_needed = 0
    for callee in callees:
        excerpt = callee.excerpt(callee.first)
        size = tokens(excerpt.body) if any(kept.path == callee.path for kept in kept_callees) else excerpt.size
        if tokens_needed + size <= room:
            tokens_needed += size
            kept_callees.append(callee)
    return kept_callees, tokens_needed


def excerpts(callees: Sequence[Callee], flows: Sequence[Callee], shown_lines: ShownLines, room: int) -> list[Excerpt]:
    """Return the callees with their bodies if there is room, else with their first lines.

    Then come `flows` and what their bodies call. `flows`: what the rest of a changed function calls with
    values that the change touched. They are shown with their bodies or not at all.
    """
    excerpts_found: list[Excerpt] = []
    beneath: list[Callee] = []

    def show(callee: Callee, least: Sequence[int]) -> bool:
        nonlocal room
        body = shown_lines.left(callee.path, callee.body)
        size = tokens("\n".join(callee.rows[n - 1] for n in body if n not in least))
        fits = size <= room
        room -= size if fits else 0
        if numbers := body if fits else least:
            excerpts_found.append(callee.excerpt(numbers))
        return fits

    for callee in callees:
        if identifiers.single(callee.name):  # it may be a different definition with that name
            excerpts_found.append(callee.excerpt(callee.first))
        else:
            show(callee, callee.first)
    for callee in flows:
        if show(callee, ()):
            beneath += callee.beneath()
    for callee in beneath:
        show(callee, ())
    return excerpts_found
