import asyncio

from fakes import Repository

from bot import diff
from bot.checkout import Checkout
from bot.context.deciding_rows import MOST_ROWS, brief_diffs
from bot.diff import units
from bot.values import Dependents


def test_a_long_new_file_is_no_empty_section(repository: Repository) -> None:
    """All of its lines are new, without a sign: those that decide are shown, and a note counts the others."""
    text = "exports.up = async (knex) => {\n" + "".join(f"  await knex.raw('{n}');\n" for n in range(60)) + "};\n"
    pull = repository.change({"a.js": "x = 1\n"}, {"migrations/2.js": text})

    async def run() -> str:
        async with Checkout(pull) as tree:
            files = diff.read(await tree.change())
            texts = units.Texts({"migrations/2.js": text}, {})
            (part,) = brief_diffs(units.cut(files, Dependents(), texts), files)
            return part.body

    body = asyncio.run(run())
    assert "exports.up = async" in body
    assert body.count("knex.raw") == MOST_ROWS - 1
    assert "[... 39 more changed lines ...]" in body
