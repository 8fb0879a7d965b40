"""Run one step of a review over a real change, with an open checkout and a parsed diff."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

from bot import config, diff
from bot.brief import Brief
from bot.checkout import Checkout
from bot.checkout.views import CachedTree
from bot.diff.roles import changes_role
from bot.diff.units import Texts
from bot.review.coverage import CoverageTracker
from bot.review.survey import Survey
from bot.values import ChangedFile, Dependents, PullRequest

T = TypeVar("T")
Files = tuple[ChangedFile, ...]


def over(pull: PullRequest, step: Callable[[Checkout, Files], Awaitable[T]]) -> T:
    """Return the result of a step for a change."""

    async def run() -> T:
        async with Checkout(pull) as tree:
            return await step(tree, diff.read(await tree.change(changes_role)))

    return asyncio.run(run())


def survey(pull: PullRequest, tree: Checkout, files: Files = (), **parts: Any) -> Survey:  # noqa: ANN401 - fields of Survey
    """Build a survey of a change in which only these parts are set."""
    dependents = parts.pop("dependents", Dependents())
    flags = {"minimum_severity": parts.pop("least", "low"), "fail_on": parts.pop("fail_on", None)}
    brief = Brief(pull, config.resolve(flags, None, config.Settings()))
    tracker = CoverageTracker((), files, dependents)
    return Survey(brief, files, (), dependents, CachedTree(tree), tracker, **parts)


async def texts(tree: Checkout, files: Sequence[ChangedFile]) -> Texts:
    """Return the texts of the changed files on both sides."""
    heads = await tree.read_many([file.path for file in files])
    bases = await tree.read_many([file.old_path for file in files if file.old_path], "base")
    return Texts(*({path: blob.decode("utf-8", "replace") for path, blob in side.items()} for side in (heads, bases)))
