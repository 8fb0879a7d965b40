"""What somebody who opens the pull request sees first, and what they hand to their coding agent: through the server and GitHub."""

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import editor
from whole import MENDED, Whole, whole

if TYPE_CHECKING:
    from mcp.types import CallToolResult

ROOT = Path(__file__).parents[2]


async def handed(at: Whole, *pulls: str) -> "list[CallToolResult]":
    """What one `deeprepo mcp` on the server's machine answers about each of these pull requests."""
    command = [sys.executable, "-m", "bot", "mcp", "--repo", str(at.data)]
    async with editor.connected(command, ROOT, {"DEEPREPO_DATA": str(at.data)}) as client:
        return [await client.call_tool("hand_over", {"pull": pull}) for pull in pulls]


def text(result: "CallToolResult") -> str:
    return "".join(part.text for part in result.content if part.type == "text")


def test_walkthrough_and_prompt_from_the_webhook_to_the_agent(tmp_path: Path) -> None:
    """The summary begins with what changes; the prompt in it is the one that MCP gives for the stored review, round by round."""

    async def go() -> None:
        async with whole(tmp_path) as at:
            number = await at.reviewed()
            summary = at.summary(number)
            top = summary.partition("####")[0]
            (stored,) = await handed(at, f"acme/shop#{number}")

            assert "1 file is edited (+3 -3). The change gives `total` a new signature." in top
            assert "**Look first at** [`shop/cart.py:5`](" in top
            assert "| `price.py`" in top or "[`shop/price.py`](" in top
            assert text(stored) in summary
            assert "Finding 1 (high)\nFile: shop/cart.py\nLines: 5\n" in text(stored)

            await at.repo.push("feature", MENDED)
            await at.quiet()
            assert "2 files are edited" in at.summary(number)
            assert "Prompt for a coding agent" not in at.summary(number)
            address = f"https://github.com/acme/shop/pull/{number}"
            clean, unknown, wrong = await handed(at, address, "acme/shop#999", "shop")
            assert text(clean) == "The review has no open finding."
            assert "no finished review of acme/shop#999" in text(unknown)
            assert wrong.is_error

    asyncio.run(go())
