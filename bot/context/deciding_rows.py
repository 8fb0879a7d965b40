"""The rows of a changed definition that decide: what it was and what it is, without the lines that tell nothing. Pure."""

import re
from collections.abc import Sequence
from dataclasses import replace

from bot.context import definitions
from bot.diff import file_diffs
from bot.diff.tell import GAP, FileDiff
from bot.values import ChangedFile, DiffRow, Unit

AROUND = 1  # unchanged lines beside a changed one
MOST_ROWS = 22  # of a definition; of a longer change the lines that decide
BRACKETS = re.compile(r"[\s(){}\[\];,]*$")
_DECIDES = re.compile(
    r"\b(?:return|yield|throw|raise|if|elif|else|case|when|while|default|assert|await|lock|order|sort)\b|[\"'`\d]|[=<>!]=|=>|&&|\|\|",
    re.IGNORECASE,
)


def brief_diffs(units: Sequence[Unit], files: Sequence[ChangedFile]) -> list[FileDiff]:
    """The diffs of definitions whose uses are the question: of each the rows that decide, those of one file together."""
    files_by_path = {file.path: file for file in files}
    kinds = {part.path: part.kind for part in file_diffs(units, files, 0)}
    diffs: dict[str, FileDiff] = {}
    for unit in sorted(units, key=lambda unit: (unit.path, unit.start)):
        rows = deciding_rows(unit, files_by_path.get(unit.path) or ChangedFile(unit.path, unit.path, "modified"))
        before = diffs.get(unit.path)
        diffs[unit.path] = (
            replace(before, rows=(*before.rows, GAP, *rows)) if before else FileDiff(unit.path, kinds[unit.path], rows)
        )
    return list(diffs.values())


def deciding_rows(unit: Unit, file: ChangedFile) -> tuple[DiffRow, ...]:
    """The rows of a definition before and after, with the head of what encloses them; of many, those that decide."""
    (unit_diff,) = file_diffs([unit], [file], AROUND)
    rows = [row if row.sign else GAP for row in (*unit_diff.rows, *_beside(unit, file))]
    if len(rows) <= MOST_ROWS:
        return tuple(rows)
    heads = {row.number for row in unit.heads}
    changed_signs = ("+", "-", " ") if file.status == "added" else ("+", "-")  # a new file is shown without signs
    change_positions = [at for at, row in enumerate(rows) if row.sign in changed_signs and not BRACKETS.match(row.text)]
    deciding = [
        at for at in change_positions if _DECIDES.search(rows[at].text) or definitions.names(unit.path, rows[at].text)
    ]
    positions_kept = {at for at, row in enumerate(rows) if row.sign == " " and row.number in heads}
    for at in (*deciding, *change_positions):
        if len(positions_kept) < MOST_ROWS:
            positions_kept.add(at)
    left = len(set(change_positions) - positions_kept)
    note = (DiffRow("", f"[... {left} more changed lines ...]"),) if left else ()
    return (*(replace(rows[at], can_be_counted=False) for at in sorted(positions_kept)), *note)


def _beside(unit: Unit, file: ChangedFile) -> list[DiffRow]:
    """What a change puts in the place of a definition that it takes away."""
    if unit.side == "head":
        return []
    gone_lines = {row.number for row in unit.removed_rows}
    for hunk in file.hunks:
        run: list[DiffRow] = []
        is_replaced = False
        for line in (*hunk.lines, None):
            if line is not None and line.kind != " ":
                is_replaced |= line.kind == "-" and line.old in gone_lines
                run += [DiffRow("+", line.text, line.new)] if line.kind == "+" and line.new else []
                continue
            if is_replaced and run:
                return run[: MOST_ROWS // 2]
            run, is_replaced = [], False
    return []
