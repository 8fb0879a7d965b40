"""Elixir: modules called by their names or aliases, functions told apart by how many arguments they take."""

from bot.languages import queried
from bot.languages.elixir.modules import ElixirModules
from impact.language import languages

project = ElixirModules
outline = queried.outline
uses = queried.uses
