"""The review as a pull request gets it: a summary comment, and a comment on the lines of each finding that has lines there."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from bot.outputs import facts, hide, markdown, marker, parts
from bot.outputs.form import ReviewTemplates
from bot.render import Safe, comment
from bot.values import Placed, Review

MOST_POSTS = 25  # in one review; more have met errors, so the rest stands in the summary
MOST_BYTES = 64_000
SHORT = 1_000  # characters of each text, where a comment is too long


@dataclass(frozen=True, slots=True)
class Post:
    """One comment as GitHub takes it. A range has a `start_line` above `line`; a comment on the file has no line at all."""

    path: str
    body: str
    subject: Literal["line", "file"]
    line: int | None = None
    side: Literal["RIGHT", "LEFT"] | None = None
    start_line: int | None = None
    start_side: Literal["RIGHT", "LEFT"] | None = None


@dataclass(frozen=True, slots=True)
class Comments:
    """Everything that is posted for one review. Every finding is in a post or in the summary, and its counters say in which."""

    summary: str
    posts: tuple[Post, ...]


def comments(review: Review, state: Callable[[Review], str] | None = None) -> Comments:
    """The comments of a review, each with our marker as its first line. `state` makes a hidden second line of the summary."""
    safe = hide.secrets(replace(review, unproven=()))  # what nobody has confirmed is shown to who asks, not posted
    form = ReviewTemplates(safe)
    full = facts.listing(safe).full
    posted = [placed for placed in full if placed.place in ("inline", "file")][:MOST_POSTS]
    bodies = form.fill("inline.md.j2", lambda: [parts.one(placed, safe, form.words) for placed in posted], MOST_BYTES)
    bodies = [_short(body, placed, safe, form) for placed, body in zip(posted, bodies, strict=True)]
    kept = f"{state(review)}\n" if state else ""
    summary = markdown.summary(safe, form, posted, MOST_BYTES - len(kept))
    head = marker.make("summary", head=safe.pull.head, round=str(safe.round.number))
    return Comments(
        f"{head}\n{kept}{summary}",
        tuple(_post(placed, body, safe) for placed, body in zip(posted, bodies, strict=True)),
    )


def _short(body: Safe, placed: Placed, review: Review, form: ReviewTemplates) -> Safe:
    """The comment within GitHub's limit. Whoever fills it with signs that must be disarmed gets less of everything shown."""
    if len(body.encode()) <= MOST_BYTES:
        return body
    values = parts.one(placed, review, form.words)
    less = {name: values[name][:SHORT] for name in ("why", "consequence", "trigger", "quote")}
    return comment(
        "inline.md.j2", form.words, **{**values, **less, "evidence": [], "replacement": None, "suggestion": None}
    )


def _post(placed: Placed, body: str, review: Review) -> Post:
    finding, spot = placed.finding, placed.spot
    text = f"{marker.make('finding', fingerprint=finding.fingerprint, head=review.pull.head)}\n{body}"
    if spot is None:
        return Post(_in_diff(placed, review), text, "file")
    if spot.start == spot.end:
        return Post(spot.path, text, "line", spot.end, spot.side)
    return Post(spot.path, text, "line", spot.end, spot.side, spot.start, spot.side)


def _in_diff(placed: Placed, review: Review) -> str:
    """The name under which the diff holds the file: a finding on the old side of a renamed file has the old name."""
    path = placed.finding.path
    if any(file.path == path for file in review.files):
        return path
    return next((file.path for file in review.files if file.old_path == path), path)
