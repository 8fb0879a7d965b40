"""Packages of .NET: project files, Directory.Packages.props and packages.lock.json."""

import posixpath
import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from bot.languages.lexical import config
from bot.values.consumer import Package, Requirement

LANGUAGE = "csharp"
MANIFESTS = ("*.csproj", "Directory.Packages.props", "Directory.Build.props")
LOCKS = ("packages.lock.json",)
PRIVATE = re.compile(r"_(?!_)")
ELSEWHERE = "as another file sets it"
TAG = r"<NAME>\s*([^<\s]+)\s*</NAME>"
REFERENCE = re.compile(
    r"<(?P<kind>PackageReference|PackageVersion|GlobalPackageReference)\b(?P<rest>[^>]{0,1000})>(?:\s*<Version>([^<]+)</Version>)?",
    re.IGNORECASE,
)
ATTRIBUTE = re.compile(r"\b(\w{1,60})\s{0,20}=\s{0,20}\"([^\"]{0,300})\"")


def packages(manifests: Mapping[str, bytes], paths: Collection[str]) -> tuple[Package, ...]:
    """The packages of a tree: a project by its PackageId, its AssemblyName or its file's name."""
    del paths
    found = []
    for path, source in sorted(manifests.items()):
        if path.endswith(".csproj"):
            text, folder = config(source).decode("utf-8", "replace"), posixpath.dirname(path)
            stem = posixpath.basename(path).removesuffix(".csproj")
            name = _tag("PackageId", text) or _tag("AssemblyName", text) or stem
            name = stem if "$(" in name else name
            found.append(Package(LANGUAGE, name.lower(), folder, (folder,), _tag("Version", text)))
    return tuple(found)


def requirements(manifests: Mapping[str, bytes]) -> tuple[Requirement, ...]:
    """What the projects ask for. A version is the lowest that is taken, and restoring takes the lowest."""
    central = {name: version for _, name, version, kind in _asked(manifests) if kind == "packageversion" and version}
    return tuple(
        Requirement(LANGUAGE, name, version or central.get(name, ELSEWHERE), path=at[0], line=at[1])
        for at, name, version, kind in _asked(manifests)
        if kind != "packageversion"
    )


def locked_version(path: str, source: bytes, name: str) -> str:
    """The version that packages.lock.json names."""
    del path
    match = re.search(
        rf'"{re.escape(name)}"\s*:\s*\{{[^{{}}]*?"resolved"\s*:\s*"([^"\n]+)"',
        source.decode("utf-8", "replace"),
        re.IGNORECASE,
    )
    return match[1] if match else ""


def links(packages: Sequence[Package], folders: Sequence[str]) -> Mapping[str, bytes]:
    """A namespace is found by its name, wherever its files are."""
    del packages, folders
    return {}


def _tag(name: str, text: str) -> str:
    match = re.search(TAG.replace("NAME", name), text)
    return match[1] if match else ""


def _asked(manifests: Mapping[str, bytes]) -> Iterator[tuple[tuple[str, int], str, str, str]]:
    for path, source in sorted(manifests.items()):
        text = config(source).decode("utf-8", "replace")
        for match in REFERENCE.finditer(text):
            told = {key.lower(): value for key, value in ATTRIBUTE.findall(match["rest"])}
            name = told.get("include") or told.get("update") or ""
            if name:
                line = text.count("\n", 0, match.start()) + 1
                yield (path, line), name.lower(), told.get("version") or match[3] or "", match["kind"].lower()
