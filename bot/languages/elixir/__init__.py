"""Elixir: modules called by their names or aliases, functions told apart by how many arguments they take."""

from bot.languages import queried
from bot.languages.elixir.modules import ElixirModules
from bot.ports import LanguageTraits
from impact.language import languages

TRAITS = LanguageTraits(unwritten_names=True, module_word="defmodule")
project = ElixirModules
AMBIENT = languages()[".ex"].ambient
outline = queried.outline
uses = queried.uses
