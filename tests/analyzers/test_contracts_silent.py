import re

import pytest
from contract_findings import look, open_uses
from fakes import Repository

LIB = "def old_name(a):\n    return a\n\n\ndef other(a):\n    return a\n"
USER = "from lib import old_name\n\nold_name(1)\n"
REST = "def other(a):\n    return a\n"


def numbered(at: int, text: str) -> str:
    """Number the module and function names in a text, so that no two cases share a name."""
    return re.sub(r"\b(lib|another|old_name|first)\b", rf"\g<1>{at}", text)


LEFT = [
    ("from elsewhere import old_name\n", "imported from another module under the same name"),
    ("old_name = other\n", "assigned"),
    ("try:\n    from fast import old_name\nexcept ImportError:\n    old_name = other\n", "bound in a try"),
    ("from elsewhere import *\n", "perhaps handed on by a star"),
    ("def __getattr__(name):\n    return other\n", "made on demand"),
    ("globals().update(old_name=other)\n", "put into the globals"),
    ("if other:\n    def old_name(a):\n        return a\n", "defined under a condition"),
    ("def broken(:\n", "in a file that does not parse"),
    ("", "it is gone"),
]


def test_name_that_the_module_may_still_provide_is_not_reported(repository: Repository) -> None:
    """If the module may still provide the name, for example through `__getattr__`, nothing is reported."""
    before = {f"lib{at}.py": numbered(at, LIB) for at in range(len(LEFT))}
    before |= {f"app{at}.py": numbered(at, USER) for at in range(len(LEFT))}
    after = {f"lib{at}.py": numbered(at, REST + left) for at, (left, _) in enumerate(LEFT)}
    found = {finding.path for finding in look(repository.change(dict(before), dict(after)))}
    assert [why for at, (_, why) in enumerate(LEFT) if f"app{at}.py" in found] == ["it is gone"]


CALLERS = [
    "try:\n    from lib import old_name\nexcept ImportError:\n    old_name = print\n\nold_name(1)\n",
    "import lib\n\nif hasattr(lib, 'old_name'):\n    lib.old_name(1)\n",
    "# lib.old_name is what we used\nTEXT = 'from lib import old_name'\n",
    "from another import old_name\n\nold_name(1)\n",
    "import lib\n\n\ndef go(old_name):\n    old_name(1)\n",
    "import contextlib\n\nwith contextlib.suppress(ImportError):\n    from lib import old_name\n",
    USER,
]


def test_caller_that_refers_to_something_else_is_not_reported(repository: Repository) -> None:
    """Guarded imports, strings, comments, parameters and names from other modules are not reported."""
    before = {f"app{at}.py": numbered(at, caller) for at, caller in enumerate(CALLERS)}
    before |= {f"lib{at}.py": numbered(at, LIB) for at in range(len(CALLERS))}
    before |= {f"another{at}.py": numbered(at, "from print import old_name\n") for at in range(len(CALLERS))}
    after = {f"lib{at}.py": REST for at in range(len(CALLERS))}
    found = {finding.path for finding in look(repository.change(dict(before), dict(after)))}
    assert [caller for at, caller in enumerate(CALLERS) if f"app{at}.py" in found] == [USER]


SHADOWED = {
    "a parameter": "from shop import tax\n\n\ndef f(tax):\n    return tax.total(3)\n",
    "a local variable": "from shop import tax\n\n\ndef f(rows):\n    tax = rows[0]\n    return tax.total(3)\n",
    "a loop": "import shop.tax as tax\n\n\ndef f(rows):\n    for tax in rows:\n        tax.total(3)\n",
    "a comprehension": "from shop import tax\n\n\ndef f(rows):\n    return [tax.total(3) for tax in rows]\n",
    "an import in another function": "def f():\n    from shop.tax import total\n\n    return total(1, 2)\n\n\ndef g(total):\n    return 1\n\n\ndef h():\n    return total(3)\n",
    "a module imported in another function": "def f():\n    from shop import tax\n\n    return tax.total(1, 2)\n\n\ndef h():\n    return tax.total(3)\n",
}
REACHED = {
    "a parameter of another function": "from shop import tax\n\n\ndef f(tax):\n    return 1\n\n\ndef g():\n    return tax.total(3)\n",
    "an import in the function": "def f():\n    from shop.tax import total\n\n    return total(3)\n",
    "an import around a nested function": "def f():\n    from shop import tax\n\n    def g():\n        return tax.total(3)\n\n    return g\n",
    "an import in another function and one of the file": "from shop import tax\n\n\ndef f():\n    from shop import tax\n\n\ndef g():\n    return tax.total(3)\n",
}


@pytest.mark.parametrize(
    ("caller", "is_reported"), [*((one, False) for one in SHADOWED), *((one, True) for one in REACHED)]
)
def test_call_on_something_with_the_name_of_a_module_is_not_reported(
    repository: Repository, caller: str, *, is_reported: bool
) -> None:
    """A name means the import only where the import applies, and where nothing nearer has the name."""
    before = {"shop/__init__.py": "", "shop/tax.py": "def total(price):\n    return price\n"}
    before["use.py"] = (REACHED if is_reported else SHADOWED)[caller]
    change = repository.change(dict(before), {"shop/tax.py": "def total(price, rate):\n    return price * rate\n"})
    assert bool(look(change)) == is_reported


GO_TAX = "package tax\n\nfunc Total(p int) int { return p }\n"
GO_USER = """package main

import "example.com/m/tax"

type T struct{}

func (T) Total(p int) int { return p }

func f(tax T) int { return tax.Total(3) }

func main() { f(T{}); tax.Total(3) }
"""


def test_go_call_on_a_parameter_with_the_name_of_a_package_is_not_reported(repository: Repository) -> None:
    """In Go, a parameter hides the package of its name; only the other call is reported."""
    before = {"go.mod": "module example.com/m\n", "tax/tax.go": GO_TAX, "main.go": GO_USER}
    after = {"tax/tax.go": GO_TAX.replace("p int)", "p, r int)")}
    assert [finding.start for finding in look(repository.change(dict(before), dict(after)))] == [11]


STORE = "class Store:\n    def load_rows(self):\n        return 1\n\n    def keep(self):\n        return 2\n"
STORE_TS = "export class Store {\n  loadRows() {\n    return 1;\n  }\n  keep() {}\n}\n"
FORESEEN = {
    "a test for the member": (
        {"lib.py": STORE},
        "app.py",
        "from lib import Store\n\n\ndef go(one: Store):\n    if hasattr(one, 'load_rows'):\n        one.load_rows()\n",
        {"lib.py": STORE.replace("load_rows", "take")},
    ),
    "an import in a try": (
        {"lib.py": LIB},
        "app.py",
        "try:\n    from lib import old_name\nexcept ImportError:\n    old_name = None\n",
        {"lib.py": REST},
    ),
    "a test for the member in TypeScript": (
        {"lib.ts": STORE_TS},
        "app.ts",
        "import { Store } from './lib';\n\nexport function go(one: Store) {\n  if (one.loadRows) {\n    one.loadRows();\n  }\n}\n",
        {"lib.ts": STORE_TS.replace("loadRows", "take")},
    ),
}


@pytest.mark.parametrize("guard", FORESEEN)
def test_guarded_reference_to_a_removed_name_is_not_reported(repository: Repository, guard: str) -> None:
    """Code that checks whether the removed name exists gives no finding and no open reference."""
    lib, path, caller, after = FORESEEN[guard]
    pull = repository.change({**lib, path: caller}, dict(after))
    assert (look(pull), [use for use in open_uses(pull) if use.may_break]) == ([], [])


def test_optional_chaining_on_the_receiver_does_not_guard_the_member(repository: Repository) -> None:
    """`one?.loadRows()` is reported, because it checks whether `one` exists and not the member."""
    caller = "import { Store } from './lib';\n\nexport function go(one?: Store) {\n  one?.loadRows();\n}\n"
    pull = repository.change({"lib.ts": STORE_TS, "app.ts": caller}, {"lib.ts": STORE_TS.replace("loadRows", "take")})
    assert [(one.path, one.start, one.verdict) for one in look(pull)] == [("app.ts", 4, "proven")]


def test_only_an_existence_check_guards_a_member(repository: Repository) -> None:
    """Comparing, passing or listing the value is reported; checking that it exists is not."""
    used = [
        "if (role === ROLES.viewer) x();",
        "role !== ROLES.viewer && x();",
        "[ROLES.viewer].includes(role) && x();",
        "x(ROLES.viewer) ? 1 : 2;",
        "if (ROLES.viewer.length) x();",
    ]
    foreseen = [
        "if (role && (ROLES.viewer || x)) x(ROLES.viewer);",
        "!ROLES.viewer ? 1 : x(ROLES.viewer);",
        "x(ROLES.viewer ?? role);",
        "if (ROLES.viewer?.length) x(ROLES.viewer);",
        "if ('viewer' in ROLES) x(ROLES.viewer);",
        "if (typeof ROLES.viewer === 'string') x(ROLES.viewer);",
        "const isGone = undefined === ROLES.viewer || ROLES.viewer == null;",
    ]
    before = {
        f"app{at}.ts": f"import {{ ROLES }} from './lib';\n{line}\n" for at, line in enumerate([*used, *foreseen])
    }
    lib = "export const ROLES = { admin: 'a', viewer: 'v' };\n"
    found = look(repository.change({"lib.ts": lib, **before}, {"lib.ts": lib.replace(", viewer: 'v'", "")}))
    assert sorted((one.path, one.verdict) for one in found) == [(f"app{at}.ts", "proven") for at in range(len(used))]


OLD = "class A(Base):\n    def load_settings(self):\n        pass\n\n    x = 1\n"
CALL = "def go(one):\n    one.load_settings()\n"


@pytest.mark.parametrize(
    ("extra", "caller"),
    [
        ({"pkg/c.py": "class C:\n    def load_settings(self):\n        pass\n"}, CALL),
        ({"pkg/c.py": "class C:\n    def __init__(self):\n        self.load_settings = print\n"}, CALL),
        ({}, "import outside\n\n\ndef go():\n    outside.load_settings()\n"),
        ({}, "from outside import Other\n\n\ndef go():\n    one = Other()\n    one.load_settings()\n"),
        ({}, "class D(Other):\n    def go(self):\n        self.load_settings()\n"),
        ({}, "def go(one):\n    try:\n        one.load_settings()\n    except AttributeError:\n        pass\n"),
    ],
)
def test_method_name_that_exists_elsewhere_is_not_reported(
    repository: Repository, extra: dict[str, str | bytes | None], caller: str
) -> None:
    """Nothing is reported if another class has the name or the receiver comes from a library."""
    files: dict[str, str | bytes | None] = {"pkg/a.py": OLD, "pkg/b.py": caller, **extra}

    assert look(repository.change(files, {"pkg/a.py": "class A(Base):\n    x = 1\n"})) == []


OFFERED = [
    "export * from 'outside';\n",
    "Object.assign(exports, require('./made'));\n",
    "export { first } from './there';\n",
    "export const { first } = made();\n",
    "export default {}; export { x as first };\n",
    "export = made;\n",
    "",
]


def test_javascript_name_that_may_still_exist_is_not_reported(repository: Repository) -> None:
    """Star exports, computed exports, destructuring and renamed exports can all provide the name."""
    user = "import { first } from './lib';\n\nfirst();\n"
    before = {f"lib{at}.ts": numbered(at, "export function first() {}\n") for at in range(len(OFFERED))}
    before |= {f"app{at}.ts": numbered(at, user) for at in range(len(OFFERED))}
    after = {f"lib{at}.ts": numbered(at, text) for at, text in enumerate(OFFERED)}
    found = {finding.path for finding in look(repository.change(dict(before), dict(after)))}
    assert [text for at, text in enumerate(OFFERED) if f"app{at}.ts" in found] == [""]


def test_variable_hides_no_module_that_is_part_of_a_path(repository: Repository) -> None:
    """In Rust, `tax::total` means the module although a parameter has its name."""
    tax = "pub fn total(price: f64) -> f64 { price }\n"
    cart = "use crate::tax;\n\npub fn f(tax: f64) -> f64 {\n    tax::total(tax)\n}\n"
    before = {"Cargo.toml": '[package]\nname = "shop"\n', "src/lib.rs": "pub mod tax;\npub mod cart;\n"}
    before |= {"src/tax.rs": tax, "src/cart.rs": cart}
    after = {"src/tax.rs": tax.replace("price: f64)", "price: f64, rate: f64)")}
    assert [finding.path for finding in look(repository.change(dict(before), dict(after)))] == ["src/cart.rs"]
