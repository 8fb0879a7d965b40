"""Read JVM artifacts from pom.xml, Gradle scripts, version catalogs and sbt builds.

Build files are programs, so only literal values are read. A version set elsewhere (a parent, a platform) is
unknown.
"""

import posixpath
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping

from deeprepo.impact.packages import Package, Requirement
from deeprepo.impact.structs import Struct
from deeprepo.impact.text.tables import at, manifest_text, table, text_of, toml
from deeprepo.impact.text.xml_reader import Element, elements

LANGUAGE = "jvm"
_BUILDS = ("build.gradle", "build.gradle.kts")
MANIFESTS = (
    "pom.xml", "*.gradle", "*.gradle.kts", "gradle.properties", "*.versions.toml", "buildSrc/*.kt", "*.sbt", "project/*.scala",
)  # fmt: skip
LOCKS: Mapping[str, str] = {}  # build files contain the versions themselves
_ELSEWHERE = "as another file sets it"
_SCALA = re.compile(r"_(?:2\.1\d|3)$")  # suffix that sbt appends to an artifact's name
_USE = re.compile(r"\$\{([\w.-]{1,200})\}")
_GROUP = re.compile(
    r"(?<![\w$'\"(,-])(?:(?:project|rootProject)\.)?group(?:Id)?[ \t]*+=?[ \t]*+['\"]([\w-]++(?:\.[\w-]++)++)['\"]|^[ \t]*+(?:group|GROUP)=(\S++)",
    re.MULTILINE,
)
_ARTIFACT = re.compile(
    r"\b(?:artifactId|archivesName|archivesBaseName)\b[ \t]*+(?:=|\.set\()?[ \t]*+['\"]([\w.-]++)['\"]"
)
_PUBLISHED = re.compile(
    r"\bcoordinates[ \t]*+\(\s*+(?:groupId\s*+=\s*+)?['\"]([\w.-]++)['\"]\s*+,\s*+(?:artifactId\s*+=\s*+)?['\"]([\w.-]++)['\"]"
)
_ROOT = re.compile(r"^[ \t]*+rootProject\.name[ \t]*+=[ \t]*+['\"]([\w.-]++)['\"]", re.MULTILINE)
_INCLUDED = re.compile(r"['\"]:?([\w:./-]++)['\"]")
# An artifact in a build file: a single string, or a map.
_ASKED = re.compile(
    r"['\"]([\w.-]+):([\w.-]+)(?::([^'\"@\n$]+))?[^'\"\n]{0,80}['\"]"
    r"|\bgroup\s*+[:=]\s*+['\"]([\w.-]++)['\"]\s*+,\s*+name\s*+[:=]\s*+['\"]([\w.-]++)['\"](?:\s*+,\s*+version\s*+[:=]\s*+['\"]([^'\"\n]++)['\"])?"
)
_SBT_ASKED = re.compile(r"\"([\w.-]++)\"\s*+%{1,3}\s*+\"([\w.-]++)\"(?:\s*+%\s*+(?:\"([^\"\n]++)\")?)?")
_SBT_PROJECT = re.compile(
    r"^[ \t]*+(?:lazy[ \t]++)?val[ \t]++`?([\w-]++)`?[^=\n]*+=[\s(]*+(?:project|crossProject|Project\()\b", re.MULTILINE
)
_SBT_HOME = re.compile(r"\bfile\([ \t]*+\"([\w./-]++)\"")
_SBT_NAME = re.compile(r"\b(?:moduleName|name)[ \t]*+:=[ \t]*+\"([\w.-]++)\"")
_SBT_GROUP = re.compile(r"\borganization[ \t]*+:=[ \t]*+\"([\w.-]++)\"")


def packages(manifests: Mapping[str, bytes], paths: Collection[str]) -> tuple[Package, ...]:
    """Return the artifacts of a tree with their source folders."""
    texts = {path: manifest_text(source) for path, source in sorted(manifests.items())}
    folders = _folders(paths)
    names: dict[str, list[str]] = {}
    for path, pom in _poms(manifests).items():
        names.setdefault(posixpath.dirname(path), []).append(f"{pom.group}:{pom.artifact}")
    for folder, name in (*_of_gradle(texts, folders), *_of_sbt(texts)):
        names.setdefault(folder, []).append(name)
    return tuple(
        Package(LANGUAGE, _SCALA.sub("", name), folder, _sources(folder, folders))
        for folder, rows in names.items()
        for name in dict.fromkeys(rows)
        if "$" not in name and not name.startswith(":") and not name.endswith(":")
    )


def _folders(paths: Collection[str]) -> frozenset[str]:
    """Return the folders with files, and their parents."""
    folders: set[str] = set()
    for path in paths:
        above = posixpath.dirname(path)
        while above and above not in folders:
            folders.add(above)
            above = posixpath.dirname(above)
    return frozenset(folders)


def _sources(folder: str, folders: Collection[str]) -> tuple[str, ...]:
    """Return a project's source folders: each set of a multiplatform project, otherwise the first usual one."""
    src = posixpath.join(folder, "src")
    sets = {one for one in folders if posixpath.dirname(one) == src and one.endswith(("/main", "Main"))}
    return tuple(sorted(sets)) or ((src,) if src in folders else (folder,))


class _Pom(Struct):
    """The declarations in a pom.xml."""

    elements: tuple[Element, ...]
    group: str
    artifact: str
    properties: dict[str, str]  # including its parents'

    def resolved(self, text: str) -> str:
        """Return a text with the known properties replaced, including nested ones."""
        for _ in range(2):
            text = _USE.sub(lambda use: self.properties.get(use[1].removeprefix("pom."), use[0]), text)[:400]
        return text


def _poms(manifests: Mapping[str, bytes]) -> dict[str, _Pom]:
    """Return the Maven projects, with properties of parents in the tree."""
    poms: dict[str, _Pom] = {}
    for path, source in sorted(manifests.items(), key=lambda row: row[0].count("/")):
        if posixpath.basename(path) == "pom.xml":
            leaves = [one for one in elements(source) if one.is_leaf]
            parent, own = (
                {one.name: one.text.strip() for one in leaves if one.around == around}
                for around in (("project", "parent"), ("project",))
            )
            group, version = (own.get(key) or parent.get(key, "") for key in ("groupId", "version"))
            near = posixpath.normpath(posixpath.join(posixpath.dirname(path), parent.get("relativePath", "../pom.xml")))
            inherited = poms[near].properties if near in poms and parent else {}
            known = {f"project.parent.{key}": value for key, value in parent.items()}
            known |= {"project.groupId": group, "groupId": group, "project.version": version}
            properties = inherited | {one.name: one.text.strip() for one in leaves} | known
            poms[path] = pom = _Pom(elements(source), group, own.get("artifactId", ""), properties)
            pom.group, pom.artifact = pom.resolved(group), pom.resolved(pom.artifact)
    return poms


def _of_gradle(texts: Mapping[str, str], folders: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield folder and name of each Gradle artifact.

    The name is the published one, otherwise the folder's, or at the root the one in the settings.
    """
    groups: dict[str, str] = {}
    homes = {posixpath.dirname(path) for path in texts if posixpath.basename(path) in _BUILDS}
    roots: dict[str, str] = {}
    for path, text in texts.items():
        folder, base = posixpath.dirname(path), posixpath.basename(path)
        if (match := _GROUP.search(text)) and base.endswith((".gradle", ".kts", ".properties")):
            groups.setdefault(folder, match[1] or match[2])
        if base.startswith("settings.gradle"):
            inner = [posixpath.join(folder, one.replace(":", "/")) for one in _INCLUDED.findall(text)]
            homes |= {one for one in inner if f"{one}/src" in folders}
            if match := _ROOT.search(text):
                roots[folder] = match[1]
    for folder in sorted(homes):
        text = "\n".join(texts.get(posixpath.join(folder, name), "") for name in _BUILDS)
        above = folder
        while above not in groups and above:
            above = posixpath.dirname(above)
        group = groups.get(above) or next(iter(groups.values()), "")
        pairs = [f"{match[1]}:{match[2]}" for match in _PUBLISHED.finditer(text)]
        names = _ARTIFACT.findall(text) or [roots.get(folder) or posixpath.basename(folder)]
        yield from ((folder, one) for one in pairs or [f"{group}:{name}" for name in names])


def _of_sbt(texts: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield folder and name of each sbt artifact: that of the build's own folder, and those in variables."""
    groups = [match[1] for path, text in texts.items() if path.endswith(".sbt") for match in _SBT_GROUP.finditer(text)]
    for path, text in texts.items() if groups else ():
        if not path.endswith(".sbt"):
            continue
        folder, starts = posixpath.dirname(path), [*_SBT_PROJECT.finditer(text)]
        own = text[: starts[0].start()] if starts else text
        if name := _SBT_NAME.search(own):
            yield folder, f"{groups[0]}:{name[1]}"
        for start, end in zip(starts, [*(one.start() for one in starts[1:]), len(text)], strict=False):
            part = text[start.end() : end]
            home, name = _SBT_HOME.search(part), _SBT_NAME.search(part)
            inner = posixpath.normpath(posixpath.join(folder, home[1] if home else start[1]))
            yield "" if inner == "." else inner, f"{groups[0]}:{name[1] if name else start[1]}"


def requirements(manifests: Mapping[str, bytes]) -> tuple[Requirement, ...]:
    """Return the requirements in the build files."""
    return tuple(
        Requirement(LANGUAGE, f"{group}:{_SCALA.sub('', name)}", version or _ELSEWHERE, path=path)
        for path, group, name, version in _all_asked(manifests)
        if group and "$" not in f"{group}{name}"
    )


def _all_asked(manifests: Mapping[str, bytes]) -> Iterator[tuple[str, str, str, str]]:
    """Yield file, group, artifact and version of each requirement."""
    texts = {path: manifest_text(source) for path, source in sorted(manifests.items())}
    poms = _poms(manifests)
    for path, text in texts.items():
        if path in poms:
            yield from ((path, *row) for row in _of_pom(poms[path]))
        elif path.endswith(".toml"):
            yield from ((path, *row) for row in _of_catalogue(manifests[path]))
        elif path.endswith((".sbt", ".scala")):
            yield from ((path, *match.groups("")) for match in _SBT_ASKED.finditer(text))  # type: ignore[misc]
        elif not path.endswith(".properties"):
            for match in _ASKED.finditer(text):
                group, name, version = ([one for one in match.groups() if one] + [""])[:3]
                yield path, group, name, version


def _of_pom(pom: _Pom) -> Iterator[tuple[str, str, str]]:
    inner: dict[int, dict[str, str]] = defaultdict(dict)
    for one in pom.elements:
        inner[one.parent][one.name] = one.text.strip()
    for index, element in enumerate(pom.elements):
        parts = inner[index]
        if element.name != "dependency" or "groupId" not in parts:
            continue
        group, name, version = (pom.resolved(parts.get(key, "")) for key in ("groupId", "artifactId", "version"))
        yield group, name, "" if "$" in version else version


def _of_catalogue(source: bytes) -> Iterator[tuple[str, str, str]]:
    catalogue = toml(source)
    for row in table(catalogue.get("libraries")).values():
        named = text_of(row) or text_of(at(row, "module")) or f"{at(row, 'group')}:{at(row, 'name')}"
        group, name, version = [*named.split(":", 2), "", ""][:3]
        written = text_of(at(row, "version")) or text_of(at(catalogue, f"versions.{at(row, 'version.ref')}"))
        yield group, name, version or written
