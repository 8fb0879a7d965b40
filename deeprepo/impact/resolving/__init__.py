"""Resolve names between files: what a file offers, who imports it, and which members a class has.

These functions load the parser when they are first called.
"""

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from deeprepo.impact.values import Outline, Side, Use

if TYPE_CHECKING:
    from deeprepo.impact.language import Language
    from deeprepo.impact.resolving.importers import Project


def outline(path: str, source: bytes, side: Side) -> Outline:
    """Return the definitions of a file and what importers can use."""
    from deeprepo.impact.resolving import offers

    return offers.outline(path, source, side)


def uses(path: str, source: bytes, names: Collection[str]) -> tuple[Use, ...]:
    """Return the identifiers of a file that match one of the names, never in strings or comments."""
    from deeprepo.impact.reading import spots

    return spots.uses(path, source, names)


def project(language: "Language", paths: Collection[str], configs: Mapping[str, bytes]) -> "Project":
    """Return the resolver of one side's tree, for the files of a language and those that they import."""
    from deeprepo.impact.resolving import importers

    return importers.project(language, paths, configs)
