"""A review with a finding in every kind of location, and a count of what was posted."""

from collections import Counter
from dataclasses import replace

from hosted import BASE, Scene, finding, reviewed, wanted

from bot.outputs import posts
from bot.stored import markers
from bot.values import ChangedFile, DiffLine, Hunk, Review
from bot.workflow import publish

LINES = tuple(DiffLine(" ", text, at, at) for at, text in enumerate(BASE.splitlines(), 1) if at < 9)
FIRST_HUNK = (ChangedFile("app.py", "app.py", "modified", (Hunk(1, 8, 1, 9, LINES),)),)


async def put(at: Scene, review: Review, run: str = "run-1") -> publish.PublishResult:
    """Publish as the workflow does."""
    return await publish.publish(at.host, review, posts.comments, run, wanted)


def six(at: Scene) -> Review:
    """Build three findings on lines (two share a comment), one on a file, one outside, one collapsed."""
    file = finding("f3")
    return reviewed(
        at.stands.head_sha,
        finding("f1", 5),
        finding("f6", 7),
        finding("f2", 41),
        replace(file, place="file"),
        finding("f4", path="other.py"),
        replace(finding("f5"), place="folded"),
        files=FIRST_HUNK,
    )


def said(at: Scene) -> Counter[str]:
    """Count our comments on the pull request by kind and fingerprint."""
    stands = at.stands
    everything = [*stands.comments, *stands.review_comments, *stands.reviews]
    read = [markers.read(one.body) for one in everything if one.body]
    return Counter(f"{one.kind} {one.facts.get('fingerprint', '')}".strip() for one in read if one.kind)


ALL = Counter(["review", "finding f1", "finding f2", "finding f3", "summary"])
