"""The languages as the search for users asks them: one for each folder of `deeprepo/impact/languages`, whatever grammars it has."""

from collections.abc import Mapping
from functools import cache, cached_property, partial
from importlib import import_module
from types import ModuleType
from typing import Any, cast

from deeprepo.impact import table
from deeprepo.impact.filetypes import Traits, filetypes
from deeprepo.impact.ports import FieldRules, Language, Packaging, Receivers

BY_QUERIES = ("outline", "uses")  # what a language need not write


class Family:
    """A language that is loaded when a file of it is met: a change in one of them does not wait for the grammars of all."""

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
        """Return names that every file has without defining or importing them."""
        from deeprepo.impact.language import language_of  # here: it loads what the language does by code

        known = language_of(f"x{self.SUFFIXES[0]}")
        return known.ambient if known is not None else frozenset()

    @cached_property
    def has_extensions(self) -> bool:
        """Return whether a definition may be called like a member of a type that stands elsewhere."""
        from deeprepo.impact.language import language_of  # as above

        known = [language_of(f"x{suffix}") for suffix in self.SUFFIXES]
        return any("@extends" in text for one in known if one is not None for text in one.texts("defs").values())

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the module holds
        found = getattr(_part(f"{self._folder}.importers"), name, None)
        if found is None and name in BY_QUERIES:
            found = getattr(import_module("deeprepo.impact.offers"), name)
        elif found is None and name == "project":
            found = partial(import_module("deeprepo.impact.importers").project, import_module(self._folder).Modules)
        elif found is None:
            raise AttributeError(name)
        setattr(self, name, found)  # asked for at every use of a name
        return found

    @property
    def packaging(self) -> Packaging | None:
        """Return how its packages are declared; None if it has no manifests."""
        return cast("Packaging | None", _part(f"{self._folder}.manifest"))

    @property
    def fields(self) -> FieldRules | None:
        """Return what breaks of the fields of its classes, where no line writes a constructor."""
        return cast("FieldRules | None", _part(f"{self._folder}.fields"))

    @property
    def receivers(self) -> Receivers | None:
        """Return what receivers come from, where a type has the methods of those that it embeds, and overrides none."""
        return cast("Receivers | None", _part(f"{self._folder}.receivers"))

    def __repr__(self) -> str:
        return f"<language {self.NAME}>"


@cache
def _part(module: str) -> ModuleType | None:
    """Return a module of a language that not every language has."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        return None


# Those of which a grammar is installed.
LANGUAGES: Mapping[str, Language] = {
    one.NAME: cast("Language", one)
    for one in (Family(folder, row) for folder, row in table.folders().items())
    if one.SUFFIXES
}
