"""How progress reporting ends when a review ends."""

import asyncio

import pytest
from waits import patience

from bot.values.progress import Progress, ReviewProgress
from bot.workflow.reviewing import progress


@pytest.mark.parametrize("turns", range(3))
async def test_review_ends_promptly_despite_a_pending_progress_update(turns: int) -> None:
    """The review ends in time, however many turns the event loop had to process the last update."""

    async def update(_: Progress) -> None:
        """Accept the update and do nothing."""

    async with asyncio.timeout(patience()):
        async with progress(update) as say:
            say(ReviewProgress(1, ("a.py",)))
            for _ in range(10):
                await asyncio.sleep(0)
            say(ReviewProgress(1, ("a.py",), is_checked=True))
            for _ in range(turns):
                await asyncio.sleep(0)
