"""The numbers that people call findings by: given in the order of the summary, kept while the pull request lives, used once.

A finding that was fixed and comes back has its old number again; the number of another is never given to it.
"""

from collections.abc import Sequence
from dataclasses import replace

from bot.values import PlacedFinding, in_order

MOST = 9_999  # a larger number in a file was not given by deeprepo
NumbersGiven = tuple[
    tuple[int, str], ...
]  # number and fingerprint: the same words may stand in a file twice, so neither is a key


def give(rows: Sequence[PlacedFinding], numbers_given: NumbersGiven) -> tuple[tuple[PlacedFinding, ...], NumbersGiven]:
    """The findings, each that is said with its number, in the order in which they came; and every number that is given by now."""
    there = [row.finding for row in rows if row.place or row.finding.status == "still"]
    taken_numbers = {one.number for one in there if one.number}
    marks_by_number = dict(numbers_given)
    free: dict[str, list[int]] = {}
    for number, mark in sorted(numbers_given):
        if number not in taken_numbers:
            free.setdefault(mark, []).append(number)
    highest = max((*marks_by_number, *taken_numbers), default=0)
    numbered_rows: dict[int, PlacedFinding] = {}
    for row in in_order(row for row in rows if row.place and not row.finding.number):
        own = free.get(row.finding.fingerprint)
        number = own.pop(0) if own else highest + 1
        is_back = number <= highest and row.finding.is_new
        highest = max(highest, number)
        numbered = replace(row.finding, number=number, how="back" if is_back else row.finding.how)
        numbered_rows[id(row)] = replace(row, finding=numbered)
    now = tuple(numbered_rows.get(id(row), row) for row in rows)
    said = (row.finding for row in now if row.place or row.finding.status == "still")
    marks_by_number |= {one.number: one.fingerprint for one in said if one.number}
    return now, tuple(sorted(marks_by_number.items()))
