"""Artifacts of the JVM: pom.xml, scripts of Gradle, and version catalogues.

Build files are programs: what is written out in them is read. A version that stands elsewhere (a parent, a platform) is not known.
"""

import posixpath
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from bot.languages.lexical import manifest_text, unread
from bot.text.lines import line_number
from bot.values.consumer import ManifestProblem, Package, Requirement

LANGUAGE = "jvm"
DECLARING = (
    "pom.xml", "build.gradle", "build.gradle.kts", "gradle.properties", "settings.gradle", "settings.gradle.kts",
)  # fmt: skip
MANIFESTS = (*DECLARING, "*.gradle", "*.gradle.kts", "*.versions.toml", "buildSrc/*.kt", "buildSrc/*.java")
LEVELS = 8  # parents of a project
LOCKS: tuple[str, ...] = ()
PRIVATE = re.compile(r"_(?!_)")
ELSEWHERE = "as another file sets it"
BLOCK = re.compile(r"<(?P<tag>dependency|parent|plugin|build|reporting|profiles)>.{0,800}?</(?P=tag)>", re.DOTALL)
LONGEST = 20_000  # characters of one dependency
TAG = r"<NAME>\s{0,200}([^<\s]{1,400})\s{0,200}</NAME>"
PROPERTY = re.compile(r"<([\w.-]{1,200})>\s{0,200}([^<>\s]{1,400})\s{0,200}</\1>")
USE = re.compile(r"\$\{([\w.-]{1,200})\}")
OWN = re.compile(r"(?:project\.|pom\.)?(parent\.)?(groupId|artifactId|version)")
ROUNDS = 4  # properties that one stands behind
GROUP = re.compile(r"^[ \t]*+group[ \t]*+(?:=[ \t]*+)?['\"]([\w.-]+)['\"]", re.MULTILINE)
SETTING = re.compile(r"^[ \t]*+(group|GROUP|POM_ARTIFACT_ID)[ \t]*+[=:][ \t]*+([\w.-]+)", re.MULTILINE)
ROOT = re.compile(r"^[ \t]*+rootProject\.name[ \t]*+=[ \t]*+['\"]([\w.-]+)['\"]", re.MULTILINE)
ARTIFACT = re.compile(
    r"\b(?:artifactId|archivesName|archivesBaseName)\b[ \t]{0,20}(?:=|\.set\()?[ \t]{0,20}['\"]([\w.-]{1,200})['\"]"
)
# What a build file calls an artifact: in one string, as a map, or as arguments. `$group` and the like stand for another text.
COORDINATES = re.compile(
    r"['\"](\$\{?[\w.]{1,80}\}?|[\w.-]{1,200}):(\$\{?[\w.]{1,80}\}?|[\w.-]{1,200})(?::([^'\"@\n]{1,200}))?(?:@\w{1,20})?['\"]"
)
NAMED = re.compile(
    r"\bgroup\s{0,20}[:=]\s{0,20}(['\"]?[\w.$\{\}-]{1,200}['\"]?)\s{0,20},\s{0,20}name\s{0,20}[:=]\s{0,20}['\"]([\w.-]{1,200})['\"]"
    r"(?:\s{0,20},\s{0,20}version\s{0,20}[:=]\s{0,20}['\"]([^'\"\n]{1,200})['\"])?"
)
LISTED = re.compile(
    r"\b(?:\w{0,40}[aA]pi|\w{0,40}[iI]mplementation|\w{0,40}[cC]ompile\w{0,20}|\w{0,40}[rR]untime\w{0,20}|kapt|ksp|annotationProcessor)"
    r"\(\s{0,20}['\"]([\w.-]{1,200})['\"]\s{0,20},\s{0,20}['\"]([\w.-]{1,200})['\"]\s{0,20}"
    r"(?:,\s{0,20}['\"]([^'\"\n]{1,200})['\"]\s{0,20})?\)"
)
LIBRARY = re.compile(
    r"\blibrary\(\s{0,20}['\"][\w.-]{1,80}['\"]\s{0,20},\s{0,20}['\"]([\w.-]{1,200})['\"]\s{0,20},\s{0,20}['\"]([\w.-]{1,200})['\"]()"
)
OWN_GROUP = frozenset({"group", "project.group", "rootProject.group", "this.group"})
CATALOGUE = re.compile(
    r"(?:module\s{0,20}=\s{0,20}[\"']([\w.-]{1,200}:[\w.-]{1,200})[\"']"
    r"|group\s{0,20}=\s{0,20}[\"']([\w.-]{1,200})[\"']\s{0,20},\s{0,20}name\s{0,20}=\s{0,20}[\"']([\w.-]{1,200})[\"']"
    r"|name\s{0,20}=\s{0,20}[\"'](?P<name>[\w.-]{1,200})[\"']\s{0,20},\s{0,20}group\s{0,20}=\s{0,20}[\"'](?P<group>[\w.-]{1,200})[\"'])"
    r"(?P<rest>[^\n]{0,1000})"
)
STRING = re.compile(r"=\s{0,20}[\"']([\w.-]{1,200}:[\w.-]{1,200}):([^\"'\n]{1,200})[\"']")
SOURCES = ("src/main", "src/commonMain", "src/jvmMain", "src", "")


def packages(manifests: Mapping[str, bytes], paths: Collection[str]) -> tuple[Package, ...]:
    """The artifacts of a tree, each with its folder of sources."""
    folders = {posixpath.dirname(path) for path in paths}
    result: dict[str, Package] = {}
    texts = {path: _text(source) for path, source in sorted(manifests.items())}
    poms, groups = _poms(texts), _groups(texts)
    for path, text in texts.items():
        folder, base = posixpath.dirname(path), posixpath.basename(path)
        name, version = "", ""
        if base == "pom.xml":
            name, version = f"{poms[path].group}:{poms[path].artifact}", poms[path].version
            name = "" if "$" in name or name.startswith(":") or name.endswith(":") else name
        elif base.startswith("build.gradle"):
            name = _gradle(folder, text, groups, texts)
        if name and folder not in result:
            tops = (posixpath.join(folder, top) if top else folder for top in SOURCES)
            root = next(
                (top for top in tops if any(one == top or one.startswith(f"{top}/") for one in folders)), folder
            )
            result[folder] = Package(LANGUAGE, name, folder, (root,), version)
    return tuple(result.values())


def requirements(manifests: Mapping[str, bytes]) -> tuple[Requirement, ...]:
    """What the build files ask for."""
    return tuple(
        Requirement(LANGUAGE, f"{group}:{artifact}", version or ELSEWHERE, path=path, line=line)
        for path, group, artifact, version, line in _all_asked(manifests)
        if "$" not in f"{group}:{artifact}"
    )


def problems(manifests: Mapping[str, bytes]) -> tuple[ManifestProblem, ...]:
    """The files of which a part is not read, and artifacts whose group or name another file sets."""
    result = [ManifestProblem(path, why) for path, source in sorted(manifests.items()) if (why := unread(source))]
    for path, group, artifact, _, _ in _all_asked(manifests):
        name_asked = f"{group}:{artifact}"
        glob = f"{'*' if '$' in group else group}:{'*' if '$' in artifact else artifact}"
        if "$" in name_asked and glob != "*:*":
            result.append(ManifestProblem(path, f"names {name_asked}, which another file sets", glob, is_form=True))
    return tuple(dict.fromkeys(result))


def locked_version(path: str, source: bytes, name: str) -> str:
    """Build files name versions themselves."""
    del path, source, name
    return ""


def links(packages: Sequence[Package], folders: Sequence[str], aliases: Mapping[str, str]) -> Mapping[str, bytes]:
    """A package is found by its name, wherever its folder is."""
    del packages, folders, aliases
    return {}


def _text(source: bytes) -> str:
    """A build file without XML's comments, whose lines stay."""
    parts = manifest_text(source).split("<!--")
    pieces = [parts[0]]
    for part in parts[1:]:
        comment, _, rest = part.partition("-->")
        pieces.append("\n" * comment.count("\n") + rest)
    return "".join(pieces)


def _tag(name: str, text: str) -> str:
    match = re.search(TAG.replace("NAME", name), text)
    return match[1] if match else ""


@dataclass(slots=True)
class _Pom:
    """What a pom.xml says of itself."""

    text: str
    group: str
    artifact: str
    version: str
    parent: Mapping[str, str]
    properties: dict[str, str]  # its properties and its parents'

    def resolve(self, text: str) -> str:
        """A text with the properties that are known."""
        for _ in range(ROUNDS):
            if "${" not in text:
                break
            text = USE.sub(self._value, text)[:400]
        return text

    def _value(self, use: re.Match[str]) -> str:
        own = OWN.fullmatch(use[1])
        if own is None:
            return self.properties.get(use[1], use[0])
        key = own[2]
        mine = {"groupId": self.group, "artifactId": self.artifact, "version": self.version}
        return (self.parent if own[1] else mine).get(key) or use[0]


def _poms(texts: Mapping[str, str]) -> dict[str, _Pom]:
    """The projects of Maven, each with the properties of the parents that are in the tree."""
    poms: dict[str, _Pom] = {}
    for path, text in texts.items():
        if posixpath.basename(path) == "pom.xml":
            _, _, above = text[: text.find("</parent>")].partition("<parent>") if "</parent>" in text else ("", "", "")
            own = re.sub(r"<(?:dependencies|dependencyManagement)>.*", "", BLOCK.sub("", text), flags=re.DOTALL)
            parent = {
                name: _tag(name, above[:LONGEST]) for name in ("groupId", "artifactId", "version", "relativePath")
            }
            group, version = _tag("groupId", own) or parent["groupId"], _tag("version", own) or parent["version"]
            poms[path] = _Pom(text, group, _tag("artifactId", own), version, parent, dict(PROPERTY.findall(text)))
    for path, pom in poms.items():
        at, chain = path, {path}
        for _ in range(LEVELS):
            up = poms[at].parent
            near = posixpath.normpath(posixpath.join(posixpath.dirname(at), up["relativePath"] or "../pom.xml"))
            near = near if near.endswith(".xml") else posixpath.join(near, "pom.xml")
            if not up["artifactId"] or near in chain or near not in poms or poms[near].artifact != up["artifactId"]:
                break
            pom.properties = {**poms[near].properties, **pom.properties}
            at = near
            chain.add(near)
        pom.group, pom.artifact, pom.version = (pom.resolve(one) for one in (pom.group, pom.artifact, pom.version))
    return poms


def _groups(texts: Mapping[str, str]) -> dict[str, str]:
    """The group that each folder's build files set."""
    groups: dict[str, str] = {}
    for path, text in texts.items():
        base = posixpath.basename(path)
        if base == "gradle.properties":
            value_told = next((match[2] for match in SETTING.finditer(text) if match[1] != "POM_ARTIFACT_ID"), "")
        else:
            match = GROUP.search(text) if base.startswith("build.gradle") else None
            value_told = match[1] if match else ""
        if value_told:
            groups.setdefault(posixpath.dirname(path), value_told)
    return groups


def _group_of(folder: str, groups: Mapping[str, str]) -> str:
    """The group of a project of Gradle: its own, that of the nearest one above, or the only one that is set."""
    at = folder
    while at not in groups and at:
        at = posixpath.dirname(at)
    return groups.get(at) or next(iter(groups.values()), "")


def _gradle(folder: str, text: str, groups: Mapping[str, str], texts: Mapping[str, str]) -> str:
    """The artifact of a project of Gradle: what it publishes, else its folder, which at the root the settings name."""
    group = _group_of(folder, groups)
    settings = texts.get(posixpath.join(folder, "gradle.properties"), "")
    value_told = ARTIFACT.search(text) or next(
        (m for m in SETTING.finditer(settings) if m[1] == "POM_ARTIFACT_ID"), None
    )
    name = value_told[value_told.lastindex or 1] if value_told else posixpath.basename(folder)
    for base in ("settings.gradle", "settings.gradle.kts") if not value_told else ():
        root = ROOT.search(texts.get(posixpath.join(folder, base), ""))
        name = root[1] if root else name
    return f"{group}:{name}" if group and name else ""


AskedRow = tuple[str, str, str, str, int]  # path, group, artifact, version, line


def _all_asked(manifests: Mapping[str, bytes]) -> Iterator[AskedRow]:
    texts = {path: _text(source) for path, source in sorted(manifests.items())}
    poms, groups = _poms(texts), _groups(texts)
    for path, text in texts.items():
        if path in poms:
            yield from _of_pom(path, poms[path])
        elif path.endswith(".toml"):
            yield from _of_catalogue(path, text)
        elif not path.endswith(".properties"):
            yield from _of_gradle(path, text, _group_of(posixpath.dirname(path), groups))


def _of_pom(path: str, pom: _Pom) -> Iterator[AskedRow]:
    line, parts = 1, pom.text.split("<dependency>")
    for before, part in pairwise(parts):
        line += before.count("\n")
        inner = part.partition("</dependency>")[0][:LONGEST]
        outer, _, tail = inner.partition("<exclusions>")
        inner = outer + tail.partition("</exclusions>")[2]
        group, artifact, version = (pom.resolve(_tag(name, inner)) for name in ("groupId", "artifactId", "version"))
        if group and artifact:
            yield path, group, artifact, "" if "$" in version else version, line


def _of_catalogue(path: str, text: str) -> Iterator[AskedRow]:
    versions = dict(re.findall(r"(?m)^([\w-]+)\s*=\s*[\"']([^\"'\n:]+)[\"']", text))
    for match in CATALOGUE.finditer(text):
        ref = re.search(r"version(?:\.ref)?\s*=\s*[\"']([^\"']+)[\"']", match["rest"])
        group, _, name = (match[1] or f"{match[2] or match['group']}:{match[3] or match['name']}").partition(":")
        value_told = str(ref[1]) if ref else ""
        yield path, group, name, versions.get(value_told, value_told), line_number(text, match.start())
    for match in STRING.finditer(text):
        group, _, name = match[1].partition(":")
        yield path, group, name, match[2], line_number(text, match.start())


def _of_gradle(path: str, text: str, own: str) -> Iterator[AskedRow]:
    for match in (one for form in (COORDINATES, NAMED, LISTED, LIBRARY) for one in form.finditer(text)):
        group, version = match[1].strip("'\""), match[3] or ""
        if match.re is NAMED and match[1][:1] not in "'\"" and not group.startswith("$"):
            group = f"${group}"
        group = own if own and group.strip("${}") in OWN_GROUP and group.startswith("$") else group
        yield path, group, match[2], "" if "$" in version else version, line_number(text, match.start())
