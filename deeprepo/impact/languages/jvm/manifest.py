"""Read JVM artifacts from pom.xml, Gradle scripts and sbt builds. Build files are programs, so only literals are read."""

import posixpath
import re
from collections.abc import Collection, Iterator, Mapping

from deeprepo.impact.packages import Package
from deeprepo.impact.text.tables import manifest_text
from deeprepo.impact.text.xml_reader import elements

_BUILDS = ("build.gradle", "build.gradle.kts", "build.sbt")
MANIFESTS = (
    "pom.xml", "*.gradle", "*.gradle.kts", "gradle.properties", "*.versions.toml", "buildSrc/*.kt", "*.sbt", "project/*.scala",
)  # fmt: skip
_GROUP = re.compile(r"(?im)(?:^|[\s(./])(?:group(?:Id)?|organization)[ \t]*(?::=|=)?[ \t]*['\"]?([\w-]+(?:\.[\w-]+)+)")
_NAME = re.compile(r"\b(?:artifactId|archivesName|moduleName|name)[ \t]*(?::=|=)[ \t]*['\"]([\w.-]+)['\"]")


def packages(manifests: Mapping[str, bytes], paths: Collection[str]) -> tuple[Package, ...]:
    """Return the artifacts of a tree with their source folders. A Gradle project has its folder's name by default."""
    folders = {posixpath.dirname(path) for path in paths}
    texts = {path: manifest_text(source) for path, source in sorted(manifests.items())}
    groups = [found[1] for text in texts.values() for found in _GROUP.finditer(text)]
    rows = []
    for path, text in texts.items():
        folder, base = posixpath.dirname(path), posixpath.basename(path)
        names = [*_of_pom(manifests[path])] if base == "pom.xml" else []
        if base in _BUILDS and groups:
            own = _GROUP.search(text)
            names = [f"{own[1] if own else groups[0]}:{name}" for name in _NAME.findall(text) or _ends(folder)]
        sources = sorted(one for one in _starts(folders) if posixpath.dirname(one) == posixpath.join(folder, "src"))
        mains = tuple(one for one in sources if one.endswith(("/main", "Main")))
        rows += [Package("jvm", name, folder, mains or (folder,)) for name in names]
    return tuple(rows)


def _ends(folder: str) -> list[str]:
    return [posixpath.basename(folder)] if folder else []


def _starts(folders: Collection[str]) -> set[str]:
    """Return the folders with their parents."""
    parts = (folder.split("/") for folder in folders)
    return {"/".join(row[:size]) for row in parts for size in range(1, len(row) + 1)}


def _of_pom(source: bytes) -> Iterator[str]:
    """Yield the coordinates of a Maven project; the group may be its parent's."""
    own, parent = (
        {one.name: one.text.strip() for one in elements(source) if one.around == around}
        for around in (("project",), ("project", "parent"))
    )
    group, name = own.get("groupId") or parent.get("groupId", ""), own.get("artifactId", "")
    if group and name and "$" not in group + name:
        yield f"{group}:{name}"
