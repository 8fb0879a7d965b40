import pytest
from whole import BROKEN, MENDED, Whole


async def test_pull_request_is_reviewed_from_webhook_to_check_run(at: Whole) -> None:
    """A finding has a comment on its changed line, or outside the diff on the changed line that caused it."""
    number = await at.reviewed(files={**BROKEN, "shop/rates.py": 'RATES = {"a": 1, "a": 2}\n'})
    stands = at.gh.pull(number)

    assert [(one.path, one.line) for one in stands.review_comments] == [
        ("shop/price.py", 1),
        ("shop/rates.py", 1),
    ]
    assert all("shop/cart.py" in told for told in (at.summary(number), stands.review_comments[0].body))
    assert "2 findings" in at.summary(number)
    (check,) = stands.checks
    assert (check.status, check.conclusion, check.external_id) == ("completed", "neutral", str(number))
    assert not list((at.data / "work").iterdir())


async def test_second_push_reports_new_findings_and_closes_fixed_ones(at: Whole) -> None:
    """The one summary is updated: it lists the first review's finding as fixed. Its thread is answered and resolved."""
    number = await at.reviewed()
    await at.pushed(MENDED)
    first, answer = at.gh.pull(number).review_comments
    assert first.is_resolved
    assert "Fixed in" in answer.body

    assert "review 2" in at.summary(number)
    assert "1 fixed" in at.summary(number) or "Fixed" in at.summary(number)
    assert [check.conclusion for check in at.gh.pull(number).checks] == ["success"]


@pytest.mark.slow
async def test_two_pull_requests_with_one_commit_get_separate_reviews(at: Whole) -> None:
    """Each pull request has its own check run on the shared commit and its own summary."""
    await at.repo.commit("release/1.x#2", {"NEWS.md": "one\n"}, onto="main")
    first = await at.opened()
    second = await at.repo.open_pull("feature", "release/1.x#2", title="To the release")
    await at.quiet()
    checks = at.gh.pull(first).repository.checks.values()
    assert sorted((c.external_id, c.conclusion) for c in checks) == [("1", "neutral"), ("2", "neutral")]
    assert all("1 finding" in at.summary(number) for number in (first, second))
