"""Changes are requested while a finding reaches `request_changes`; afterwards the request is dismissed."""

import pytest
from hosted import Scene, finding, reviewed
from told_reviews import put

from bot.values import Cut, PlacedFinding, Review
from tests.hosted import now


def high(at: Scene, *findings: PlacedFinding, **changes: object) -> Review:
    """Build a review in a repository with `request_changes: high`."""
    return reviewed(at.stands.head_sha, *findings, **{"request_changes": "high", **changes})


def states(at: Scene) -> list[str]:
    """Return the states of our reviews, oldest first."""
    return [one.state for one in at.stands.reviews if '"kind": "review"' in one.body]


def gone(of: PlacedFinding) -> PlacedFinding:
    """Return the finding as fixed."""
    return now(of, "fixed", number=1)


def still(of: PlacedFinding) -> PlacedFinding:
    """Return the finding as still open."""
    return now(of, "still", number=1)


async def test_change_request_is_dismissed_once_the_finding_is_fixed(at: Scene) -> None:
    """A request for changes stays while the finding is open, and is dismissed when it is fixed."""
    bad, low = finding("f1", 5), finding("f2", 41, severity="low")
    await put(at, high(at, bad, low), "run-1")
    assert states(at) == ["CHANGES_REQUESTED"]
    assert (
        "Changes requested, because at least one finding of high severity or higher is open."
        in at.stands.reviews[0].body
    )
    await put(at, high(at, still(bad)), "run-2")
    assert states(at) == ["CHANGES_REQUESTED"]
    await put(at, high(at, gone(bad)), "run-3")
    assert states(at) == ["DISMISSED"]
    assert at.stands.reviews[0].dismissal == "No finding of high severity or above is open any longer."
    assert at.stands.reviews[0].body.count("deeprepo:{") == 1  # the old marker is replaced


@pytest.mark.parametrize(("line", "said"), [(5, ["COMMENTED"]), (0, [])])
async def test_change_request_by_the_pull_request_author_becomes_a_comment(
    at: Scene, line: int, said: list[str]
) -> None:
    """GitHub doesn't let authors request changes on their own pull request.

    The comments are still posted, and the summary says why.
    """
    await at.host.comment("an App comments, so that it has an account here")
    pull = at.repo.repository.pulls[at.number]
    pull.author = pull.comments[-1].user
    done = await put(at, high(at, finding("f1", line)))
    assert states(at) == said
    assert all("Changes requested" not in one.body for one in at.stands.reviews)
    assert "refused the request for changes" in at.stands.comments[-1].body
    assert "own pull request" in done.notes[0]


async def test_dismissed_request_is_repeated_only_for_a_new_finding(at: Scene) -> None:
    """Findings that existed at the dismissal do not block again, but a new one does."""
    bad = finding("f1", 5)
    await put(at, high(at, bad), "run-1")
    at.repo.repository.pulls[at.number].reviews[0].state = "DISMISSED"
    await put(at, high(at, still(bad)), "run-2")
    assert states(at) == ["DISMISSED"]
    await put(at, high(at, finding("f3"), still(bad)), "run-3")
    assert states(at) == ["DISMISSED", "CHANGES_REQUESTED"]


async def test_incomplete_review_dismisses_no_request(at: Scene) -> None:
    """An incomplete review can't tell whether the finding is fixed.

    If the setting was removed, the request is dismissed too.
    """
    await put(at, high(at, finding("f1", 5)), "run-1")
    await put(at, high(at, cut=Cut(partial=True, fault="provider")), "run-2")
    assert states(at) == ["CHANGES_REQUESTED"]
    assert "The request for changes remains" in at.stands.comments[-1].body
    await put(at, high(at, request_changes=None), "run-3")
    assert states(at) == ["DISMISSED"]
