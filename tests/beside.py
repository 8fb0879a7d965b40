"""Find the excerpts that a prompt shows next to the changed regions of one file."""

import step
from fakes import Repository

from bot.checkout import Checkout
from bot.diff import units
from bot.review.context.builder import ContextBuilder
from bot.review.context.searches import Searches
from bot.values import Excerpt
from deeprepo.impact import uses

Files = dict[str, str | bytes | None]


def beside(repository: Repository, before: Files, after: Files, path: str, prompts: int = 1) -> tuple[Excerpt, ...]:
    """Return the excerpts in the prompt about `path`."""
    pull = repository.change(before, after)

    async def run(tree: Checkout, files: step.Files) -> tuple[Excerpt, ...]:
        texts = await step.texts(tree, files)
        parts = units.cut(files, await uses.find(tree, files), texts)
        builder = ContextBuilder(Searches(tree, files), prompts)
        await builder.found.look_up(parts)
        return await builder.of([unit for unit in parts if unit.path == path])

    return step.over(pull, run)


def text(excerpts: tuple[Excerpt, ...]) -> str:
    """Join the excerpts, with their paths and titles, into one text."""
    return "\n".join(f"{one.path} · {one.title}\n{one.body}" for one in excerpts)
