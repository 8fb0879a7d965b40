"""Hunks as a reader needs them: every row is a sign, a line number and the line.

No padding, and no number that can be counted: the first row of a run and every tenth line have theirs. Numbers and padding on
every line would cost a review a seventh of its tokens. Which rows have one is the same wherever a row is shown, because coverage
holds what was read against the rows as they are written.
"""

from collections.abc import Iterable

from bot.values import DiffRow, Hunk

NUMBER_EVERY = 10  # lines to one number


def numbered_text(hunks: Iterable[Hunk]) -> str:
    """Write the sign, line number (of its own side) and text of every line, hunk by hunk."""
    texts = []
    for hunk in hunks:
        texts.append(f"@@ -{hunk.old_start},{hunk.old_lines} +{hunk.new_start},{hunk.new_lines} @@")
        texts += map(str, rows(hunk))
    return "\n".join(texts)


def rows(hunk: Hunk) -> list[DiffRow]:
    """Return the lines of a hunk as rows. A hunk holds whole runs of changed lines, so that their first rows are known."""
    diff_rows: list[DiffRow] = []
    for line in hunk.lines:
        number = (line.old if line.kind == "-" else line.new) or 0
        can_be_counted = bool(diff_rows) and diff_rows[-1].sign == line.kind and number % NUMBER_EVERY != 1
        diff_rows.append(DiffRow(line.kind, line.text, number, can_be_counted=can_be_counted))
    return diff_rows
