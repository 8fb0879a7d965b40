"""Provide the languages for the search for references: one for each folder of `deeprepo/impact/languages`."""

from collections.abc import Callable, Collection, Mapping
from functools import cache, cached_property, partial
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast

from deeprepo.impact import table
from deeprepo.impact.filetypes import filetypes
from deeprepo.impact.ports import Family, Packaging, Project
from deeprepo.impact.values import Facts, Side, Use

if TYPE_CHECKING:
    from deeprepo.impact.language import Language


class LazyFamily:
    """A language that is loaded when the first of its files is seen, so that other grammars are not loaded."""

    def __init__(self, folder: str, row: Mapping[str, Any]) -> None:
        self.NAME = folder
        self.SUFFIXES = tuple(
            suffix for one in filetypes() if one.parser == self.NAME and one.is_readable for suffix in one.suffixes
        )
        self.CONFIGS = tuple(row.get("configs", ()))
        self._folder = f"deeprepo.impact.languages.{folder}"

    @cached_property
    def rules(self) -> "Language":
        """The class of the languages, with the facts of the first grammar."""
        from deeprepo.impact.language import rules_of  # imported here because it loads the language's code

        return rules_of(f"x{self.SUFFIXES[0]}")

    @cached_property
    def has_extensions(self) -> bool:
        """Whether a function may be called as a member of a type defined elsewhere."""
        from deeprepo.impact.language import language_of  # as above

        known = [language_of(f"x{suffix}") for suffix in self.SUFFIXES]
        return any("@extends" in text for one in known if one is not None for text in one.texts("defs").values())

    @cached_property
    def _importers(self) -> ModuleType | None:
        """The language's own way to read files or to decide who may use them, if it has one."""
        return _part(f"{self._folder}.importers")

    @cached_property
    def project(self) -> Callable[[Collection[str], Mapping[str, bytes]], Project]:
        """Create the resolver of one side's tree."""
        if self._importers is not None and hasattr(self._importers, "project"):
            return self._importers.project  # type: ignore[no-any-return]  # a module has any type
        from deeprepo.impact.resolving.importers import project  # imported here because it loads the parser

        return partial(project, self.rules.search_modules or self.rules.modules)

    @cached_property
    def outline(self) -> Callable[[str, bytes, Side], Facts]:
        """Return the definitions of a file and what importers can use."""
        return self._own_or_generic("outline")  # type: ignore[no-any-return]  # as above

    @cached_property
    def uses(self) -> Callable[[str, bytes, Collection[str]], tuple[Use, ...]]:
        """Return the identifiers of a file that match one of the names, never in strings or comments."""
        return self._own_or_generic("uses")  # type: ignore[no-any-return]  # as above

    def _own_or_generic(self, name: str) -> Any:  # noqa: ANN401 - a function of a module
        own = getattr(self._importers, name, None)
        return own or getattr(import_module("deeprepo.impact.resolving.offers"), name)

    @property
    def packaging(self) -> Packaging | None:
        """How its packages are declared; None if it has no manifests."""
        return cast("Packaging | None", _part(f"{self._folder}.manifest"))

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
LANGUAGES: Mapping[str, Family] = {
    one.NAME: cast("Family", one)  # its functions are attributes that are loaded on first use
    for one in (LazyFamily(folder, row) for folder, row in table.folders().items())
    if one.SUFFIXES
}
