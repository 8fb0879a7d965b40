"""Find signs of risk in a changed region, such as a removed check, or a changed lock or transaction."""

import re
from collections.abc import Sequence

from bot.values import Unit
from deeprepo.impact.text.lines import is_comment

_CHECK = re.compile(
    r"\b(?:assert|raise|throw|throws|panic|require|guard|validate\w*|check\w*|ensure\w*|sanitiz\w*|escape\w*|verify\w*)\b|\bif\b.{0,300}\b(?:return|raise|throw)\b",
    re.IGNORECASE,
)
_TOUCHED: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("lock", re.compile(r"\b(?:\w*lock(?:ed|s)?|mutex\w*|synchronized|semaphore\w*|atomic\w*|volatile)\b", re.IGNORECASE)),
    ("transaction", re.compile(r"\b(?:\w*transaction\w*|commit|rollback|savepoint)\b", re.IGNORECASE)),
    (
        "SQL",
        re.compile(
            r"\b(?:SELECT\b.{0,300}\bFROM|INSERT\s+INTO|UPDATE\b.{0,300}\bSET|DELETE\s+FROM|ALTER\s+TABLE|CREATE\s+(?:TABLE|INDEX|VIEW)|DROP\s+\w+)\b",
            re.IGNORECASE,
        ),
    ),
    (
        "authorization",
        re.compile(r"\b(?:\w*authori[sz]\w*|\w*permission\w*|\w*authenticat\w*|csrf\w*|is_?admin\w*|login_required|acl|scopes?)\b", re.IGNORECASE),
    ),
    (
        "serialization",
        re.compile(r"\b(?:\w*seriali[sz]e\w*|pickle|marshal\w*|unmarshal\w*|(?:json|yaml|toml|xml)\.(?:load|dump|parse|stringify|encode|decode)\w*|to_?json|from_?json)\b", re.IGNORECASE),
    ),
    ("order", re.compile(r"\b(?:sort\w*|order_?by|compareTo|comparator|reverse[ds]?)\b|<=>", re.IGNORECASE)),
)  # fmt: skip
_COUNTED = 400  # characters that are searched in each line


def marks(unit: Unit) -> tuple[str, ...]:
    """Return the kinds of risk in the changed lines of a region.

    A kind applies if its pattern matches a different number of added and removed lines. For checks, only
    fewer added lines count.
    """
    added_texts, removed_texts = (
        [diff_row.text[:_COUNTED] for diff_row in rows if not is_comment(diff_row.text, unit.path)]
        for rows in (unit.added_rows, unit.removed_rows)
    )
    marks_found = ["a check was removed"] if _times(_CHECK, removed_texts) > _times(_CHECK, added_texts) else []
    return (
        *marks_found,
        *(name for name, pattern in _TOUCHED if _times(pattern, added_texts) != _times(pattern, removed_texts)),
    )


def _times(pattern: re.Pattern[str], lines: Sequence[str]) -> int:
    return sum(bool(pattern.search(line)) for line in lines)
