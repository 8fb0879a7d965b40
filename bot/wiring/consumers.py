"""Who uses a local repository, among the clones that somebody names: told from manifests."""

import asyncio
from collections.abc import Sequence

from bot import checkout, config
from bot.checkout import Checkout
from bot.dependents.consumers.check import list_known
from bot.languages import LANGUAGES
from bot.values import ReviewRequest
from bot.values.consumer import ConsumerReport
from bot.wiring.review import named_consumers


def list_consumers(repo: str, places: Sequence[str], scratch: str) -> tuple[ConsumerReport, ...]:
    """What each clone takes of what the repository offers at its HEAD. Settings are read at HEAD too."""
    return asyncio.run(_listed(repo, places, scratch))


async def _listed(repo: str, places: Sequence[str], scratch: str) -> tuple[ConsumerReport, ...]:
    pull = await checkout.pull(ReviewRequest(repo, "range", "HEAD", "HEAD"), scratch)
    async with Checkout(pull) as tree:
        written = await tree.settings_at_tip(config.FILE)
        settings = config.resolve({}, written, config.environment())
        named = named_consumers(pull, places, settings)
        return await list_known(tree, named, LANGUAGES, own=pull.git_dir, scratch=scratch)
