"""Hunks as a reader needs them: every row is a sign, a line number and the line.

No padding, and in a file that is new or gone only every tenth number: those would cost a review a seventh of its tokens.
"""

from collections.abc import Iterable

from bot.values import DiffLine, DiffRow, Hunk

EVERY = 10  # lines of a new or deleted file to one number


def numbered(hunks: Iterable[Hunk]) -> str:
    """Sign, line number (of its own side) and text of every line, hunk by hunk."""
    rows = []
    for hunk in hunks:
        rows.append(f"@@ -{hunk.old_start},{hunk.old_lines} +{hunk.new_start},{hunk.new_lines} @@")
        whole = not (hunk.old_start and hunk.new_start)
        rows += [str(row(line, sparse=whole)) for line in hunk.lines]
    return "\n".join(rows)


def row(line: DiffLine, *, sparse: bool = False) -> DiffRow:
    """A line as a row, with the number of its own side. `sparse`: in a file that is new or gone, where most can be counted."""
    number = (line.old if line.kind == "-" else line.new) or 0
    return DiffRow(line.kind, line.text, number, counted=sparse and number % EVERY != 1)
