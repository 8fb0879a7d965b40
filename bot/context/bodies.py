"""The definitions that a change calls: first lines, and bodies as far as there is room, because what a callee returns or raises decides. Pure."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bot.context import definitions, identifiers, snippets
from bot.diff.units import ShownLines
from bot.text import blocks
from bot.values import Excerpt

SMALL = 8  # lines of a definition that is shown whole in any case
WHOLE = 24  # lines of a body that is shown whole if there is room
MOST = 12  # results of a longer one, which is cut to what its callers depend on
SHORT = 4  # lines of a statement with such a result that is shown whole
_RESULT = re.compile(r"\s*(?:return|yield|throw|raise|assert|panic!|bail!)\b|.*=>|.*\)\s*throws\b")


@dataclass(frozen=True, slots=True, eq=False)
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


def excerpts(callees: Iterable[Callee], shown_lines: ShownLines, room: int) -> list[Excerpt]:
    """The callees whose first lines fit, with their bodies as long as there is room; of one word, which may mean another thing, no bodies."""
    first_lines: dict[Callee, Excerpt] = {}
    for callee in callees:
        excerpt = callee.excerpt(callee.first)
        if excerpt.size <= room:
            room -= excerpt.size
            first_lines[callee] = excerpt
    excerpts_found = []
    for callee, excerpt in first_lines.items():
        body = shown_lines.left(callee.path, callee.body)
        whole = callee.excerpt(body) if body and not identifiers.single(callee.name) else excerpt
        more = whole.size - excerpt.size
        excerpts_found.append(whole if more <= room else excerpt)
        room -= more if more <= room else 0
    return excerpts_found
