"""Artifacts of the JVM: pom.xml, build.gradle and build.gradle.kts, settings.gradle, and version catalogues.

Build files are programs: what is written out in them is read. A version that stands elsewhere (a parent, a platform) is not known.
"""

import posixpath
import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from bot.languages.lexical import config
from bot.values.consumer import Package, Requirement

LANGUAGE = "jvm"
MANIFESTS = ("pom.xml", "build.gradle", "build.gradle.kts", "gradle.properties", "libs.versions.toml")
LOCKS: tuple[str, ...] = ()
PRIVATE = re.compile(r"_(?!_)")
ELSEWHERE = "as another file sets it"
BLOCK = re.compile(r"<(?P<tag>dependency|parent|plugin|build|reporting|profiles)>.{0,800}?</(?P=tag)>", re.DOTALL)
DEPENDENCY = re.compile(r"<dependency>(.{0,800}?)</dependency>", re.DOTALL)
TAG = r"<NAME>\s*([^<\s]+)\s*</NAME>"
PROPERTY = re.compile(r"<([\w.-]+)>\s*([^<>\s]+)\s*</\1>")
GROUP = re.compile(r"^[ \t]*+group[ \t]*+(?:=[ \t]*+)?['\"]([\w.-]+)['\"]", re.MULTILINE)
GRADLE = re.compile(
    r"^[ \t]*(?:\w*[aA]pi|\w*[iI]mplementation|\w*[cC]ompile\w*|\w*[rR]untime\w*|kapt|ksp|annotationProcessor)[ \t(]+"
    r"(?:platform\()?['\"]([\w.-]+:[\w.-]+)(?::([^'\"@\n]+))?",
    re.MULTILINE,
)
CATALOGUE = re.compile(
    r"(?:module\s*=\s*\"([\w.-]+:[\w.-]+)\"|group\s*=\s*\"([\w.-]+)\"\s*,\s*name\s*=\s*\"([\w.-]+)\")([^\n]*)"
)
STRING = re.compile(r"=\s*\"([\w.-]+:[\w.-]+):([^\"\n]+)\"")
SOURCES = ("src/main", "src/commonMain", "src/jvmMain", "src", "")


def packages(manifests: Mapping[str, bytes], paths: Collection[str]) -> tuple[Package, ...]:
    """The artifacts of a tree, each with its folder of sources."""
    folders = {posixpath.dirname(path) for path in paths}
    found: dict[str, Package] = {}
    groups = [match[1] for path in sorted(manifests) for match in GROUP.finditer(_text(manifests[path]))]
    for path in sorted(manifests):
        folder, base, text = posixpath.dirname(path), posixpath.basename(path), _text(manifests[path])
        name, version = (
            _pom(text)
            if base == "pom.xml"
            else _gradle(folder, text, groups)
            if base.startswith("build.")
            else ("", "")
        )
        if name and folder not in found:
            tops = (posixpath.join(folder, top) if top else folder for top in SOURCES)
            root = next(
                (top for top in tops if any(one == top or one.startswith(f"{top}/") for one in folders)), folder
            )
            found[folder] = Package(LANGUAGE, name, folder, (root,), version)
    return tuple(found.values())


def requirements(manifests: Mapping[str, bytes]) -> tuple[Requirement, ...]:
    """What the build files ask for."""
    return tuple(
        Requirement(LANGUAGE, name, version or ELSEWHERE, path=path, line=line)
        for path, source in sorted(manifests.items())
        for name, version, line in _asked(posixpath.basename(path), _text(source))
    )


def locked_version(path: str, source: bytes, name: str) -> str:
    """Build files name versions themselves."""
    del path, source, name
    return ""


def links(packages: Sequence[Package], folders: Sequence[str]) -> Mapping[str, bytes]:
    """A package is found by its name, wherever its folder is."""
    del packages, folders
    return {}


def _text(source: bytes) -> str:
    return re.sub(
        r"<!--.{0,800}?-->",
        lambda comment: re.sub(r"[^\n]", " ", comment[0]),
        config(source).decode("utf-8", "replace"),
        flags=re.DOTALL,
    )


def _tag(name: str, text: str) -> str:
    match = re.search(TAG.replace("NAME", name), text)
    return match[1] if match else ""


def _pom(text: str) -> tuple[str, str]:
    parent = re.search(r"<parent>(.{0,800}?)</parent>", text, re.DOTALL)
    own = re.sub(r"<dependencies>.*", "", BLOCK.sub("", text), flags=re.DOTALL)
    group = _tag("groupId", own) or _tag("groupId", parent[1] if parent else "")
    artifact = _tag("artifactId", own)
    return (f"{group}:{artifact}" if group and artifact else ""), _tag("version", own)


def _gradle(folder: str, text: str, groups: Sequence[str]) -> tuple[str, str]:
    group = next((match[1] for match in GROUP.finditer(text)), groups[0] if groups else "")
    name = posixpath.basename(folder)
    return (f"{group}:{name}" if group and name else ""), ""


def _asked(base: str, text: str) -> Iterator[tuple[str, str, int]]:
    if base == "pom.xml":
        known = dict(PROPERTY.findall(text))
        for match in DEPENDENCY.finditer(text):
            group, artifact, version = (_tag(name, match[1]) for name in ("groupId", "artifactId", "version"))
            resolved = re.sub(r"\$\{([\w.-]+)\}", lambda use: known.get(use[1], ""), version)
            if group and artifact:
                yield f"{group}:{artifact}", resolved, text.count("\n", 0, match.start()) + 1
    elif base.endswith(".toml"):
        versions = dict(re.findall(r"(?m)^([\w-]+)\s*=\s*\"([^\"\n:]+)\"", text))
        for match in CATALOGUE.finditer(text):
            ref = re.search(r"version(?:\.ref)?\s*=\s*\"([^\"]+)\"", match[4])
            name, told = match[1] or f"{match[2]}:{match[3]}", str(ref[1]) if ref else ""
            yield name, versions.get(told, told), text.count("\n", 0, match.start()) + 1
        for match in STRING.finditer(text):
            yield match[1], match[2], text.count("\n", 0, match.start()) + 1
    else:
        for match in GRADLE.finditer(text):
            yield match[1], "" if "$" in (match[2] or "") else match[2] or "", text.count("\n", 0, match.start(1)) + 1
