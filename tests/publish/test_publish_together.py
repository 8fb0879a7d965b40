"""Several findings in one hunk share a comment, and later reviews and commands treat it as all of them."""

from pathlib import Path

from hosted import Scene, finding, reviewed, scene
from told_reviews import FIRST_HUNK, put

from bot.stored import markers
from bot.values import PlacedFinding, Review
from deeprepo_sandbox.github.things import ReviewComment
from tests.hosted import now


def review_of(at: Scene, *findings: PlacedFinding, **changes: object) -> Review:
    """Build a review whose first hunk is known."""
    return reviewed(at.stands.head_sha, *findings, files=FIRST_HUNK, **changes)


def numbered(name: str, line: int, number: int, **changes: object) -> PlacedFinding:
    """Return a finding with this number."""
    return finding(name, line, number=number, **changes)


def tops(at: Scene) -> list[ReviewComment]:
    """Return the comments that are not replies."""
    return [one for one in at.stands.review_comments if one.reply_to is None]


def gone(name: str) -> PlacedFinding:
    """Return a finding as fixed."""
    return now(finding(name), "fixed")


async def test_findings_in_one_hunk_share_a_comment(tmp_path: Path) -> None:
    """One comment on the most severe finding's lines lists all of its hunk; other hunks get their own."""
    async with scene(tmp_path) as at:
        done = await put(at, review_of(at, numbered("f1", 5, 1), numbered("f2", 7, 2), numbered("f3", 41, 3)))
        assert done.posted_count == 3
        first, second = sorted(tops(at), key=lambda one: one.line or 0)
        assert (first.line, second.line) == (5, 41)
        assert all(said in first.body for said in ("1. Finding f1", "2. Finding f2", "app.py:7"))
        assert "Finding f3" in second.body
        assert markers.read(first.body).findings == (("f1", ""), ("f2", ""))
        assert first.body.count("<!-- deeprepo") == 1
        await put(at, review_of(at, numbered("f1", 5, 1), numbered("f2", 7, 2), numbered("f3", 41, 3)), "run-2")
        assert len(tops(at)) == 2


async def test_shared_comment_is_resolved_once_all_its_findings_are_fixed(tmp_path: Path) -> None:
    """A shared comment is answered and resolved after the last of its findings is fixed."""
    async with scene(tmp_path) as at:
        await put(at, review_of(at, numbered("f1", 5, 1), numbered("f2", 7, 2)))
        await put(at, review_of(at, gone("f1"), now(finding("f2"), "still")), "run-2")
        assert [one.is_resolved for one in at.stands.review_comments] == [False]
        await put(at, review_of(at, gone("f2")), "run-3")
        assert [one.is_resolved for one in tops(at)] == [True]
        assert len(at.stands.review_comments) == 2  # includes the reply
