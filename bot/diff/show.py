"""Render hunks for prompts: every row has a sign, a line number and the line.

There is no padding, and only the first row of a run and every tenth line have a number, because numbers and
padding on every line would cost a seventh of a review's tokens. A changed row is formatted in the same way in
every prompt, because coverage compares rows as text.
"""

from collections.abc import Iterable

from bot.values import DiffRow, Hunk

NUMBER_EVERY = 10  # lines per number


def numbered_text(hunks: Iterable[Hunk]) -> str:
    """Return the hunks as text.

    Removed lines have their number in the base, and others their number in the head.
    """
    texts = []
    for hunk in hunks:
        texts.append(f"@@ -{hunk.old_start},{hunk.old_lines} +{hunk.new_start},{hunk.new_lines} @@")
        texts += map(str, rows(hunk))
    return "\n".join(texts)


def rows(hunk: Hunk) -> list[DiffRow]:
    """Return a hunk's lines as rows."""
    diff_rows: list[DiffRow] = []
    for line in hunk.lines:
        number = (line.old if line.kind == "-" else line.new) or 0
        can_be_counted = bool(diff_rows) and diff_rows[-1].sign == line.kind and number % NUMBER_EVERY != 1
        diff_rows.append(DiffRow(line.kind, line.text, number, can_be_counted=can_be_counted))
    return diff_rows
