"""The uses of what a change alters that are worth showing, in the order in which a prompt shows them. Pure."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypeVar

from bot.review.context import identifiers
from bot.values import Reference, Unit
from deeprepo.impact.text.paths import decides_nothing

MAX_CALLERS = 6  # of one unit
MAX_BY_NAME, MAX_TESTS = 2, 2  # callers of one prompt that are unsure, or tests
ALIKE = 2  # uses shown of those that are written alike
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*")

T = TypeVar("T")


def call_sites(units: Iterable[Unit]) -> list[Reference]:
    """Return the uses of what the units change that are worth showing, in the order in which a prompt would show them."""
    return _sift(in_turn([sorted(unit.references, key=_first)[:MAX_CALLERS] for unit in units]))


def distinct(rows: Iterable[Reference]) -> list[Reference]:
    """Return these uses without those that are written like two others: of the same name, with other variables around it."""
    counts: Counter[str] = Counter()
    distinct_rows = []
    for reference in rows:
        shape = _shape(reference.text.strip(), reference.name)
        counts[shape] += 1
        if counts[shape] <= ALIKE:
            distinct_rows.append(reference)
    return distinct_rows


def _shape(text: str, name: str) -> str:
    """A line of code with one word in the place of all others but this name."""
    return _IDENTIFIER.sub(lambda match: match[0] if match[0] in (name, "return") else "x", text)


def _sift(rows: Sequence[Reference]) -> list[Reference]:
    """Without imports and constructors found by their name alone, and with few of the unsure and of the tests."""
    unsure = tests = 0
    rows_kept = []
    # By an import or a type: then a mere name bears nothing.
    known = {reference.symbol for reference in rows if reference.sure}
    for reference in rows:
        idle = decides_nothing(reference.path) and not reference.missing
        if (reference.form == "import" and not reference.missing) or reference.everyday or idle:
            continue
        if not reference.sure and not reference.missing:
            unsure += 1
            if reference.symbol in known or unsure > MAX_BY_NAME or _another(reference):
                continue
        tests += reference.test
        if not reference.test or tests <= MAX_TESTS:
            rows_kept.append(reference)
    return rows_kept


def _another(reference: Reference) -> bool:
    """Whether what a use means, of which only the name is known, is likely another thing: a word, or what a class keeps to itself."""
    path = reference.symbol.partition(":")[0]
    own = reference.path != path and bool(
        re.search(rf"\b(?:self|this|cls)\._{re.escape(reference.name.removeprefix('_'))}\b", reference.text)
    )
    return own or identifiers.single(reference.name) or reference.name.startswith("__")


def _first(reference: Reference) -> tuple[bool, ...]:
    return (
        not reference.missing,
        bool(decides_nothing(reference.path)),
        not reference.sure,
        reference.test,
        not reference.call,
        not reference.is_at_top,
    )


def in_turn(lists: Sequence[Sequence[T]]) -> list[T]:
    """Return the first of each, then the second of each, and so on."""
    most = max(map(len, lists), default=0)
    return [rows[index] for index in range(most) for rows in lists if index < len(rows)]
