"""Hunks as a reader needs them: every row is a sign, a line number and the line.

No padding, and in a file that is new or gone only every tenth number: those would cost a review a seventh of its tokens.
"""

from collections.abc import Iterable

from bot.values import Hunk

EVERY = 10  # lines of a new or deleted file to one number


def numbered(hunks: Iterable[Hunk]) -> str:
    """Sign, line number (of its own side) and text of every line, hunk by hunk."""
    rows = []
    for hunk in hunks:
        rows.append(f"@@ -{hunk.old_start},{hunk.old_lines} +{hunk.new_start},{hunk.new_lines} @@")
        whole = not (hunk.old_start and hunk.new_start)
        for line in hunk.lines:
            number = line.old if line.kind == "-" else line.new
            rows.append(row(line.kind, number or 0, line.text, sparse=whole))
    return "\n".join(rows)


def row(kind: str, number: int, text: str, *, sparse: bool = False) -> str:
    """One row, without its number where that can be counted."""
    return f"{kind} {text}" if sparse and number % EVERY != 1 else f"{kind}{number} {text}"
