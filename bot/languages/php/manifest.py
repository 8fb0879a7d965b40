"""PHP's packages: composer.json and composer.lock."""

import posixpath
import re
from collections.abc import Collection, Mapping

from bot.text.tables import at, json_table, line_of, table, text_of, texts
from bot.values.consumer import Origin, Package, Requirement

LANGUAGE = "php"
DECLARING = MANIFESTS = ("composer.json",)
LOCKS = {"composer.lock": r'(?i)"name":\s*"NAME",\s*"version":\s*"([^"\n]+)"'}
PRIVATE = re.compile(r"_(?!_)")
_BRANCH = re.compile(r"dev-|.*-dev$")


def packages(manifests: Mapping[str, bytes], paths: Collection[str]) -> tuple[Package, ...]:
    """The packages of a tree, each with the folders that it loads classes from; also under the names of its vendor that it replaces."""
    del paths
    rows = []
    for path, source in sorted(manifests.items()):
        manifest, folder = json_table(source), posixpath.dirname(path)
        loads = table(manifest.get("autoload"))
        places = [*table(loads.get("psr-4")).values(), *table(loads.get("psr-0")).values(), loads.get("files")]
        places.append(loads.get("classmap"))
        joined = (posixpath.normpath(posixpath.join(folder, one)) for row in places for one in texts(row))
        roots = tuple(sorted({"" if one == "." else one for one in joined}))
        name = text_of(manifest.get("name")).lower()
        others = [one.lower() for key in ("replace", "provide") for one in table(manifest.get(key))]
        names = [name, *(one for one in others if one.partition("/")[0] == name.partition("/")[0])]
        rows += [Package(LANGUAGE, one, folder, roots) for one in names if name and roots]
    return tuple(rows)


def requirements(manifests: Mapping[str, bytes]) -> tuple[Requirement, ...]:
    """What the manifests ask for."""
    rows = []
    for path, source in sorted(manifests.items()):
        manifest = json_table(source)
        places = _places(manifest.get("repositories"))
        for name, asked in [(*row,) for key in ("require", "require-dev") for row in table(manifest.get(key)).items()]:
            if isinstance(asked, str) and "/" in name:
                origin: Origin = "git" if _BRANCH.match(asked) else "registry"
                origin = "path" if places & {"*", name.rpartition("/")[2].lower()} else origin
                rows.append(Requirement(LANGUAGE, name.lower(), asked, origin, path, line_of(source, f'"{name}"')))
    return tuple(rows)


def _places(repositories: object) -> set[str]:
    """The names of the folders outside the tree that a manifest takes packages from."""
    rows = repositories if isinstance(repositories, list) else table(repositories).values()
    urls = [text_of(at(row, "url")) for row in rows if at(row, "type") == "path"]
    return {posixpath.basename(url.rstrip("/")).lower() for url in urls if url.startswith("..")}
