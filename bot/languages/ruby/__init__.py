"""Ruby: requires, autoloads, and constants found by the names of files."""

from bot.languages import queried
from bot.languages.ruby.requires import Requires
from impact.language import languages

project = Requires
outline = queried.outline
uses = queried.uses
