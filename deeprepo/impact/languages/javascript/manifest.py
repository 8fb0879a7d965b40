"""Read JavaScript packages from package.json."""

import posixpath
from collections.abc import Mapping

from deeprepo.impact.packages import Package
from deeprepo.impact.text.tables import at, json_table, text_of

MANIFESTS = ("package.json",)


def packages(manifests: Mapping[str, bytes]) -> tuple[Package, ...]:
    """Return the packages of a tree that are published."""
    rows = []
    for path, source in sorted(manifests.items()):
        manifest = json_table(source)
        name = text_of(manifest.get("name"))
        if name and (not manifest.get("private") or at(manifest, "publishConfig.directory")):
            rows.append(Package("javascript", name, posixpath.dirname(path)))
    return tuple(rows)
