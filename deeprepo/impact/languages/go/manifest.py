"""Read Go modules from go.mod: what a tree provides, requires and replaces."""

import posixpath
from collections.abc import Collection, Iterator, Mapping, Sequence

from deeprepo.impact.packages import Package, Requirement

LANGUAGE = "go"
MANIFESTS = ("go.mod",)
SUFFIXES = (".go",)
LOCKS: Mapping[str, str] = {}  # go.mod itself states the version that is built


def packages(manifests: Mapping[str, bytes], paths: Collection[str]) -> tuple[Package, ...]:
    """Return the modules of a tree; a module is its folder without nested modules."""
    del paths
    rows = []
    for path, source in sorted(manifests.items()):
        names = [words[0].rstrip("/") for verb, words in _directives(source) if verb == "module" and words]
        rows += [
            Package(LANGUAGE, name, folder, (folder,)) for name in names[:1] for folder in [posixpath.dirname(path)]
        ]
    return tuple(rows)


def _directives(source: bytes) -> list[tuple[str, list[str]]]:
    return [(verb, [word.strip('"`') for word in words]) for verb, *words in directives(source)]


def requirements(manifests: Mapping[str, bytes]) -> tuple[Requirement, ...]:
    """Return what the modules require.

    A replaced module counts as its replacement, a folder or another module.
    """
    rows = []
    for path, source in sorted(manifests.items()):
        table = _directives(source)
        replaced = {
            words[0]: words[words.index("=>") + 1 :]
            for verb, words in table
            if verb == "replace" and "=>" in words[1:3] and words[-1] != "=>"
        }
        for name, *version in (words for verb, words in table if verb == "require" and len(words) > 1):
            target, *written = replaced.get(name, [name, *version])
            if target.startswith((".", "/")):
                rows.append(Requirement(LANGUAGE, name, target, "path", path))
            else:
                rows.append(Requirement(LANGUAGE, target, next(iter(written), ""), path=path))
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
