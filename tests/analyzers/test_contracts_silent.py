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
