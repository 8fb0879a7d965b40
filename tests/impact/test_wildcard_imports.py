"""In a language whose imports take everything, names without a receiver are resolved by what is known of their file."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from fakes import Repository

HERE = Path(__file__).parent
CART = """
fun total(rows: Int) = rows
fun _hidden(rows: Int) = rows
class Base(rows: Int) {
  fun size(rows: Int) = rows
}
class Cart(rows: Int) : Base(rows) {
  fun add(row: Int) = row
}
fun Cart.clear(all: Int) = all
"""
IMPORT = "import shop.cart.*\n"

SCENES: Mapping[str, tuple[str, list[str]]] = {
    "names that the import provides": (IMPORT + "fun run() = total(1) + Cart(1).add(1)\n", []),
    "a name that nothing provides": (IMPORT + "fun run() = totals(1)\n", ["2 missing-name totals: total"]),
    "it may come from a library": ("import lib.all.*\n" + IMPORT + "fun run() = totals(1)\n", []),
    "no import provides a private name": (
        "import lib.all.*\n" + IMPORT + "fun run() = _hidden(1)\n",
        ["3 missing-name _hidden"],
    ),
    "own and inherited members": (
        IMPORT + "class My(n: Int) : Cart(n) {\n  fun run() = own(1) + add(1) + size(1)\n  fun own(n: Int) = n\n}\n",
        [],
    ),
    "a call that does not fit an inherited member": (
        IMPORT + "class My(n: Int) : Cart(n) {\n  fun run() = size(1, 2)\n}\n",
        ["3 arguments size: takes 1 argument, not 2"],
    ),
    "no member of a class whose bases are known": (
        IMPORT + "class My(n: Int) : Cart(n) {\n  fun run() = gone(1)\n}\n",
        ["3 missing-name gone"],
    ),
    "a base of the class is in a library": (
        "import lib.all.*\n" + IMPORT + "class My(n: Int) : Other(n) {\n  fun run() = gone(1)\n}\n",
        [],
    ),
    "a name of an import comes before a member that may be inherited": (
        "import lib.all.*\n" + IMPORT + "class My(n: Int) : Other(n) {\n  fun run() = total(1, 2)\n}\n",
        ["4 arguments total: takes 1 argument, not 2"],
    ),
    "a member hides a name of an import": (
        IMPORT + "class My(n: Int) : Cart(n) {\n  fun run() = total(1, 2)\n  fun total(a: Int, b: Int) = a\n}\n",
        [],
    ),
    "an extension has members of its type": (IMPORT + "fun Cart.run() = gone(1)\n", []),
    "an extension of the tree adds a member": (IMPORT + "fun run() {\n  val cart = Cart(1)\n  cart.clear(1)\n}\n", []),
    "nothing adds this member": (
        IMPORT + "fun run() {\n  val cart = Cart(1)\n  cart.empty(1)\n}\n",
        ["4 missing-member cart.empty"],
    ),
    "an extension of a library may add it": (
        "import lib.all.*\n" + IMPORT + "fun run() {\n  val cart = Cart(1)\n  cart.empty(1)\n}\n",
        [],
    ),
    "an extension is not the class that it extends": (
        IMPORT
        + "interface Cart {\n  fun more(n: Int) = n\n}\nclass My(n: Int) : Cart(n) {\n  fun run() = add(1) + gone(1)\n}\n",
        ["6 missing-name gone"],
    ),
    "an extension in the file adds a member": (
        IMPORT
        + "interface Cart {\n  fun more(n: Int) = n\n}\nfun run() {\n  val cart = Cart(1)\n  cart.more(1)\n  cart.less(1)\n}\n",
        ["8 missing-member cart.less"],
    ),
    "a parameter named like a function of the file": (
        "fun total(n: Int) = n\nfun run(total: (Int, Int) -> Int) = total(1, 2)\nfun other() = total(1, 2)\n",
        ["3 arguments total: takes 1 argument, not 2"],
    ),
    "names of a library that is known": (
        "import lib.known.*\n" + IMPORT + "fun run() = given(1) + taken(1)\n",
        ["3 missing-name taken"],
    ),
    "a constructor does not hide its class": (
        IMPORT + "class My(n: Int) : Cart(n) {\n  fun run() = Cart.adds(1)\n}\nclass Own(n: Int)\n",
        ["3 missing-member Cart.adds: add"],
    ),
}


def _run(trees: Sequence[Mapping[str, str]], *folder: str) -> list[Any]:
    paths = os.pathsep.join([str(HERE), str(HERE.parents[1])])
    done = subprocess.run(
        [sys.executable, str(HERE / "wildcard_scenes.py"), *folder],
        input=json.dumps(trees),
        env={**os.environ, "PYTHONPATH": paths},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    rows: list[Any] = json.loads(done.stdout)
    return rows


@pytest.fixture(scope="module")
def messages() -> Mapping[str, list[str]]:
    """Return the messages of all scenes."""
    trees = [{"shop/cart.wild": CART, "user.wild": user} for user, _ in SCENES.values()]
    return dict(zip(SCENES, _run(trees), strict=True))


@pytest.mark.parametrize("scene", SCENES)
def test_names_without_a_receiver(scene: str, messages: Mapping[str, list[str]]) -> None:
    assert messages[scene] == SCENES[scene][1]


def test_moved_definition_is_missing_although_another_file_has_its_name(repository: Repository) -> None:
    """A file that imports only the former file doesn't see another definition of the name."""
    total, kept, use = "fun total(rows: Int) = rows\n", "fun kept(rows: Int) = rows\n", "fun run() = total(1)\n"
    before = {
        "shop/cart.wild": total + kept,
        "shop/tax.wild": total,
        "user.wild": "import shop.cart.*\n" + use,
        "other.wild": "import shop.tax.*\n" + use,
        "both.wild": "import shop.cart.*\nimport shop.tax.*\n" + use,
        "library.wild": "import lib.all.*\nimport shop.cart.*\n" + use,
    }
    repository.commit(before, "before")
    repository.git("checkout", "-q", "-b", "change")
    repository.commit({"shop/cart.wild": kept, "shop/sums.wild": total}, "change")
    assert _run([], str(repository.folder)) == [[["user.wild", 2]]]


def test_removed_reexport_beside_an_import_of_the_same_file(repository: Repository) -> None:
    """An import doesn't offer its names to importers of the file, as a re-export does."""
    own = "fun own() = total(1)\n"
    before = {
        "shop/cart.wild": "fun total(rows: Int) = rows\n",
        "shop/all.wild": "import shop.cart.*\nimport again.shop.cart.*\n" + own,
        "user.wild": "import shop.all.*\nfun run() = total(1)\n",
    }
    repository.commit(before, "before")
    repository.git("checkout", "-q", "-b", "change")
    repository.commit({"shop/all.wild": "import shop.cart.*\n" + own}, "change")
    assert _run([], str(repository.folder)) == [[["user.wild", 2]]]
