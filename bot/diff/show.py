"""Hunks as a reader needs them."""

from collections.abc import Iterable

from bot.values import Hunk


def numbered(hunks: Iterable[Hunk]) -> str:
    """Sign, line number (of its own side) and text of every line, hunk by hunk."""
    rows = []
    for hunk in hunks:
        rows.append(f"@@ -{hunk.old_start},{hunk.old_lines} +{hunk.new_start},{hunk.new_lines} @@")
        rows += [f"{line.kind}{line.old if line.kind == '-' else line.new:>5} {line.text}" for line in hunk.lines]
    return "\n".join(rows)
