"""Read JVM artifacts from pom.xml, Gradle scripts and sbt builds. Build files are programs, so only literals are read."""

import posixpath
import re
from collections.abc import Iterator, Mapping

from deeprepo.impact.packages import Package
from deeprepo.impact.text.tables import manifest_text
from deeprepo.impact.text.xml_reader import elements

_BUILDS = ("build.gradle", "build.gradle.kts", "build.sbt")
MANIFESTS = (
    "pom.xml", "*.gradle", "*.gradle.kts", "gradle.properties", "*.versions.toml", "buildSrc/*.kt", "*.sbt", "project/*.scala",
)  # fmt: skip
_GROUP = re.compile(
    r"(?im)(?:^|[\s(./])(?:group(?:Id)?|organization)[ \t]*+(?::=|=)?[ \t]*+['\"]?([\w-]++(?:\.[\w-]++)+)"
)
_NAME = re.compile(r"\b(?:artifactId|archivesName|moduleName|name)[ \t]*(?::=|=)[ \t]*['\"]([\w.-]+)['\"]")


def packages(manifests: Mapping[str, bytes]) -> tuple[Package, ...]:
    """Return the artifacts of a tree. A Gradle project has its folder's name by default."""
    texts = {path: manifest_text(source) for path, source in sorted(manifests.items())}
    groups = [found[1] for text in texts.values() for found in _GROUP.finditer(text)]
    rows = []
    for path, text in texts.items():
        folder, base = posixpath.dirname(path), posixpath.basename(path)
        names = [*_of_pom(manifests[path])] if base == "pom.xml" else []
        if base in _BUILDS and groups:
            own = _GROUP.search(text)
            names = [
                f"{own[1] if own else groups[0]}:{name}" for name in _NAME.findall(text) or [posixpath.basename(folder)]
            ]
        rows += [Package("jvm", name, folder) for name in names if not name.endswith(":")]
    return tuple(rows)


def _of_pom(source: bytes) -> Iterator[str]:
    """Yield the coordinates of a Maven project; the group may be its parent's."""
    own, parent = (
        {one.name: one.text.strip() for one in elements(source) if one.around == around}
        for around in (("project",), ("project", "parent"))
    )
    group, name = own.get("groupId") or parent.get("groupId", ""), own.get("artifactId", "")
    if group and name and "$" not in group + name:
        yield f"{group}:{name}"
