"""The daily cap on reviews of forks in a workflow, which counts earlier runs in GitHub's list."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from families import few
from opening import BASE, opened
from stepping import WRITE, Stage, stage

from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.github.things import Repository, User, WorkflowRun

COUNTING = {**WRITE, "actions": "read"}
FINE = doubles.Reply(data={"answer": "One.", "findings": []})
FORK: dict[str, object] = {}
OTHER: dict[str, object] = {"path": ".github/workflows/other.yml"}
# Earlier runs of the day, the cap, and a phrase from the review's note ("" if a model reviewed).
DAYS = [
    ([FORK, OTHER, {"conclusion": "skipped"}, {"fork": False}, {"event": "pull_request"}, {"hours": 25}], "2", ""),
    ([FORK, {"hours": 23.9}, {"conclusion": "cancelled"}], "3", "triggers.fork_reviews_per_day"),
    ([*[OTHER] * 150, FORK], "1", "triggers.fork_reviews_per_day"),
    ([OTHER] * 1_001, "2", "1,000 times"),
]


def ran(at: Stage, number: int, *, fork: bool = True, hours: float = 1, **other: object) -> None:
    """Add an earlier run of the workflow to the repository's list."""
    home = at.repo.repository
    created = datetime.now(UTC) - timedelta(hours=hours)
    source = Repository(number, User(9, "stranger"), "shop", home.git, created, parent=home) if fork else home
    who = at.gh.world.user(str(other.pop("actor", "stranger" if fork else "colleague")))
    home.runs.append(WorkflowRun(number, created, source, **{"event": "pull_request_target", "actor": who, **other}))  # type: ignore[arg-type]


@pytest.mark.parametrize(("rows", "cap", "word"), few(DAYS, 0, 1))
async def test_earlier_runs_count_against_the_daily_cap(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: list[dict[str, object]], cap: str, word: str
) -> None:
    """At the cap, a fork's review uses static checks and says why, even if the model needs no key."""
    async with doubles.openai_server(doubles.PerModel({"reader": FINE})) as model, stage(tmp_path, BASE) as at:
        monkeypatch.setenv("DEEPREPO_BASE_URL", model.openai_url)
        _, body = await opened(at, fork=True)
        for number, row in enumerate(rows):
            ran(at, number + 1, **row)  # type: ignore[arg-type]
        ran(at, 10_000)  # started later, so it does not count for this run
        asks = {"worker": "compatible/reader", "strategy": "parts", "fork_reviews_per_day": cap}
        found = await at.told("pull_request_target", body, permissions=COUNTING, **asks)
        assert found.review is not None
        assert (found.review.cost.calls == 0) == bool(word)
        assert word in " ".join(found.review.notes)


async def test_author_without_write_access_is_capped_like_a_fork(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An author without write access counts like a fork: their runs are counted and their reviews capped."""
    async with doubles.openai_server(doubles.PerModel({"reader": FINE})) as model, stage(tmp_path, BASE) as at:
        monkeypatch.setenv("DEEPREPO_BASE_URL", model.openai_url)
        _, body = await opened(at, author="stranger")
        asks = {"worker": "compatible/reader", "strategy": "parts"}
        ran(at, 1, fork=False, event="pull_request")
        ran(at, 2, fork=False, event="pull_request", actor="stranger")
        calls = []
        for cap in ("1", "2"):
            told = await at.told("pull_request", body, permissions=COUNTING, fork_reviews_per_day=cap, **asks)
            assert told.review is not None
            calls.append((told.review.cost.calls > 0, "triggers.fork_reviews_per_day" in " ".join(told.review.notes)))
        assert calls == [(False, True), (True, False)]
