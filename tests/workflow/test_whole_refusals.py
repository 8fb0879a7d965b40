"""GitHub refuses a request: people see GitHub's reason, and a refusal that ends something is reported."""

import pytest
from whole import WORSE, Whole

from bot.config import policy
from deeprepo_sandbox import github as sandbox
from deeprepo_sandbox.github import Fault, git

RULES = ("Changes must be made through a pull request.", "Commits must have verified signatures.")


@pytest.mark.parametrize("rule", RULES)
async def test_ruleset_refusal_quotes_the_rule(at: Whole, rule: str) -> None:
    """The answer quotes the rule and has the patch, and does not claim that the branch moved."""
    number = await at.reviewed()
    at.repo.rule("feature", rule)
    answer = await at.said(number, "/deeprepo fix 1")
    assert f"GitHub says “Repository rule violations found: {rule.removesuffix('.')}”.\n" in answer
    assert "commits that have not been reviewed" not in answer
    assert "+    return total(items)" in answer


async def test_refused_commit_leaves_a_patch(at: Whole) -> None:
    """For an archived repository or a rejected tree, the answer has GitHub's reason and the patch."""
    number = await at.reviewed()
    for path, status, words in (
        (r"/git/refs/", 403, "Repository was archived so is read-only."),
        (r"/git/trees", 422, "tree.path contains a malformed path component"),
    ):
        at.gh.fail("*", path, Fault(status, message=words))
        answer = await at.said(number, "/deeprepo fix 1")
        assert f"GitHub says “{words.removesuffix('.')}”.\n" in answer
        assert "+    return total(items)" in answer


async def test_pending_review_is_reported_and_loses_no_finding(at: Whole) -> None:
    """The summary and the check quote GitHub and name the pending review's owner, who has to submit it."""
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


@pytest.mark.parametrize("how", ["renamed", "transferred"])
async def test_moved_repository_is_followed_while_a_job_waits(at: Whole, how: str) -> None:
    """Reads and writes follow a moved repository, also to an owner with another installation."""
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
async def test_fork_checks_can_all_be_rerun(at: Whole, *, is_deleted: bool) -> None:
    """A fork's check suite lists no pull request, and stays queued until a check run starts."""
    number = await at.reviewed(files=WORSE, fork=True)
    if is_deleted:
        await at.repo.delete_fork(number)
    first = at.gh.pull(number).checks[0]
    await at.repo.rerequest_suite(first.id)
    await at.quiet()
    stands = at.gh.pull(number)
    assert [one.status for one in stands.checks] == ["completed", "completed"]
    assert first.suite not in stands.repository.queued_suites


async def test_suspended_installation_catches_up_when_resumed(at: Whole) -> None:
    """No deliveries came during the suspension, yet both pull requests are reviewed without another push."""
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
    """Return all comments of the conversation as one text."""
    return "\n".join(one.body for one in at.gh.pull(number).comments)


async def test_comments_from_deleted_accounts_do_not_stop_the_review(at: Whole) -> None:
    """Comments of deleted accounts have no author; other people's comments are still answered."""
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
    assert "review 2" in at.summary(number)
    assert sandbox.COLLEAGUE not in comments_of(at, number)


TOO_LONG = "Server Error: Sorry, this diff is taking too long to generate."


@pytest.mark.parametrize("status", [422, 500])
async def test_failed_comparison_does_not_prevent_a_review(at: Whole, status: int) -> None:
    """The comparison only provides the merge base, which git also finds, even if main has newer commits."""
    at.gh.fail("GET", r"/compare/", Fault(status, times=-1, message=TOO_LONG))
    await at.repo.commit("feature", WORSE)
    await at.repo.commit("main", {"NEWS.md": "one\n"})
    number = await at.repo.open_pull("feature")
    await at.quiet()
    assert "2 findings" in at.summary(number)
    assert "NEWS.md" not in at.summary(number)
    assert at.ending(number) == "neutral"


async def test_change_that_github_cannot_compare_is_reviewed(at: Whole) -> None:
    """A file adds 300,001 lines, so GitHub's comparison fails with 422."""
    number = await at.reviewed(files=WORSE | {"data.txt": "x\n" * 300_001})
    assert "2 findings" in at.summary(number)
    assert any(one.status == 422 for one in at.gh.requests if "/compare/" in one.path)


async def test_git_detects_branches_without_a_common_commit(at: Whole) -> None:
    """If GitHub's comparison fails, git detects that the branches have no common commit."""
    at.gh.fail("GET", r"/compare/", Fault(422, times=-1, message=TOO_LONG))
    await git.commit(at.repo.repository.git, "feature", None, {"a.py": "x = 1\n"}, "Another history", "colleague")
    number = await at.repo.open_pull("feature")
    await at.quiet()
    (check,) = at.gh.pull(number).checks
    assert "has no common history with main" in (check.title or "")


@pytest.mark.parametrize("bar", ["", "fail_on: high\n"], ids=["no bar", "a bar"])
async def test_early_failure_is_shown_in_the_check(at: Whole, bar: str) -> None:
    """The check run starts immediately, says what it waits for, and ends with GitHub's reason.

    It fails if a threshold is set.
    """
    await at.repo.commit("main", {".deeprepo.yml": bar or "quota: 3\n"})
    at.gh.fail("GET", r"/pulls/1$", Fault(403, times=-1, message="Repository access blocked from 10.20.30.40"))
    number = await at.opened(files=WORSE)
    await at.put_off()
    (check,) = at.gh.pull(number).checks
    assert (check.status, "Repository access blocked" in (check.summary or "")) == ("in_progress", True)
    await at.quiet()
    (check,) = at.gh.pull(number).checks
    assert check.conclusion == ("failure" if bar else "neutral")
    assert "GitHub refused GET repos/acme/shop/pulls/1 with 403: “Repository access blocked" in (check.title or "")
    assert "10.20.30.40" not in repr(check)
    at.gh.world.faults.clear()
    await at.pushed({"NEWS.md": "one\n"})
    assert "2 findings" in at.summary(number)
    assert {one.status for one in at.gh.pull(number).repository.checks.values()} == {"completed"}


async def test_unreadable_settings_fail_the_check(at: Whole) -> None:
    """The organization's settings are unreadable: a command is answered, and the head's check fails."""
    at.gh.fail("GET", r"/repos/acme/\.deeprepo", Fault(403, times=-1, message="Repository access blocked"))
    with at.gh.holding():
        number = await at.opened(files=WORSE)
    answer = await at.said(number, "/deeprepo review")
    assert "GET repos/acme/.deeprepo with 403: “Repository access blocked”" in answer
    assert at.ending(number) == "failure"


async def test_author_with_unknown_permission_is_a_stranger(at: Whole) -> None:
    """If GitHub does not say whether the author may write, they count as an outsider; the review says so."""
    at.gh.fail("GET", r"/collaborators/", Fault(403, times=-1, message="Must have push access"))
    number = await at.reviewed(files=WORSE)
    assert "2 findings" in at.summary(number)
    assert "Reviewed as an outside contribution" in at.summary(number)
    assert "GitHub says “Must have push access”" in at.summary(number)


async def test_comment_replaces_a_refused_check_run(at: Whole, monkeypatch: pytest.MonkeyPatch) -> None:
    """A comment says why nothing was reviewed; later the summary replaces it and names the refusal."""
    await at.repo.commit("main", {".deeprepo.yml": "fail_on: high\n"})
    monkeypatch.setattr(policy, "SKIP_LINES", 1)
    at.gh.fail("POST", r"/check-runs$", Fault(403, times=-1))
    number = await at.reviewed(files=WORSE, author="stranger")
    (told,) = at.gh.pull(number).comments
    assert "Not reviewed" in told.body
    assert "Resource not accessible by integration" in told.body
    monkeypatch.undo()
    await at.pushed({"NEWS.md": "one\n"})
    (summary,) = at.gh.pull(number).comments
    assert "2 findings" in summary.body
    assert "No check run could be created: GitHub says “Resource not accessible by integration”" in summary.body


@pytest.mark.slow
async def test_decision_in_a_locked_conversation_counts(at: Whole) -> None:
    """No answer can be posted, but the finding is ignored. The check run has the review and says why."""
    await at.repo.commit("main", {".deeprepo.yml": "fail_on: high\n"})
    number = await at.reviewed()
    at.repo.lock(number)
    assert await at.said(number, "/deeprepo ignore 1 it is going away") == ""
    assert at.ending(number) == "success"
    await at.pushed(WORSE)
    check = max(at.gh.pull(number).checks, key=lambda one: one.id)
    assert "rounding" in (check.text or "")
    assert "The conversation is locked, so GitHub accepts no comments" in (check.summary or "")
    posted = [
        seen for seen in at.gh.requests if seen.method == "POST" and "/comments" in seen.path and seen.status == 403
    ]
    assert len(posted) == 2  # one for the command and one for the review, without retries while it is locked
