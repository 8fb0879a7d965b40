"""Select and sort the uses of changed code that prompts show. Pure functions."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypeVar

from bot.file_kinds import irrelevant_kind
from bot.review.context import identifiers
from bot.values import Reference, Unit

MAX_CALLERS = 6  # per code region
MAX_BY_NAME, MAX_TESTS = 2, 2  # per prompt: uncertain callers, and tests
ALIKE = 2  # uses shown if several are written alike
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*")

T = TypeVar("T")


def call_sites(units: Iterable[Unit]) -> list[Reference]:
    """Return the uses of what these regions change that are worth showing, in the order of display."""
    return _filter_references(interleave([sorted(unit.references, key=_first)[:MAX_CALLERS] for unit in units]))


def distinct(rows: Iterable[Reference]) -> list[Reference]:
    """Return the uses without repetitions.

    A use is dropped if two earlier ones differ from it only in variable names.
    """
    counts: Counter[str] = Counter()
    distinct_rows = []
    for reference in rows:
        written = shape(reference)
        counts[written] += 1
        if counts[written] <= ALIKE:
            distinct_rows.append(reference)
    return distinct_rows


def shape(reference: Reference) -> str:
    """Return a use's line with all identifiers replaced, except for the used name and `return`."""
    kept = (reference.name, "return")
    return _IDENTIFIER.sub(lambda match: match[0] if match[0] in kept else "x", reference.text.strip())


def _filter_references(rows: Sequence[Reference]) -> list[Reference]:
    """Drop imports and constructors found only by name, and all but a few uncertain uses and tests."""
    unsure = tests = 0
    rows_kept = []
    # If a symbol is known by an import or a type, a mere name match counts for nothing.
    known = {reference.symbol for reference in rows if reference.is_bound}
    for reference in rows:
        idle = irrelevant_kind(reference.path) and not reference.missing
        if (reference.form == "import" and not reference.missing) or reference.everyday or idle:
            continue
        if not reference.is_bound and not reference.missing:
            unsure += 1
            if reference.symbol in known or unsure > MAX_BY_NAME or _another(reference):
                continue
        tests += reference.test
        if not reference.test or tests <= MAX_TESTS:
            rows_kept.append(reference)
    return rows_kept


def _another(reference: Reference) -> bool:
    """Return whether a use known only by name is likely a different thing.

    Examples are a common word and a private member.
    """
    path = reference.symbol.partition(":")[0]
    own = reference.path != path and bool(
        re.search(rf"\b(?:self|this|cls)\._{re.escape(reference.name.removeprefix('_'))}\b", reference.text)
    )
    return own or identifiers.single(reference.name) or reference.name.startswith("__")


def _first(reference: Reference) -> tuple[bool, ...]:
    return (
        not reference.missing,
        bool(irrelevant_kind(reference.path)),
        not reference.is_bound,
        reference.test,
        not reference.call,
        not reference.is_at_top,
    )


def interleave(lists: Sequence[Sequence[T]]) -> list[T]:
    """Return the first item of each list, then the second of each, and so on."""
    most = max(map(len, lists), default=0)
    return [rows[index] for index in range(most) for rows in lists if index < len(rows)]
