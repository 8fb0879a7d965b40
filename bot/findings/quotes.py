"""Where a quote stands: in a text, and in the tree. Every part of a review that believes a quote asks here."""

import re
from collections.abc import Callable, Iterable, Sequence

from bot.ports import Tree
from bot.values import DiffRow, Side


def fold(line: str) -> str:
    """A line without what is a matter of taste: runs of blanks are one."""
    return re.sub(r"\s+", " ", line).strip()


# Verbatim first, then with blanks folded: models re-indent what they copy.
READINGS: Sequence[Callable[[str], str]] = (str.rstrip, fold)


def rows_of(quote: str) -> list[str]:
    """The lines of a quote, without the empty ones around it."""
    return [line.rstrip("\r") for line in quote.strip("\r\n").split("\n")]


async def find_quote(
    tree: Tree, path: str, quote: str, near: int = 0, sides: Sequence[Side] = ("head", "base")
) -> tuple[Side, int, int] | None:
    """The side of a file on which a quote stands, its first and last line; the first of these sides that has it."""
    if not quote.strip():
        return None
    for side in sides:
        blob = await tree.read(path, side)
        lines = locate(blob.decode("utf-8", "replace"), quote, near) if blob is not None else None
        if lines is not None:
            return side, *lines
    return None


def locate(text: str, quote: str, near: int = 0) -> tuple[int, int] | None:
    """The first and last line of a quote in a text: exact first, then with whitespace folded. `near` decides between several.

    Lines are split at line feeds alone, as git does.
    """
    lines = [line.rstrip("\r") for line in text.split("\n")]
    quote_rows = rows_of(quote)
    for reading in READINGS:
        want = [reading(line) for line in quote_rows]
        if near > 0 and [reading(line) for line in lines[near - 1 : near - 1 + len(want)]] == want:
            return near, near + len(want) - 1  # where its finder said: the whole file need not be searched
        have = [reading(line) for line in lines]
        at = [i + 1 for i in range(len(have) - len(want) + 1) if have[i : i + len(want)] == want]
        if not at and len(want) == 1 and want[0]:
            at = [i + 1 for i, line in enumerate(have) if _words_in(want[0], line)]
        if at:
            start = min(at, key=lambda line: (abs(line - near) if near else line, line))
            return start, start + len(want) - 1
    return None


def first_line(quote: str, rows: Iterable[DiffRow]) -> int:
    """Where a quote begins among the rows that its finder was shown: on an added one if there is one; 0 if it is not among them."""
    first = fold(rows_of(quote)[0])
    known = [row for row in rows if row.sign != "-" and row.number and fold(row.text) == first]
    return next((row.number for row in sorted(known, key=lambda row: row.sign != "+")), 0)


def _words_in(part: str, line: str) -> bool:
    """Whether part of a line was quoted: at word boundaries, so that `in` is not found in `print`."""
    words = part.strip()
    return bool(words) and words in line and re.search(rf"(?<!\w){re.escape(words)}(?!\w)", line) is not None
