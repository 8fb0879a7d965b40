"""Write the review as a comment for a pull request, from templates that escape all untrusted text."""

from collections.abc import Collection, Sequence
from itertools import accumulate
from typing import get_args

from bot.outputs import facts, handover, parts
from bot.outputs.review_templates import Templates
from bot.render import Safe
from bot.sections import sections
from bot.sections.section import Place
from bot.values import PlacedFinding, Review

# GitHub's limit is 65,536 characters. A text never has more characters than bytes. The rest is for a marker.
MAX_COMMENT_BYTES = 64_000
SLACK = 200  # bytes for blank lines, a block's markup, and a sentence about omitted findings
MOST_LISTED = 100  # rows per list; half as many until enough room is left for the findings


def render(review: Review, room: int = MAX_COMMENT_BYTES) -> str:
    """Return the whole review as one comment or page of at most `room` bytes."""
    return summary(review, Templates(review), room=room)


def summary(
    review: Review,
    form: Templates,
    posted_findings: Collection[PlacedFinding] = (),
    room: int = MAX_COMMENT_BYTES,
) -> str:
    """Return the summary comment with at most `room` bytes. Findings that don't fit are only counted.

    `form` fills the templates. The summary only links to `posted_findings`, which have their own comments.
    """
    listing, posted_ids = facts.listing(review), {id(item) for item in posted_findings}
    # The groups in the order in which their details are added while there is room.
    groups = {"full": listing.full, "still": listing.still, "folded": listing.collapsed_findings}
    unposted = [item for group in groups.values() for item in group if id(item) not in posted_ids]
    # The details of other findings need no heading, because the collapsed block around them has the title.
    with_heading = {id(item) for item in (*listing.full, *listing.collapsed_findings)}
    templates = {
        place: [section.template for section in sections() if section.place == place] for place in get_args(Place)
    }
    values = parts.summary_values(review, form.words) | {
        "sections": templates,
        "inline": len(posted_findings),
        "listed": len(review.reported) - len(posted_findings),
        "handover_title": Safe(form.words.say("handover_all", len(listing.all))),
    }

    def detailed(*, with_handover: bool) -> list[Safe]:
        """Return the full text of each finding without its own comment."""
        return form.fill(
            "finding.md.j2",
            lambda: [
                parts.finding_values(
                    item, review, form.words, heading=id(item) in with_heading, with_handover=with_handover
                )
                for item in unposted
            ],
            room,
        )

    def text(most: int, details: Sequence[Safe], prompt: str = "") -> str:
        """Return the comment with at most `most` rows per list and these details."""
        shown = {id(item): detail for item, detail in zip(unposted, details, strict=False)}
        rows = {
            name: [
                {**row, "posted": id(item) in posted_ids, "detail": shown.get(id(item), "")}
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
                    **{k: v for section in sections() for k, v in section.values(review, form.words, most).items()},
                    "most": most,
                    "handover": prompt,
                    "details": [entry["detail"] for entry in rows["full"] if entry["detail"]],
                    "untold": len(unposted) - len(details),
                    "notes": [note for note in (*review.notes, *form.notes) if note != review.cut.failure],
                }
            ],
            room,
        )[0]

    most = MOST_LISTED
    while _bytes(bare := text(most, ())) > room // 2 and most:
        most //= 2
    left = room - _bytes(bare) - SLACK
    details = detailed(with_handover=True)
    if _size(details) > left:  # prompts for agents are left out first
        details = detailed(with_handover=False)
    # The order is kept, so a later finding never replaces a worse one.
    details = details[: sum(size <= left for size in accumulate(_bytes(detail) + 2 for detail in details))]
    spare = left - _size(details) - SLACK
    is_alone = len(listing.all) == 1 and bool(unposted)  # the only finding already has its own prompt
    prompt = handover.prompt(listing.all, review.pull.head, 0 if is_alone else min(spare, handover.MAX_PROMPT_BYTES))
    whole = text(most, details, prompt)
    return whole if _bytes(whole) <= room else text(most, details)  # escaping may have made the prompt longer


def _size(details: Sequence[Safe]) -> int:
    return sum(_bytes(detail) + 2 for detail in details)


def _bytes(value: str) -> int:
    return len(value.encode())
