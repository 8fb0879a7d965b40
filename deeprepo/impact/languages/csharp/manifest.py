"""Read .NET packages from project files, Directory.Packages.props and packages.lock.json."""

import posixpath
from collections.abc import Collection, Mapping

from deeprepo.impact.packages import Package, Requirement
from deeprepo.impact.text.xml_reader import elements

LANGUAGE = "csharp"
MANIFESTS = ("*.csproj", "*.props", "*.targets", "packages.config")
LOCKS = {"packages.lock.json": r'(?i)"NAME"\s*:\s*\{[^{}]*?"resolved"\s*:\s*"([^"\n]+)"'}
_ELSEWHERE = "as another file sets it"
KINDS = ("packagereference", "packageversion", "package")


def packages(manifests: Mapping[str, bytes], paths: Collection[str]) -> tuple[Package, ...]:
    """Return the packages of a tree: each project by its PackageId, AssemblyName or file name."""
    del paths
    rows = []
    for path, source in sorted(manifests.items()):
        if path.endswith(".csproj"):
            properties, folder = _named(source), posixpath.dirname(path)
            stem = posixpath.basename(path).removesuffix(".csproj")
            name = properties.get("PackageId") or properties.get("AssemblyName") or stem
            rows.append(Package(LANGUAGE, name.lower(), folder, (folder,)))
    return tuple(rows)


def requirements(manifests: Mapping[str, bytes]) -> tuple[Requirement, ...]:
    """Return what the projects require. A version is the minimum, and restoring installs the minimum."""
    asked = []
    for path, source in sorted(manifests.items()):
        rows = elements(source)
        inner = {one.parent: one.text.strip() for one in rows if one.name.lower() == "version"}
        for at, element in enumerate(rows):
            kind, given = element.name.lower(), {key.lower(): value for key, value in element.attributes.items()}
            if kind in KINDS:
                name = (given.get("include") or given.get("update") or given.get("id") or "").strip().lower()
                version = given.get("versionoverride") or given.get("version") or inner.get(at, "")
                asked.append((path, name, version, kind))
    central = {name: version for _, name, version, kind in asked if kind == "packageversion"}
    return tuple(
        Requirement(LANGUAGE, name, version or central.get(name) or _ELSEWHERE, path=path)
        for path, name, version, kind in asked
        if name and kind != "packageversion"
    )


def _named(source: bytes) -> dict[str, str]:
    """Return the names that a project gives its package, without computed ones."""
    rows = {one.name: one.text.strip() for one in elements(source) if one.name in ("PackageId", "AssemblyName")}
    return {key: name for key, name in rows.items() if name and "$" not in name}
