"""Provide the languages for the search for references: one for each folder of `deeprepo/impact/languages`."""

from collections.abc import Mapping
from functools import cache, cached_property, partial
from importlib import import_module
from types import ModuleType
from typing import Any, cast

from deeprepo.impact import table
from deeprepo.impact.filetypes import Traits, filetypes
from deeprepo.impact.ports import Language, Packaging, Receivers

BY_QUERIES = ("outline", "uses")  # functions with a default implementation


class Family:
    """A language that is loaded when the first of its files is seen, so that other grammars are not loaded."""

    def __init__(self, folder: str, row: Mapping[str, Any]) -> None:
        self.NAME: str = row.get("name", folder)
        self.SUFFIXES = tuple(
            suffix for one in filetypes() if one.parser == self.NAME and one.is_readable for suffix in one.suffixes
        )
        self.CONFIGS = tuple(row.get("configs", ()))
        self.TRAITS = table.filled(Traits, row)
        self._folder = f"deeprepo.impact.languages.{folder}"

    @property
    def AMBIENT(self) -> frozenset[str]:  # noqa: N802 - as the others
        """The names that every file has without defining or importing them."""
        from deeprepo.impact.language import language_of  # imported here because it loads the language's code

        known = language_of(f"x{self.SUFFIXES[0]}")
        return known.ambient if known is not None else frozenset()

    @cached_property
    def has_extensions(self) -> bool:
        """Whether a function may be called as a member of a type defined elsewhere."""
        from deeprepo.impact.language import language_of  # as above

        known = [language_of(f"x{suffix}") for suffix in self.SUFFIXES]
        return any("@extends" in text for one in known if one is not None for text in one.texts("defs").values())

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the module holds
        found = getattr(_part(f"{self._folder}.importers"), name, None)
        if found is None and name in BY_QUERIES:
            found = getattr(import_module("deeprepo.impact.resolving.offers"), name)
        elif found is None and name == "project":
            found = partial(
                import_module("deeprepo.impact.resolving.importers").project, import_module(self._folder).Modules
            )
        elif found is None:
            raise AttributeError(name)
        setattr(self, name, found)  # it is needed for every reference
        return found

    @property
    def packaging(self) -> Packaging | None:
        """How its packages are declared; None if it has no manifests."""
        return cast("Packaging | None", _part(f"{self._folder}.manifest"))

    @property
    def receivers(self) -> Receivers | None:
        """How receivers are resolved, if types have the methods of embedded types."""
        return cast("Receivers | None", _part(f"{self._folder}.receivers"))

    def __repr__(self) -> str:
        return f"<language {self.NAME}>"


@cache
def _part(module: str) -> ModuleType | None:
    """Return an optional module of a language, or None."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        return None


# Languages with an installed grammar.
LANGUAGES: Mapping[str, Language] = {
    one.NAME: cast("Language", one)
    for one in (Family(folder, row) for folder, row in table.folders().items())
    if one.SUFFIXES
}
