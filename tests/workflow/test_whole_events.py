import re

import pytest
from whole import BROKEN, MENDED, Whole


def ended(at: Whole, number: int) -> list[str | None]:
    """Return the conclusions of the head's check runs, in order, after asserting that all are completed."""
    assert {check.status for check in at.gh.pull(number).checks} <= {"completed"}
    return [check.conclusion for check in at.gh.pull(number).checks]


@pytest.mark.slow
async def test_check_run_button_starts_a_review(at: Whole) -> None:
    """Re-run, our two buttons and "Re-run all" each start a review with its own check run; one summary."""
    number = await at.reviewed()
    check = at.gh.pull(number).checks[0].id
    await at.repo.rerequest(check)
    await at.quiet()
    await at.repo.press(check, "again")
    await at.quiet()
    await at.repo.press(check, "full")
    await at.quiet()
    await at.repo.rerequest_suite(check)
    await at.quiet()
    assert ended(at, number) == ["neutral"] * 5
    assert '"round": "5"' in at.summary(number)
    await at.repo.press(check, "unknown")
    await at.quiet()
    assert len(ended(at, number)) == 5


async def test_stacked_pull_request_is_compared_with_its_parent_until_the_merge(at: Whole) -> None:
    """The summary names the pull request below and omits its findings; a merge changes the base."""
    below = await at.reviewed(files=BROKEN)
    await at.repo.commit("top", {"shop/name.py": "name = nowhere\n"}, onto="feature")
    top = await at.repo.open_pull("top", base="feature")
    await at.quiet()
    assert re.search(rf"Stacked on \S*{below}, so this was compared", at.summary(top))
    assert "`feature..top`" in at.summary(top)
    assert "1 finding" in at.summary(top)
    assert "Stacked" not in at.summary(below)
    await at.repo.close(below, merge=True, delete_branch=True)
    await at.quiet()
    assert len(ended(at, top)) == 2
    assert "`main..top`" in at.summary(top)
    assert "1 finding" in at.summary(top)
    assert "Stacked" not in at.summary(top)


async def test_labels_and_resuming_start_reviews_of_commits_that_were_skipped(at: Whole) -> None:
    """Ten labels are one review, a removed label starts none of a reviewed commit, and each check's reason is true."""
    await at.repo.commit("main", {".deeprepo.yml": "triggers: {events: [labeled], labels: [go], skip_labels: [wip]}\n"})
    number = await at.opened()
    await at.quiet()
    assert "it has none of the labels" in (at.gh.pull(number).checks[-1].title or "")
    await at.repo.add_label(number, "wip")
    await at.quiet()
    assert "it has the label `wip`" in (at.gh.pull(number).checks[-1].title or "")
    await at.repo.remove_label(number, "wip")
    for name in ("go", *"abcdefghi"):
        await at.repo.add_label(number, name)
    await at.quiet()
    assert "1 finding" in at.summary(number)
    await at.repo.remove_label(number, "go")
    await at.quiet()
    assert len((await at.server.store.listing.page(None, 9)).rows) == 1
    assert len(ended(at, number)) == 3

    await at.said(number, "/deeprepo pause")
    await at.quiet()
    await at.repo.commit("main", {".deeprepo.yml": "request_changes: low\n"})
    head = await at.pushed(MENDED)
    assert "paused" in (at.gh.pull(number).checks[-1].title or "")
    await at.said(number, "/deeprepo resume")
    await at.quiet()
    assert head[:10] in at.summary(number)
    assert len((await at.server.store.listing.page(None, 9)).rows) == 2


@pytest.mark.slow
async def test_new_base_starts_a_review_and_a_new_title_does_not(at: Whole) -> None:
    """The change is compared with the new base, which has the missing part; a new title starts no review."""
    await at.repo.commit("next", BROKEN, onto="main")
    await at.repo.commit("feature", MENDED, onto="next")
    number = await at.repo.open_pull("feature", title="T")
    await at.quiet()
    await at.repo.edit(number, title="Another")
    await at.quiet()
    assert len(ended(at, number)) == 1
    assert "`main..feature`" in at.summary(number)
    await at.repo.retarget(number, "next")
    await at.quiet()
    assert len(ended(at, number)) == 2
    assert "`next..feature`" in at.summary(number)
