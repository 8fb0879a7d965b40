"""GitHub refuses something on the way: what a person reads then is GitHub's reason, and where something ends it is said."""

import pytest
from whole import WORSE, Whole

from deeprepo_sandbox import github as sandbox
from deeprepo_sandbox.github import Fault

RULES = ("Changes must be made through a pull request.", "Commits must have verified signatures.")


@pytest.mark.parametrize("rule", RULES)
async def test_a_ruleset_is_named_by_its_own_words(at: Whole, rule: str) -> None:
    """The branch did not move, so no answer says that it did; the patch is given, and nothing is committed."""
    number = await at.reviewed()
    at.repo.rule("feature", rule)
    answer = await at.said(number, "/deeprepo fix 1")
    assert f"GitHub says “Repository rule violations found: {rule}”" in answer
    assert "other commits" not in answer
    assert "+    return total(items)" in answer


async def test_any_refusal_of_a_commit_leaves_the_patch(at: Whole) -> None:
    """Of an archived repository, or of a tree that GitHub does not take."""
    number = await at.reviewed()
    for path, status, words in (
        (r"/git/refs/", 403, "Repository was archived so is read-only."),
        (r"/git/trees", 422, "tree.path contains a malformed path component"),
    ):
        at.gh.fail("*", path, Fault(status, message=words))
        answer = await at.said(number, "/deeprepo fix 1")
        assert f"GitHub says “{words}”" in answer
        assert "+    return total(items)" in answer


async def test_a_pending_review_is_named_and_loses_nothing(at: Whole) -> None:
    """Whose it is has to be known to end it: the summary and the check run quote GitHub, and each later round does."""
    with at.gh.holding() as held:
        number = await at.opened(files=WORSE)
    at.repo.begin_review(number, at.gh.login)
    await at.gh.deliver(held[0])
    await at.quiet()
    (check,) = at.gh.pull(number).checks
    for text in (at.summary(number), check.summary or ""):
        assert "can only have one pending review per pull request” to" in text
        assert at.gh.login in text
        assert "must be part of the diff" not in text
    assert "shop/price.py:3" in at.summary(number)
    assert len([one for one in at.gh.requests if one.method == "POST" and one.path.endswith("/pulls/1/comments")]) == 1


@pytest.mark.parametrize("how", ["renamed"])
async def test_a_repository_that_moves_while_a_job_waits_is_followed(at: Whole, how: str) -> None:
    """For what is read and for what is written; a new owner has an installation of its own."""
    await at.gh.repository("other", "else")
    with at.gh.holding() as held:
        number = await at.opened(files=WORSE)
    await (at.repo.rename("store") if how == "renamed" else at.repo.transfer("other"))
    await at.gh.deliver(held[0])
    await at.quiet()
    assert "2 findings" in at.summary(number)
    assert at.ending(number) == "neutral"
    assert len(at.gh.pull(number).review_comments) == 1


@pytest.mark.parametrize("is_deleted", [False, True], ids=["a fork", "a deleted fork"])
async def test_all_checks_of_a_fork_are_run_again(at: Whole, *, is_deleted: bool) -> None:
    """GitHub names no pull request in their suite, and leaves it queued until a check run begins."""
    number = await at.reviewed(files=WORSE, fork=True)
    if is_deleted:
        await at.repo.delete_fork(number)
    first = at.gh.pull(number).checks[0]
    await at.repo.rerequest_suite(first.id)
    await at.quiet()
    stands = at.gh.pull(number)
    assert [one.status for one in stands.checks] == ["completed", "completed"]
    assert first.suite not in stands.repository.queued_suites


async def test_a_suspended_installation_catches_up_once_it_is_lifted(at: Whole) -> None:
    """Of what happened meanwhile nothing was delivered; nobody has to push again."""
    with at.gh.holding() as held:
        number = await at.opened(files=WORSE)
    await at.gh.suspend()
    await at.gh.deliver(held[0])
    await at.repo.commit("later", {"NEWS.md": "one\n"})
    later = await at.repo.open_pull("later")
    await at.put_off()
    await at.gh.suspend(is_suspended=False)
    await at.until(lambda: at.ending(later) is not None)
    await at.quiet()
    assert "2 findings" in at.summary(number)


def comments_of(at: Whole, number: int) -> str:
    """Everything in the conversation."""
    return "\n".join(one.body for one in at.gh.pull(number).comments)


async def test_comments_of_deleted_accounts_stop_no_round(at: Whole) -> None:
    """Their author is nobody; what others say in the same thread is heard."""
    at.gh.world.user("gone")
    at.repo.add("gone", "read")
    number = await at.reviewed(files=WORSE)
    await at.repo.comment(number, "hello", author="gone")
    top = at.gh.pull(number).review_comments[0].id
    await at.repo.reply(number, top, "why?", "gone")
    at.gh.delete_account("gone")
    await at.quiet()
    await at.pushed({"NEWS.md": "one\n"})
    assert await at.said(number, "Is this right, @deeprepo?", to=top)
    assert "round 2" in at.summary(number)
    assert sandbox.COLLEAGUE not in comments_of(at, number)
