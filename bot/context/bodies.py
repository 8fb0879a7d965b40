"""The definitions that a change calls: first lines, and bodies as far as there is room, because what a callee returns or raises decides. Pure."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bot.context import definitions, identifiers, snippets
from bot.diff.units import ShownLines
from bot.text import blocks
from bot.values import Excerpt, tokens

SMALL = 8  # lines of a definition that is shown whole in any case
WHOLE = 24  # lines of a body that is shown whole if there is room
MOST = 12  # results of a longer one, which is cut to what its callers depend on
SHORT = 4  # lines of a statement with such a result that is shown whole
_RESULT = re.compile(r"\s*(?:return|yield|throw|raise|assert|panic!|bail!)\b|.*=>|.*\)\s*throws\b")


@dataclass(frozen=True, slots=True)
class Callee:
    """A definition that is called, and the lines of its file."""

    path: str
    line: int
    name: str
    rows: Sequence[str]

    @property
    def first(self) -> list[int]:
        """The lines of its signature, or of all of it if that is small."""
        whole = blocks.statement(self.rows, self.line)
        last = whole.end if len(whole) <= SMALL else definitions.last_line(self.rows, self.line)
        return [*range(self.line, last + 1)]

    @property
    def body(self) -> list[int]:
        """The lines that its callers depend on: all if they are few, else what it returns and raises, under which condition."""
        whole = blocks.statement(self.rows, self.line)
        if len(whole) <= WHOLE:
            return [*range(self.line, whole.end + 1)]
        first = self.first
        ends = [n for n in range(first[-1] + 1, whole.end + 1) if _RESULT.match(self.rows[n - 1])][:MOST]
        heads = {next((at for at in blocks.openings(self.rows, n, self.line) if at != n), n) for n in ends}
        statements = (blocks.statement(self.rows, n) for n in ends)
        rest = {n for one in statements if len(one) <= SHORT for n in range(one.start, one.end + 1)}
        return sorted({*first, *ends, *heads, *rest})

    def excerpt(self, numbers: Sequence[int]) -> Excerpt:
        """These lines of it."""
        return snippets.cut(self.path, self.rows, numbers, f"defines {self.name}")


def signatures(callees: Iterable[Callee], room: int) -> tuple[list[Callee], int]:
    """Those whose first lines fit, and the tokens that these need."""
    kept_callees: list[Callee] = []
    tokens_needed = 0
    for callee in callees:
        excerpt = callee.excerpt(callee.first)
        size = tokens(excerpt.body) if any(one.path == callee.path for one in kept_callees) else excerpt.size
        if tokens_needed + size <= room:
            tokens_needed += size
            kept_callees.append(callee)
    return kept_callees, tokens_needed


def excerpts(callees: Sequence[Callee], shown_lines: ShownLines, room: int) -> list[Excerpt]:
    """The callees with their bodies as long as there is room, else by their first lines; so are those of one word, which may mean another thing."""
    excerpts_found: list[Excerpt] = []
    for callee in callees:
        numbers = callee.first
        body = shown_lines.left(callee.path, callee.body)
        size = tokens("\n".join(callee.rows[n - 1] for n in body if n not in numbers))
        if body and size <= room and not identifiers.single(callee.name):
            room -= size
            numbers = body
        excerpts_found.append(callee.excerpt(numbers))
    return excerpts_found
