"""Read PHP packages from composer.json and composer.lock."""

import posixpath
import re
from collections.abc import Collection, Mapping

from deeprepo.impact.packages import Package, Requirement
from deeprepo.impact.text.tables import json_table, table, text_of, texts

LANGUAGE = "php"
MANIFESTS = ("composer.json",)
LOCKS = {"composer.lock": r'(?i)"name":\s*"NAME",\s*"version":\s*"([^"\n]+)"'}
_BRANCH = re.compile(r"dev-|.*-dev$|@dev$")


def packages(manifests: Mapping[str, bytes], paths: Collection[str]) -> tuple[Package, ...]:
    """Return the packages of a tree with the folders of their classes, also under names that they replace."""
    del paths
    rows = []
    for path, source in sorted(manifests.items()):
        manifest, folder = json_table(source), posixpath.dirname(path)
        loads = table(manifest.get("autoload"))
        places = [*table(loads.get("psr-4")).values(), *table(loads.get("psr-0")).values()]
        places += [loads.get("files"), loads.get("classmap")]
        joined = (posixpath.normpath(posixpath.join(folder, one)) for row in places for one in texts(row))
        roots = tuple(sorted({"" if one == "." else one for one in joined}))
        name = text_of(manifest.get("name")).lower()
        others = [one.lower() for one in table(manifest.get("replace"))]
        names = [name, *(one for one in others if one.partition("/")[0] == name.partition("/")[0])]
        rows += [Package(LANGUAGE, one, folder, roots) for one in names if name and roots]
    return tuple(rows)


def requirements(manifests: Mapping[str, bytes]) -> tuple[Requirement, ...]:
    """Return the requirements in the manifests."""
    return tuple(
        Requirement(LANGUAGE, name.lower(), asked, "git" if _BRANCH.match(asked) else "registry", path)
        for path, source in sorted(manifests.items())
        for key in ("require", "require-dev")
        for name, asked in table(json_table(source).get(key)).items()
        if isinstance(asked, str) and "/" in name
    )
