"""Deliveries that come late, too early, or while GitHub refuses something: what was asked for is not lost."""

import pytest
from families import few
from whole import BROKEN, Whole

from bot.values import PullRef
from deeprepo_sandbox.github import Fault

BAR = {".deeprepo.yml": "fail_on: high\n"}


@pytest.mark.slow
async def test_a_repository_that_is_ours_again_is_not_forgotten(at: Whole) -> None:
    """It was taken away and given back before the delivery came: what people taught stays, and so does the review that is due."""
    number = await at.reviewed()
    pull = PullRef(at.gh.installation, at.repo.id, "acme", "shop", number)
    with at.gh.holding() as late:
        await at.gh.withdraw(at.repo)
    at.gh.world.installations[at.gh.installation].chosen_repositories = None
    for delivery in late:
        await at.gh.deliver(delivery)
    await at.quiet()
    assert len(await at.server.store.reviews.heads(pull)) == 1
    await at.gh.withdraw(at.repo)
    await at.quiet()
    assert not await at.server.store.reviews.heads(pull)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "status"), few([(r"/pulls/\d+$", 403), (r"/compare/", 422), (r"/check-runs$", 410)], 0)
)
async def test_a_refusal_lets_no_merge_queue_pass(at: Whole, path: str, status: int) -> None:
    """One refusal of GitHub is no answer: the queue stops at a pull request whose check does not pass."""
    await at.repo.commit("main", BAR)
    number = await at.reviewed()
    sha = await at.repo.commit(f"gh-readonly-queue/main/pr-{number}", BROKEN)
    at.gh.fail("GET", path, Fault(status=status))
    await at.repo.merge_group(sha, "a" * 40)
    await at.quiet()
    assert {c.conclusion for c in at.repo.repository.checks.values() if c.head == sha} == {"failure"}
