"""The App was removed from repositories: everything that was kept of them goes."""

import asyncio

from bot.values import Forget
from bot.workflow import journals
from bot.workflow.parts import Services


async def forget(ask: Forget, parts: Services) -> None:
    """Call off what runs, then delete what jobs, storage and the folder of journals hold."""
    await parts.forget(ask.installation, ask.repositories)
    repositories = await parts.store.left(ask.installation, ask.repositories)
    await asyncio.to_thread(journals.delete, [p for r in repositories for p in journals.of_repository(parts.folder, r)])
    await parts.store.forget(ask.installation, ask.repositories)  # last: a second attempt knows what is left to do
