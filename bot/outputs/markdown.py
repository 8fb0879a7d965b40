"""The review as a comment on a pull request: its words are templates, everything from the change is made harmless by them."""

from collections.abc import Collection

from bot.outputs import facts, hide, parts
from bot.outputs.form import Form
from bot.values import Placed, Review

MOST_BYTES = (
    64_000  # GitHub's limit is 65,536 characters; counted in bytes it holds in every script, with room for a marker
)
LISTED = (100, 40, 12, 4, 1, 0)  # rows of each list: the first that leaves room for the findings themselves


def render(review: Review, room: int = MOST_BYTES) -> str:
    """The whole review as one comment, or as a page of at most `room` bytes."""
    safe = hide.secrets(review)
    return summary(safe, Form(safe), room=room)


def summary(review: Review, form: Form, posted: Collection[Placed] = (), room: int = MOST_BYTES) -> str:
    """The summary comment, never longer than a comment may be. What does not fit is counted, whole findings at a time.

    `posted`: findings that have comments of their own and stand here in the table alone. Secrets are hidden already.
    """
    own = {id(placed) for placed in posted}
    told = [(n, placed) for n, placed in enumerate(facts.listing(review).full, 1) if id(placed) not in own]
    details: list[str] = list(
        form.fill("finding.md.j2", lambda: [parts.one(n, placed, review, form.words) for n, placed in told], room)
    )
    values = parts.whole(review, form.words) | {"inline": len(posted), "listed": len(review.findings) - len(posted)}

    def page(most: int, shown: list[str]) -> str:
        return form.fill(
            "summary.md.j2",
            lambda: [
                {
                    **values,
                    "most": most,
                    "details": shown,
                    "untold": len(told) - len(shown),
                    "notes": [*review.notes, *form.notes],
                }
            ],
            room,
        )[0]

    for most in LISTED:
        bare = page(most, [])
        if _bytes(bare) <= room // 2:
            break
    left = room - _bytes(bare) - 200  # the sentence that counts what is not shown, and blank lines
    return page(most, _fitting(details, left))


def _fitting(details: list[str], room: int) -> list[str]:
    """The first findings that fit. The order stands: a later one never takes the place of a worse one."""
    for at, detail in enumerate(details):
        room -= _bytes(detail) + 2
        if room < 0:
            return details[:at]
    return details


def _bytes(value: str) -> int:
    return len(value.encode())
