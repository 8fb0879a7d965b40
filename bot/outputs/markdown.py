"""The review as a comment on a pull request: its words are templates, everything from the change is made harmless by them."""

from pathlib import PurePosixPath
from typing import Any

from bot import render as words
from bot.outputs import facts, hide
from bot.values import Coverage, Placed, Review

MOST_BYTES = 65_536  # GitHub's limit is this many characters; counted in bytes it holds in every script
LISTED = (100, 40, 12, 4)  # rows of each list: the first that leaves room for the findings themselves


def render(review: Review) -> str:
    """The summary comment, never longer than a comment may be. What does not fit is counted, whole findings at a time."""
    safe = hide.secrets(review)
    values = _values(safe)
    details = [_detail(number, placed) for number, placed in enumerate(facts.listing(safe).full, 1)]
    for most in LISTED:
        page = words.text("summary.md.j2", **values, most=most, details=[])
        if _bytes(page) <= MOST_BYTES // 2:
            break
    room = MOST_BYTES - _bytes(page) - 200  # the sentence that counts what is not shown, and blank lines
    return words.text("summary.md.j2", **values, most=most, details=_fitting(details, room))


def _fitting(details: list[str], room: int) -> list[str]:
    """The first findings that fit. The order stands: a later one never takes the place of a worse one."""
    for at, detail in enumerate(details):
        room -= _bytes(detail) + 2
        if room < 0:
            return details[:at]
    return details


def _values(review: Review) -> dict[str, Any]:
    listed, coverage = facts.listing(review), review.coverage
    return {
        "pull": review.pull,
        "verdict": facts.verdict(review),
        "size": facts.size(review),
        "strategy": review.strategy,
        "reason": review.reason,
        "summary": review.summary,
        "full": [_row(placed) for placed in listed.full],
        "folded": [_row(placed) for placed in listed.folded],
        "counts": [
            (name, *(coverage.count(kind, state) for state in facts.STATES))
            for kind, name in (("unit", "changed units"), ("dependent", "dependent files"))
        ],
        "lists": _lists(coverage),
        "notes": review.notes,
        "dropped": review.dropped,
        "cost": facts.cost(review.cost, review.seconds),
        "version": review.version,
    }


def _row(placed: Placed) -> dict[str, str]:
    finding = placed.finding
    return {
        "severity": finding.severity,
        "title": finding.title,
        "where": facts.where(finding),
        "origin": facts.origin(finding),
    }


def _lists(coverage: Coverage) -> list[dict[str, Any]]:
    def of(state: str) -> list[tuple[str, str]]:
        rows = [row for row in coverage.readings if row.state == state]
        return [(row.path if row.name == row.path else f"{row.path} {row.name}", row.reason) for row in rows]

    return [
        {"title": "Unread", "rows": of("unread")},
        {"title": "Skipped", "rows": of("skipped")},
        {"title": "Files listed, not reviewed", "rows": list(coverage.skipped_files)},
        {"title": "Cut off by a limit", "rows": [("", sentence) for sentence in coverage.cut]},
    ]


def _detail(number: int, placed: Placed) -> str:
    return words.text(
        "finding.md.j2",
        number=number,
        finding=placed.finding,
        place=placed.place,
        where=facts.where(placed.finding),
        origin=facts.origin(placed.finding),
        language=PurePosixPath(placed.finding.path).suffix.lstrip("."),
    )


def _bytes(value: str) -> int:
    return len(value.encode())
