"""Lua: modules that return a table, required by the path of their file."""

from collections.abc import Collection

from bot.languages import syntax
from bot.languages.lua.modules import LuaModules
from bot.languages.lua.outline import outline_of
from bot.languages.lua.uses import SHAPE
from bot.languages.unreadable import finds, outlines
from bot.ports import LanguageTraits
from bot.text.filetypes import LUA
from bot.values import Outline, Side, Use

TRAITS = LanguageTraits(
    unwritten_names=True,
)
project = LuaModules
# The standard libraries of Lua 5.1 to 5.4 and of LuaJIT.
GIVEN = (
    "_ENV _G _VERSION arg assert bit bit32 collectgarbage coroutine debug dofile error ffi getfenv getmetatable io ipairs jit load "
    "loadfile loadstring math module new next newproxy ngx os package pairs pcall print rawequal rawget rawlen rawset require select "
    "self setfenv setmetatable string table tonumber tostring type unpack utf8 vim warn xpcall"
)
AMBIENT = frozenset(GIVEN.split())


@outlines
def outline(path: str, source: bytes, side: Side) -> Outline:
    """The functions and fields of a file, and what the table that it returns offers."""
    return outline_of(path, syntax.shallow_root(LUA, source), source, side)


@finds
def uses(path: str, source: bytes, names: Collection[str]) -> tuple[Use, ...]:
    """The identifiers of a file that are spelt like one of the names."""
    del path  # one grammar reads every file
    return syntax.uses(syntax.shallow_root(LUA, source), source, names, SHAPE)
