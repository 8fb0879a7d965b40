"""How the tests of the contract checks look at a change."""

import asyncio

from bot import dependents, diff
from bot.analyzers import contracts
from bot.checkout import Checkout
from bot.dependents.roles import changes_role
from bot.findings.check import check as verify
from bot.languages import LANGUAGES
from bot.review import coverage
from bot.values import Finding, PullRequest


def look(pull: PullRequest) -> list[Finding]:
    """The findings about a change, each confirmed to quote what stands in the tree."""

    async def run() -> list[Finding]:
        async with Checkout(pull) as tree:
            files = diff.read(await tree.change(changes_role))
            found = await contracts.check(tree, files, await dependents.find(tree, files, LANGUAGES))
            for finding in found:
                verified = await verify(finding, tree)
                assert isinstance(verified, Finding), verified
                assert (verified.start, len(verified.evidence)) == (finding.start, len(finding.evidence))
            return list(found)

    return asyncio.run(run())


def open_uses(pull: PullRequest) -> tuple[coverage.ObligedUse, ...]:
    """Of these lines, those about which code cannot decide."""

    async def run() -> tuple[coverage.ObligedUse, ...]:
        async with Checkout(pull) as tree:
            files = diff.read(await tree.change(changes_role))
            users = await dependents.find(tree, files, LANGUAGES)
            tracker = coverage.start((), files, users, by_model=False)
            tracker.note_comparisons(contracts.compare(users))
            return tracker.open_uses()

    return asyncio.run(run())


def uses(pull: PullRequest) -> tuple[coverage.ObligedUse, ...]:
    """The lines that somebody has to compare or read because of the change."""

    async def run() -> tuple[coverage.ObligedUse, ...]:
        async with Checkout(pull) as tree:
            files = diff.read(await tree.change(changes_role))
            return coverage.obliged_uses(files, await dependents.find(tree, files, LANGUAGES))

    return asyncio.run(run())
