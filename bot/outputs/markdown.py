"""The review as a comment on a pull request: its words are templates, everything from the change is escaped by them."""

from collections.abc import Collection, Sequence
from typing import Any

from bot.masking import hide
from bot.outputs import facts, handover, parts, walkthrough
from bot.outputs.form import ReviewTemplates
from bot.render import Safe
from bot.values import PlacedFinding, Review

MOST_BYTES = (
    64_000  # GitHub's limit is 65,536 characters; counted in bytes it holds in every script, with room for a marker
)
SLACK = 200  # bytes: a sentence that counts what is not shown, blank lines, the frame of a block
LISTED = (100, 40, 12, 4, 1, 0)  # rows of each list: the first that leaves room for the findings themselves


def render(review: Review, room: int = MOST_BYTES) -> str:
    """The whole review as one comment, or as a page of at most `room` bytes."""
    safe = hide.secrets(review)
    return summary(safe, ReviewTemplates(safe), room=room)


def summary(
    review: Review, form: ReviewTemplates, posted_findings: Collection[PlacedFinding] = (), room: int = MOST_BYTES
) -> str:
    """The summary comment, never longer than a comment may be. What does not fit is counted, whole findings at a time.

    `posted_findings`: findings that have comments of their own, to which the summary only points. Secrets are hidden already.
    """
    page = SummaryPage(review, form, posted_findings, room)
    for most in LISTED:
        bare = page.text(most, ())
        if _bytes(bare) <= room // 2:
            break
    left = room - _bytes(bare) - SLACK
    details = page.details(with_handover=True)
    if _size(details) > left:  # the prompts for agents are the first to be left out
        details = page.details(with_handover=False)
    details_shown = _fitting(details, left)
    spare = left - _size(details_shown) - SLACK
    every = page.listing.all
    alone = len(every) == 1 and bool(page.findings_here)  # its own prompt is beside it
    everything = handover.prompt(every, review.pull.head, 0 if alone else min(spare, handover.MOST_BYTES))
    whole = page.text(most, details_shown, everything)
    return whole if _bytes(whole) <= room else page.text(most, details_shown)  # what is escaped in it may have grown


class SummaryPage:
    """The summary of a review, rendered with as much as there is room for."""

    def __init__(
        self, review: Review, form: ReviewTemplates, posted_findings: Collection[PlacedFinding], room: int
    ) -> None:
        self.review, self.form, self.room = review, form, room
        self.listing, self.own = facts.listing(review), {id(item) for item in posted_findings}
        self.groups = {  # in the order in which they get room
            "full": self.listing.full,
            "still": self.listing.still,
            "folded": self.listing.collapsed_findings,
        }
        self.findings_here = [item for group in self.groups.values() for item in group if id(item) not in self.own]
        self.values = parts.whole(review, form.words) | {
            "inline": len(posted_findings),
            "listed": len(review.reported) - len(posted_findings),
        }

    def details(self, *, with_handover: bool) -> list[Safe]:
        """Everything about each finding that has no comment of its own. Those of earlier rounds have a heading on their fold."""
        with_heading = {id(item) for item in (*self.listing.full, *self.listing.collapsed_findings)}
        words = self.form.words
        return self.form.fill(
            "finding.md.j2",
            lambda: [
                parts.one(item, self.review, words, heading=id(item) in with_heading, with_handover=with_handover)
                for item in self.findings_here
            ],
            self.room,
        )

    def text(self, most: int, details_shown: Sequence[Safe], handover: str = "") -> str:
        """The comment with so many rows of each list and these details."""
        return self.form.fill("summary.md.j2", lambda: [self._values(most, details_shown, handover)], self.room)[0]

    def _values(self, most: int, details_shown: Sequence[Safe], handover: str) -> dict[str, Any]:
        detail_by_id = {id(item): detail for item, detail in zip(self.findings_here, details_shown, strict=False)}
        rows = {
            name: [
                {**row, "posted": id(item) in self.own, "detail": detail_by_id.get(id(item), "")}
                for row, item in zip(self.values[name], group, strict=True)
            ]
            for name, group in self.groups.items()
        }
        return {
            **self.values,
            **rows,
            "most": most,
            "walkthrough": walkthrough.values(self.review, most),
            "handover": handover,
            "handover_title": Safe(self.form.words.say("handover_all", len(self.listing.all))),
            "details": [row["detail"] for row in rows["full"] if row["detail"]],
            "untold": len(self.findings_here) - len(details_shown),
            "notes": [note for note in (*self.review.notes, *self.form.notes) if note != self.review.cut.failure],
        }


def _fitting(details: Sequence[Safe], room: int) -> Sequence[Safe]:
    """The first findings that fit. The order stands: a later one never takes the place of a worse one."""
    for at, detail in enumerate(details):
        room -= _bytes(detail) + 2
        if room < 0:
            return details[:at]
    return details


def _size(details: Sequence[Safe]) -> int:
    return sum(_bytes(detail) + 2 for detail in details)


def _bytes(value: str) -> int:
    return len(value.encode())
