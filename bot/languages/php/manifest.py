"""PHP's packages: composer.json and composer.lock."""

import json
import posixpath
import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from bot.languages.lexical import config
from bot.values.consumer import Package, Requirement

LANGUAGE = "php"
MANIFESTS = ("composer.json",)
LOCKS = ("composer.lock",)
PRIVATE = re.compile(r"_(?!_)")
BRANCH = re.compile(r"dev-|.*-dev$")


def packages(manifests: Mapping[str, bytes], paths: Collection[str]) -> tuple[Package, ...]:
    """The packages of a tree, each with the folders that it loads classes from; also under the names that it replaces."""
    del paths
    found = []
    for path, table in _read(manifests):
        folder, loads = posixpath.dirname(path), _table(table.get("autoload"))
        rows = [
            *_table(loads.get("psr-4")).values(),
            *_table(loads.get("psr-0")).values(),
            loads.get("files"),
            loads.get("classmap"),
        ]
        roots = tuple(sorted({_joined(folder, one) for row in rows for one in _strings(row)}))
        replaced = [name for name, asked in _table(table.get("replace")).items() if asked == "self.version"]
        names = [name.lower() for name in (table.get("name"), *replaced) if isinstance(name, str) and roots]
        found += [Package(LANGUAGE, name, folder, roots) for name in names]
    return tuple(found)


def requirements(manifests: Mapping[str, bytes]) -> tuple[Requirement, ...]:
    """What the manifests ask for."""
    found = []
    for path, table in _read(manifests):
        text = manifests[path].decode("utf-8", "replace")
        for key in ("require", "require-dev"):
            for name, asked in _table(table.get(key)).items():
                if isinstance(asked, str) and "/" in name:
                    at = text.find(f'"{name}"')
                    line = text.count("\n", 0, at) + 1 if at >= 0 else 0
                    origin = "git" if BRANCH.match(asked) else "registry"
                    found.append(Requirement(LANGUAGE, name.lower(), asked, origin, path, line))  # type: ignore[arg-type]
    return tuple(found)


def locked_version(path: str, source: bytes, name: str) -> str:
    """The version that composer.lock names."""
    del path
    match = re.search(
        rf'"name":\s*"{re.escape(name)}",\s*"version":\s*"([^"\n]+)"', source.decode("utf-8", "replace"), re.IGNORECASE
    )
    return match[1] if match else ""


def links(packages: Sequence[Package], folders: Sequence[str]) -> Mapping[str, bytes]:
    """Namespaces are found through each package's own manifest."""
    del packages, folders
    return {}


def _read(manifests: Mapping[str, bytes]) -> Iterator[tuple[str, Mapping[str, object]]]:
    for path in sorted(manifests):
        try:
            yield path, _table(json.loads(config(manifests[path])))
        except (ValueError, RecursionError):
            continue


def _table(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _strings(value: object) -> list[str]:
    return [item for item in (value if isinstance(value, list) else [value]) if isinstance(item, str)]


def _joined(folder: str, path: str) -> str:
    found = posixpath.normpath(posixpath.join(folder, path))
    return "" if found == "." else found
