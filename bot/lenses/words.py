"""What the lenses look at: the lines that a change adds or removes, without their comments."""

import re

from bot.values import Unit

_ROW = re.compile(r"[+-]\d* (.*)$")
_COMMENT = re.compile(r"\s*(?:#(?!include|define|\[)|//|\*\s|/\*|--\s|<!--)")


def changed(unit: Unit) -> str:
    """The added and removed lines of a unit, without signs, numbers and whole-line comments."""
    rows = (found[1] for row in unit.diff.split("\n") if (found := _ROW.match(row)))
    return "\n".join(row for row in rows if not _COMMENT.match(row))


def seen(pattern: str) -> re.Pattern[str]:
    """A pattern of words, in any case."""
    return re.compile(pattern, re.IGNORECASE)
