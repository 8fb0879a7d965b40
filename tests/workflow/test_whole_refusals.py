"""GitHub refuses a request: people see GitHub's reason, and a refusal that ends something is reported."""

import asyncio
from datetime import timedelta

import pytest
from waits import patience
from whole import WORSE, Whole

from bot.github import apps
from deeprepo_sandbox.github import Fault

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
    assert len(at.gh.pull(number).review_comments) == 2


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


@pytest.mark.parametrize("bar", ["", "fail_on: high\n"], ids=["no bar", "a bar"])
async def test_early_failure_is_shown_in_the_check(at: Whole, bar: str) -> None:
    """The check run starts immediately, says what it waits for, and ends with GitHub's reason.

    It fails if a threshold is set.
    """
    await at.repo.commit("main", {".deeprepo.yml": bar or "quota: 3\n"})
    at.gh.fail("GET", r"/pulls/1$", Fault(451, times=-1, message="Repository access blocked from 10.20.30.40"))
    number = await at.opened(files=WORSE)
    await at.put_off()
    (check,) = at.gh.pull(number).checks
    assert (check.status, "Repository access blocked" in (check.summary or "")) == ("in_progress", True)
    await at.quiet()
    (check,) = at.gh.pull(number).checks
    assert check.conclusion == ("failure" if bar else "neutral")
    assert "with 451, it is blocked for legal reasons: “Repository access blocked" in (check.title or "")
    assert "10.20.30.40" not in repr(check)
    at.gh.world.faults.clear()
    await at.pushed({"NEWS.md": "one\n"})
    assert "2 findings" in at.summary(number)
    assert {one.status for one in at.gh.pull(number).repository.checks.values()} == {"completed"}


async def test_unreadable_settings_fail_the_check(at: Whole) -> None:
    """The organization's settings are unreadable: a command is answered, and the head's check fails."""
    at.gh.fail("GET", r"/repos/acme/\.deeprepo", Fault(451, times=-1, message="Repository access blocked"))
    with at.gh.holding():
        number = await at.opened(files=WORSE)
    answer = await at.said(number, "/deeprepo review")
    assert "with 451, it is blocked for legal reasons: “Repository access blocked”" in answer
    assert at.ending(number) == "failure"


async def test_author_with_unknown_permission_is_a_stranger(at: Whole) -> None:
    """If GitHub does not say whether the author may write, they count as an outsider; the review says so."""
    at.gh.fail("GET", r"/collaborators/", Fault(403, times=-1, message="Must have push access"))
    number = await at.reviewed(files=WORSE)
    assert "2 findings" in at.summary(number)
    assert "Reviewed as an outside contribution" in at.summary(number)
    assert "GitHub says “Must have push access”" in at.summary(number)


async def test_failure_is_reported_once_github_accepts_the_clock(at: Whole) -> None:
    """The next report would be due 30 seconds later, but the first accepted request causes it."""
    at.gh.world.pass_time(timedelta(hours=1))
    number = await at.opened()
    await at.put_off(tries=4)  # three further tries, and a report that GitHub refused, too
    assert at.ending(number) is None
    at.gh.world.pass_time(timedelta(hours=-1))
    await apps.bot_identity(at.server.identity, at.server.pace, again=True)
    async with asyncio.timeout(patience(15)):
        await at.until(lambda: at.ending(number) is not None)
    (check,) = at.gh.pull(number).checks
    assert "401" in (check.title or "")
