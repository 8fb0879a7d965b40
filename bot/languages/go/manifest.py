"""Go's modules: go.mod names what a tree offers, what it requires, and what it replaces."""

import posixpath
import re
from collections.abc import Collection, Mapping, Sequence

from bot.text.tables import line_of
from bot.values.consumer import Package, Requirement
from impact.languages.go import directives

LANGUAGE = "go"
DECLARING = ("go.mod",)
MANIFESTS = (*DECLARING, "go.work")
LOCKS: Mapping[str, str] = {}  # go.mod itself says which version is built
PRIVATE = re.compile(r"[a-z_]")


def packages(manifests: Mapping[str, bytes], paths: Collection[str]) -> tuple[Package, ...]:
    """The modules of a tree: a module consists of its folder without the modules below."""
    del paths
    rows = []
    for path, source in sorted(manifests.items()):
        names = [words[0].rstrip("/") for verb, words in _directives(source) if verb == "module" and words]
        if names and posixpath.basename(path) in DECLARING:
            folder = posixpath.dirname(path)
            rows.append(Package(LANGUAGE, names[0], folder, (folder,)))
    return tuple(rows)


def _directives(source: bytes) -> list[tuple[str, list[str]]]:
    return [(verb, [word.strip('"`') for word in words]) for verb, *words in directives(source)]


def requirements(manifests: Mapping[str, bytes]) -> tuple[Requirement, ...]:
    """What the modules require. One that is replaced by another module is that one, under the name of the first."""
    rows = []
    tables = {path: _directives(source) for path, source in sorted(manifests.items())}
    shared = [row for path, table in tables.items() if path.endswith("go.work") for row in table]
    for path, table in tables.items():
        replaced = {
            words[0]: words[words.index("=>") + 1 :]
            for verb, words in (*shared, *table)
            if verb == "replace" and "=>" in words[1:3] and words[-1] != "=>"
        }
        for verb, words in table:
            line = line_of(manifests[path], words[0]) if words else 0
            if verb == "use":
                outside = [word for word in words if word.startswith("..")]
                rows += [Requirement(LANGUAGE, word, word, "path", path, line, source=word) for word in outside]
            elif verb == "require" and len(words) > 1:
                target, *version = replaced.get(words[0], words)
                rows.append(_requirement(words[0], target, next(iter(version), ""), path, line))
    return tuple(row for row in rows if not _is_own(row, manifests))


def _requirement(name: str, target: str, version: str, path: str, line: int) -> Requirement:
    """The requirement of a module, which may stand for a folder or another module."""
    if target.startswith((".", "/")):
        return Requirement(LANGUAGE, name, target, "path", path, line, source=target)
    if target == name:
        return Requirement(LANGUAGE, name, version, path=path, line=line)
    return Requirement(LANGUAGE, target, version, path=path, line=line, alias=name, source=f"https://{target}")


def _is_own(row: Requirement, manifests: Mapping[str, bytes]) -> bool:
    """Whether a folder that stands for a module is one of the same tree."""
    folder = posixpath.normpath(posixpath.join(posixpath.dirname(row.path), row.source))
    is_inside = row.origin == "path" and not folder.startswith(("..", "/"))
    return is_inside and (folder == "." or f"{folder}/go.mod" in manifests)


def links(packages: Sequence[Package], folders: Sequence[str], aliases: Mapping[str, str]) -> Mapping[str, bytes]:
    """A workspace of both trees: in it their modules mean each other."""
    used = [*(package.folder for package in packages), *folders]
    homes = {package.name: package.folder for package in packages}
    rows = [f"use ../{folder}\n" for folder in used]
    rows += [f"replace {alias} => ../{homes[name]}\n" for alias, name in aliases.items() if name in homes]
    return {"go.work": "".join(["go 1.21\n", *rows]).encode()}
