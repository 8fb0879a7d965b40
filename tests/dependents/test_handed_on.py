"""Changed names that reach their users through another file or under another name."""

import pytest
from dependents_scene import find
from fakes import Repository

from deeprepo.impact.uses.breaks import compare

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
AMOUNT = PYTHON | {"pay.py": "from shop import amount\n\n\ndef pay():\n    return amount(1)\n"}
AMOUNT_SCRIPT = SCRIPT | {"pay.ts": SCRIPT["pay.ts"].replace("total", "amount").replace("./shim", "./shop")}
HANDED_ON = {
    "an export from": (SCRIPT, {"shim.ts": 'export { total } from "./lib"\n'}),
    "a constant": (SCRIPT, {"shim.ts": 'import * as lib from "./lib"\nexport const total = lib.total\n'}),
}  # fmt: skip
NEW = {
    "lib.py": "def total(a, b):\n    return a\n",
    "lib.ts": "export function total(a: number, b: number) {\n  return a\n}\n",
    "lib/lib.go": "package lib\n\nfunc Total(a int, b int) int {\n\treturn a\n}\n",
}


@pytest.mark.parametrize(("files", "shim"), HANDED_ON.values(), ids=HANDED_ON)
def test_call_through_a_reexporting_file_is_compared(
    repository: Repository, files: dict[str, str], shim: dict[str, str]
) -> None:
    """A call through a file that exports the function again is compared."""
    lib = next(path for path in files if path in NEW)
    pull = repository.change({**files, **shim}, {lib: NEW[lib]})

    comparisons = compare(find(pull))

    assert [path for (_, path, _), verdict in comparisons.items() if verdict == "reported"] == [
        path for path in files if "pay" in path
    ]


KEPT = {
    "a package that calls it": (AMOUNT, {"shop/__init__.py": "from lib import total as _total\n\n\ndef amount(n):\n    return _total(n)\n"}),
    "an index that calls it": (AMOUNT_SCRIPT, {"shop/index.ts": 'import { total as sum } from "../lib"\nexport const amount = (n: number) => sum(n)\n'}),
}  # fmt: skip


@pytest.mark.parametrize(("files", "shim"), KEPT.values(), ids=KEPT)
def test_callers_of_a_wrapper_are_not_dependents(
    repository: Repository, files: dict[str, str], shim: dict[str, str]
) -> None:
    """A wrapper's callers don't depend on the changed function that the wrapper calls."""
    lib = next(path for path in files if path in NEW)
    found = find(repository.change({**files, **shim}, {lib: NEW[lib]}))

    assert [row for row in found.references if "pay" in row.path and not row.is_guessed] == []


def test_go_dot_import_does_not_reexport_names(repository: Repository) -> None:
    """Go's dot import doesn't re-export names, so importers of that file are not dependents."""
    shim = {"shim/shim.go": 'package shim\n\nimport . "x.y/shop/lib"\n\nfunc Sum() int {\n\treturn Total(1)\n}\n'}
    found = find(repository.change({**GO, **shim}, {"lib/lib.go": NEW["lib/lib.go"]}))

    assert {(row.path, row.via) for row in found.files} == {("shim/shim.go", None)}


def test_star_import_of_the_changed_file_provides_the_name(repository: Repository) -> None:
    """`all` re-exports only `amount`, so `total` comes from the import of `lib` itself."""
    files = {
        "lib.py": "def total(a):\n    return a\n\n\ndef amount(a):\n    return a\n",
        "all/__init__.py": "from lib import amount\n",
        "pay.py": "from all import *\nfrom lib import *\n\n\ndef pay():\n    return total(1)\n",
    }
    found = find(repository.change(files, {"lib.py": "def amount(a, b):\n    return a\n"}))

    assert [(row.path, row.line, row.missing) for row in found.references if row.name == "total"] == [
        ("pay.py", 6, True)
    ]
