"""Lua: modules that return a table, required by the path of their file."""

from bot.languages import queried
from bot.languages.lua.modules import LuaModules
from bot.ports import LanguageTraits
from impact.language import languages

TRAITS = LanguageTraits(unwritten_names=True)
project = LuaModules
AMBIENT = languages()[".lua"].ambient
outline = queried.outline
uses = queried.uses
