"""Caps of a day without a server: the runs that were started earlier are counted, as GitHub lists them."""

import asyncio
import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from families import few
from opening import BASE, opened
from stepping import WRITE, Stage, stage

from bot import action
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
    ([{"fork": False}], {"cap_usd_per_day": "2", "budget": "1"}, ""),
    ([{"fork": False}, FORK], {"cap_usd_per_day": "2", "budget": "1"}, "cap-usd-per-day"),
    ([FORK, {"hours": 25}, {"hours": 30}], {"fork_reviews_per_day": "2"}, ""),
    ([{"hours": 23.9}, {"hours": 25}, FORK], {"fork_reviews_per_day": "2"}, "triggers.fork_reviews_per_day"),
    ([{"path": ".github/workflows/other.yml"}, FORK], {"fork_reviews_per_day": "2"}, ""),
    (
        [*[{"path": ".github/workflows/other.yml"}] * 150, FORK],
        {"fork_reviews_per_day": "1"},
        "triggers.fork_reviews_per_day",
    ),
    ([{"fork": False, "event": "push"}] * 1_001, {"fork_reviews_per_day": "2"}, "1,000 runs"),
    ([{"attempt": 2}], {"cap_usd_per_day": "2", "budget": "1"}, "cap-usd-per-day"),
    (
        [{"fork": False}],
        {"cap_usd_per_day": "1.2", "budget": "1"},
        "",
    ),  # what is left is less than its budget, and enough
    ([{"fork": False}], {"cap_usd_per_day": "1.05", "budget": "1"}, "cap-usd-per-day"),
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


def test_a_cap_in_dollars_that_cannot_be_held_lets_nothing_through(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without `actions: read` the review is offline, and names the permission."""
    found = asyncio.run(told(tmp_path, monkeypatch, [], cap_usd_per_day="50"))
    assert found.review is not None
    assert found.review.cost.calls == 0
    assert "actions: read" in " ".join(found.review.notes)


@pytest.mark.parametrize("key", few(["sk-pretended-and-long-enough", ""], 1))
@pytest.mark.parametrize(
    ("is_fork", "inputs", "word"),
    few(
        [
            (False, {"cap_usd_per_day": "2", "budget": "1"}, "cap-usd-per-day"),
            (True, {"fork_reviews_per_day": "2"}, "triggers.fork_reviews_per_day"),
        ],
        0,
    ),
)
def test_caps_hold_for_a_model_that_needs_no_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_fork: bool, inputs: dict[str, str], word: str, key: str
) -> None:
    """A server behind `DEEPREPO_BASE_URL` is asked no more often than a provider with a key: for a pull request and for a fork's."""
    for name in (name for name in os.environ if name.endswith("_API_KEY")):
        monkeypatch.delenv(name)
    if key:
        monkeypatch.setenv("COMPATIBLE_API_KEY", key)

    async def go() -> None:
        async with doubles.openai_server(doubles.PerModel({"reader": FINE})) as model, stage(tmp_path, BASE) as at:
            monkeypatch.setenv("DEEPREPO_BASE_URL", model.openai_url)
            _, body = await opened(at, fork=is_fork)
            for number in range(10):
                ran(at, number + 1, fork=is_fork)
            asks = {"worker": "compatible/reader", "strategy": "direct", **inputs}
            name = "pull_request_target" if is_fork else "pull_request"
            found = await at.told(name, body, permissions=COUNTING, **asks)
            assert found.review is not None
            assert found.review.cost.calls == 0
            assert word in " ".join(found.review.notes)

    asyncio.run(go())


async def _asked_by_the_team(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: list[dict[str, object]], attempt: int = 1, hours: float = 2
) -> bool:
    """Whether a model reads a branch of the repository, with $5 a day and $1 a run, beside these runs; `hours`: since its own first attempt."""
    async with doubles.openai_server(doubles.PerModel({"gpt-5-mini": FINE})) as model, stage(tmp_path, BASE) as at:
        monkeypatch.setenv("DEEPREPO_BASE_URL", model.openai_url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-pretended-and-long-enough")
        _, body = await opened(at)
        inputs = {"worker": "openai/gpt-5-mini", "strategy": "direct", "cap_usd_per_day": "5", "budget": "1"}
        step = at.step("pull_request", body, permissions=COUNTING, **inputs)
        step = replace(step, runner=step.runner.model_copy(update={"github_run_attempt": str(attempt)}))
        ran(at, int(step.runner.github_run_id), fork=False, event="pull_request", attempt=attempt, hours=hours)
        for number, row in enumerate(rows):
            ran(at, number + (50_000 if attempt > 1 else 1), **row)  # type: ignore[arg-type]
            ran(at, number + 10_000, **row, path=".github/workflows/other.yml")  # type: ignore[arg-type]
        result = await action.run(step, action.Console(lambda _: None))
        assert result.review is not None
        return result.review.cost.calls > 0


KEYLESS: dict[str, object] = {"event": "pull_request"}
# Eight of each are more than the cap of $5: of strangers' runs half of it counts.
WITHOUT_SAY = [
    ({"fork": False, "event": "issue_comment", "by": "stranger"}, True),
    ({"fork": False, "event": "pull_request_review_comment", "by": "stranger"}, True),
    (KEYLESS, True),
    (FORK, True),
    ({"fork": False, "event": "pull_request", "by": "stranger"}, True),
    ({"fork": False, "event": "workflow_run", "by": "stranger"}, True),
    ({"fork": False, "event": "issue_comment", "by": "maintainer"}, False),
    ({"fork": False, "event": "pull_request"}, False),
]


@pytest.mark.parametrize(("row", "is_read"), few(WITHOUT_SAY, 0, 4, 6))
def test_strangers_leave_the_team_half_of_a_day(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, row: dict[str, object], is_read: bool
) -> None:
    """Neither a flood of comments nor of forks, which have no key, uses a day up; what the team has asked for counts in full."""
    assert asyncio.run(_asked_by_the_team(tmp_path, monkeypatch, [row] * 8)) is is_read


# Earlier runs of the day, the event and inputs of a stranger's own run, and whether a model reads it.
HERE: dict[str, object] = {"fork": False, "event": "pull_request", "by": "stranger"}
DOLLARS = {"cap_usd_per_day": "5", "budget": "1"}
UNASKED = [
    ([HERE] * 3, {"fork_reviews_per_day": "3"}, False),
    ([HERE] * 2, {"fork_reviews_per_day": "3"}, True),
    ([HERE] * 3, DOLLARS, False),
    ([HERE] * 2, DOLLARS, True),
    ([FORK, HERE, {**HERE, "event": "workflow_run"}], {"fork_reviews_per_day": "3"}, False),
    ([KEYLESS] * 3, {"fork_reviews_per_day": "3"}, False),  # a private repository may give forks its secrets
    ([{"fork": False, "event": "pull_request"}] * 3, {"fork_reviews_per_day": "3"}, True),
]


@pytest.mark.parametrize(("rows", "inputs", "is_read"), few(UNASKED, 0, 3))
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


AGAIN = [
    ([{"fork": False, "attempt": 5}], 2, 2.0, False),  # the attempts of an earlier run count
    ([{"fork": False}] * 2, 2, 2.0, True),
    ([{"fork": False}] * 5, 2, 2.0, False),
    ([{"fork": False, "attempt": 6, "hours": 30}], 1, 2.0, False),  # of yesterday, and perhaps run again today
    ([], 2, 25.0, False),  # nobody would count it
]


@pytest.mark.parametrize(("rows", "attempt", "hours", "is_read"), few(AGAIN, 1, 2, 4))
def test_a_run_that_is_run_again_passes_no_cap(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    rows: list[dict[str, object]],
    attempt: int,
    hours: float,
    is_read: bool,
) -> None:
    """Before it came every other run of the day, whatever their numbers; a run of another day asks no model."""
    story = _asked_by_the_team(tmp_path, monkeypatch, rows, attempt, hours)
    assert asyncio.run(story) is is_read
