"""Names that other files say in a way of their own: with a namespace before them, as a text, as a template's block, in a query."""

from collections.abc import Mapping

import pytest

COMPOSER = '{"autoload":{"psr-4":{"App\\\\":"src/"},"files":["src/f.php"]}}\n'
PHP_FUNCTION = "<?php\nnamespace App;\n\nfunction total($x)\n{\n    return 1;\n}\n"
PHP_CONST = "<?php\nnamespace App;\n\nconst LIMIT = 3;\n"
PHP_GLOBAL = "<?php\n\nfunction total($x)\n{\n    return 1;\n}\n"
LUA = "local Cart = {}\nCart.__index = Cart\n\nfunction Cart.new(x)\n  return setmetatable({ x = x }, Cart)\nend\n\nfunction Cart:total()\n  return self.x\nend\n\nreturn Cart\n"
LUA_SELF = LUA.replace("Cart:total()", "Cart.total(self)")


def php(source: str, use: str) -> tuple[str, str, str, str]:
    """Lay out a file of functions that is always loaded, and one that uses them."""
    return "src/f.php", source, "src/Deep/U.php", f"<?php\nnamespace App\\Deep;\n\n{use}\n"


def lua(source: str, use: str) -> tuple[str, str, str, str]:
    """Lay out a module and a file that may require it."""
    return "cart.lua", source, "use.lua", use


GONE, MORE = ("total(", "amount("), ("($x)", "($x, $y)")
LUA_GONE = (":total()", ":amount()")
CASES: Mapping[str, tuple[tuple[str, str, str, str], tuple[str, str], bool]] = {
    "function by its whole name": (php(PHP_FUNCTION, "echo \\App\\total(1);"), GONE, True),
    "function by its whole name, more parameters": (php(PHP_FUNCTION, "echo \\App\\total(1);"), MORE, True),
    "function behind an alias of its namespace": (php(PHP_FUNCTION, "use App as A;\n\necho A\\total(1);"), MORE, True),
    "function of this namespace": (("src/f.php", PHP_FUNCTION, "lib/U.php", "<?php\nnamespace App;\n\necho namespace\\total(1);\n"), GONE, True),
    "function in a group of imports": (php(PHP_FUNCTION, "use function App\\{total, other};\n\necho total(1);"), GONE, True),
    "function of no namespace": (php(PHP_GLOBAL, "echo \\total(1);"), GONE, True),
    "function of another namespace": (php(PHP_FUNCTION, "echo \\Web\\total(1);"), GONE, False),
    "function of the class's namespace": (php(PHP_FUNCTION, "echo \\App\\Cart::total(1);"), GONE, False),
    "function with another body": (php(PHP_FUNCTION, "echo \\App\\total(1);"), ("return 1", "return 2"), False),
    "function with an optional parameter": (php(PHP_FUNCTION, "echo \\App\\total(1);"), ("($x)", "($x, $y = 1)"), False),
    "constant by its whole name": (php(PHP_CONST, "echo \\App\\LIMIT;"), ("LIMIT", "MAXIMUM"), True),
    "constant by an import": (php(PHP_CONST, "use const App\\LIMIT;\n\necho LIMIT;"), ("LIMIT", "MAXIMUM"), True),
    "constant of another namespace": (php(PHP_CONST, "echo \\Web\\LIMIT;"), ("LIMIT", "MAXIMUM"), False),
    "method of a value": (lua(LUA, 'local cart = require("cart")\n\nlocal c = cart.new(1)\nprint(c:total())\n'), LUA_GONE, True),
    "method of a parameter": (lua(LUA, 'local Cart = require("cart")\n\nlocal function show(c)\n  print(c:total())\nend\n'), LUA_GONE, True),
    "method of a field": (lua(LUA, 'local Cart = require("cart")\n\nfunction Cart.show(o)\n  print(o.cart:total())\nend\n'), LUA_GONE, True),
    "method with a written self": (lua(LUA_SELF, 'local cart = require("cart")\n\nlocal c = cart.new(1)\nprint(c:total())\n'), (".total(", ".amount("), True),
    "method that asks for more": (lua(LUA, 'local cart = require("cart")\n\nlocal c = cart.new(1)\nprint(c:total())\n'), (":total()", ":total(tax)"), True),
    "method where the module is not required": (lua(LUA, "local c = other()\nprint(c:total())\n"), LUA_GONE, False),
    "method with another body": (lua(LUA, 'local cart = require("cart")\n\nlocal c = cart.new(1)\nprint(c:total())\n'), ("self.x\n", "self.x + 1\n"), False),
    "method of self": (lua(LUA, 'local cart = require("cart")\nlocal M = {}\n\nfunction M:show()\n  return self:total()\nend\n\nreturn M\n'), LUA_GONE, False),
}  # fmt: skip


@pytest.mark.parametrize(("project", "edit", "is_open"), CASES.values(), ids=CASES.keys())
def test_a_name_is_found_however_it_is_said(
    places, project: tuple[str, str, str, str], edit: tuple[str, str], is_open: bool  # noqa: ANN001
) -> None:  # fmt: skip
    """What is gone or asks for more opens who says it; who says another thing of that name stays clean."""
    home, source, path, user = project
    assert edit[0] in source
    before = {"composer.json": COMPOSER, home: source, path: user}
    assert (path in places(before, {home: source.replace(*edit)})) is is_open
