"""Packages of .NET: project files, Directory.Packages.props and packages.lock.json."""

import posixpath
import re
from collections.abc import Collection, Iterator, Mapping

from bot.languages.lexical import manifest_text
from bot.text.lines import line_number
from bot.values.consumer import Package, Requirement

LANGUAGE = "csharp"
DECLARING = ("*.csproj", "*.nuspec")
MANIFESTS = (*DECLARING, "*.props", "*.targets", "packages.config")
LOCKS = {"packages.lock.json": r'(?i)"NAME"\s*:\s*\{[^{}]*?"resolved"\s*:\s*"([^"\n]+)"'}
PRIVATE = re.compile(r"_(?!_)")
_ELSEWHERE = "as another file sets it"
_REFERENCE = re.compile(
    r"<(?P<kind>PackageReference|PackageVersion|ProjectReference|package)\b(?P<rest>[^>]{0,1000})>"
    r"(?:\s{0,200}<Version>(?P<version>[^<]{1,200})</Version>)?",
    re.IGNORECASE,
)
_ATTRIBUTE = re.compile(r"\b(\w{1,60})\s{0,20}=\s{0,20}(?:\"([^\"]{0,300})\"|'([^']{0,300})')")
_PROPERTY = re.compile(r"<([\w.]{1,80})(?:\s[^<>]{0,400})?>\s{0,20}([^<>\s]{1,200})\s{0,20}</\1>")
_USE = re.compile(r"\$\(([\w.]{1,80})\)")


def packages(manifests: Mapping[str, bytes], paths: Collection[str]) -> tuple[Package, ...]:
    """The packages of a tree: a project by its PackageId, its AssemblyName or its file's name."""
    del paths
    texts = {path: manifest_text(source) for path, source in sorted(manifests.items())}
    shared = _properties([text for path, text in texts.items() if path.endswith((".props", ".targets"))])
    rows = []
    for path, text in texts.items():
        stem, folder = posixpath.basename(path).rpartition(".")[0], posixpath.dirname(path)
        values = {"AssemblyName": stem, **shared, **_properties([text]), "MSBuildProjectName": stem}
        if path.endswith(".nuspec") and "id" in values:
            rows.append(Package(LANGUAGE, values["id"].lower(), folder, (folder,)))
        elif path.endswith(".csproj"):
            name = _resolved(values.get("PackageId") or values["AssemblyName"], values)
            own = (stem if "$" in name else name).lower()
            rows.append(Package(LANGUAGE, own, folder, (folder,)))
    return tuple(rows)


def _properties(texts: Collection[str]) -> dict[str, str]:
    return {name: value for text in texts for name, value in _PROPERTY.findall(text)}


def _resolved(value: str, values: Mapping[str, str]) -> str:
    """A value with the properties that are known; one may stand behind another."""
    for _ in range(2):
        value = _USE.sub(lambda use: values.get(use[1], use[0]), value)[:400]
    return value


def requirements(manifests: Mapping[str, bytes]) -> tuple[Requirement, ...]:
    """What the projects ask for. A version is the lowest that is taken, and restoring takes the lowest."""
    asked = list(_asked(manifests))
    central = {name: version for _, _, name, version, kind in asked if kind == "packageversion"}
    rows = []
    for path, line, name, version, kind in asked:
        if kind == "projectreference":
            home, _, file = name.replace("\\", "/").rpartition("/")
            if posixpath.normpath(posixpath.join(posixpath.dirname(path), home)).startswith(".."):
                stem, place = file.rpartition(".")[0], name.replace("\\", "/")
                rows.append(Requirement(LANGUAGE, stem, place, "path", path, line, source=home))
        elif kind != "packageversion":
            asked_version = version or central.get(name) or _ELSEWHERE
            rows.append(Requirement(LANGUAGE, name, asked_version, path=path, line=line))
    return tuple(rows)


def _asked(manifests: Mapping[str, bytes]) -> Iterator[tuple[str, int, str, str, str]]:
    """The file and the line of each reference, what it names, at which version, of which kind."""
    texts = {path: manifest_text(source) for path, source in sorted(manifests.items())}
    properties = _properties(texts.values())
    for path, text in texts.items():
        for match in _REFERENCE.finditer(text):
            given = {key.lower(): value or other for key, value, other in _ATTRIBUTE.findall(match["rest"])}
            names = given.get("include") or given.get("update") or given.get("id") or ""
            version = given.get("versionoverride") or given.get("version") or match["version"] or ""
            for name in filter(None, names.split(";")):
                known = _resolved(name.strip(), properties).lower()
                yield path, line_number(text, match.start()), known, version, match["kind"].lower()
