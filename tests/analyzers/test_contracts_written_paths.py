"""References that deeprepo once missed: qualified names, inherited members, and whole modules."""

from collections.abc import Mapping

import pytest
from contract_findings import look
from fakes import Repository

Files = Mapping[str, str | None]
Told = tuple[str, int, str, str]
ROWS = "\ndef load_rows(): pass\n"
IMPORTER = "from pkg.m import load_rows\nload_rows()\n"
PACKAGE = {"pkg/__init__.py": "", "app.py": IMPORTER}
LOOP = "from base import Base\n\n\nclass Loop(Base):\n    def is_typed(self): return True\n"
BARE_LOOP = "from base import Base\n\n\nclass Loop(Base):\n    pass\n"
VISITOR = "from nodes import Loop\n\n\ndef visit(node: Loop):\n    return node.is_typed()\n"
PARAMETER = "def other(is_typed):\n    return is_typed\n"
BASE = "class Base:\n    def own(self): pass\n"
ORDER = "<?php\nnamespace App\\Models;\nclass Order {}\nclass Other {}\n"
OTHER = "<?php\nnamespace App\\Models;\nclass Other {}\n"
CODES = "#pragma once\nenum class ExitCodes { Success, Extras };\n"
REGISTRY = "class Registry:\n    def names_of(self): return []\n    def b(self): pass\n"
BARE_REGISTRY = "class Registry:\n    def b(self): pass\n"
CHAIN = "class A:\n    def go(self):\n        return self.formats.names_of()\n"
FACTORY = (
    "function makeUser() {\n  return {\n    getName() {},\n    loadRows() {},\n  }\n}\nmodule.exports = { makeUser }\n"
)
MADE = "const { makeUser } = require('./make')\nconst user = makeUser()\nuser.loadRows()\n"
FILLED = "module.exports = function (Posts) {\n  Posts.getRows = () => 1\n  Posts.loadRows = () => 2\n}\n"
POSTS = {
    "posts.js": "const Posts = module.exports\nrequire('./fill')(Posts)\n",
    "app.js": "const posts = require('./posts')\nposts.loadRows()\n",
}
PROVEN, HINT = "proven", "unproven"
BROKEN: dict[str, tuple[Files, Files, Told]] = {
    "a typed parameter whose class inherits": (
        {"base.py": BASE, "nodes.py": LOOP, "visit.py": VISITOR, "other.py": PARAMETER},
        {"nodes.py": BARE_LOOP},
        ("visit.py", 5, "removed-symbol", PROVEN),
    ),
    "a PHP class by a part of its namespace": (
        {
            "src/Models/Order.php": ORDER,
            "src/C.php": "<?php\nnamespace App\\Http;\nuse App\\Models;\nnew Models\\Order();\n",
        },
        {"src/Models/Order.php": OTHER},
        ("src/C.php", 4, "removed-symbol", PROVEN),
    ),
    "an enumerator with its class": (
        {"e.h": CODES, "m.cpp": '#include "e.h"\nint f() { return (int)ExitCodes::Extras; }\n'},
        {"e.h": CODES.replace(", Extras", "")},
        ("m.cpp", 2, "removed-symbol", PROVEN),
    ),
    "a member of the object that a factory returns": (
        {"make.js": FACTORY, "app.js": MADE},
        {"make.js": FACTORY.replace("    loadRows() {},\n", "")},
        ("app.js", 3, "removed-symbol", PROVEN),
    ),
    "a member that a function gives to its argument": (
        {**POSTS, "fill.js": FILLED},
        {"fill.js": FILLED.replace("  Posts.loadRows = () => 2\n", "")},
        ("app.js", 2, "removed-symbol", PROVEN),
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_qualified_inherited_and_module_references_are_reported(repository: Repository, name: str) -> None:
    """Each reference in the table is reported at its line, either proven or as a hint."""
    before, after, told = BROKEN[name]
    reported = look(repository.change(dict(before), dict(after)))
    assert [(one.path, one.start, one.rule, one.verdict) for one in reported] == [told]


SILENT: dict[str, tuple[Files, Files]] = {
    "a base that has the method": (
        {"base.py": BASE.replace("own", "is_typed"), "nodes.py": LOOP, "visit.py": VISITOR},
        {"nodes.py": BARE_LOOP},
    ),
    "a PHP class of that name in another namespace": (
        {"src/Models/Order.php": ORDER, "src/C.php": "<?php\nnamespace App\\Http;\nuse Lib\\Models;\nnew Models\\Order();\n", "composer.json": '{"autoload": {"psr-4": {"App\\\\": "src/"}}}'},
        {"src/Models/Order.php": OTHER},
    ),
    "an enumerator of another class": (
        {"e.h": CODES, "m.cpp": '#include "e.h"\nenum class Rest { Extras };\nint f() { return (int)Rest::Extras; }\n'},
        {"e.h": CODES.replace(", Extras", "")},
    ),
    "a function that has itself for a member": (
        {"make.js": "module.exports = function make(a) { return a }\n", "app.js": "const make = require('./make')\nmake(1)\n"},
        {"make.js": "function make(a) { return a }\nmodule.exports = make\nmodule.exports.make = make\n"},
    ),
    "a member that another object has": (
        {"make.js": FACTORY, "app.js": MADE, "other.js": "exports.make = () => ({ loadRows() {} })\n"},
        {"make.js": FACTORY.replace("    loadRows() {},\n", "")},
    ),
    "a member that is asked for first": (
        {"make.js": FACTORY, "app.js": MADE.replace("user.loadRows()", "user.loadRows?.()")},
        {"make.js": FACTORY.replace("    loadRows() {},\n", "")},
    ),
    "a chain that begins at a library": (
        {"lib/registry.py": REGISTRY, "app/x.py": "import tool\n\n\ndef go():\n    return tool.formats.names_of(1)\n"},
        {"lib/registry.py": BARE_REGISTRY},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SILENT)
def test_name_that_may_exist_or_is_checked_first_is_not_reported(repository: Repository, name: str) -> None:
    """Similar code in which the name may still exist, or is checked first, gives no finding."""
    before, after = SILENT[name]
    assert look(repository.change(dict(before), dict(after))) == []
