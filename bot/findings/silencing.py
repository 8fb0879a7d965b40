"""A review as it would be reported now: what people have silenced, withdrawn or allowed again since it was made. Pure.

The review that was made stays what is stored; the page is made of it again after each such word, so that doing it twice changes nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from bot.findings.suppress import IgnoreList
from bot.values import Finding, OwnerRule, PlacedFinding, Review, SuppressedFinding


def now(review: Review, requests: Sequence[tuple[str, str, str]], rules: Sequence[OwnerRule]) -> Review:
    """The review under these words: identity, reason and "finding" or "withdrawn" of single findings, and the learned rules in force.

    What the repository's own file silenced stays so until a review reads it again. A finding whose rule is gone is new again.
    """
    words = IgnoreList().also(requests, rules).about(review.files)
    still_silenced, again = _judge(review.suppressed, words)
    still, silenced_still = words.split(review.still)
    judged = [(item, words.judge(item.finding)) for item in review.findings]
    hushed_too = [one for _, one in judged if isinstance(one, SuppressedFinding)]
    # a secret that is silenced at its first place is reported at the next one
    open_now = [
        item if one is item.finding else PlacedFinding(one, "outside")
        for item, one in judged
        if isinstance(one, Finding)
    ]
    known_numbers = {number for number, _ in review.numbers}
    numbers = _numbers(again, review)
    returning = [PlacedFinding(replace(one, number=numbers[one.fingerprint], status="new"), "outside") for one in again]
    silenced_findings = {
        one.finding.identity: one for one in (*hushed_too, *silenced_still, *still_silenced)
    }  # in a full review some are in both lists
    there = {(one.path, one.start) for one in (*(item.finding for item in open_now), *still)}
    quiet = {(one.path, one.start) for one in (*(item.finding for item in review.findings), *review.still)} - there
    quiet |= {(one.finding.path, one.finding.start) for one in silenced_findings.values()}
    walkthrough = review.walkthrough
    if (
        walkthrough is not None
        and walkthrough.first is not None
        and (walkthrough.first.path, walkthrough.first.line) in quiet
    ):
        walkthrough = replace(walkthrough, first=None)  # nothing sends a reader to what is silenced
    return replace(
        review,
        findings=(*open_now, *returning),
        still=still,
        suppressed=tuple(silenced_findings.values()),
        walkthrough=walkthrough,
        numbers=tuple(sorted((*review.numbers, *((n, mark) for mark, n in numbers.items() if n not in known_numbers)))),
    )


def new_numbers(before: Review, after: Review) -> Mapping[str, int]:
    """Return the numbers that only the later review has, by fingerprint."""
    return MappingProxyType({mark: number for number, mark in {*after.numbers} - {*before.numbers}})


def _judge(
    silenced_findings: Sequence[SuppressedFinding], words: IgnoreList
) -> tuple[tuple[SuppressedFinding, ...], tuple[Finding, ...]]:
    """Those that are still silenced, and the findings whose learned rule is gone."""
    in_force = {(rule.number, rule.text) for rule in words.learnings if rule.learned}
    by_learned = [
        one
        for one in silenced_findings
        if one.rule is not None
        and one.rule.learned
        and not (one.rule.is_learning and (one.rule.number, one.reason) in in_force)  # a second opinion has decided
    ]
    again, silenced_again = words.split(one.finding for one in by_learned)
    return (*(one for one in silenced_findings if one not in by_learned), *silenced_again), again


def _numbers(again: Sequence[Finding], review: Review) -> dict[str, int]:
    """The number of each finding that is back: its own, or the next."""
    had = {mark: number for number, mark in review.numbers}
    highest, numbers = max((0, *had.values())), dict[str, int]()
    for one in again:
        number = one.number or had.get(one.fingerprint) or highest + 1
        highest, numbers[one.fingerprint] = max(highest, number), number
    return numbers
