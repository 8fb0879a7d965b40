"""Changed names that reach their users through another file or another name."""

import pytest
from dependents_scene import find
from fakes import Repository

from bot.analyzers.contracts import compare

PYTHON = {
    "lib.py": "def total(a):\n    return a\n",
    "pay.py": "from shim import total\n\n\ndef pay():\n    return total(1)\n",
}
SCRIPT = {
    "lib.ts": "export function total(a: number) {\n  return a\n}\n",
    "pay.ts": 'import { total } from "./shim"\n\nexport function pay() {\n  return total(1)\n}\n',
}
GO = {
    "go.mod": "module x.y/shop\n",
    "lib/lib.go": "package lib\n\nfunc Total(a int) int {\n\treturn a\n}\n",
    "pay/pay.go": 'package pay\n\nimport lib "x.y/shop/shim"\n\nfunc Pay() int {\n\treturn lib.Total(1)\n}\n',
}
HANDED_ON = {
    "an import": (PYTHON, {"shim.py": "from lib import total\n"}),
    "another name in between": (PYTHON, {"one.py": "from lib import total as t\n", "shim.py": "from one import t as total\n"}),
    "an assignment": (PYTHON, {"shim.py": "import lib\n\ntotal = lib.total\n"}),
    "a module": (PYTHON | {"pay.py": "import shim\n\n\ndef pay():\n    return shim.lib.total(1)\n"}, {"shim.py": "import lib\n"}),
    "an export from": (SCRIPT, {"shim.ts": 'export { total } from "./lib"\n'}),
    "an export of an import": (SCRIPT, {"shim.ts": 'import { total as t } from "./lib"\nexport { t as total }\n'}),
    "a constant": (SCRIPT, {"shim.ts": 'import * as lib from "./lib"\nexport const total = lib.total\n'}),
    "a variable of a package": (GO, {"shim/shim.go": 'package shim\n\nimport "x.y/shop/lib"\n\nvar Total = lib.Total\n'}),
}  # fmt: skip
NEW = {
    "lib.py": "def total(a, b):\n    return a\n",
    "lib.ts": "export function total(a: number, b: number) {\n  return a\n}\n",
    "lib/lib.go": "package lib\n\nfunc Total(a int, b int) int {\n\treturn a\n}\n",
}


@pytest.mark.parametrize(("files", "shim"), HANDED_ON.values(), ids=HANDED_ON)
def test_a_call_through_an_ordinary_file_is_compared(
    repository: Repository, files: dict[str, str], shim: dict[str, str]
) -> None:
    """Whatever the file is called that hands the name on, and however often it gets another one."""
    lib = next(path for path in files if path in NEW)
    pull = repository.change({**files, **shim}, {lib: NEW[lib]})

    comparisons = compare(find(pull))

    assert [path for (_, path, _), verdict in comparisons.items() if verdict == "reported"] == [
        path for path in files if "pay" in path
    ]


DIRECT = PYTHON | {"pay.py": "from lib import total\n\n\ndef pay():\n    return total(1)\n", "other.py": "x = 1\n"}
REBOUND = {
    "nothing": "import os",
    "a lookup": 'import lib\n\ntotal = getattr(lib, "total")',
    "a tuple": "import lib\n\n(total,) = (lib.total,)",
    "a file that is not there": "from shim import total",
    "a package that is not there": "from nowhere.lib import total",
    "another definition": "from loose import total",
}


@pytest.mark.parametrize("head", REBOUND.values(), ids=REBOUND)
def test_a_use_whose_import_goes_with_the_contract_is_open(repository: Repository, head: str) -> None:
    """What the name means now is proven by nothing, so somebody has to look."""
    after = {
        "lib.py": NEW["lib.py"],
        "pay.py": DIRECT["pay.py"].replace("from lib import total", head),
        "loose.py": "def total(*a):\n    raise TypeError\n",
    }
    found = find(repository.change({**DIRECT}, {**after}))

    assert [(row.line, row.call) for row in found.references if row.path == "pay.py" and row.lone] == [
        (5 + head.count("\n"), True)
    ]


def test_a_use_whose_new_import_takes_the_place_is_not_open(repository: Repository) -> None:
    """A definition with the same parameters serves the calls as the old one did."""
    after = {"lib.py": NEW["lib.py"], "other.py": DIRECT["lib.py"], "pay.py": DIRECT["pay.py"].replace("lib", "other")}
    found = find(repository.change({**DIRECT}, after))

    assert [row for row in found.references if row.path == "pay.py" and not row.is_guessed] == []


def test_a_file_in_between_that_binds_the_name_anew_leaves_its_users_open(repository: Repository) -> None:
    """The users' own lines say nothing of it."""
    before = PYTHON | {"shim.py": "from lib import total\n"}
    after = {"lib.py": NEW["lib.py"], "shim.py": 'import lib\n\ntotal = getattr(lib, "total")\n'}
    found = find(repository.change(before, after))

    assert [row.line for row in found.references if row.path == "pay.py" and row.lone] == [5]


def test_a_variable_of_another_function_is_no_alias(repository: Repository) -> None:
    """An assignment inside a function gives the name its meaning there alone."""
    pay = "import lib\n\n\ndef pay():\n    total = lib.total\n    return total(1)\n\n\ndef other(total):\n    return total()\n"
    found = find(repository.change(PYTHON | {"pay.py": pay}, {"lib.py": NEW["lib.py"]}))

    assert [row.line for row in found.references if row.path == "pay.py" and row.call] == [6]
