"""Parse diff rows that a test writes as a prompt shows them: sign, line number, text."""

import re
from typing import cast, get_args

from bot.values import DiffRow

ROW = re.compile(r"([-+ ])\s*(\d*) (.*)")
SIGNS = get_args(DiffRow.__annotations__["sign"])


def rows(text: str) -> tuple[DiffRow, ...]:
    """Return a row for each line of the text."""
    found = [cast("re.Match[str]", ROW.fullmatch(line)) for line in text.split("\n")]
    return tuple(DiffRow(SIGNS[SIGNS.index(row[1])], row[3], int(row[2] or 0)) for row in found)
