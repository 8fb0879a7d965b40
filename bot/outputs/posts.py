"""Prepare the comments for a pull request: a summary, and comments on the lines of findings or of their causes."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from bot.outputs import facts, markdown, parts
from bot.outputs.markdown import MAX_COMMENT_BYTES
from bot.outputs.review_templates import Templates
from bot.render import Safe, comment
from bot.stored import markers
from bot.values import CommentSpot, PlacedFinding, Review
from bot.values.review import DiffSide

NEIGHBOR_LINES = 10  # maximum number of lines between findings that share a comment
MOST_POSTS = 25  # comments per review, because more have caused errors; the other findings are in the summary
RULE = "\n\n---\n\n"  # between two findings in one comment
SHORT_TEXT_CHARS = 1_000  # characters of each text if a comment is too long


@dataclass(frozen=True, slots=True)
class AdditionalFinding:
    """Another finding in the same comment.

    `body` begins with the finding's own marker, and `line` is where it would be posted separately.
    """

    body: str
    line: int


@dataclass(frozen=True, slots=True)
class Post:
    """A comment on lines or on a file.

    A comment on several lines has a `start_line` above `line`, and a comment on a file has no line.
    Neighboring findings share a comment on the lines of the worst one, and `more` contains the others.
    """

    path: str
    body: str
    subject: Literal["line", "file"]
    line: int | None = None
    side: DiffSide | None = None
    start_line: int | None = None
    more: tuple[AdditionalFinding, ...] = ()

    @property
    def findings(self) -> int:
        """The number of findings in the comment."""
        return 1 + len(self.more)


@dataclass(frozen=True, slots=True)
class Comments:
    """Everything that is posted for one review. Every finding is in a post or in the summary."""

    summary: str
    posts: tuple[Post, ...]


def comments(review: Review, state: Callable[[Review], str] | None = None) -> Comments:
    """Return the comments for a review. The first line of each contains our marker.

    `state` returns a hidden line for the summary, which becomes its second line.
    """
    safe = review.without_unproven()  # unconfirmed findings are shown on demand, not posted
    form = Templates(safe)
    full = facts.listing(safe).full
    postable = [item for item in full if item.spot is not None or item.place == "file"][:MOST_POSTS]
    neighbors = _together(postable, safe)
    bodies = form.fill(
        "inline.md.j2", lambda: [parts.finding_values(item, safe, form.words) for item in neighbors], MAX_COMMENT_BYTES
    )
    bodies = [_short(body, item, safe, form) for item, body in zip(neighbors, bodies, strict=True)]
    state_line = f"{state(review)}\n" if state else ""
    summary = markdown.summary(safe, form, postable, MAX_COMMENT_BYTES - len(state_line))
    head = markers.make("summary", head=safe.pull.head, round=str(safe.round.number))
    return Comments(
        f"{head}\n{state_line}{summary}",
        tuple(_posts(postable, neighbors, bodies, safe)),
    )


def _together(findings: Sequence[PlacedFinding], review: Review) -> list[PlacedFinding]:
    """Return the findings, with neighbors moved to the lines of the worst one to share a comment.

    The exceptions are:

    - Findings that are more than NEIGHBOR_LINES lines from each other are not neighbors, even in the same hunk.
    - Findings outside the diff only share a comment if the same line caused them.
    - A finding with a fix for other lines is not moved, because GitHub applies a fix to the comment's lines.
    - Secrets only share comments with secrets. No model sees a thread about a secret, so other findings in it
      could not be discussed.
    """
    worst: dict[tuple[tuple[str, str, int], bool], list[CommentSpot]] = {}
    neighbors = []
    for item in findings:
        own = item.spot
        hunk = _hunk(own, review) if own is not None else None
        if own is None or hunk is None or item.place == "outside":
            neighbors.append(item)
            continue
        spots = worst.setdefault((hunk, item.finding.category == "secret"), [])
        spot = next((known_spot for known_spot in spots if abs(known_spot.end - own.end) <= NEIGHBOR_LINES), own)
        if item.replacement is not None and spot != own:
            spot = own
        spots.append(spot)
        neighbors.append(replace(item, spot=spot))
    return neighbors


def _hunk(spot: CommentSpot, review: Review) -> tuple[str, str, int] | None:
    file = next((file for file in review.files if spot.path in (file.path, file.old_path)), None)
    for number, hunk in enumerate(file.hunks if file else ()):
        if any((line.new if spot.side == "RIGHT" else line.old) == spot.end for line in hunk.lines):
            return spot.path, spot.side, number
    return None


def _posts(
    findings: Sequence[PlacedFinding], neighbors: Sequence[PlacedFinding], bodies: Sequence[Safe], review: Review
) -> Iterator[Post]:
    """Yield the comments, one for each spot. If it would be too long for GitHub, there are several."""
    groups: dict[CommentSpot | int, list[list[tuple[PlacedFinding, str]]]] = {}
    for own, there, body in zip(findings, neighbors, bodies, strict=True):
        bundle = groups.setdefault(there.spot or id(own), [[]])
        if (
            sum(len(f"{text}{RULE}".encode()) for _, text in bundle[-1]) + len(body.encode()) > MAX_COMMENT_BYTES
            and bundle[-1]
        ):
            bundle.append([])
        bundle[-1].append((own, f"{_marker(own, review)}\n{body}"))
    for (first, text), *others in (part for bundle in groups.values() for part in bundle):
        more = tuple(
            AdditionalFinding(body, placed_finding.spot.end)
            for placed_finding, body in others
            if placed_finding.spot is not None
        )
        yield replace(_post(first, text, review), more=more)


def _marker(placed_finding: PlacedFinding, review: Review) -> str:
    """Return the marker, which contains the finding's identity, and the location if that is new.

    All locations outside the diff share the thread at their cause.
    """
    finding, spot = placed_finding.finding, placed_finding.spot
    location = (spot.path, spot.end) if spot is not None else (finding.path, finding.start)
    is_separate = finding.tracking.added and placed_finding.place != "outside"
    place = finding.place_mark(*location) if is_separate else ""
    return markers.make("finding", head=review.pull.head, **markers.of_findings((finding.identity, place)))


def _short(body: Safe, placed_finding: PlacedFinding, review: Review, form: Templates) -> Safe:
    """Return the comment, with all texts shortened if escaping makes it too long for GitHub."""
    if len(body.encode()) <= MAX_COMMENT_BYTES:
        return body
    values = parts.finding_values(placed_finding, review, form.words, with_handover=False)
    values |= {
        name: values[name][:SHORT_TEXT_CHARS] for name in ("why", "first", "more", "consequence", "trigger", "quote")
    }
    values |= {"evidence": [], "replacement": None, "suggestion": None}
    return comment("inline.md.j2", form.words, **values)


def _post(placed_finding: PlacedFinding, text: str, review: Review) -> Post:
    spot = placed_finding.spot
    if spot is None or not spot.start:
        return Post(spot.path if spot is not None else _in_diff(placed_finding, review), text, "file")
    if spot.start == spot.end:
        return Post(spot.path, text, "line", spot.end, spot.side)
    return Post(spot.path, text, "line", spot.end, spot.side, spot.start)


def _in_diff(placed_finding: PlacedFinding, review: Review) -> str:
    """Return the path of a finding's file in the diff. In a renamed file, a finding may have the old path."""
    path = placed_finding.finding.path
    if any(file.path == path for file in review.files):
        return path
    return next((file.path for file in review.files if file.old_path == path), path)
