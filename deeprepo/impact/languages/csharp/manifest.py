"""Read .NET packages from project files."""

import posixpath
from collections.abc import Mapping

from deeprepo.impact.packages import Package
from deeprepo.impact.text.xml_reader import elements

MANIFESTS = ("*.csproj", "*.props", "*.targets", "packages.config")


def packages(manifests: Mapping[str, bytes]) -> tuple[Package, ...]:
    """Return the packages of a tree: each project by its literal PackageId or AssemblyName, or its file name."""
    rows = []
    for path, source in sorted(manifests.items()):
        if path.endswith(".csproj"):
            given = {one.name: one.text.strip() for one in elements(source) if "$" not in one.text}
            stem = posixpath.basename(path).removesuffix(".csproj")
            name = given.get("PackageId") or given.get("AssemblyName") or stem
            rows.append(Package("csharp", name, posixpath.dirname(path)))
    return tuple(rows)
