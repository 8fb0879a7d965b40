"""Read .NET packages from project files, Directory.Packages.props and packages.lock.json."""

import posixpath
import re
from collections.abc import Collection, Mapping

from deeprepo.impact.packages import DependencyRules, Package, Requirement
from deeprepo.impact.text.tables import manifest_text

LANGUAGE = "csharp"
MANIFESTS = ("*.csproj", "*.props", "*.targets", "packages.config")
LOCKS = {"packages.lock.json": r'(?i)"NAME"\s*:\s*\{[^{}]*?"resolved"\s*:\s*"([^"\n]+)"'}
_ELSEWHERE = "as another file sets it"
_NAMED = re.compile(r"<(PackageId|AssemblyName)>\s{0,20}([^<>\s$]{1,200})\s{0,20}</")
_REFERENCE = re.compile(
    r"<(?P<kind>PackageReference|PackageVersion|package)\b(?P<rest>[^>]{0,1000})>"
    r"(?:\s{0,200}<Version>(?P<version>[^<]{1,200})</Version>)?",
    re.IGNORECASE,
)
_ATTRIBUTE = re.compile(r"\b(\w{1,60})\s{0,20}=\s{0,20}[\"']([^\"']{0,300})[\"']")


def packages(manifests: Mapping[str, bytes], paths: Collection[str]) -> tuple[Package, ...]:
    """Return the packages of a tree: each project by its PackageId, AssemblyName or file name."""
    del paths
    rows = []
    for path, source in sorted(manifests.items()):
        if path.endswith(".csproj"):
            told, folder = dict(_NAMED.findall(manifest_text(source))), posixpath.dirname(path)
            stem = posixpath.basename(path).removesuffix(".csproj")
            name = told.get("PackageId") or told.get("AssemblyName") or stem
            rows.append(Package(LANGUAGE, name.lower(), folder, (folder,)))
    return tuple(rows)


def requirements(manifests: Mapping[str, bytes]) -> tuple[Requirement, ...]:
    """Return what the projects require. A version is the minimum, and restoring installs the minimum."""
    asked = []
    for path, source in sorted(manifests.items()):
        for match in _REFERENCE.finditer(manifest_text(source)):
            given = {key.lower(): value for key, value in _ATTRIBUTE.findall(match["rest"])}
            name = (given.get("include") or given.get("update") or given.get("id") or "").strip().lower()
            version = given.get("versionoverride") or given.get("version") or match["version"] or ""
            asked.append((path, name, version, match["kind"].lower()))
    central = {name: version for _, name, version, kind in asked if kind == "packageversion"}
    return tuple(
        Requirement(LANGUAGE, name, version or central.get(name) or _ELSEWHERE, path=path)
        for path, name, version, kind in asked
        if name and kind != "packageversion"
    )


def _called(source: bytes) -> frozenset[str]:
    return frozenset(name.lower() for _, name in _NAMED.findall(manifest_text(source)))


DEPENDENCIES = DependencyRules(
    (".cs",),
    lambda name: rf"(?i)^\s*(?:global\s+)?using\s+(?:static\s+)?{re.escape(name)}[.;]",
    _called,
    means=lambda name, spec: f"{spec.lower()}.".startswith(f"{name}."),
    passes_on=True,
)
