"""The operator's pages in a real browser: GitHub sign-in, content policy, retry button, and axe's checks."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import browsing
import pytest
import waits
from browsing import Window
from visiting import Visit, stored, visit

from bot.app import operator
from bot.values import Ask, PullRef, ReviewAsk
from bot.workflow.jobs import Job

pytestmark = [pytest.mark.slow, browsing.NEEDED]
AXE = Path(__file__).parents[2] / ".cache/axe/node_modules/axe-core/axe.min.js"
CUT = "(one) => one.scrollWidth > one.clientWidth"
SERIOUS = "const done = arguments[arguments.length - 1]; axe.run().then((found) => done(found.violations.map((one) => `${one.id} (${one.impact}): ${one.nodes[0].html}`)))"


async def _visited(folder: Path, at: Visit, visitor: Callable[[Window], None], width: int = 1280) -> None:
    def go() -> None:
        with browsing.window(folder, width) as window:
            visitor(window)

    await asyncio.to_thread(go)


async def _waiting(ask: Ask, job: Job) -> None:
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


@pytest.mark.skipif(not AXE.exists(), reason="needs axe-core: `make test-slow` installs it from the npm registry")
@pytest.mark.parametrize("width", [1280, 390])
async def test_pages_have_no_serious_axe_violations_and_no_clipped_content(tmp_path: Path, width: int) -> None:
    """Check every page in light and dark, with running, failed and empty states."""
    async with visit(tmp_path, _waiting, reviews=1) as at:
        jobs = await stored(at)
        pull = PullRef(at.shop.installation, at.shop.id, "acme", "shop", 5)
        await at.server.opened.jobs.submit(ReviewAsk(pull, "push"), "guid", delay=0)
        live = f"/reviews/{quote(f'review~{pull.installation}~{pull.key}~guid')}"
        link = operator.link(at.given, at.base)

        def visitor(window: Window) -> None:
            paths = [
                "/",
                "/?days=7",
                "/reviews",
                "/reviews?state=clean",
                f"/reviews/{quote(jobs['shop'])}",
                live,
                "/queue",
                "/worth",
                "/reviews/nothing",
            ]
            _looked_at(window, link)
            window.click("button.go")
            for path in paths:
                _looked_at(window, f"{at.base}{path}")

        await _visited(tmp_path, at, visitor, width)


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


async def test_queue_page_shows_new_jobs_without_a_reload(tmp_path: Path) -> None:
    """Without a reload, the queue shows a job that came after it was opened."""
    async with visit(tmp_path, _waiting) as at:
        await stored(at)
        pull = PullRef(at.shop.installation, at.shop.id, "acme", "shop", 5)
        await at.server.opened.jobs.submit(ReviewAsk(pull, "push"), "guid", delay=0)
        loop, link = asyncio.get_running_loop(), operator.link(at.given, at.base)
        later = at.server.opened.jobs.submit(ReviewAsk(PullRef(7, 9, "acme", "late", 6), "push"), "late", delay=0)

        def visitor(window: Window) -> None:
            window.open(link)
            window.click("button.go")
            assert "late" not in window.open(f"{at.base}/queue")
            asyncio.run_coroutine_threadsafe(later, loop).result(20)
            waits.until(lambda: "acme/late#6" in window.text, "the queue shows the job that came later")

        await _visited(tmp_path, at, visitor)
