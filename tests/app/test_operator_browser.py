"""The operator's pages in a real browser: GitHub sign-in, content policy, retry button, and axe's checks."""

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
AXE = Path(__file__).parents[2] / ".cache/axe/node_modules/axe-core/axe.min.js"
CUT = "(one) => one.scrollWidth > one.clientWidth"
SERIOUS = "const done = arguments[arguments.length - 1]; axe.run().then((found) => done(found.violations.map((one) => `${one.id} (${one.impact}): ${one.nodes[0].html}`)))"


async def _visited(folder: Path, at: Visit, visitor: Callable[[Window], None], width: int = 1280) -> None:
    def go() -> None:
        with browsing.window(folder, width) as window:
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


def _looked_at(window: Window, address: str) -> None:
    window.open(address)
    window.script(AXE.read_text())
    for scheme in ("light", "dark"):
        window.prefer(scheme)
        assert window.eventually(SERIOUS) == [], (address, scheme)
    wide = window.script(
        f"return [document.documentElement, ...document.querySelectorAll('.card')].filter({CUT}).length"
    )
    assert wide == 0, address
