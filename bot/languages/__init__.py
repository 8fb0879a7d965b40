"""One file per family of languages; a new one is a file that satisfies `ports.Language` and a line here."""

from bot.languages import javascript, python
from bot.ports import Language

LANGUAGES: dict[str, Language] = {language.NAME: language for language in (python, javascript)}
