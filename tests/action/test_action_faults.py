"""Failures around a review in a workflow: no paid result is lost, and people get a reason."""

import asyncio
from typing import Any

import pytest
import waits
from opening import BASE, event, opened
from stepping import READ, Stage, on_stage

from bot.commands import context
from bot.errors import HostRefused
from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.github import Fault
from deeprepo_sandbox.providers import Reply


@on_stage(BASE)
async def test_review_that_cannot_be_posted_is_in_the_job_summary(at: Stage) -> None:
    """GitHub refuses the comment, so the job summary has the review, and the step fails."""
    _, body = await opened(at)
    at.gh.fail("POST", r"/issues/1/comments$", Fault(status=410, times=-1))
    told = await at.told("pull_request", body)

    assert isinstance(told.fault, HostRefused)
    assert "1 finding" in (at.folder / "summary").read_text()
    assert "GitHub refused it" in (at.folder / "summary").read_text()


@on_stage(BASE)
async def test_outdated_head_gets_no_comments(at: Stage) -> None:
    """Nothing is posted about an outdated head."""
    _, body = await opened(at)

    async def push() -> None:
        await at.repo.push("feature", {"NEWS.md": "one\n"})

    at.gh.fail("GET", r"/pulls/1$", Fault(status=None, skip=1, run=push))
    told = await at.told("pull_request", body)
    assert (told.conclusion, told.posted, told.fault) == ("cancelled", None, None)
    assert "is shown only here: the head is" in told.says
    assert at.gh.pull(1).comments == []


@on_stage(BASE)
async def test_token_without_read_access_names_the_permissions_to_add(at: Stage) -> None:
    """The error names the permissions to add."""
    _, body = await opened(at)
    with pytest.raises(HostRefused, match="pull-requests: write"):
        await at.told("pull_request", body, permissions={"contents": "read"})


@on_stage(BASE)
async def test_read_only_token_names_the_missing_permissions(at: Stage) -> None:
    """On the repository's own pull requests, the message names the permissions to add to the workflow."""
    _, body = await opened(at)
    told = await at.told("pull_request", body, permissions=READ)
    assert "the job needs `permissions:" in told.says
    assert told.review is not None


@on_stage(BASE)
async def test_command_limit_is_enforced_by_counting_comments(at: Stage) -> None:
    """Commands are counted in the comments; above the limit nothing is reviewed."""
    number, _ = await opened(at)
    with at.gh.holding() as held:
        for _ in range(context.MEMBER_COMMANDS + 1):
            await at.repo.comment(number, "/deeprepo review")
    assert (await at.told("issue_comment", event(held[-1:]))).conclusion == "skipped"


@on_stage(BASE)
async def test_canceled_job_ends_its_check_run(at: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """A newer run cancels this one during a model call: its check run ends as cancelled."""
    number, _ = await opened(at)
    called = asyncio.Event()

    def answer(_: Any) -> Reply:  # noqa: ANN401
        called.set()
        return Reply(fault="hang")

    async with doubles.openai_server(answer) as model:
        monkeypatch.setenv("DEEPREPO_BASE_URL", model.openai_url)
        asked = {"worker": "compatible/worker", "strategy": "parts", "pull_request": str(number)}
        running = asyncio.create_task(at.told("workflow_dispatch", {}, **asked))
        await waits.told(called, running)
        await at.gh.until(lambda: "1 finding so far" in (at.gh.pull(number).checks[0].summary or ""), waits.patience())
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    assert running.cancelled()
    (check,) = at.gh.pull(number).checks
    assert (check.status, check.conclusion) == ("completed", "cancelled")
