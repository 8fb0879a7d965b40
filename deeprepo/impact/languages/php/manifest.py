"""Read PHP packages from composer.json."""

import posixpath
from collections.abc import Mapping

from deeprepo.impact.packages import Package
from deeprepo.impact.text.tables import json_table, text_of

MANIFESTS = ("composer.json",)


def packages(manifests: Mapping[str, bytes]) -> tuple[Package, ...]:
    """Return the packages of a tree."""
    names = {path: text_of(json_table(source).get("name")) for path, source in sorted(manifests.items())}
    return tuple(Package("php", name, posixpath.dirname(path)) for path, name in names.items() if name)
