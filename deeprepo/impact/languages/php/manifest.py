"""Read PHP packages from composer.json."""

import posixpath
from collections.abc import Collection, Mapping

from deeprepo.impact.packages import Package
from deeprepo.impact.paths import joined
from deeprepo.impact.text.tables import json_table, table, text_of, texts

MANIFESTS = ("composer.json",)


def packages(manifests: Mapping[str, bytes], paths: Collection[str]) -> tuple[Package, ...]:
    """Return the packages of a tree with the folders of their classes."""
    del paths
    rows = []
    for path, source in sorted(manifests.items()):
        manifest, folder = json_table(source), posixpath.dirname(path)
        loads = table(manifest.get("autoload"))
        places = [*table(loads.get("psr-4")).values(), *table(loads.get("psr-0")).values()]
        places += [loads.get("files"), loads.get("classmap")]
        roots = tuple(sorted({joined(folder, one) for row in places for one in texts(row)}))
        name = text_of(manifest.get("name"))
        rows += [Package("php", name, folder, roots)] if name and roots else []
    return tuple(rows)
