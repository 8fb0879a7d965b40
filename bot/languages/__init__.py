"""One file or folder per family of languages; a new one satisfies `ports.Language`, is a line here and has a row in `bot/text/filetypes.py`."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any, cast

from bot.languages.grammars import suffixes
from bot.ports import Language, Packaging
from bot.text.filetypes import configs_of


class Later:
    """A language that is loaded when a file of it is met: a change in one of them does not wait for the grammars of all."""

    def __init__(self, name: str, module: str) -> None:
        self.NAME = name
        self.SUFFIXES, self.CONFIGS = suffixes(name), configs_of(name)
        self._module = f"{__name__}.{module}"

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the module holds
        found = getattr(import_module(self._module), name)
        setattr(self, name, found)  # asked for at every use of a name
        return found

    @property
    def packaging(self) -> Packaging | None:
        """How its packages are declared; None if it has no manifests."""
        try:
            return cast("Packaging", import_module(f"{self._module}.manifest"))
        except ModuleNotFoundError as error:
            if error.name not in (f"{self._module}.manifest", None):
                raise
            return None

    def __repr__(self) -> str:
        return f"<language {self.NAME}>"


# The name by which a language is known, and its module.
REGISTERED = {
    "python": "python",
    "javascript": "javascript",
    "jvm": "jvm",
    "csharp": "csharp",
    "c/c++": "cfamily",
    "go": "go",
    "rust": "rust",
    "php": "php",
    "ruby": "ruby",
    "elixir": "elixir",
    "lua": "lua",
    "swift": "swift",
}
# Those of which a grammar is installed.
LANGUAGES: Mapping[str, Language] = {
    name: cast("Language", Later(name, module)) for name, module in REGISTERED.items() if suffixes(name)
}
