"""Ruby: requires, autoloads, and constants found by the names of files."""

from bot.languages import queried
from bot.languages.ruby.requires import Requires
from bot.ports import LanguageTraits
from impact.language import languages

TRAITS = LanguageTraits(
    unwritten_names=True,
    open_classes=True,
    loader="require",
)
project = Requires
AMBIENT = languages()[".rb"].ambient
outline = queried.outline
uses = queried.uses
