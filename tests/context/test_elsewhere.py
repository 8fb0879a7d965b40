import asyncio

from fakes import Repository

from bot import diff
from bot.checkout import Checkout
from bot.context.builder import ContextBuilder
from bot.context.elsewhere import MAX_OF_WORD, MAX_PLACES, TOO_MANY, Elsewhere
from bot.diff import units
from bot.values import Dependents

Files = dict[str, str | bytes | None]


def listed(repository: Repository, before: Files, after: Files) -> dict[str, Elsewhere]:
    """What a prompt with nothing but these units lists, by name."""
    pull = repository.change(before, after)

    async def run() -> tuple[Elsewhere, ...]:
        async with Checkout(pull) as tree:
            files = diff.read(await tree.change())
            paths = [file.path for file in files]
            texts = [
                {p: b.decode() for p, b in (await tree.read_many(paths, side)).items()} for side in ("head", "base")
            ]
            parts = units.cut(files, Dependents(), units.Texts(*texts))
            builder = ContextBuilder(tree, files)
            await builder.prepare(parts)
            return await builder.elsewhere(parts, ())

    return {one.name: one for one in asyncio.run(run())}


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


def test_a_name_that_is_everywhere_is_no_lead_and_a_function_of_a_library_neither(repository: Repository) -> None:
    before: Files = {
        "a.py": "import json\n\nMAX_ROWS = 1\nVALUE = json.loadsAll('{}')\n",
        "b.py": "from a import MAX_ROWS\n" + "print(MAX_ROWS)\n" * (TOO_MANY + 1) + "x = json.loadsAll('1')\n",
    }
    assert listed(
        repository, before, {"a.py": "import json\n\nMAX_ROWS = 2\nVALUE = json.loadsAll('[]')\n"}
    ).keys() <= {"VALUE"}


def test_of_a_dotted_key_and_its_last_word_one_is_listed(repository: Repository) -> None:
    before: Files = {
        "a.properties": "Access.MissingRight = {0} lacks {1}\n",
        "b.java": 'class B { String s() { return Messages.of("Access.MissingRight"); } }\n',
    }
    found = listed(repository, before, {"a.properties": "Access.MissingRight = {1} lacks {0}\n"})
    assert list(found) == ["Access.MissingRight"]
    assert found["Access.MissingRight"].places == (("b.java", (1,)),)


def test_a_plain_word_is_listed_where_it_is_a_string(repository: Repository) -> None:
    before: Files = {
        "client.ts": 'export const kinds = ["exponential", "fixed"]\n',
        "delay.sql": "-- the linear part\nif kind = 'fixed' then linear := 1; end if;\n",
    }
    found = listed(repository, before, {"client.ts": 'export const kinds = ["exponential", "fixed", "linear"]\n'})
    assert found["linear"] == Elsewhere("linear", 0, (), as_string=True)
    assert found["fixed"].places == (("delay.sql", (2,)),)
    assert found["fixed"].code == ("if kind = 'fixed' then linear := 1; end if;",)


def test_a_plain_word_of_many_lines_is_left_out(repository: Repository) -> None:
    """Places alone decide nothing, and their lines would be long."""
    before: Files = {
        "client.ts": 'export const kinds = ["fixed"]\n',
        "delay.sql": "select 'fixed';\n" * (MAX_OF_WORD + 1),
    }
    assert "fixed" not in listed(repository, before, {"client.ts": 'export const kinds = ["fixed", "other"]\n'})


def test_an_option_is_looked_for_as_the_field_of_which_programs_make_it(repository: Repository) -> None:
    """A parser may derive `--no-cache` from a field: that it is written nowhere would be a false trail."""
    before: Files = {
        "app/run.rs": 'warn(OLD, "--with-cache");\n',
        "app/cli.rs": "struct Cli {\n    #[arg(long)]\n    no_cache: bool,\n}\n",
    }
    one = listed(repository, before, {"app/run.rs": 'warn(OLD, "--no-cache");\n'})["--no-cache"]
    assert (one.name, one.spelling, one.places) == ("--no-cache", "no_cache", (("app/cli.rs", (3,)),))
