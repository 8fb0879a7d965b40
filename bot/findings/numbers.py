"""The numbers that people call findings by: given in the order of the summary, kept while the pull request lives, used once.

A finding that was fixed and comes back has its old number again; the number of another is never given to it.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace

from bot.values import Finding, PlacedFinding, in_order, severity_rank

MOST = 9_999  # a larger number in a file was not given by deeprepo
NumbersGiven = tuple[
    tuple[int, str], ...
]  # number and fingerprint: the same words may stand in a file twice, so neither is a key


def give(
    placed_findings: Sequence[PlacedFinding], still: Sequence[Finding], numbers_given: NumbersGiven
) -> tuple[tuple[PlacedFinding, ...], NumbersGiven]:
    """The findings with their numbers, in the order in which they came, and every number that is given by now."""
    taken_numbers = {one.number for one in (*still, *(row.finding for row in placed_findings)) if one.number}
    marks_by_number = dict(numbers_given)
    free: dict[str, list[int]] = {}
    for number, mark in sorted(numbers_given):
        if number not in taken_numbers:
            free.setdefault(mark, []).append(number)
    highest = max((*marks_by_number, *taken_numbers), default=0)
    numbered_rows: dict[int, PlacedFinding] = {}
    for row in in_order(placed_findings):
        number = row.finding.number
        if not number:
            own = free.get(row.finding.fingerprint)
            number = own.pop(0) if own else highest + 1
            is_back = number <= highest and row.finding.status == "new"
            highest = max(highest, number)
            row_now = replace(row.finding, number=number, status="back" if is_back else row.finding.status)
        else:
            row_now = row.finding
        numbered_rows[id(row)] = replace(row, finding=row_now)
        marks_by_number[number] = row.finding.fingerprint
    marks_by_number |= {finding.number: finding.fingerprint for finding in still if finding.number}
    return tuple(numbered_rows[id(row)] for row in placed_findings), tuple(sorted(marks_by_number.items()))


def restore(
    findings: Sequence[Finding], still: Sequence[Finding], low_positions: Collection[int]
) -> tuple[Finding, ...]:
    """All of them with the numbers that their summary showed. `low_positions`: positions in `findings` of what was collapsed.

    Versions that kept no numbers counted what was not collapsed, worst first; the rest gets the numbers after these.
    """
    every = (*findings, *still)
    if len({one.number for one in every if 0 < one.number <= MOST}) == len(every):
        return every
    positions = sorted(range(len(findings)), key=lambda at: (at in low_positions, severity_rank(findings[at].severity)))
    order = [*positions, *range(len(findings), len(every))]
    numbers = {at: number for number, at in enumerate(order, 1)}
    return tuple(replace(one, number=numbers[at]) for at, one in enumerate(every))
