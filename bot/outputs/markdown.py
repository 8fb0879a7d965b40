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
    review: Review, form: ReviewTemplates, posted: Collection[PlacedFinding] = (), room: int = MOST_BYTES
) -> str:
    """The summary comment, never longer than a comment may be. What does not fit is counted, whole findings at a time.

    `posted`: findings that have comments of their own, to which the summary only points. Secrets are hidden already.
    """
    listed, own = facts.listing(review), {id(placed) for placed in posted}
    # In the order in which they get room.
    groups = {"full": listed.full, "still": listed.still, "folded": listed.folded}
    told = [placed for group in groups.values() for placed in group if id(placed) not in own]
    headed = {id(placed) for placed in (*listed.full, *listed.folded)}  # those of earlier rounds have it on their fold

    def detailed(*, handed: bool) -> list[Safe]:
        return form.fill(
            "finding.md.j2",
            lambda: [
                parts.one(placed, review, form.words, heading=id(placed) in headed, handed=handed) for placed in told
            ],
            room,
        )

    values = parts.whole(review, form.words) | {"inline": len(posted), "listed": len(review.findings) - len(posted)}

    def page(most: int, shown: Sequence[Safe], handed: str = "") -> str:
        said = {id(placed): detail for placed, detail in zip(told, shown, strict=False)}
        rows = {
            name: [
                {**row, "posted": id(placed) in own, "detail": said.get(id(placed), "")}
                for row, placed in zip(values[name], group, strict=True)
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
                    "handover": handed,
                    "handover_title": Safe(form.words.say("handover_all", len(listed.all))),
                    "details": [row["detail"] for row in rows["full"] if row["detail"]],
                    "untold": len(told) - len(shown),
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
    details = detailed(handed=True)
    if _size(details) > left:  # the prompts for agents are the first to be left out
        details = detailed(handed=False)
    shown = _fitting(details, left)
    spare = left - _size(shown) - SLACK
    alone = len(listed.all) == 1 and bool(told)  # its own prompt is beside it
    room_left = 0 if alone else min(spare, handover.MOST_BYTES)
    everything = handover.prompt(listed.all, review.pull.head, room_left)
    whole = page(most, shown, everything)
    return whole if _bytes(whole) <= room else page(most, shown)  # what is escaped in it may have grown


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
