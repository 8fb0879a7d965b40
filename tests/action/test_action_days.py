"""The cap on reviews of strangers' changes without a server: the runs that were started earlier are counted, as GitHub lists them."""

import asyncio
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from families import few
from opening import BASE, opened
from stepping import WRITE, Stage, stage

from bot.workflow.backend import ReviewResult
from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.github.things import Repository, User, WorkflowRun

COUNTING = {**WRITE, "actions": "read"}
FINE = doubles.Reply(data={"answer": "One.", "findings": []})


def ran(at: Stage, number: int, *, fork: bool = True, hours: float = 1, by: str = "", **other: object) -> None:
    """Add an earlier run of the workflow to the repository's list. On a branch of the repository it is a maintainer's unless `by` names somebody."""
    by = by or ("" if fork else "maintainer")
    if by:
        other["actor"] = at.gh.world.user(by)
    home = at.repo.repository
    created = datetime.now(UTC) - timedelta(hours=hours)
    source = Repository(number, User(9, "stranger"), "shop", home.git, created, parent=home) if fork else home
    home.runs.append(WorkflowRun(number, created, source, **other))  # type: ignore[arg-type]


async def told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: list[dict[str, object]], **how: object
) -> ReviewResult:
    """What the first run of a fork's pull request comes to, after these."""
    async with doubles.openai_server(doubles.PerModel({"gpt-5-mini": FINE})) as model, stage(tmp_path, BASE) as at:
        monkeypatch.setenv("DEEPREPO_BASE_URL", model.openai_url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-pretended-and-long-enough")
        _, body = await opened(at, fork=True)
        for number, row in enumerate(rows):
            ran(at, number + 1, **row)  # type: ignore[arg-type]
        ran(at, 10_000)  # started later: it counts this run, not the other way round
        return await at.told("pull_request_target", body, worker="openai/gpt-5-mini", strategy="direct", **how)


FORK: dict[str, object] = {}
# The earlier runs, the inputs, and a word of the sentence that the review holds; "" if a model read it.
DAYS = [
    ([FORK], {"fork_reviews_per_day": "2"}, ""),
    ([FORK, FORK], {"fork_reviews_per_day": "2"}, "triggers.fork_reviews_per_day"),
    ([{"conclusion": "skipped"}, {"fork": False}, {"fork": False, "event": "push"}], {"fork_reviews_per_day": "1"}, ""),
    ([FORK, {"hours": 25}, {"hours": 30}], {"fork_reviews_per_day": "2"}, ""),
    ([{"hours": 23.9}, {"hours": 25}, FORK], {"fork_reviews_per_day": "2"}, "triggers.fork_reviews_per_day"),
    ([{"path": ".github/workflows/other.yml"}, FORK], {"fork_reviews_per_day": "2"}, ""),
    (
        [*[{"path": ".github/workflows/other.yml"}] * 150, FORK],
        {"fork_reviews_per_day": "1"},
        "triggers.fork_reviews_per_day",
    ),
    ([{"fork": False, "event": "push"}] * 1_001, {"fork_reviews_per_day": "2"}, "1,000 runs"),
]


@pytest.mark.parametrize(("rows", "inputs", "word"), few(DAYS, 2))
def test_a_run_counts_those_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: list[dict[str, object]], inputs: dict[str, str], word: str
) -> None:
    """Cancelled ones too; skipped ones not; from the cap on the review is offline and says why."""
    found = asyncio.run(told(tmp_path, monkeypatch, rows, permissions=COUNTING, **inputs))
    assert found.review is not None
    assert (found.review.cost.calls == 0) == bool(word)
    assert word in " ".join(found.review.notes)


def test_the_cap_holds_for_a_model_that_needs_no_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server behind `DEEPREPO_BASE_URL` is asked no more often than a provider with a key."""
    for name in (name for name in os.environ if name.endswith("_API_KEY")):
        monkeypatch.delenv(name)

    async def go() -> None:
        async with doubles.openai_server(doubles.PerModel({"reader": FINE})) as model, stage(tmp_path, BASE) as at:
            monkeypatch.setenv("DEEPREPO_BASE_URL", model.openai_url)
            _, body = await opened(at, fork=True)
            for number in range(10):
                ran(at, number + 1)
            asks = {"worker": "compatible/reader", "strategy": "direct", "fork_reviews_per_day": "2"}
            found = await at.told("pull_request_target", body, permissions=COUNTING, **asks)
            assert found.review is not None
            assert found.review.cost.calls == 0
            assert "triggers.fork_reviews_per_day" in " ".join(found.review.notes)

    asyncio.run(go())


KEYLESS: dict[str, object] = {"event": "pull_request"}
# Earlier runs of the day, the event and inputs of a stranger's own run, and whether a model reads it.
HERE: dict[str, object] = {"fork": False, "event": "pull_request", "by": "stranger"}
UNASKED = [
    ([HERE] * 3, {"fork_reviews_per_day": "3"}, False),
    ([HERE] * 2, {"fork_reviews_per_day": "3"}, True),
    ([FORK, HERE, {**HERE, "event": "workflow_run"}], {"fork_reviews_per_day": "3"}, False),
    ([KEYLESS] * 3, {"fork_reviews_per_day": "3"}, False),  # a private repository may give forks its secrets
    ([{"fork": False, "event": "pull_request"}] * 3, {"fork_reviews_per_day": "3"}, True),
]


@pytest.mark.parametrize(("rows", "inputs", "is_read"), few(UNASKED, 0, 1))
def test_a_stranger_on_a_branch_of_the_repository_is_counted(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    rows: list[dict[str, object]],
    inputs: dict[str, str],
    is_read: bool,
) -> None:
    """Somebody who may only read can open a pull request between two branches. One rule decides about its run and about each earlier one."""

    async def go() -> bool:
        async with doubles.openai_server(doubles.PerModel({"gpt-5-mini": FINE})) as model, stage(tmp_path, BASE) as at:
            monkeypatch.setenv("DEEPREPO_BASE_URL", model.openai_url)
            monkeypatch.setenv("OPENAI_API_KEY", "sk-pretended-and-long-enough")
            _, body = await opened(at, author="stranger")
            for number, row in enumerate(rows):
                ran(at, number + 1, **row)  # type: ignore[arg-type]
            asks = {"worker": "openai/gpt-5-mini", "strategy": "direct", **inputs}
            result = await at.told("pull_request", body, permissions=COUNTING, **asks)
            assert result.review is not None
            return result.review.cost.calls > 0

    assert asyncio.run(go()) is is_read
