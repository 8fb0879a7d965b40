"""Define the languages of one folder, as the search for references uses them."""

from collections.abc import Collection, Mapping
from functools import cache, cached_property
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast

from deeprepo.impact.filetypes import filetypes
from deeprepo.impact.language import language_of, rules_of
from deeprepo.impact.ports import Packaging, Project
from deeprepo.impact.values import Facts, Side, Use

if TYPE_CHECKING:
    from deeprepo.impact.language import Language


class Family:
    """The languages of one folder, whose files import each other.

    Their code and grammars are loaded when the first of their files is seen.
    """

    def __init__(self, folder: str, row: Mapping[str, Any]) -> None:
        self.NAME = folder
        self.SUFFIXES = tuple(  # ".py"
            suffix for one in filetypes() if one.parser == self.NAME and one.is_readable for suffix in one.suffixes
        )
        # base names (with *) of configuration files that `project` reads
        self.CONFIGS: tuple[str, ...] = tuple(row.get("configs", ()))
        self._folder = f"deeprepo.impact.languages.{folder}"

    @cached_property
    def rules(self) -> "Language":
        """The class of the languages, with the facts of the first grammar."""
        return rules_of(f"x{self.SUFFIXES[0]}")

    @cached_property
    def has_extensions(self) -> bool:
        """Whether a function may be called as a member of a type defined elsewhere."""
        known = [language_of(f"x{suffix}") for suffix in self.SUFFIXES]
        return any("@extends" in text for one in known if one is not None for text in one.texts("defs").values())

    @property
    def packaging(self) -> Packaging | None:
        """How its packages are declared; None if it has no manifests."""
        return cast("Packaging | None", _part(f"{self._folder}.manifest"))

    def project(self, paths: Collection[str], configs: Mapping[str, bytes]) -> Project:
        """Return the resolver of one side's tree."""
        from deeprepo.impact.resolving.importers import project  # imported here because it loads the parser

        return project(self.rules, paths, configs)

    def outline(self, path: str, source: bytes, side: Side) -> Facts:
        """Return the definitions of a file and what importers can use."""
        from deeprepo.impact.resolving import offers  # as above

        return offers.outline(path, source, side)

    def uses(self, path: str, source: bytes, names: Collection[str]) -> tuple[Use, ...]:
        """Return the identifiers of a file that match one of the names, never in strings or comments."""
        from deeprepo.impact.resolving import offers  # as above

        return offers.uses(path, source, names)

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
