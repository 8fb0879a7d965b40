"""Hunks as a reader needs them: every row is a sign, a line number and the line.

No padding, and no number that can be counted: the first row of a run and every twentieth line have theirs. Numbers and padding on
every line would cost a review a seventh of its tokens. Which rows have one is the same wherever a row is shown, because coverage
holds what was read against the rows as they are written.
"""

from collections.abc import Iterable

from bot.values import DiffRow, Hunk

EVERY = 20  # lines to one number


def numbered(hunks: Iterable[Hunk]) -> str:
    """Sign, line number (of its own side) and text of every line, hunk by hunk."""
    written = []
    for hunk in hunks:
        written.append(f"@@ -{hunk.old_start},{hunk.old_lines} +{hunk.new_start},{hunk.new_lines} @@")
        written += map(str, rows(hunk))
    return "\n".join(written)


def rows(hunk: Hunk) -> list[DiffRow]:
    """The lines of a hunk as rows. A hunk holds whole runs of changed lines, so that their first rows are known."""
    found: list[DiffRow] = []
    for line in hunk.lines:
        number = (line.old if line.kind == "-" else line.new) or 0
        counted = bool(found) and found[-1].sign == line.kind and number % EVERY != 1
        found.append(DiffRow(line.kind, line.text, number, can_be_counted=counted))
    return found
