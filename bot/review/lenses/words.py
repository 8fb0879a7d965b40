"""What the lenses look at: the lines that a change adds or removes, without their comments."""

import re
from collections.abc import Callable

from bot.values import ChangedFile, Unit
from deeprepo.impact.text.lines import is_comment
from deeprepo.impact.text.paths import is_test


def changed_text(unit: Unit) -> str:
    """Return the added and removed lines of a unit, without signs, numbers and whole-line comments."""
    return "\n".join(diff_row.text for diff_row in unit.changed_rows if not is_comment(diff_row.text, unit.path))


def word_pattern(pattern: str) -> re.Pattern[str]:
    """Return a pattern of words, in any case."""
    return re.compile(pattern, re.IGNORECASE)


def is_about(unit: Unit, words: re.Pattern[str], paths: re.Pattern[str] | None = None) -> bool:
    """Return whether the changed lines of product code have such a word, or its path has."""
    return not is_test(unit.path) and bool((paths and paths.search(unit.path)) or words.search(changed_text(unit)))


def asked_of(words: re.Pattern[str], paths: re.Pattern[str] | None = None) -> Callable[[Unit, ChangedFile], bool]:
    """Make the `wants` of a lens that asks about such words, or about files in such places."""
    return lambda unit, _: is_about(unit, words, paths)
