"""PHP's packages: composer.json and composer.lock."""

import json
import posixpath
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from bot.text.lines import line_number, utf8
from bot.values.consumer import ManifestProblem, Origin, Package, Requirement

LANGUAGE = "php"
DECLARING = MANIFESTS = ("composer.json",)
LOCKS = ("composer.lock",)
PRIVATE = re.compile(r"_(?!_)")
FIXED = re.compile(r"[0-9a-f]{7,40}|v?\d+(?:\.\d+){1,3}[\w.-]{0,40}")  # a commit or a tag, not a branch
BRANCH = re.compile(r"dev-|.*-dev$")


def packages(manifests: Mapping[str, bytes], paths: Collection[str]) -> tuple[Package, ...]:
    """The packages of a tree, each with the folders that it loads classes from; also under the names that it replaces."""
    del paths
    result = []
    for path, table in _read(manifests):
        folder, loads = posixpath.dirname(path), _table(table.get("autoload"))
        rows = [
            *_table(loads.get("psr-4")).values(),
            *_table(loads.get("psr-0")).values(),
            loads.get("files"),
            loads.get("classmap"),
        ]
        roots = tuple(sorted({_joined(folder, one) for row in rows for one in _strings(row)}))
        names = [name.lower() for name in (table.get("name"), *_others(table)) if isinstance(name, str) and roots]
        result += [Package(LANGUAGE, name, folder, roots) for name in names]
    return tuple(result)


def _others(table: Mapping[str, object]) -> list[str]:
    """The packages in whose place one is: its parts, and others of its vendor. Whatever else it replaces is what it wants nobody to install."""
    vendor = str(table.get("name") or "").partition("/")[0].lower()
    rows = [row for key in ("replace", "provide") for row in _table(table.get(key)).items()]
    return [name for name, asked in rows if asked == "self.version" or name.lower().startswith(f"{vendor}/")]


def requirements(manifests: Mapping[str, bytes]) -> tuple[Requirement, ...]:
    """What the manifests ask for."""
    result = []
    for path, table in _read(manifests):
        text = utf8(manifests[path]).decode("utf-8", "replace")
        places = [one for one in _places(table) if one.startswith("..")]
        described = _described(table)
        for key in ("require", "require-dev"):
            for name, asked in _table(table.get(key)).items():
                if isinstance(asked, str) and "/" in name:
                    at = text.find(f'"{name}"')
                    line = line_number(text, at) if at >= 0 else 0
                    origin: Origin = "git" if BRANCH.match(asked) else "registry"
                    last = name.rpartition("/")[2].lower()
                    if any(posixpath.basename(one.rstrip("/")).lower() in (last, "*") for one in places):
                        origin = "path"
                    row = Requirement(LANGUAGE, name.lower(), asked, origin, path, line)
                    result.append(_from_source(row, described.get(row.name, {})))
    return tuple(result)


def _described(table: Mapping[str, object]) -> dict[str, Mapping[str, object]]:
    """The packages that a manifest describes itself, by their names."""
    entries = table.get("repositories")
    rows = entries if isinstance(entries, list) else list(_table(entries).values())
    parts = [part for row in map(_table, rows) for part in _listed(row.get("package")) if row.get("type") == "package"]
    return {name.lower(): part for part in map(_table, parts) if isinstance(name := part.get("name"), str)}


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


def _from_source(row: Requirement, part: Mapping[str, object]) -> Requirement:
    """A requirement that is taken from where a description of its package says."""
    source, archive = _table(part.get("source")), _table(part.get("dist"))
    if source.get("type") == "git" and isinstance(at := source.get("reference"), str):
        return replace(
            row, origin="git", constraint=at, fixed=FIXED.fullmatch(at) is not None, source=str(source.get("url") or "")
        )
    return replace(row, source=str(source.get("url") or archive.get("url") or ""))


def problems(manifests: Mapping[str, bytes]) -> tuple[ManifestProblem, ...]:
    """The files that cannot be parsed."""
    parsed_paths = {path for path, _ in _read(manifests)}
    return tuple(ManifestProblem(path, "cannot be parsed") for path in sorted(manifests) if path not in parsed_paths)


def _places(table: Mapping[str, object]) -> list[str]:
    """The folders of the repositories that a manifest names."""
    entries = table.get("repositories")
    rows = entries if isinstance(entries, list) else list(_table(entries).values())
    return [url for row in map(_table, rows) if row.get("type") == "path" and isinstance(url := row.get("url"), str)]


def locked_version(path: str, source: bytes, name: str) -> str:
    """The version that composer.lock names."""
    del path
    match = re.search(
        rf'"name":\s*"{re.escape(name)}",\s*"version":\s*"([^"\n]+)"', source.decode("utf-8", "replace"), re.IGNORECASE
    )
    return match[1] if match else ""


def links(packages: Sequence[Package], folders: Sequence[str], aliases: Mapping[str, str]) -> Mapping[str, bytes]:
    """Namespaces are found through each package's own manifest."""
    del packages, folders, aliases
    return {}


def _read(manifests: Mapping[str, bytes]) -> Iterator[tuple[str, Mapping[str, object]]]:
    for path in sorted(manifests):
        try:
            yield path, _table(json.loads(utf8(manifests[path])))
        except (ValueError, RecursionError):
            continue


def _table(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _strings(value: object) -> list[str]:
    return [item for item in (value if isinstance(value, list) else [value]) if isinstance(item, str)]


def _joined(folder: str, path: str) -> str:
    result = posixpath.normpath(posixpath.join(folder, path))
    return "" if result == "." else result
