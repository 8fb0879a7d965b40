"""Go's modules: go.mod names what a tree offers, what it requires, and what it replaces."""

import posixpath
import re
from collections.abc import Collection, Mapping, Sequence

from bot.languages.go.modules import VERSION, directives
from bot.values.consumer import Package, Requirement

LANGUAGE = "go"
MANIFESTS = ("go.mod",)
LOCKS: tuple[str, ...] = ()  # go.mod itself says which version is built
PRIVATE = re.compile(r"[a-z_]")


def packages(manifests: Mapping[str, bytes], paths: Collection[str]) -> tuple[Package, ...]:
    """The modules of a tree: a module consists of its folder without the modules below."""
    del paths
    found = []
    for path, source in sorted(manifests.items()):
        name = next(
            (words[0].strip('"').rstrip("/") for verb, *words in directives(source) if verb == "module" and words), ""
        )
        if name:
            folder = posixpath.dirname(path)
            major = name.rpartition("/")[2]
            found.append(Package(LANGUAGE, name, folder, (folder,), major if VERSION.fullmatch(major) else ""))
    return tuple(found)


def requirements(manifests: Mapping[str, bytes]) -> tuple[Requirement, ...]:
    """What the modules require. One that is replaced by something else is not what its name says, by another version of itself it is that version."""
    found = []
    for path, source in sorted(manifests.items()):
        rows = list(directives(source))
        replacements = dict(_replacement(words) for verb, *words in rows if verb == "replace" and "=>" in words[1:3])
        text = source.decode("utf-8", "replace")
        for verb, *words in rows:
            name = words[0].strip('"') if words else ""
            if verb == "require" and len(words) > 1 and replacements.get(name, "its own"):
                version = replacements.get(name, words[1])
                at = text.find(name)
                line = text.count("\n", 0, at) + 1 if at >= 0 else 0
                found.append(Requirement(LANGUAGE, name, version, path=path, line=line))
    return tuple(found)


def _replacement(words: Sequence[str]) -> tuple[str, str]:
    """A replaced module, and the version of itself that stands for it; "" if something else does."""
    name, target = words[0].strip('"'), words[words.index("=>") + 1 :]
    return name, target[1].strip('"') if len(target) > 1 and target[0].strip('"') == name else ""


def locked_version(path: str, source: bytes, name: str) -> str:
    """No lock file settles more than go.mod does."""
    del path, source, name
    return ""


def links(packages: Sequence[Package], folders: Sequence[str]) -> Mapping[str, bytes]:
    """A workspace of both trees: in it their modules mean each other."""
    used = [*(package.folder for package in packages), *folders]
    return {"go.work": b"go 1.21\n" + b"".join(f"use ../{folder}\n".encode() for folder in used)}
