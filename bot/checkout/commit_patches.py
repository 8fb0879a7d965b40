"""What `git diff-tree` prints of one commit, read as consecutive lines with what stood there before. Pure.

In the patch of a merge a row begins with a sign for each of its sides.
"""

import io
import re
from collections.abc import Iterator, Mapping, Sequence

from bot.values import CommitLines

Hunk = tuple[str, int, tuple[str, ...]]  # the path, the number of signs before each row, and the rows

FILE_MODE = "100"  # how the mode of a file begins, unlike that of a link or a submodule
_RAW_ROW = re.compile(r":+((?:\d{6} )+)((?:[0-9a-f]{40,64} )+)[A-Z]+\t(.*)")


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


def changed_contents(patch: bytes) -> Iterator[tuple[str, str, Sequence[str]]]:
    """The path of each file that is there after the commit, the id of its content, and the ids of what it was on each side."""
    for row in _rows(patch):
        match = _RAW_ROW.fullmatch(row) if row.startswith(":") else None
        if match:
            modes, ids = match[1].split(), match[2].split()
            before = [one for mode, one in zip(modes[:-1], ids, strict=False) if mode.startswith(FILE_MODE)]
            if modes[-1].startswith(FILE_MODE):
                yield _plain(match[3]), ids[-1], before
        elif row.startswith("diff --"):
            return


def regions(matches: bytes) -> Mapping[str, Sequence[str]]:
    """What `git grep -z -n --heading -A` has found in contents: the id of each, and its lines, each behind its number."""
    lines_by_id: dict[str, list[str]] = {}
    lines = list[str]()
    for row in _rows(matches):
        head, is_line, line = row.partition("\0")
        if is_line:
            lines.append(line.replace("\0", ""))
        elif head != "--":
            lines = lines_by_id.setdefault(head, [])
    return lines_by_id


def _rows(out: bytes) -> Iterator[str]:
    """The rows of what git has printed, one by one: together they take several times its memory."""
    for row in io.BytesIO(out):
        yield row.removesuffix(b"\n").decode("utf-8", "replace")


def _plain(name: str) -> str:
    """A path without the quotes around an odd one."""
    return name.removeprefix('"').removesuffix('"')
