"""Names of Python that are used, and that nothing binds but what may bind nothing: ruff takes each for a definition."""

import asyncio

import pytest
from fakes import Repository

from bot import diff
from bot.analyzers import ruff
from bot.checkout import Checkout
from bot.values import Dependents, PullRequest

USE = "\n\ndef pay(rows):\n    return helper(rows)\n"
FILES: dict[str, str | bytes | None] = {
    "a.py": f"from b import helper\n{USE}",
    "b.py": "X = 1\n\n\ndef helper(rows):\n    return rows\n",
}
UNSURE = {
    "a star": "from os import *\n",
    "a star of a module that is not there": "from nowhere import *\n",
    "a star of a module that lacks it": "from .c import *\n",
    "a star under a condition": "if False:\n    from os import *\n",
    "a star in a try": "try:\n    from nowhere import *\nexcept ImportError:\n    pass\n",
    "a loop over nothing": "for helper in ():\n    pass\n",
    "the body of a loop": "for _ in ():\n    helper = 1\n",
    "a while": "while X:\n    from b import helper\n",
    "a condition": "if False:\n    from b import helper\n",
    "one of two branches": "if X:\n    from b import helper\nelse:\n    other = 1\n",
    "an import for types": "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from b import helper\n",
    "a condition of two": "if False and (helper := 1):\n    pass\n",
    "one of two expressions": "X = (helper := 1) if False else 2\n",
    "a list over nothing": "X = [(helper := one) for one in ()]\n",
    "a pattern": "match 1:\n    case helper if False:\n        pass\n",
    "a part of a pattern": "match []:\n    case [*helper, 1]:\n        pass\n",
    "a function that nobody calls": "def setup():\n    global helper\n    helper = 1\n",
    "a block that swallows what fails": (
        "from contextlib import suppress\n\nwith suppress(Exception):\n    1 / 0\n    from b import helper\n"
    ),
    "a handler": "try:\n    pass\nexcept OSError:\n    from b import helper\n",
    "the end of a loop": "for _ in [1]:\n    break\nelse:\n    helper = 1\n",
}  # fmt: skip
LOST = {
    **UNSURE,
    "a try": "try:\n    1 / 0\n    from b import helper\nexcept ZeroDivisionError:\n    pass\n",
    "a block of somebody's own": "with quiet():\n    from b import helper\n",
    "the program's own part": 'if __name__ == "__main__":\n    from b import helper\n',
}
IMPORT = "from b import helper\n"
LOST |= {
    f"behind {name}": text.replace("HERE", "from b import helper")
    for name, text in {
        "a raise in a try": "try:\n    raise ValueError\n    HERE\nexcept ValueError:\n    pass\n",
        "a condition that raises": "try:\n    if True:\n        raise ValueError\n    HERE\nexcept ValueError:\n    pass\n",
        "a raise in a block that swallows it": "from contextlib import suppress\n\nwith suppress(Exception):\n    raise ValueError\n    HERE\n",
        "a continue": "for _ in (1,):\n    continue\n    HERE\n",
        "a break": "for _ in (1,):\n    break\n    if X:\n        HERE\n",
        "the end of an endless loop": "while True:\n    break\n    HERE\n",
        "an end in a pattern": "try:\n    match 1:\n        case _:\n            raise ValueError\n            HERE\nexcept ValueError:\n    pass\n",
    }.items()
}
LOST |= {
    f"deleted {name}": IMPORT + text
    for name, text in {
        "under a condition": "if True:\n    del helper\n",
        "in a pattern": "match 1:\n    case 1:\n        del helper\n",
        "in a loop": "while True:\n    del helper\n    break\n",
        "by a function": "def drop():\n    global helper\n    del helper\n\n\ndrop()\n",
        "by a class": "class Drop:\n    global helper\n    del helper\n",
        "among others": "del (X, [helper])\n",
        "by its text": 'del globals()["helper"]\n',
        "by a pop": 'globals().pop("helper")\n',
        "by a pop of a module": 'import sys\n\nsys.modules[__name__].__dict__.pop("helper", None)\n',
        "by delattr": 'import sys\n\ndelattr(sys.modules[__name__], "helper")\n',
        "by a handler of its name": "try:\n    1 / 0\nexcept ZeroDivisionError as helper:\n    pass\n",
    }.items()
}
SURE = {
    "a name that is deleted and bound again": "helper = 1\ndel helper\nfrom b import helper\n",
    "a name that a function deletes for itself": f"{IMPORT}\n\ndef use():\n    helper = 1\n    del helper\n",
    "a handler of another name": f"{IMPORT}try:\n    1 / 0\nexcept ZeroDivisionError as error:\n    print(error)\n",
    "both branches": "if X:\n    from b import helper\nelse:\n    helper = None\n",
    "a try with another way": "try:\n    from b import helper\nexcept ImportError:\n    helper = None\n",
    "a try whose handler ends the run": "try:\n    from b import helper\nexcept ImportError:\n    raise SystemExit\n",
    "a star of a module that has it": "from b import *\n",
    "a star of a module beside it": "from .b import *\n",
    "a definition under a condition that ends else": ("if X:\n    from b import helper\nelse:\n    raise SystemExit\n"),
    "an open file": 'with open("x") as helper:\n    pass\n',
    "a global of a name that is there": "helper = None\n\n\ndef setup():\n    global helper\n    helper = 1\n",
    "the last of all patterns": "match X:\n    case 1:\n        helper = 1\n    case _:\n        helper = 2\n",
}


def left(pull: PullRequest) -> tuple[tuple[str, str], ...]:
    """What the check leaves open, and why."""

    async def run() -> tuple[tuple[str, str], ...]:
        async with Checkout(pull) as tree:
            files = diff.read(await tree.change())
            return (await ruff.check(tree, files, Dependents())).open

    return asyncio.run(run())


@pytest.mark.parametrize("text", LOST.values(), ids=LOST)
def test_a_name_that_loses_its_sure_binding_is_open(repository: Repository, text: str) -> None:
    """The import goes, the use stays, and what binds the name now may bind nothing."""
    ((path, reason),) = left(repository.change({**FILES, "c.py": ""}, {"a.py": f"X = 1\n{text}{USE}"}))

    assert path == "a.py"
    assert reason.startswith("`helper` in line ")


@pytest.mark.parametrize("text", UNSURE.values(), ids=UNSURE)
def test_a_new_use_of_a_name_that_nothing_sure_binds_is_open(repository: Repository, text: str) -> None:
    """A new file is asked the same."""
    ((path, _),) = left(repository.change({"b.py": FILES["b.py"], "c.py": ""}, {"a.py": f"X = 1\n{text}{USE}"}))

    assert path == "a.py"


@pytest.mark.parametrize("text", SURE.values(), ids=SURE)
def test_a_name_that_something_binds_in_every_case_is_settled(repository: Repository, text: str) -> None:
    """What a reader calls bound is."""
    assert left(repository.change(FILES, {"a.py": f"X = 1\n{text}{USE}"})) == ()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("for helper in ():\n    pass\n", "for helper in (1,):\n    pass\n"),
        ("from os import *\n", "from os import *\nX = 1\n"),
        ("", "for helper in [str]:\n    print(helper(1))\n"),
        ("", 'if __name__ == "__main__":\n    helper = str\n'),
        ("", "try:\n    from b import helper\nexcept ImportError:\n    X = 1\n"),
        ("", "def setup():\n    global helper\n    helper = 1\n    return helper\n"),
    ],
    ids=[
        "a loop as before",
        "a star as before",
        "in its loop",
        "a program",
        "an import that may fail",
        "in its function",
    ],
)
def test_ordinary_code_is_settled(repository: Repository, before: str, after: str) -> None:
    """What has always been bound so, what is used where it is bound, and what is bound unless something fails."""
    is_inner = "print(helper" in after or "return helper" in after
    use = "" if is_inner else USE

    assert left(repository.change({"a.py": before + use if before else "X = 1\n"}, {"a.py": after + use})) == ()


def test_an_annotation_is_no_use(repository: Repository) -> None:
    """An import for types alone is enough for annotations."""
    before = "from __future__ import annotations\n\nfrom b import Row\n\n\ndef pay(row: Row) -> Row:\n    item: Row = row\n    return item\n"
    after = before.replace(
        "from b import Row", "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from b import Row"
    )

    assert left(repository.change({"a.py": before}, {"a.py": after})) == ()


TAKEN = {
    "a namespace that is emptied": "globals().clear()\n",
    "a text that is run": 'exec("del helper")\n',
    "a text that is computed": "eval(\"globals().pop('helper')\")\n",
    "a namespace by another name": 'd = globals()\nd.pop("helper")\n',
    "a function's": "(lambda: 0).__globals__.clear()\n",
    "the module as an object": "import sys\n\nm = sys.modules[__name__]\ndel m.helper\n",
    "the names of the module as an object": "import sys\n\nsys.modules[__name__].__dict__.clear()\n",
    "exec by another name": 'run = exec\nrun("del helper")\n',
    "exec of the built-ins": 'import builtins\n\nbuiltins.exec("del helper")\n',
    "within a function": "def f():\n    globals().clear()\n\n\nf()\n",
    "a text in the module's own names": 'exec("del helper", globals())\n',
}
READ = {
    "one key": 'X = globals()["other"]\n',
    "one key that may be absent": 'X = globals().get("other")\n',
    "a question": 'X = "helper" in globals()\n',
    "a text in names of its own": 'exec("x = 1", {})\n',
    "a method of that name": "X = model.eval()\n",
}


@pytest.mark.parametrize("text", TAKEN.values(), ids=TAKEN)
def test_what_may_take_any_name_away_leaves_imports_open(repository: Repository, text: str) -> None:
    """The names of a module as an object, or a text that is run: nobody can tell which names are left."""
    rows = left(repository.change(FILES, {"a.py": f"{IMPORT}{text}{USE}"}))

    assert any(reason.startswith("`helper` in line ") for _, reason in rows), rows


@pytest.mark.parametrize("text", READ.values(), ids=READ)
def test_what_reads_one_name_takes_none_away(repository: Repository, text: str) -> None:
    """A key that is written out, and a text that has names of its own."""
    model = "import model\n" if "model" in text else ""

    assert left(repository.change(FILES, {"a.py": f"{IMPORT}{model}{text}{USE}"})) == ()


def test_what_took_names_away_before_is_no_news(repository: Repository) -> None:
    """Only what the change adds counts."""
    old = f"{IMPORT}d = globals()\n{USE}"

    assert left(repository.change({**FILES, "a.py": old}, {"a.py": f"{old}\n\nX = 1\n"})) == ()
