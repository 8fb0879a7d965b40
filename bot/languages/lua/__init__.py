"""Lua: modules that return a table, required by the path of their file."""

from bot.languages import queried
from bot.languages.lua.modules import LuaModules
from impact.language import languages

project = LuaModules
outline = queried.outline
uses = queried.uses
