"""What `git diff-tree` prints of one commit, read as consecutive lines with what stood there before. Pure.

In the patch of a merge a row begins with a sign for each of its sides.
"""

import io
from collections.abc import Iterator

from bot.values import CommitLines

Hunk = tuple[str, int, tuple[str, ...]]  # the path, the number of signs before each row, and the rows


def hunks(patch: bytes) -> Iterator[Hunk]:
    """The hunks of a patch, in order."""
    path, signs, rows = "", 0, list[str]()
    for row in _rows(patch):
        if signs and row[:1] in {" ", "+", "-"}:
            rows.append(row)
        elif row.startswith(("@@", "diff --")):
            if rows:
                yield path, signs, tuple(rows)
            rows, signs = [], len(row) - len(row.lstrip("@")) - 1 if row.startswith("@@") else 0
        elif not signs and row.startswith("+++ "):
            path = _plain(row[4:].removesuffix("\t")).removeprefix("b/")
    if rows:
        yield path, signs, tuple(rows)


def lines_of(commit: str, hunk: Hunk) -> CommitLines:
    """A hunk as the lines after the commit and those of each side before it."""
    path, count, rows = hunk
    texts = [row[count:] for row in rows]
    after = [text for row, text in zip(rows, texts, strict=True) if "-" not in row[:count]]
    signs = "".join(" " if " " in row[:count] else "+" for row in rows if "-" not in row[:count])
    sides = [
        [text for row, text in zip(rows, texts, strict=True) if row[side] == ("-" if "-" in row[:count] else " ")]
        for side in range(count)
    ]
    return CommitLines(commit, path, after, signs, sides)


def _rows(out: bytes) -> Iterator[str]:
    """The rows of what git has printed, one by one: together they take several times its memory."""
    for row in io.BytesIO(out):
        yield row.removesuffix(b"\n").decode("utf-8", "replace")


def _plain(name: str) -> str:
    """A path without the quotes around an odd one."""
    return name.removeprefix('"').removesuffix('"')
