"""Figures in columns, for a terminal and for a page alike. Pure."""

from collections.abc import Sequence


def align(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Lines in which the first column stands left and the others right."""
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    return "\n".join(_line(row, widths) for row in (head, *rows))


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    first, *rest = (
        cell.rjust(width) if at else cell.ljust(width) for at, (cell, width) in enumerate(zip(row, widths, strict=True))
    )
    return "  ".join([first, *rest]).rstrip()
