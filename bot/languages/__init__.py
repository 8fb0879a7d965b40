"""One file or folder per family of languages; a new one satisfies `ports.Language` and is a line here."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any, cast

from bot.ports import Language


class Later:
    """A language that is loaded when a file of it is met: a change in one of them does not wait for the grammars of all."""

    def __init__(self, name: str, module: str, suffixes: str) -> None:
        self.NAME = name
        self.SUFFIXES = tuple(suffixes.split())
        self._module = f"{__name__}.{module}"

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the module holds
        return getattr(import_module(self._module), name)

    def __repr__(self) -> str:
        return f"<language {self.NAME}>"


# The name by which a language is known, its module and its suffixes, as the module itself has them.
REGISTERED = (
    ("python", "python", ".py .pyi"),
    ("javascript", "javascript", ".ts .tsx .mts .cts .js .jsx .mjs .cjs .vue .svelte"),
    ("jvm", "jvm", ".java .kt .kts"),
    ("csharp", "csharp", ".cs"),
    ("c/c++", "cfamily", ".c .h .cc .cpp .cxx .hh .hpp .hxx .inl .ipp .tcc .cu .cuh"),
    ("go", "go", ".go"),
    ("rust", "rust", ".rs"),
    ("php", "php", ".php .inc .phtml"),
    ("ruby", "ruby", ".rb .rake .gemspec .ru"),
)
LANGUAGES: Mapping[str, Language] = {row[0]: cast("Language", Later(*row)) for row in REGISTERED}
