"""How much of a changed function, and of the code that it depends on, is in a prompt."""

from collections.abc import Mapping

import step
from fakes import Repository

from bot.checkout import Checkout
from bot.diff import file_diffs, units
from bot.review.context.builder import ContextBuilder
from bot.review.context.searches import Searches
from bot.values import Excerpt
from deeprepo.impact import uses

Files = dict[str, str | bytes | None]


def prompt(repository: Repository, before: Files, after: Files) -> tuple[Mapping[str, str], tuple[Excerpt, ...]]:
    """Return each file's diff with the rest of its definitions, and the code shown next to it."""
    pull = repository.change(before, after)

    async def run(tree: Checkout, files: step.Files) -> tuple[Mapping[str, str], tuple[Excerpt, ...]]:
        used = await uses.find(tree, files)
        texts = await step.texts(tree, files)
        parts = units.cut(files, used, texts)
        builder = ContextBuilder(Searches(tree, files))
        diffs = file_diffs(parts, files, further_lines=builder.rest_of_definitions(parts))
        return {one.path: one.body for one in diffs}, await builder.of(parts)

    return step.over(pull, run)


def _function(lines: int, first: int = 1) -> str:
    steps = "".join(f"    step_{n} = rows[{n}]\n" for n in range(lines))
    return f"def total(rows):\n    first = {first}\n{steps}    return first\n"


def test_changed_function_of_moderate_size_is_shown_whole(repository: Repository) -> None:
    """A changed function of moderate size is shown completely, a longer one near the change."""
    diffs, _ = prompt(
        repository,
        {"shop/a.py": _function(60), "shop/b.py": _function(400)},
        {"shop/a.py": _function(60, 2), "shop/b.py": _function(400, 2)},
    )
    assert "return first" in diffs["shop/a.py"]
    assert "[..." not in diffs["shop/a.py"]
    assert "step_12 =" in diffs["shop/b.py"]
    assert "return first" not in diffs["shop/b.py"]


def test_code_that_loads_stored_objects_is_shown_with_fields_and_version(
    repository: Repository,
) -> None:
    """Code that loads stored objects is shown with their fields and the version constant."""
    cache = (
        "import pickle\n\nfrom shop.history import History\n\nCACHE_VERSION = 2\n\n\nclass Cache:\n    history: dict[str, History]\n\n\n"
        "def path():\n    return f'cache-{CACHE_VERSION}.pickle'\n\n\ndef load():\n    with open(path(), 'rb') as stream:\n"
        "        cache: Cache = pickle.load(stream)\n    return cache\n"
    )
    before: Files = {"shop/history.py": "class Execution:\n    text: str\n", "shop/cache.py": cache}
    _, beside = prompt(repository, before, {"shop/history.py": "class Item:\n    text: str\n"})
    shown = {row.text for one in beside if one.path == "shop/cache.py" for row in one.rows}
    assert {"CACHE_VERSION = 2", "    history: dict[str, History]"} <= shown


def test_decorators_and_constants_that_affect_a_changed_line_are_shown(repository: Repository) -> None:
    """Decorators and constants that affect a changed line are shown, even from far above."""
    filler = "".join(f"    step_{n} = {n}\n" for n in range(400))
    before: Files = {
        "shop/a.py": "MAX_ROWS = 100\nMIN_ROWS = 1\n\n\n@dataclass(\n    frozen=True,\n)\nclass Rows:\n"
        f"{filler}\n    def first(self, rows):\n        return rows[:10]\n",
        "shop/b.py": "from functools import cache\n\n\n@cache\ndef load(name):\n    return open(name)\n",
        "shop/c.py": "from shop.b import load\n\n\ndef show(name):\n    return name\n",
    }
    changed = str(before["shop/a.py"]).replace("rows[:10]", "rows[:MAX_ROWS]")
    after: Files = {
        "shop/a.py": changed,
        "shop/c.py": "from shop.b import load\n\n\ndef show(name):\n    return load(name)\n",
    }
    diffs, beside = prompt(repository, before, after)
    assert "@dataclass(" in diffs["shop/a.py"]
    shown = {(one.path, row.text) for one in beside for row in one.rows}
    assert {("shop/a.py", "MAX_ROWS = 100"), ("shop/b.py", "@cache")} <= shown
    assert ("shop/a.py", "MIN_ROWS = 1") not in shown
