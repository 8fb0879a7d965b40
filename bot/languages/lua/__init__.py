"""Lua: modules that return a table, required by the path of their file."""

import re
from collections.abc import Collection

from bot.languages import misread, syntax
from bot.languages.conditions import Conditions, with_conditions
from bot.languages.lua.binding import bindings
from bot.languages.lua.modules import LuaModules
from bot.languages.lua.outline import BLOCKS, outline_of
from bot.languages.lua.uses import SHAPE
from bot.languages.unreadable import finds, outlines
from bot.ports import LanguageTraits
from bot.text.filetypes import LUA
from bot.values import STREAM, Outline, Side, Use

TRAITS = LanguageTraits(
    unwritten_names=True,
    makers={
        r"\bsetmetatable\(\s*+CLASS\s*+,": "code",
        r"^[ \t]*+(?:(?:local\s++)?CLASS\s*+=\s*+|return\s++)?(?P<callee>[\w.:]++)\s*+\(\s*+CLASS\s*+[,)]": "outside",
    },
    call_results={r"^=(?:i?pairs|coroutine\.wrap|string\.gmatch|io\.lines)\([^()]*\)$": STREAM},
)
project = LuaModules
# The standard libraries of Lua 5.1 to 5.4 and of LuaJIT.
GIVEN = (
    "_ENV _G _VERSION arg assert bit bit32 collectgarbage coroutine debug dofile error ffi getfenv getmetatable io ipairs jit load "
    "loadfile loadstring math module new next newproxy ngx os package pairs pcall print rawequal rawget rawlen rawset require select "
    "self setfenv setmetatable string table tonumber tostring type unpack utf8 vim warn xpcall"
)
AMBIENT = frozenset(GIVEN.split())
CONDITIONS = Conditions(
    blocks=lambda node: node.type in BLOCKS,
    spares=lambda node: node.type == "do_statement",  # gives a function variables of its own
    ends=re.compile(
        rb"\A(?:local\b[^=\n]{0,200}=[ \t]*)?\(?[ \t]*(?:error|os\.exit|assert[ \t]*\([ \t]*(?:false|nil)|goto)\b[^\n]*"
    ),
    leaves=re.compile(rb"\Areturn\b[^\n]*"),
    undoes=re.compile(rb"^[ \t]*([\w.]++)[ \t]*=[ \t]*nil\b", re.MULTILINE),
    binds=bindings,
)


@outlines
def outline(path: str, source: bytes, side: Side) -> Outline:
    """The functions and fields of a file, and what the table that it returns offers."""
    misread.check(source)
    root = syntax.shallow_root(LUA, source)
    return with_conditions(outline_of(path, root, source, side), root, source, CONDITIONS)


@finds
def uses(path: str, source: bytes, names: Collection[str]) -> tuple[Use, ...]:
    """The identifiers of a file that are spelt like one of the names."""
    del path  # one grammar reads every file
    return syntax.uses(syntax.shallow_root(LUA, source), source, names, SHAPE)
