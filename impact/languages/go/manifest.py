"""Go's modules: go.mod names what a tree offers, what it requires, and what it replaces."""

import posixpath
from collections.abc import Collection, Mapping, Sequence

from impact.languages.go import directives
from impact.packages import Package, Requirement

LANGUAGE = "go"
MANIFESTS = ("go.mod",)
LOCKS: Mapping[str, str] = {}  # go.mod itself says which version is built


def packages(manifests: Mapping[str, bytes], paths: Collection[str]) -> tuple[Package, ...]:
    """The modules of a tree: a module consists of its folder without the modules below."""
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
    """What the modules require. One that is replaced is what stands for it: a folder, or another module."""
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
    """A workspace of both trees: in it their modules mean each other."""
    used = [f"use ../{folder}\n" for folder in (*(package.folder for package in packages), *folders)]
    return {"go.work": "".join(["go 1.21\n", *used]).encode()}
