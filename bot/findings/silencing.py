"""A review as it would be reported now: what people have silenced, withdrawn or allowed again since it was made. Pure.

The review that was made stays what is stored; the page is made of it again after each such word, so that doing it twice changes nothing.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from bot.findings.suppress import IgnoreList
from bot.values import Finding, OwnerRule, PlacedFinding, Review


def now(review: Review, requests: Sequence[tuple[str, str, str]], rules: Sequence[OwnerRule]) -> Review:
    """The review under these words: identity, reason and "finding" or "withdrawn" of single findings, and the learned rules in force.

    What the repository's own file silenced stays so until a review reads it again. A finding whose rule is gone is new again.
    """
    words = IgnoreList().also(requests, rules)
    rows = tuple(_judge(row, words) for row in review.findings)
    returning = [
        row.finding for row, before in zip(rows, review.findings, strict=True) if row.place and not before.place
    ]
    numbers = _numbers(returning, review)
    rows = tuple(_numbered(row, numbers) for row in rows)
    known_numbers = {number for number, _ in review.round.numbers}
    silenced_places = {(row.finding.path, row.finding.start) for row in rows if row.finding.silencing is not None}
    quiet = ({*_places(review.findings)} - {*_places(rows)}) | silenced_places
    walkthrough = review.walkthrough
    if (
        walkthrough is not None
        and walkthrough.first is not None
        and (walkthrough.first.path, walkthrough.first.line) in quiet
    ):
        walkthrough = replace(walkthrough, first=None)  # nothing sends a reader to what is silenced
    return replace(
        review,
        findings=rows,
        walkthrough=walkthrough,
        round=replace(
            review.round,
            numbers=tuple(
                sorted((*review.round.numbers, *((n, mark) for mark, n in numbers.items() if n not in known_numbers)))
            ),
        ),
    )


def new_numbers(before: Review, after: Review) -> Mapping[str, int]:
    """Return the numbers that only the later review has, by fingerprint."""
    return MappingProxyType({mark: number for number, mark in {*after.round.numbers} - {*before.round.numbers}})


def _judge(row: PlacedFinding, words: IgnoreList) -> PlacedFinding:
    """The row under these words. A secret that is silenced at its first place is reported at the next one."""
    finding = row.finding
    if finding.status in ("new", "still"):
        judged = words.judge(finding)
        if judged is finding:
            return row
        return PlacedFinding(judged, "outside" if row.place and judged.silencing is None else "")
    silencing = finding.silencing
    rule = silencing.rule if silencing is not None else None
    if silencing is None or rule is None or not rule.learned:
        return row
    if rule.is_learning and any(
        one.learned and (one.number, one.text) == (rule.number, silencing.reason) for one in words.learnings
    ):
        return row  # a second opinion has decided
    judged = words.judge(replace(finding, status="new", silencing=None))
    return PlacedFinding(judged, "outside" if judged.silencing is None else "")


def _places(rows: Sequence[PlacedFinding]) -> Iterator[tuple[str, int]]:
    return ((row.finding.path, row.finding.start) for row in rows if row.finding.status in ("new", "still"))


def _numbered(row: PlacedFinding, numbers: Mapping[str, int]) -> PlacedFinding:
    if row.place and not row.finding.number and row.finding.fingerprint in numbers:
        return replace(row, finding=replace(row.finding, number=numbers[row.finding.fingerprint]))
    return row


def _numbers(again: Sequence[Finding], review: Review) -> dict[str, int]:
    """The number of each finding that is back: its own, or the next."""
    had = {mark: number for number, mark in review.round.numbers}
    highest, numbers = max((0, *had.values())), dict[str, int]()
    for one in again:
        number = one.number or had.get(one.fingerprint) or highest + 1
        highest, numbers[one.fingerprint] = max(highest, number), number
    return numbers
