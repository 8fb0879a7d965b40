"""What somebody who opens the pull request sees first, and what they hand to their coding agent: through the server and GitHub."""

import asyncio
from pathlib import Path

from whole import MENDED, whole


def test_the_summary_has_a_walkthrough_and_a_prompt_for_an_agent(tmp_path: Path) -> None:
    """The summary begins with what changes; its prompt for an agent names what is open, round by round."""

    async def go() -> None:
        async with whole(tmp_path) as at:
            number = await at.reviewed()
            summary = at.summary(number)
            top = summary.partition("####")[0]

            assert "1 file is edited (+3 -3). The change gives `total` a new signature." in top
            assert "**Look first at** [`shop/cart.py:5`](" in top
            assert "| `price.py`" in top or "[`shop/price.py`](" in top
            assert "Finding 1 (high)\nFile: shop/cart.py\nLines: 5\n" in summary

            await at.repo.push("feature", MENDED)
            await at.quiet()
            assert "2 files are edited" in at.summary(number)
            assert "Prompt for a coding agent" not in at.summary(number)

    asyncio.run(go())
