"""How the tests of the dependents look at a change."""

import asyncio
from collections.abc import Mapping

from bot import dependents, diff
from bot.checkout import Checkout
from bot.dependents import SearchLimits
from bot.dependents.roles import changes_role
from bot.languages import LANGUAGES
from bot.ports import Language
from bot.values import Dependents, PullRequest, Reference


def find(
    pull: PullRequest, budget: SearchLimits | None = None, languages: Mapping[str, Language] = LANGUAGES
) -> Dependents:
    """What a change can break."""

    async def run() -> Dependents:
        async with Checkout(pull) as tree:
            return await dependents.find(
                tree, diff.read(await tree.change(changes_role)), languages, budget or SearchLimits()
            )

    return asyncio.run(run())


def callers(pull: PullRequest, name: str, limit: int = 200) -> tuple[Reference, ...]:
    """The places in the head tree where a name is written."""

    async def run() -> tuple[Reference, ...]:
        async with Checkout(pull) as tree:
            return await dependents.callers(tree, name, LANGUAGES, limit)

    return asyncio.run(run())


def readers(pull: PullRequest, name: str, limit: int = 200, near: str = "") -> tuple[tuple[str, int, str, str], ...]:
    """The unchanged lines that read a name."""

    async def run() -> tuple[tuple[str, int, str, str], ...]:
        async with Checkout(pull) as tree:
            return await dependents.readers(tree, name, limit, near)

    return asyncio.run(run())
