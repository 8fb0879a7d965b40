"""How the tests of the languages look at a change: the findings of the contract checks, and the references."""

import asyncio

from bot import dependents, diff
from bot.analyzers import contracts
from bot.checkout import Checkout
from bot.languages import LANGUAGES
from bot.values import Dependents, Finding, PullRequest

Tree = dict[str, str | bytes | None]
Row = tuple[str, int, str]  # path, line, rule


def look(pull: PullRequest) -> tuple[Dependents, tuple[Finding, ...]]:
    """What depends on a change, and which contracts it breaks."""

    async def run() -> tuple[Dependents, tuple[Finding, ...]]:
        async with Checkout(pull) as tree:
            files = diff.read(await tree.change())
            found = await dependents.find(tree, files, LANGUAGES)
            return found, await contracts.check(tree, files, found)

    return asyncio.run(run())


def rows(pull: PullRequest) -> list[Row]:
    """What is proven, as (path, line, rule); hints are tested in tests/analyzers/test_contracts_likely.py."""
    return [(item.path, item.start, item.rule) for item in look(pull)[1] if item.verdict == "proven"]
