"""Match the lines that a change adds or removes, without comments, against words."""

import re
from collections.abc import Callable

from bot.values import ChangedFile, Unit
from deeprepo.impact.text.lines import is_comment
from deeprepo.impact.text.paths import is_test


def changed_text(unit: Unit) -> str:
    """Return the added and removed lines of a code region, without signs, numbers and whole-line comments."""
    return "\n".join(diff_row.text for diff_row in unit.changed_rows if not is_comment(diff_row.text, unit.path))


def word_pattern(pattern: str) -> re.Pattern[str]:
    """Compile a pattern of words, ignoring case."""
    return re.compile(pattern, re.IGNORECASE)


def is_about(unit: Unit, words: re.Pattern[str], paths: re.Pattern[str] | None = None) -> bool:
    """Return whether the region is product code and its changed lines or its path match."""
    return not is_test(unit.path) and bool((paths and paths.search(unit.path)) or words.search(changed_text(unit)))


def asked_of(words: re.Pattern[str], paths: re.Pattern[str] | None = None) -> Callable[[Unit, ChangedFile], bool]:
    """Return a `wants` function that matches such words or paths."""
    return lambda unit, _: is_about(unit, words, paths)
