"""Read Go modules from go.mod."""

import posixpath
from collections.abc import Iterator, Mapping, Sequence

from deeprepo.impact.packages import Package

MANIFESTS = ("go.mod",)


def packages(manifests: Mapping[str, bytes]) -> tuple[Package, ...]:
    """Return the modules of a tree."""
    rows = []
    for path, source in sorted(manifests.items()):
        names = [words[0].strip('"`').rstrip("/") for verb, *words in directives(source) if verb == "module" and words]
        rows += [Package("go", name, posixpath.dirname(path)) for name in names[:1]]
    return tuple(rows)


def links(packages: Sequence[Package], folders: Sequence[str]) -> Mapping[str, bytes]:
    """Return a workspace that contains both trees, so that their modules can import each other."""
    used = [f"use ../{folder}\n" for folder in (*(package.folder for package in packages), *folders)]
    return {"go.work": "".join(["go 1.21\n", *used]).encode()}


def directives(source: bytes) -> Iterator[tuple[str, ...]]:
    """Yield the directives of a go.mod or go.work as verb and words, one for each line of a block."""
    block = ""
    for line in source.decode("utf-8", "replace").splitlines():
        words = line.partition("//")[0].split()
        if words[:1] == [")"]:
            block = ""
        elif words and words[-1] == "(":
            block = words[0]
        elif words:
            yield (block, *words) if block else tuple(words)
