"""The conclusion of a head's check depends only on the stored reviews of that head (with a real database)."""

from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hosted import finding, reviewed

from bot import config, storage, verdict
from bot.config import Config, Settings
from bot.outputs import json_file
from bot.storage import FinishedReview, Store
from bot.stored import states
from bot.values import CheckConclusion, Dismissal, PlacedFinding, PullFacts, PullRef, RepositoryFacts, Review
from bot.workflow import conclusions
from bot.workflow.publish.checks import HeadStatus
from tests.findings_changed import changed

ONE, TWO = PullRef(7, 11, "acme", "shop", 1), PullRef(7, 11, "acme", "shop", 2)
HEAD = "b" * 40
BAR, LOW_BAR, NO_BAR, STRICT = ("fail_on: high\n", "fail_on: low\n", "quota: 3\n", "fail_on: high\nstrict: true\n")
CLEAN, FOUND = reviewed(HEAD), reviewed(HEAD, finding("f1"))


def settings(file: str) -> Config:
    """Resolve the settings of a repository file."""
    return config.resolve({}, file.encode(), Settings())


def facts(base: str = "main") -> PullFacts:
    """Return the facts of an open pull request from HEAD into this base branch."""
    return PullFacts(
        "A change", "", "colleague", "User", False, "open", False, base, "a" * 40, "feature", HEAD, False, (), "", 1, 1, 0, RepositoryFacts("acme/shop"),  # noqa: FBT003
    )  # fmt: skip


async def keep(store: Store, pull: PullRef, review: Review, at: float = 1.0, bar: str = BAR) -> None:
    """Store a review the way its job does."""
    made = conclusions.with_current_thresholds(review, settings(bar))
    row = FinishedReview(
        f"job-{pull.number}-{at}", made.pull.head, "push", 1, 0.0, at, verdict.of(made).check, "offline", 0, 0, 0.0, pull,
        states.write(json_file.content(made)).encode(),
    )  # fmt: skip
    await store.reviews.save(row)


@pytest.fixture
def store(tmp_path: Path) -> AbstractAsyncContextManager[Store]:
    """Return a store with a new database."""
    return storage.open_store(f"sqlite:///{tmp_path / 'store.sqlite'}")


async def test_review_against_the_old_base_does_not_count(store: Store) -> None:
    """After the base branch changes, the check fails until there is a review against the new base."""
    await keep(store, ONE, CLEAN)
    assert (await conclusions.of_head(ONE, facts("v1"), settings(BAR), store)).conclusion == "failure"


async def test_current_threshold_and_dismissals_apply_to_a_stored_review(store: Store) -> None:
    """The stored review is judged by the current threshold and without findings dismissed since then."""
    await keep(store, ONE, FOUND, bar=NO_BAR)

    async def now(file: str) -> CheckConclusion:
        return (await conclusions.of_head(ONE, facts(), settings(file), store)).conclusion

    assert (await now(NO_BAR), await now(BAR), await now("fail_on: critical\n")) == ("neutral", "failure", "neutral")
    mark = FOUND.findings[0].finding.identity
    await store.people.dismiss(ONE, Dismissal(mark, "it is meant so", "ignored", "maintainer"), 5.0)
    assert await now(BAR) == "success"


async def test_hidden_finding_counts_once_the_threshold_is_lowered(store: Store) -> None:
    """A finding below the old threshold, which was not posted, counts once the threshold is lowered."""
    minor = replace(finding("f2").finding, severity="low")
    await keep(store, ONE, replace(CLEAN, findings=(PlacedFinding(changed(minor, status="below")),)))
    assert (await conclusions.of_head(ONE, facts(), settings(BAR), store)).conclusion == "success"
    assert (await conclusions.of_head(ONE, facts(), settings(LOW_BAR), store)).conclusion == "failure"


async def test_check_on_a_shared_head_shows_the_worst_pull_request(store: Store) -> None:
    """The worst one is named. Closed pull requests do not count, and only the newest review of each does."""

    async def status(pull: PullRef, **how: Any) -> HeadStatus:  # noqa: ANN401 - same types as in `of_head`
        return await conclusions.of_head(pull, facts(), settings(BAR), store, **how)

    await keep(store, TWO, FOUND)
    await keep(store, ONE, CLEAN)
    assert await status(ONE) == HeadStatus("failure", is_reviewed=True, other=2)
    assert await status(ONE, just_made="success") == HeadStatus("failure", is_reviewed=True, other=2)
    assert await status(ONE, lacks="nothing") == HeadStatus("failure", is_reviewed=True, other=2)
    assert await status(TWO) == HeadStatus("failure", is_reviewed=True)
    await store.reviews.close(TWO, 9.0)
    assert await status(ONE) == HeadStatus("success", is_reviewed=True)
    await store.reviews.close(TWO, None)
    await keep(store, TWO, CLEAN, at=2.0)
    assert await status(ONE) == HeadStatus("success", is_reviewed=True)


async def test_skipped_pull_request_copies_the_result_of_a_shared_head(store: Store) -> None:
    """Another pull request with the same head was reviewed: a skipped one copies its result, others fail."""
    await keep(store, TWO, CLEAN)
    left_out = await conclusions.of_head(ONE, facts(), settings(BAR), store, "left out")
    assert (left_out.conclusion, left_out.other) == ("success", 2)
    assert (await conclusions.of_head(ONE, facts(), settings(BAR), store)).conclusion == "failure"
    elsewhere = PullRef(7, 12, "acme", "other", 2)
    assert (await conclusions.of_head(elsewhere, facts(), settings(BAR), store, "left out")).conclusion == "neutral"
