"""Find the secrets in a text before it is sent: everything that the secrets check reports, and rows of keys.

The code that has read a text passes the file's path, because the path determines what counts as a secret. The
path is never taken from the text itself, because a description or file could imitate the headings in a
prompt.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from bot.secrets.patterns import (
    ESCAPED_BREAK,
    KEY,
    KEY_LABELS,
    KEY_REACH,
    KIND_CHANGE,
    has_long_row,
    has_quotes,
    hits,
    is_promising,
    joined,
    promising_lines,
    role_of,
)

LONGEST_KEPT = 100_000  # characters; the cache keeps no longer text in memory
SHORTEST_RUN = 8  # characters in the last row of a key
# Prefix of a line in an excerpt or search result.
NUMBERED = re.compile(r"(?:[^\s:]{1,400}:\d+: |\s{0,8}[+-]?\d* ?)")
KEY_FIRST_LINE = re.compile(r"BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?|PuTTY-User-Key-File-\d")
KEY_LAST_LINE = re.compile(r"END [A-Z0-9 ]{0,40}PRIVATE KEY|Private-MAC")
RUN = re.compile(rf"[A-Za-z0-9+/=]{{{SHORTEST_RUN},}}")
LITERAL = re.compile(r"\w{0,2}(?=[\"'`])")  # prefix of a string's quotes
ROW = re.compile(r"^[ \t]{0,40}[+-]?\d{0,7}[ \t]{0,40}([A-Za-z0-9+/]{60,76})[ \t\r]{0,8}$", re.MULTILINE)
MOST_KIND_CHANGES = 3  # changes between lowercase letters, capitals and digits; names have at most as many
# Minimum number of such changes per character in a key's row. Of 113,000 parts of real paths, 0.5 % have as
# many, and most of these are digests.
ROW_DENSITY = 0.18
LEAST_ROW, LEAST_BODY = 16, 40  # characters in a row, and in all rows of a key together
# Text with more than one slash per 8 characters is a path. Of random texts with 16 characters, 0.3 % have as
# many.
PATH_PART = 8
MOST_APART = 2  # lines from one row of a key to the next


class Run(NamedTuple):
    """Consecutive characters that may be a row of a key."""

    line: int
    before: str  # the text before it on its line
    text: str


def secrets(text: str, path: str = "") -> frozenset[tuple[str, bool]]:
    """Return the secrets in a text, each with whether it is certain.

    Without a path, a value may be uncertain.
    """
    if not is_promising(text):
        return frozenset()
    return _found(text, path) if len(text) <= LONGEST_KEPT else _found.__wrapped__(text, path)


@lru_cache(maxsize=256)
def _found(text: str, path: str) -> frozenset[tuple[str, bool]]:
    values = {(body, True) for body in _keys(text)}
    role, quotes = (role_of(path), has_quotes(path)) if path else ("code", False)
    lines = text.split("\n")
    numbers = [*promising_lines(lines)]
    for number in sorted({*numbers, *(number + 1 for number in numbers if number + 1 < len(lines))}):
        plain_value = NUMBERED.sub("", lines[number], count=1)
        before = NUMBERED.sub("", lines[number - 1], count=1) if number else ""
        for line in dict.fromkeys((lines[number], plain_value, joined(before, plain_value))):
            for hit in hits(line, role, quotes=quotes) if line else ():
                if hit.rule != KEY:
                    values.add((hit.value, bool(path) or hit.exact or _is_random(hit.value)))
    return frozenset(values)


def _is_random(value: str) -> bool:
    """Return whether this is too random to be a name in code."""
    return not value.isidentifier() or len(KIND_CHANGE.findall(value)) > MOST_KIND_CHANGES


def _is_row(run: str) -> bool:
    """Return whether a run of characters is as random as a row of a key, unlike names and paths."""
    changes = len(KIND_CHANGE.findall(run))
    is_path = run.count("/") > len(run) / PATH_PART
    return len(run) >= LEAST_ROW and changes > MOST_KIND_CHANGES and changes >= ROW_DENSITY * len(run) and not is_path


def _is_beside(run: Run, row: Run) -> bool:
    """Return whether a run that is less random is also a row, because it is next to a row.

    It must have the same text before it, and the same length as the row. Only the last row may be shorter,
    unless it is a plain word.
    """
    is_word = not KIND_CHANGE.search(run.text) and not set(run.text) & set("+=")
    is_last = run.line >= row.line and len(run.text) < len(row.text) and not is_word
    return run.before == row.before and (len(run.text) == len(row.text) or is_last)


def _body(lines: Iterable[str]) -> Iterator[str]:
    """Yield the rows of a key's body. `lines` are the lines below the key's first line.

    A single row must be long, because other lines may follow, such as paths that contain a digest.
    """
    chains: list[list[Run]] = [[]]
    skipped: list[Run] = []  # the runs just before this one that were not random enough for a row
    for number, line in enumerate(lines):
        for at in RUN.finditer(line):
            run = Run(number, LITERAL.sub("", NUMBERED.sub("", line[: at.start()], count=1), count=1), at[0])
            above = [one for one in chains[-1][-1:] if number - one.line <= MOST_APART]
            skipped = skipped if skipped and number - skipped[-1].line <= MOST_APART else []
            if _is_row(run.text) and not above:
                chains.append([one for one in skipped if _is_beside(one, run)] + [run])
            elif _is_row(run.text) or any(_is_beside(run, one) for one in above):
                chains[-1].append(run)
            else:
                skipped.append(run)
    for chain in chains:
        if sum(len(run.text) for run in chain) >= LEAST_BODY:
            yield from (run.text for run in chain)


def _keys(text: str) -> Iterator[str]:
    """Yield the rows of private keys, even if the text only contains rows from the middle of a key."""
    if any(label in text for label in KEY_LABELS):
        left, inside = 0, list[str]()
        for line in ESCAPED_BREAK.sub("\n", text).split("\n"):
            begins, ends = KEY_FIRST_LINE.search(line), KEY_LAST_LINE.search(line)
            left = KEY_REACH if begins else left
            if left:
                inside.append(line[begins.end() if begins else 0 : ends.start() if ends else None])
                left = 0 if ends else left - 1
            if not left and inside:
                yield from _body(inside)
                inside = []
        yield from _body(inside)
    for one, other in pairwise(ROW.finditer(text)) if has_long_row(text) else ():
        if other.start() - one.end() == 1 and _is_row(one[1]) and _is_row(other[1]):
            yield from (one[1], other[1])
