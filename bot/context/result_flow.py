"""Whether a caller returns the result of what changed: the defect then shows one step further, at a caller of the caller. Pure."""

import re
from collections.abc import Sequence

from bot.context import definitions, identifiers
from bot.text import blocks
from bot.text.filetypes import filetype
from bot.text.lines import is_comment
from bot.values import Reference, Unit

LONGEST = 200  # lines of a function that is read
RETURNS = re.compile(r"\s*(?:return|yield)\b")
_RESULT = re.compile(r"\s*(?:return|yield|throw|raise)\b|.*=>|.*->")
VARIABLE = r"\$?([A-Za-z_]\w*)(?:\s*:[^=]{0,80})?\s*:?=(?![=>])"  # that gets a value, with its type
_GIVEN = re.compile(r"\s*(?:(?:const|let|var|val|auto|final)\s+)?(?:mut\s+)?" + VARIABLE)


def returns(path: str, rows: Sequence[str], row: Reference) -> bool:
    """Whether the function around a use returns what it gets there: in the statement itself, or by a variable."""
    if row.span is None or row.span[1] - row.span[0] > LONGEST or row.line > len(rows):
        return False
    start, end = row.span[0], min(row.span[1], len(rows))
    if any(RETURNS.match(rows[number - 1]) for number in blocks.openings(rows, row.line, start + 1)):
        return True
    if row.line == start:
        return "{" not in rows[start - 1].partition(row.name)[2]
    if filetype(row.path).implicit_result and row.line == _last(path, rows, start, end):
        return True
    if not (assignment := _GIVEN.match(rows[row.line - 1])):
        return False
    later = rows[row.line : end]
    return any(RETURNS.match(text) and assignment[1] in identifiers.words(text) for text in later)


def changes_result(unit: Unit) -> bool:
    """Whether a change of a definition concerns what its callers get: a result, an error, its signature, its last line."""
    changed_rows = [row for row in unit.changed_rows if not is_comment(row.text, unit.path)]
    code = [row for row in unit.rows if re.search(r"\w", row.text)]
    last = {id(row) for row in code[-2:]} if filetype(unit.path).implicit_result else set[int]()
    return any(
        _RESULT.match(row.text) or definitions.names(unit.path, row.text) or id(row) in last for row in changed_rows
    )


def _last(path: str, rows: Sequence[str], start: int, end: int) -> int:
    """The last line of a function that is more than a bracket or a comment."""
    numbers = range(end, start, -1)
    return next(
        (
            n
            for n in numbers
            if re.search(r"\w", rows[n - 1]) and not is_comment(rows[n - 1], path) and rows[n - 1].strip() != "end"
        ),
        0,
    )
