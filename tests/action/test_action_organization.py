"""The defaults of an organization in a step of a workflow, and checks of the team's own that come from them."""

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from opening import BASE, opened, summary
from stepping import Stage, on_stage, stage

from deeprepo_sandbox import providers as doubles

BAR = "fail_on: high\nenforce: [fail_on]\n"
CHECK = {
    "name": "no `plain` sums",
    "ask": "No new line calls sum() on plain items.",
    "paths": ["shop/**"],
    "severity": "fail",
}


async def organization(at: Stage, text: str, *, private: bool = True) -> str:
    """The owner's repository with the defaults, and a token that may read it and no other repository."""
    repo = await at.gh.repository("acme", ".deeprepo", files={".deeprepo.yml": text}, private=private)
    return at.gh.actions_token(repo, {"contents": "read"})


@on_stage(BASE)
async def test_a_workflow_cannot_lift_what_the_organization_enforces(at: Stage) -> None:
    """With a token that may read the private file its bar holds against the input of the step; without one the log has a sentence."""
    _, body = await opened(at)
    token = await organization(at, BAR)
    result = await at.told("pull_request", body, fail_on="critical")
    assert result.conclusion != "failure"
    assert any("This token sees no .deeprepo.yml in acme/.deeprepo" in row for row in at.rows)
    result = await at.told("pull_request", body, fail_on="critical", organization_token=token)
    assert result.conclusion == "failure"
    assert token not in repr((result, at.rows))


@on_stage(BASE)
async def test_a_token_that_sees_no_file_costs_a_line(at: Stage) -> None:
    """Who named a token expects the defaults: the review says that they are not used."""
    number, body = await opened(at)
    await organization(at, BAR)
    result = await at.told("pull_request", body, organization_token=at.gh.actions_token(at.repo, {}))
    assert result.review is not None
    assert "acme/.deeprepo is not used" in summary(at.gh, number)


class Reader:
    """A reader that fails the check with a quote of the change, and is talked into nothing."""

    def __call__(self, request: Mapping[str, Any]) -> doubles.Reply:
        assert "plain items" in json.dumps(request)
        failed = {
            "check": 1,
            "verdict": "failed",
            "reason": "It calls sum(items) | @all ::error::x",
            "quotes": [{"path": "shop/price.py", "quote": "    return sum(items)"}],
        }
        return doubles.Reply(data={"answer": "Read.", "findings": [], "checks": [failed]})


def test_a_check_of_the_organization_fails_the_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its row is in the summary, its answer commands neither the runner nor GitHub, and the pull request's own file is not read."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-pretended")

    async def go() -> None:
        async with doubles.openai_server(Reader()) as server, stage(tmp_path, BASE) as at:
            monkeypatch.setenv("DEEPREPO_BASE_URL", server.base_url)
            await organization(at, yaml.safe_dump({"checks": [CHECK]}), private=False)
            mine = yaml.safe_dump({"checks": [{**CHECK, "severity": "note"}]})
            await at.repo.commit("feature", {".deeprepo.yml": mine})
            number, body = await opened(at)
            result = await at.told("pull_request", body, worker="openai/reader", strategy="direct")
            assert result.conclusion == "failure"
            (row,) = [row for row in summary(at.gh, number).splitlines() if row.startswith("| no")]
            assert "failed, stops the change" in row
            assert row.count(" | ") == 3  # the answer opens no column
            assert "@all" not in row
            assert not any(row.startswith("::error::x") for row in at.rows)

    asyncio.run(go())
