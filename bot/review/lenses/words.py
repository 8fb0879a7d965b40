"""What the lenses look at: the lines that a change adds or removes, without their comments."""

import re

from bot.text.lines import is_comment
from bot.values import Unit


def changed_text(unit: Unit) -> str:
    """The added and removed lines of a unit, without signs, numbers and whole-line comments."""
    return "\n".join(row.text for row in unit.changed_rows if not is_comment(row.text, unit.path))


def word_pattern(pattern: str) -> re.Pattern[str]:
    """A pattern of words, in any case."""
    return re.compile(pattern, re.IGNORECASE)
