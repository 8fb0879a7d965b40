"""The review as a comment on a pull request: its words are templates, everything from the change is escaped by them."""

from collections.abc import Collection, Sequence

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
    finding_groups, own = facts.listing(review), {id(item) for item in posted_findings}
    # In the order in which they get room.
    groups = {"full": finding_groups.full, "still": finding_groups.still, "folded": finding_groups.collapsed_findings}
    findings_here = [item for group in groups.values() for item in group if id(item) not in own]
    with_heading = {
        id(item) for item in (*finding_groups.full, *finding_groups.collapsed_findings)
    }  # those of earlier rounds have it on their fold

    def details_of(*, with_handover: bool) -> list[Safe]:
        return form.fill(
            "finding.md.j2",
            lambda: [
                parts.one(item, review, form.words, heading=id(item) in with_heading, with_handover=with_handover)
                for item in findings_here
            ],
            room,
        )

    values = parts.whole(review, form.words) | {
        "inline": len(posted_findings),
        "listed": len(review.findings) - len(posted_findings),
    }

    def page(most: int, details_shown: Sequence[Safe], handover: str = "") -> str:
        detail_by_id = {id(item): detail for item, detail in zip(findings_here, details_shown, strict=False)}
        rows = {
            name: [
                {**row, "posted": id(item) in own, "detail": detail_by_id.get(id(item), "")}
                for row, item in zip(values[name], group, strict=True)
            ]
            for name, group in groups.items()
        }
        return form.fill(
            "summary.md.j2",
            lambda: [
                {
                    **values,
                    **rows,
                    "most": most,
                    "walkthrough": walkthrough.values(review, most),
                    "handover": handover,
                    "handover_title": Safe(form.words.say("handover_all", len(finding_groups.all))),
                    "details": [row["detail"] for row in rows["full"] if row["detail"]],
                    "untold": len(findings_here) - len(details_shown),
                    "notes": [note for note in (*review.notes, *form.notes) if note != review.failure],
                }
            ],
            room,
        )[0]

    for most in LISTED:
        bare = page(most, ())
        if _bytes(bare) <= room // 2:
            break
    left = room - _bytes(bare) - SLACK
    details = details_of(with_handover=True)
    if _size(details) > left:  # the prompts for agents are the first to be left out
        details = details_of(with_handover=False)
    details_shown = _fitting(details, left)
    spare = left - _size(details_shown) - SLACK
    alone = len(finding_groups.all) == 1 and bool(findings_here)  # its own prompt is beside it
    room_left = 0 if alone else min(spare, handover.MOST_BYTES)
    everything = handover.prompt(finding_groups.all, review.pull.head, room_left)
    whole = page(most, details_shown, everything)
    return whole if _bytes(whole) <= room else page(most, details_shown)  # what is escaped in it may have grown


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
