"""Find what callers get from changed code, and where they read it. Pure functions."""

import re
from collections.abc import Sequence

from bot import blocks
from bot.review.context import definitions, identifiers
from bot.values import Reference, Unit
from deeprepo.impact.filetypes import filetype
from deeprepo.impact.text.lines import is_comment

MAX_FUNCTION_LINES = 200  # lines read per function
_RESULT = re.compile(r"\s*(?:return|yield|throw|raise)\b|.*=>|.*->")
# A variable assignment, with an optional type.
_GIVEN = re.compile(
    r"\s*(?:(?:const|let|var|val|auto|final)\s+)?(?:mut\s+)?\$?([A-Za-z_]\w*)(?:\s*:[^=]{0,80})?\s*:?=(?![=>])"
)


def readings(rows: Sequence[str], reference: Reference) -> list[int]:
    """Return the lines after a use, in the same function, that read the variable with its result."""
    start, end = reference.span or (reference.line, reference.line)
    openings = blocks.openings(rows, reference.line, start + 1)
    given = next((given for number in openings if (given := _GIVEN.match(rows[number - 1]))), None)
    if given is None:
        return []
    below = range(reference.line + 1, min(end, len(rows), start + MAX_FUNCTION_LINES) + 1)
    return [
        n for n in below if given[1] in identifiers.words(rows[n - 1]) and not is_comment(rows[n - 1], reference.path)
    ]


def changes_result(unit: Unit) -> bool:
    """Return whether a change affects what callers get.

    That is a result, an error, the signature or an implicit return value.
    """
    changed_rows = [diff_row for diff_row in unit.changed_rows if not is_comment(diff_row.text, unit.path)]
    code = [diff_row for diff_row in unit.rows if re.search(r"\w", diff_row.text)]
    last = {id(row) for row in code[-2:]} if filetype(unit.path).implicit_result else set[int]()
    return any(
        _RESULT.match(diff_row.text) or definitions.names(unit.path, diff_row.text) or id(diff_row) in last
        for diff_row in changed_rows
    )
