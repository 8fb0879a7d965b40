"""The operator's pages in a real browser: GitHub sign-in, content policy and retry button."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import browsing
import pytest
from browsing import Window
from visiting import Visit, stored, visit

from bot.values import Job
from bot.workflow.jobs import Attempt

pytestmark = [pytest.mark.slow, browsing.NEEDED]


async def _visited(folder: Path, at: Visit, visitor: Callable[[Window], None]) -> None:
    def go() -> None:
        with browsing.window(folder, 1280) as window:
            visitor(window)

    await asyncio.to_thread(go)


async def _waiting(ask: Job, job: Attempt) -> None:
    """Keep a review running until the test ends."""
    await asyncio.Event().wait()


async def test_operator_signs_in_with_github_and_retries_a_failed_job(tmp_path: Path) -> None:
    """Go to GitHub and back to the queue, and press the button, without violating the content policy."""
    async with visit(tmp_path) as at:
        await stored(at)

        def visitor(window: Window) -> None:
            assert "Continue with GitHub" in window.open(f"{at.base}/queue")
            assert "Authorize" in window.click("a.go")
            said = window.click("button[value=ann]")
            assert window.address == f"{at.base}/queue"
            assert "shop broke" in said
            assert "grid" not in said
            assert "Nothing has failed." in window.click(".failures button")
            assert "Sign in" in window.click(".who button")
            assert window.open(f"{at.base}/reviews").startswith("deeprepo")
            assert [line for line in window.logged() if "Content Security Policy" in line] == []

        await _visited(tmp_path, at, visitor)
        assert [ask.pull.number for ask in await at.server.worked(1)] == [11]  # type: ignore[union-attr]
