from collections.abc import Awaitable, Callable

import pytest
from hosted import Scene, finding, reviewed, wanted

from bot.errors import HostDown, SupersededError
from bot.outputs import posts
from bot.values import CommentSpot, PlacedFinding, Review
from bot.workflow import publish
from deeprepo_sandbox.github import Fault


async def put(at: Scene, review: Review, current: Callable[[], Awaitable[bool]] = wanted) -> publish.PublishResult:
    """Publish as the workflow does."""
    return await publish.publish(at.host, review, posts.comments, "run-1", current)


def two(at: Scene, *more: PlacedFinding) -> Review:
    """Return a review with two findings on existing lines, and more."""
    return reviewed(at.stands.head_sha, finding("f1", 5), finding("f2", 41), *more)


def lost(at: Scene, fingerprint: str) -> bool:
    """Return whether a finding is posted nowhere."""
    stands = at.stands
    return not any(f"Finding {fingerprint}" in one.body for one in (*stands.comments, *stands.review_comments))


async def test_comment_that_github_refuses_moves_to_the_summary(at: Scene) -> None:
    """If GitHub refuses all comments together, they are posted singly; the refused one is in the summary."""
    outcome = await put(at, two(at, finding("f3", 30)))
    stands = at.stands

    assert sorted(one.line or 0 for one in stands.review_comments) == [5, 41]
    assert (outcome.posted_count, outcome.listed_count) == (2, 1)
    assert "2 findings with comments; findings listed only here: 1" in stands.comments[0].body
    assert "#### 🔴 High · Finding f3" in stands.comments[0].body
    (note,) = outcome.notes
    assert "must be part of the diff”), so it is in the summary" in note
    assert note not in stands.comments[0].body  # the reason is internal

    before = at.writes()
    await put(at, two(at, finding("f3", 30)))
    assert [one for one in at.writes()[len(before) :] if "POST" not in one] == []
    assert len(at.stands.review_comments) == 2


async def test_all_findings_are_in_the_summary_if_every_comment_is_refused(at: Scene) -> None:
    """A path outside of the diff and a range across hunks are refused: the summary has all findings."""
    elsewhere = PlacedFinding(finding("f1", path="other.py").finding, "inline", CommentSpot("other.py", 1, 1, "RIGHT"))
    wide = PlacedFinding(finding("f2").finding, "inline", CommentSpot("app.py", 5, 41, "RIGHT"))
    unknown = PlacedFinding(finding("f3", path="no.py").finding, "file")
    outcome = await put(at, reviewed(at.stands.head_sha, elsewhere, wide, unknown))

    assert (outcome.posted_count, outcome.listed_count) == (0, 3)
    assert not any(lost(at, name) for name in ("f1", "f2", "f3"))
    assert at.stands.review_comments == []


MOVES: dict[str, Callable[[Scene], Awaitable[object]]] = {
    "pushed": lambda at: at.repo.push("feature", {"app.py": "other\n"}),
    "rewritten": lambda at: at.repo.force_push("feature", {"app.py": "other\n"}),
    "closed": lambda at: at.repo.close(at.number),
    "merged": lambda at: at.repo.close(at.number, merge=True),
    "another base": lambda at: at.repo.retarget(at.number, "release"),
}
SAYS = {
    "pushed": "the head is now [0-9a-f]{10}, but [0-9a-f]{10} was reviewed",
    "rewritten": "the head is now [0-9a-f]{10}, but [0-9a-f]{10} was reviewed",
    "closed": "the pull request was closed during the review",
    "merged": "the pull request was merged during the review",
    "another base": "the base is now release, but the review used main",
}


@pytest.mark.parametrize("what", MOVES)
async def test_outdated_pull_request_gets_no_comments(at: Scene, what: str) -> None:
    """Nothing is posted, and the error says what happened."""
    await at.repo.commit("release", {"other.py": "x = 3\n"}, onto="main")
    review = two(at)
    await MOVES[what](at)
    with pytest.raises(SupersededError, match=SAYS[what]):
        await put(at, review)

    assert at.writes() == []


@pytest.mark.parametrize("what", ["rewritten", "merged", "another base"])
async def test_pull_request_that_changes_during_publishing_gets_no_more_comments(at: Scene, what: str) -> None:
    """Comments posted for the old head stay, and nothing more is posted."""
    await at.repo.commit("release", {"other.py": "x = 3\n"}, onto="main")
    review = two(at)
    at.gh.fail("POST", r"/reviews$", Fault(None, after=True, run=lambda: MOVES[what](at)))
    with pytest.raises(SupersededError, match=SAYS[what]):
        await put(at, review)

    assert at.writes() == ["POST pulls/create-review"]


async def test_github_outage_is_completed_by_a_later_attempt(at: Scene) -> None:
    """The job gets an error; when GitHub is back, the same run posts everything once."""
    at.gh.fail("POST", r"/(reviews|comments)$", Fault(502, times=3))
    with pytest.raises(HostDown):
        await put(at, two(at))
    outcome = await put(at, two(at))

    assert (outcome.posted_count, len(at.stands.reviews), len(at.stands.comments)) == (2, 1, 1)
