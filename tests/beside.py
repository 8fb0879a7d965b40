"""What stands beside the units of one file while the change has others, which other prompts hold."""

import asyncio

from fakes import Repository

from bot import dependents, diff
from bot.checkout import Checkout
from bot.context.builder import ContextBuilder
from bot.dependents.roles import changes_role
from bot.diff import units
from bot.languages import LANGUAGES
from bot.values import Excerpt

Files = dict[str, str | bytes | None]


def beside(repository: Repository, before: Files, after: Files, path: str, prompts: int = 1) -> tuple[Excerpt, ...]:
    """The excerpts of the prompt about `path`."""
    pull = repository.change(before, after)

    async def run() -> tuple[Excerpt, ...]:
        async with Checkout(pull) as tree:
            files = diff.read(await tree.change(changes_role))
            heads = await tree.read_many([file.path for file in files])
            bases = await tree.read_many([file.path for file in files], "base")
            texts = units.Texts(
                {name: blob.decode() for name, blob in heads.items()},
                {name: blob.decode() for name, blob in bases.items()},
            )
            parts = units.cut(files, await dependents.find(tree, files, LANGUAGES), texts)
            builder = ContextBuilder(tree, files, prompts)
            await builder.prepare(parts)
            return await builder.of([unit for unit in parts if unit.path == path])

    return asyncio.run(run())


def text(excerpts: tuple[Excerpt, ...]) -> str:
    """All of them as one text."""
    return "\n".join(f"{one.path} · {one.title}\n{one.body}" for one in excerpts)
