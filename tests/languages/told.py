"""Helpers that return the contract findings and the references for a change."""

import step

from bot.analyzers.checks import contracts
from bot.checkout import Checkout
from bot.values import Dependents, Finding, PullRequest
from deeprepo.impact import uses

Tree = dict[str, str | bytes | None]
Row = tuple[str, int, str]  # path, line, rule


def look(pull: PullRequest) -> tuple[Dependents, tuple[Finding, ...]]:
    """Return what depends on a change, and the contracts that it breaks."""

    async def run(tree: Checkout, files: step.Files) -> tuple[Dependents, tuple[Finding, ...]]:
        found = await uses.find(tree, files)
        return found, await contracts.check(tree, files, found)

    return step.over(pull, run)


def rows(pull: PullRequest) -> list[Row]:
    """Return the proven findings as (path, line, rule), with each file's first line."""
    found = dict[tuple[str, str, str], Row]()
    for item in look(pull)[1]:
        broken = [(one.path, one.line) for one in item.evidence if one.is_broken]
        for path, line in [(item.path, item.start), *broken] if item.verdict == "proven" else ():
            found.setdefault((item.identity, path, item.rule), (path, line, item.rule))
    return list(found.values())
