"""Lua: the file that a module is in, the members of its table, and where nothing is proven."""

import pytest

from deeprepo.impact import resolving
from deeprepo.impact.language import leading

LUA = leading("lua")
PATHS = ("src/shop/cart.lua", "src/shop/tax/init.lua", "plugins/shop/cart.lua")


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ('local cart = require("shop.cart")', ("src/shop/cart.lua", {"*"}, (("*", "cart"),))),
        ("local cart <const> = require 'shop/cart'", ("src/shop/cart.lua", {"*"}, (("*", "cart"),))),
        ('local total = require("shop.cart").total', ("src/shop/cart.lua", {"total"}, ())),
        ('local sum = require("shop.cart").total', ("src/shop/cart.lua", {"total"}, (("total", "sum"),))),
        ('local n = require("shop.cart").total(1)', ("src/shop/cart.lua", {"total"}, (("total", ""),))),
        ('local tax = require("shop.tax")', ("src/shop/tax/init.lua", {"*"}, (("*", "tax"),))),
        ('-- local cart = require("shop.cart")', None),
        ('local cart = require("other.cart")', None),
    ],
)
def test_require_resolves_to_the_nearest_file(
    code: str, expected: tuple[str, set[str], tuple[tuple[str, str], ...]] | None
) -> None:
    """`require` resolves dots, slashes, `init` files and a single member, but not in a comment."""
    imports = resolving.project(LUA, PATHS, {}).links("src/app/user.lua", code.encode())
    assert [(item.target, {*item.names}, item.aliases) for item in imports] == ([expected] if expected else [])


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("local M = {}\nfunction M.total() end\nM.size = 1\nM['tax'] = 2\nreturn M\n", {"total", "size", "tax"}),
        ("local function total() end\nreturn { total = total, size = function() end }\n", {"total", "size"}),
        ("local M = { total = function() end }\nfunction M:size() end\nreturn M\n", {"total", "size"}),
        ("return function(rows) end\n", {"default"}),
    ],
)
def test_module_exports_the_members_of_its_table(code: str, names: set[str]) -> None:
    """A module's exports are its table's fields and methods, or its function."""
    outline = resolving.outline("a.lua", code.encode(), "head")
    assert outline.names == names
    assert outline.complete


@pytest.mark.parametrize(
    "line",
    [
        "setmetatable(M, { __index = base })",
        "M[name] = 1",
        "for k, v in pairs(base) do M[k] = v end",
        "extend(M, base)",
    ],
)
def test_outline_of_a_table_with_computed_members_is_incomplete(line: str) -> None:
    """The outline of a table with computed members is incomplete, so none is proven missing."""
    outline = resolving.outline("a.lua", f"local M = {{}}\nfunction M.total() end\n{line}\nreturn M\n".encode(), "head")
    assert not outline.complete


@pytest.mark.parametrize(
    ("code", "guarded"),
    [
        ("cart.total(1)", False),
        ("if cart.total then cart.total(1) end", True),
        ("local n = cart.total and cart.total(1)", True),
        ("pcall(function() cart.total(1) end)", True),
        ("if cart.total(1) then done() end", False),
        ("if x ~= nil and cart.total ~= nil then cart.total(1) end", True),
        ("if kind == cart.total then cart.total(1) end", False),
    ],
)
def test_condition_on_a_member_or_pcall_is_a_guard(code: str, guarded: bool) -> None:
    """A condition on the member or a `pcall` is a guard; a condition on the call's result is not."""
    uses = [use for use in resolving.uses("a.lua", code.encode(), {"total"}) if use.arguments is not None]
    assert [use.is_guarded for use in uses] == [guarded]


@pytest.mark.parametrize(
    ("path", "importer", "is_found"),
    [
        ("src/shop/net/socket.lua", "src/shop/user.lua", False),
        ("src/shop/net/socket.lua", "src/shop/net/user.lua", True),
        ("src/shop/socket.lua", "src/shop/net/user.lua", True),
        ("lua/socket/init.lua", "plugin/user.lua", True),
    ],
)
def test_one_word_module_does_not_resolve_to_a_distant_folder(path: str, importer: str, *, is_found: bool) -> None:
    """`socket` may be a library, so its file must be near a root or the importer."""
    imports = resolving.project(LUA, (path,), {}).links(importer, b'local socket = require("socket")')
    assert [item.target for item in imports] == ([path] if is_found else [])
