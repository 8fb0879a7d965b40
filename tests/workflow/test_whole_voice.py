"""Settings in .deeprepo.yml for how much is reported, what blocks a merge, and when reviews pause."""

import json

import pytest
from whole import BROKEN, MENDED, Whole

from tests.rows import of

IDENTITY = {"shop/kind.py": "def big(size):\n    return size is 5\n"}  # medium severity, with a fix
KEPT = "1 finding below high is not shown, because `minimum_severity` in .deeprepo.yml excludes it."


async def set_up(at: Whole, text: str) -> None:
    await at.repo.commit("main", {".deeprepo.yml": text})


async def pushed(at: Whole, number: int) -> None:
    """Push a change that does not affect any finding."""
    await at.pushed({f"NEWS-{len(at.gh.pull(number).checks)}.md": "one\n"})


@pytest.mark.slow
async def test_findings_below_the_minimum_severity_are_hidden(at: Whole) -> None:
    """Hidden findings are counted and in the JSON output; they are new once the threshold is lowered."""
    await set_up(at, "minimum_severity: high\nfail_on: high\ntone: short\n")
    number = await at.reviewed(files={**MENDED, **IDENTITY})
    stands = at.gh.pull(number)
    stored = json.loads(await at.server.store.reviews.last(at.pull(number)) or b"{}")

    assert "## deeprepo: ✅ No findings of high severity or above\n" in at.summary(number)
    assert KEPT in at.summary(number)
    assert stands.review_comments == []
    assert [row["title"] for row in of(stored, "below")] == ["`is` compares identity here, not the value"]
    assert (stands.checks[-1].conclusion, stands.checks[-1].annotations) == ("success", [])
    await pushed(at, number)
    assert KEPT in at.summary(number)
    await set_up(at, "tone: short\n")
    await at.said(number, "/deeprepo review")
    assert "<summary>1 collapsed finding</summary>" in at.summary(number)  # old code and not severe
    await at.said(number, "/deeprepo full review")
    (posted,) = at.gh.pull(number).review_comments
    assert "Medium · 1. " in posted.body


async def test_change_request_is_dismissed_once_the_findings_are_fixed(at: Whole) -> None:
    """The App's own permissions suffice, and YAML's bare `off` turns requests for changes off."""
    await set_up(at, "request_changes: high\n")
    number = await at.reviewed()
    assert [one.state for one in at.gh.pull(number).reviews] == ["CHANGES_REQUESTED"]
    await at.pushed(MENDED)
    assert at.gh.pull(number).reviews[0].state == "DISMISSED"
    await set_up(at, "request_changes: off\n")
    await at.pushed(BROKEN)
    assert at.gh.pull(number).reviews[0].state == "DISMISSED"


@pytest.mark.slow
async def test_clean_change_is_not_approved(at: Whole) -> None:
    """With `request_changes` set, a change without findings gets no review on GitHub."""
    await set_up(at, "request_changes: high\n")
    number = await at.reviewed(files=MENDED)

    assert at.gh.pull(number).reviews == []


async def test_reviews_pause_after_the_configured_number_of_pushes(at: Whole) -> None:
    """The last summary announces the pause, the next check names it; `resume` allows as many pushes again."""
    await set_up(at, "pause_after: 1\n")
    number = await at.reviewed()
    assert "now paused" not in at.summary(number)
    await pushed(at, number)
    assert "are now paused after 1 push. Comment `/deeprepo review`" in at.summary(number)
    await pushed(at, number)
    assert "pause after 1 push" in (at.gh.pull(number).checks[-1].summary or "")
    assert "This commit was not reviewed: automatic reviews pause after 1 push" in at.summary(number)
    assert "To review this commit, comment `/deeprepo review`" in at.summary(number)
    assert "review 3" in at.summary(number)  # the review that only closes what the push fixed
    await at.said(number, "/deeprepo resume")
    assert "Reviews are on again" in at.replies(number)[-1]
    assert "are now paused after 1 push" in at.summary(number)  # the push that waited counts
