"""Packages of .NET: project files, Directory.Packages.props and packages.lock.json."""

import posixpath
import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from bot.languages.lexical import manifest_text, unread
from bot.text.lines import line_number
from bot.values.consumer import ManifestProblem, Package, Requirement

LANGUAGE = "csharp"
DECLARING = ("*.csproj",)
MANIFESTS = (*DECLARING, "*.props", "*.targets", "packages.config")
LOCKS = ("packages.lock.json",)
PRIVATE = re.compile(r"_(?!_)")
ELSEWHERE = "as another file sets it"
TAG = r"<NAME>\s*([^<\s]+)\s*</NAME>"
REFERENCE = re.compile(
    r"<(?P<kind>PackageReference|PackageVersion|GlobalPackageReference|ProjectReference|Reference|package)\b(?P<rest>[^>]{0,1000})>"
    r"(?:\s{0,200}<Version>(?P<version>[^<]{1,200})</Version>)?",
    re.IGNORECASE,
)
ATTRIBUTE = re.compile(r"\b(\w{1,60})\s{0,20}=\s{0,20}(?:\"([^\"]{0,300})\"|'([^']{0,300})')")
PROPERTY = re.compile(r"<([\w.]{1,80})>\s{0,20}([^<>\s]{1,200})\s{0,20}</\1>")
USE = re.compile(r"\$\(([\w.]{1,80})\)")


def packages(manifests: Mapping[str, bytes], paths: Collection[str]) -> tuple[Package, ...]:
    """The packages of a tree: a project by its PackageId, its AssemblyName or its file's name."""
    del paths
    rows_found = []
    for path, source in sorted(manifests.items()):
        if path.endswith(".csproj"):
            text, folder = manifest_text(source), posixpath.dirname(path)
            stem = posixpath.basename(path).removesuffix(".csproj")
            name = _tag("PackageId", text) or _tag("AssemblyName", text) or stem
            name = stem if "$(" in name else name
            rows_found.append(Package(LANGUAGE, name.lower(), folder, (folder,), _tag("Version", text)))
    return tuple(rows_found)


def requirements(manifests: Mapping[str, bytes]) -> tuple[Requirement, ...]:
    """What the projects ask for. A version is the lowest that is taken, and restoring takes the lowest."""
    rows = list(_asked(manifests))
    central = {name: version for _, name, version, kind in rows if kind == "packageversion" and version}
    rows_found = []
    for (path, line), name, version, kind in rows:
        if kind == "projectreference":
            place = name.replace("\\", "/")
            stem, home = posixpath.basename(place).rpartition(".")[0], posixpath.dirname(place)
            if posixpath.normpath(posixpath.join(posixpath.dirname(path), home)).startswith(".."):
                rows_found.append(Requirement(LANGUAGE, stem, place, "path", path, line, source=home))
        elif kind == "reference":
            rows_found.append(Requirement(LANGUAGE, name.partition(",")[0].strip(), ELSEWHERE, path=path, line=line))
        elif kind != "packageversion":
            rows_found.append(
                Requirement(LANGUAGE, name, version or central.get(name, ELSEWHERE), path=path, line=line)
            )
    return tuple(rows_found)


def problems(manifests: Mapping[str, bytes]) -> tuple[ManifestProblem, ...]:
    """The files of which a part is not read, and the names that hold a property of another file."""
    rows_found = [ManifestProblem(path, why) for path, source in sorted(manifests.items()) if (why := unread(source))]
    return (*rows_found, *(
        ManifestProblem(path, f"names {name}, which another file sets", USE.sub("*", name), is_form=True)
        for (path, _), name, _, kind in _asked(manifests)
        if USE.search(name) and kind != "packageversion" and USE.sub("", name).strip(".\\/")
    ))  # fmt: skip


def locked_version(path: str, source: bytes, name: str) -> str:
    """The version that packages.lock.json names."""
    del path
    match = re.search(
        rf'"{re.escape(name)}"\s*:\s*\{{[^{{}}]*?"resolved"\s*:\s*"([^"\n]+)"',
        source.decode("utf-8", "replace"),
        re.IGNORECASE,
    )
    return match[1] if match else ""


def links(packages: Sequence[Package], folders: Sequence[str], aliases: Mapping[str, str]) -> Mapping[str, bytes]:
    """A namespace is found by its name, wherever its files are."""
    del packages, folders, aliases
    return {}


def _tag(name: str, text: str) -> str:
    match = re.search(TAG.replace("NAME", name), text)
    return match[1] if match else ""


def _asked(manifests: Mapping[str, bytes]) -> Iterator[tuple[tuple[str, int], str, str, str]]:
    """Where each reference is written, what it names, at which version, of which kind."""
    properties = dict(row for source in manifests.values() for row in PROPERTY.findall(manifest_text(source)))
    for path, source in sorted(manifests.items()):
        text = manifest_text(source)
        for match in REFERENCE.finditer(text):
            told = {key.lower(): value or other for key, value, other in ATTRIBUTE.findall(match["rest"])}
            names = told.get("include") or told.get("update") or told.get("id") or ""
            for name in (USE.sub(lambda use: properties.get(use[1], use[0]), one.strip()) for one in names.split(";")):
                if name:
                    version = told.get("versionoverride") or told.get("version") or match["version"] or ""
                    line = line_number(text, match.start())
                    yield (path, line), name.lower(), version, match["kind"].lower()
