"""The second push: what the first review's summary comment saves, and when it is not trusted."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pushes
import pytest
import yaml
from opening import event
from stepping import ROOT, Stage, stage

from bot.stored import markers
from deeprepo_sandbox import providers as doubles

KEY = "sk-pretended-and-long-enough"
MODEL = {"worker": "openai/gpt-5-mini", "strategy": "parts"}
Files = Mapping[str, Any]


@asynccontextmanager
async def staged(folder: Path, files: Files) -> AsyncIterator[tuple[Stage, dict[str, Any]]]:
    """Create a stage with a pull request, and yield it with the event that opened it."""
    async with stage(folder, {**pushes.BASE}) as at:  # type: ignore[arg-type]
        await at.repo.commit("feature", dict(files))
        with at.gh.holding() as held:
            await at.repo.open_pull("feature")
        yield at, event(held)


async def pushed(at: Stage, files: Files) -> dict[str, Any]:
    """Push, and return the event."""
    with at.gh.holding() as held:
        await at.repo.push("feature", dict(files))
    return event(held)


async def test_second_push_is_reviewed_incrementally(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fixed findings are resolved, open ones not repeated, and unchanged code is not sent again."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)

    async with doubles.openai_server(pushes.judge) as model, staged(tmp_path, pushes.FIRST) as (at, body):  # type: ignore[arg-type]
        monkeypatch.setenv("DEEPREPO_BASE_URL", model.openai_url)
        one = await at.told("pull_request", body, **MODEL)
        asked = len(model.requests)
        two = await at.told(
            "pull_request", await pushed(at, {"shop/rates.py": pushes.SECOND["shop/rates.py"]}), **MODEL
        )

        assert one.review is not None
        assert two.review is not None
        assert (len(one.review.findings_with_status("new")), one.review.round.number) == (2, 1)
        assert (
            len(two.review.findings_with_status("new")),
            len(two.review.open_findings),
            two.review.round.number,
        ) == (0, 1, 2)
        later = str([body["messages"] for body in model.requests[asked:]])
        assert "return 0" in later
        assert "parcel.weight" not in later
        (fixed,) = [c for c in at.gh.pull(1).review_comments if c.is_resolved]
        assert "negative" in fixed.body
        assert KEY not in f"{one}{two}{at.rows}{at.gh.pull(1)}"


async def test_unreadable_state_causes_a_full_review_and_a_note(tmp_path: Path) -> None:
    """An unreadable state counts as no earlier review: everything is reviewed again, and a note says why."""
    async with staged(tmp_path, pushes.FIRST) as (at, body):
        forged = f"{markers.make('summary')}\n<!-- deeprepo-state:AAAA -->\n## hello"
        await at.repo.comment(1, forged, author="github-actions[bot]")
        told = await at.told("pull_request", body)
        assert told.review is not None
        assert told.review.round.number == 1
        assert any("everything was reviewed again" in note for note in told.review.notes)


@pytest.mark.slow
async def test_review_with_an_app_token_recognizes_its_own_comments(tmp_path: Path) -> None:
    """GitHub tells us the token's account, so that the last review's comments are recognized."""
    async with staged(tmp_path, pushes.FIRST) as (at, body):
        for _ in range(2):
            await at.told("pull_request", body, github_token=at.gh.token())
        assert [one.user.login for one in at.gh.pull(1).comments] == [at.gh.login]
        assert '"round": "2"' in at.gh.pull(1).comments[0].body


async def test_documented_permissions_are_enough_to_resolve_threads(tmp_path: Path) -> None:
    """The example workflow with `contents: write` has enough permissions to resolve threads."""
    workflow = yaml.safe_load((ROOT / "docs/workflows/deeprepo.yml").read_text())
    asked = workflow["jobs"]["review"]["permissions"] | {"contents": "write"}
    permissions = {name.replace("-", "_"): level for name, level in asked.items()}

    async with staged(tmp_path, {"shop/cart.py": "total = nowhere\n"}) as (at, body):
        await at.told("pull_request", body, permissions=permissions)
        mended = await pushed(at, {"shop/cart.py": "total = 0\n"})
        assert (await at.told("pull_request", mended, permissions=permissions)).fault is None
        top, answer = at.gh.pull(1).review_comments
        assert "Fixed in" in answer.body
        assert top.is_resolved
        assert "contents: write" not in at.gh.pull(1).comments[0].body
