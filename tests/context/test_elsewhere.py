import step
from fakes import Repository

from bot.checkout import Checkout
from bot.context.builder import ContextBuilder
from bot.context.elsewhere import MAX_PLACES, Elsewhere
from bot.context.searches import Searches
from bot.diff import units
from bot.values import Dependents

Files = dict[str, str | bytes | None]


def listed(repository: Repository, before: Files, after: Files) -> dict[str, Elsewhere]:
    """What a prompt with nothing but these units lists, by name."""
    pull = repository.change(before, after)

    async def run(tree: Checkout, files: step.Files) -> tuple[Elsewhere, ...]:
        parts = units.cut(files, Dependents(), await step.texts(tree, files))
        builder = ContextBuilder(Searches(tree, files))
        await builder.found.look_up(parts)
        return await builder.elsewhere(parts, ())

    return {one.name: one for one in step.over(pull, run)}


def test_every_place_of_a_removed_key_is_listed_product_code_by_line_and_tests_by_number(
    repository: Repository,
) -> None:
    before: Files = {
        "app/start.ts": "env.SHOP_STATE_DIR = '/var/shop'\n",
        "tool/run.py": "import os\n\nHOME = os.environ['SHOP_STATE_DIR']\nOLD = os.environ.get('SHOP_STATE_DIR')\n",
        "tests/test_run.py": "import os\n\nos.environ['SHOP_STATE_DIR'] = 'x'\n",
    }
    found = listed(repository, before, {"app/start.ts": "env.SHOP_HOME_DIR = '/var/shop'\n"})
    assert found["SHOP_STATE_DIR"] == Elsewhere("SHOP_STATE_DIR", 0, (("tool/run.py", (3, 4)),), idle=1)
    assert found["SHOP_HOME_DIR"] == Elsewhere("SHOP_HOME_DIR", 0, ())


def test_what_the_prompt_shows_is_counted_and_what_does_not_fit_is_counted_too(repository: Repository) -> None:
    rows = "".join(f"print(config.max_retries, {n})\n" for n in range(MAX_PLACES + 3))
    before: Files = {"a.py": "max_retries = 3\nprint(max_retries)\n", "b.py": "import config\n" + rows}
    found = listed(repository, before, {"a.py": "max_retries = 4\nprint(max_retries)\n"})["max_retries"]
    assert (found.shown_count, found.more) == (1, 3)
    assert found.places == (("b.py", tuple(range(2, MAX_PLACES + 2))),)
