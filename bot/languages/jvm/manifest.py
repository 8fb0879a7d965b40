"""Artifacts of the JVM: pom.xml, scripts of Gradle, and version catalogues.

Build files are programs: what is written out in them is read. A version that stands elsewhere (a parent, a platform) is not known.
"""

import posixpath
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from bot.languages.jvm import sbt
from bot.languages.lexical import manifest_text, unread
from bot.text.lines import line_number
from bot.values.consumer import ManifestProblem, Package, Requirement

LANGUAGE = "jvm"
DECLARING = (
    "pom.xml", "build.gradle", "build.gradle.kts", "gradle.properties", "settings.gradle", "settings.gradle.kts",
    "*.sbt",
)  # fmt: skip
MANIFESTS = (
    *DECLARING, "*.gradle", "*.gradle.kts", "*.versions.toml", "buildSrc/*.kt", "buildSrc/*.java", "project/*.scala",
)  # fmt: skip
SBT = (".sbt", ".scala")
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
MOST = 20  # names of one project
GROUP = re.compile(
    r"(?<![\w.$'\"(,-])(?:(?:project|rootProject|this|it)\.)?(?P<kind>group(?:Id)?)"
    r"(?:[ \t]{0,20}=(?!=)[ \t]{0,20}|\.set\([ \t]{0,20}|[ \t]{1,20}(?=['\"]))(?P<value>['\"][^'\"\n]{1,200}['\"](?!,)|[^\s,;}'\"][^\n,;}]{0,200})"
)
SET = re.compile(r"\b(\w{1,80})[ \t]{0,10}=[ \t]{0,10}['\"]?([\w.-]{1,200})['\"]?[ \t]{0,20}$", re.MULTILINE)
PUBLISHED = re.compile(
    r"\bcoordinates[ \t]{0,20}\(?\s{0,40}(?:groupId\s{0,20}=\s{0,20})?['\"]([\w.-]{1,200})['\"]\s{0,40},"
    r"\s{0,40}(?:artifactId\s{0,20}=\s{0,20})?['\"]([\w.-]{1,200})['\"]"
)
PUBLISHES = re.compile(r"maven-publish|`maven-publish`|\bpublishing\b|[mM]avenPublish|vanniktech")
QUOTED = re.compile(r"['\"]([\w:./-]{1,200})['\"]")
RENAMED = re.compile(
    r"\bproject\(\s{0,20}['\"]([\w:./-]{1,200})['\"]\s{0,20}\)\.(name|projectDir)\s{0,20}=[^'\"\n]{0,80}['\"]([\w./-]{1,200})['\"]"
)
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


def packages(manifests: Mapping[str, bytes], paths: Collection[str]) -> tuple[Package, ...]:
    """The artifacts of a tree, each with its folder of sources."""
    folders = _folders(paths)
    texts = {path: _text(source) for path, source in sorted(manifests.items())}
    result: dict[str, tuple[Package, ...]] = {}
    for path, pom in _poms(texts).items():
        folder, name = posixpath.dirname(path), f"{pom.group}:{pom.artifact}"
        if "$" not in name and not name.startswith(":") and not name.endswith(":"):
            result[folder] = (Package(LANGUAGE, sbt.plain(name), folder, _sources(folder, folders), pom.version),)
    groups, scripts, modules = _groups(texts), _scripts(texts), _modules(texts, folders)
    for folder in sorted({*scripts, *modules}):
        names = _gradle(folder, scripts.get(folder, ""), _group_of(folder, groups), texts, modules.get(folder, ()))
        names = tuple(dict.fromkeys(map(sbt.plain, names)))
        roots = _sources(folder, folders)
        targets = [posixpath.basename(one)[: -len("Main")].lower() for one in roots if one.endswith("Main")]
        names = (*names, *(f"{name}-{target}" for name in names for target in targets if target != "common"))
        result.setdefault(folder, tuple(Package(LANGUAGE, name, folder, roots) for name in names))
    builds = {path: text for path, text in texts.items() if path.endswith(SBT)}
    organization = sbt.organization([*builds.values()])
    for path, text in builds.items():
        for folder, name in sbt.projects(path, text, organization or "") if path.endswith(".sbt") else ():
            if not name.startswith(":"):
                result.setdefault(folder, (Package(LANGUAGE, name, folder, _sources(folder, folders)),))
    return tuple(package for row in result.values() for package in row)


def _folders(paths: Collection[str]) -> frozenset[str]:
    """The folders of a tree that hold files, and those above them."""
    folders: set[str] = set()
    for path in paths:
        at = posixpath.dirname(path)
        while at and at not in folders:
            folders.add(at)
            at = posixpath.dirname(at)
    return frozenset(folders)


def requirements(manifests: Mapping[str, bytes]) -> tuple[Requirement, ...]:
    """What the build files ask for."""
    return tuple(
        Requirement(LANGUAGE, f"{group}:{sbt.plain(artifact)}", version or ELSEWHERE, path=path, line=line)
        for path, group, artifact, version, line in _all_asked(manifests)
        if "$" not in f"{group}:{artifact}"
    )


def problems(manifests: Mapping[str, bytes]) -> tuple[ManifestProblem, ...]:
    """The files of which a part is not read, and artifacts whose group or name another file sets."""
    result = [ManifestProblem(path, why) for path, source in sorted(manifests.items()) if (why := unread(source))]
    texts = {path: _text(source) for path, source in sorted(manifests.items())}
    if not any(_groups(texts).values()) and any(
        PUBLISHES.search(text) or _is_computed(text) for text in texts.values()
    ):
        builds = [path for path in texts if posixpath.basename(path).startswith("build.gradle")]
        result += [
            ManifestProblem(path, "sets its group in a form that is not understood", is_name=True) for path in builds
        ]
    result += _problems_of_sbt(texts)
    for path, group, artifact, _, _ in _all_asked(manifests):
        name_asked = f"{group}:{artifact}"
        glob = f"{'*' if '$' in group else group}:{'*' if '$' in artifact else artifact}"
        if "$" in name_asked and glob != "*:*":
            result.append(ManifestProblem(path, f"names {name_asked}, which another file sets", glob, is_form=True))
    return tuple(dict.fromkeys(result))


def _problems_of_sbt(texts: Mapping[str, str]) -> Iterator[ManifestProblem]:
    """The first build whose organization, or the name of one of whose artifacts, may be computed: then it is any, or any of the organization."""
    organization = sbt.organization([text for path, text in texts.items() if path.endswith(SBT)])
    builds = sorted((path for path in texts if path.endswith(".sbt")), key=lambda path: not path.endswith("build.sbt"))
    for path in builds[:1] if organization != "" else ():
        if organization is None:
            yield ManifestProblem(path, "sets its organization in a form that is not understood", is_name=True)
        elif any(sbt.computes_names(text) for name, text in texts.items() if name.endswith(".sbt")):
            yield ManifestProblem(path, "may compute the names of its artifacts", f"{organization}:*", is_name=True)


def _is_computed(text: str) -> bool:
    """Whether a build file sets a group that is no constant of Gradle's own, as those of tasks are."""
    return any(not re.search(r"_GROUP\b", match["value"]) for match in GROUP.finditer(text))


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


def _groups(texts: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """The groups that each folder's build files set, those of the project first; of tasks, which have groups too, only if no other is."""
    groups: dict[str, tuple[str, ...]] = {}
    settings = {name: value for text in texts.values() for name, value in SET.findall(text)}
    for path, text in texts.items():
        if posixpath.basename(path) == "gradle.properties":
            rows = [match[2] for match in SETTING.finditer(text) if match[1] != "POM_ARTIFACT_ID"]
        elif path.endswith((".gradle", ".gradle.kts")) or "buildSrc/" in path:
            matches = sorted(GROUP.finditer(text), key=lambda match: match["kind"] != "group")
            rows = [value for match in matches if (value := _value(match["value"], settings))]
            rows += [match[1] for match in PUBLISHED.finditer(text)]
        else:
            continue
        rows = list(dict.fromkeys([row for row in rows if "." in row] or rows))[:MOST]
        if rows:
            folder = posixpath.dirname(path)
            groups[folder] = tuple(dict.fromkeys((*groups.get(folder, ()), *rows)))
    return groups


def _value(text: str, settings: Mapping[str, str]) -> str:
    """What an expression of a build file holds: a text, or what a variable or a property is set to; else ""."""
    if text[0] in "'\"":
        inner = text[1:].partition(text[0])[0]
        inner = re.sub(r"\$\{?(?:\w{1,80}\.){0,8}(\w{1,80})\}?", lambda use: settings.get(use[1], "$"), inner)
        return inner if re.fullmatch(r"[\w.-]+", inner) else ""
    return next((settings[word] for word in reversed(re.findall(r"\w+", text)) if word in settings), "")


def _group_of(folder: str, groups: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """The groups of a project of Gradle: its own, those of the nearest one above, or the first that are set."""
    at = folder
    while at not in groups and at:
        at = posixpath.dirname(at)
    return groups.get(at) or next(iter(groups.values()), ())


def _modules(texts: Mapping[str, str], folders: Collection[str]) -> dict[str, tuple[str, ...]]:
    """The folders of Gradle's projects that the settings name, each with what else the settings call it."""
    modules: dict[str, tuple[str, ...]] = {}
    for path, text in texts.items():
        if not posixpath.basename(path).startswith("settings.gradle"):
            continue
        top = posixpath.dirname(path)
        for name in QUOTED.findall(text):
            folder = posixpath.join(top, name.strip(":").replace(":", "/"))
            if f"{folder}/src" in folders:
                modules.setdefault(folder, ())
        for match in RENAMED.finditer(text):
            name = match[1].strip(":").replace(":", "/")
            home, other = (name, match[3]) if match[2] == "name" else (match[3], posixpath.basename(name))
            folder = posixpath.normpath(posixpath.join(top, home))
            modules[folder] = (*modules.get(folder, ()), other)
    return modules


def _scripts(texts: Mapping[str, str]) -> dict[str, str]:
    """The build files of each folder, in one."""
    scripts: dict[str, str] = {}
    for path, text in texts.items():
        base, folder = posixpath.basename(path), posixpath.dirname(path)
        if base.endswith((".gradle", ".gradle.kts")) and not base.startswith("settings."):
            own = base.startswith("build.") or base.partition(".")[0] == posixpath.basename(folder)
            scripts |= {folder: f"{scripts.get(folder, '')}\n{text}"} if own else {}
    return scripts


def _gradle(
    folder: str, text: str, groups: Sequence[str], texts: Mapping[str, str], others: Sequence[str]
) -> tuple[str, ...]:
    """The artifacts of a project of Gradle: what it publishes, else its folder, which at the root the settings name."""
    settings = texts.get(posixpath.join(folder, "gradle.properties"), "")
    names = [match[1] for match in ARTIFACT.finditer(text)]
    names += [match[2] for match in SETTING.finditer(settings) if match[1] == "POM_ARTIFACT_ID"]
    pairs = [f"{match[1]}:{match[2]}" for match in PUBLISHED.finditer(text)]
    if not names and not pairs:
        roots = [ROOT.search(texts.get(posixpath.join(folder, f"settings.gradle{end}"), "")) for end in ("", ".kts")]
        names = [match[1] for match in roots if match] or [posixpath.basename(folder)]
    products = [f"{group}:{name}" for group in groups for name in (*names[:MOST], *others) if name]
    return tuple(dict.fromkeys((*products, *pairs[:MOST])))


def _sources(folder: str, folders: Collection[str]) -> tuple[str, ...]:
    """The folders of a project's sources: each set of a multiplatform project, else the first of the usual ones."""
    src = posixpath.join(folder, "src")
    sets = sorted(
        {one for one in folders if posixpath.dirname(one) == src and (one == f"{src}/main" or one.endswith("Main"))}
    )
    return tuple(sets) or ((src,) if src in folders else (folder,))


AskedRow = tuple[str, str, str, str, int]  # path, group, artifact, version, line


def _all_asked(manifests: Mapping[str, bytes]) -> Iterator[AskedRow]:
    texts = {path: _text(source) for path, source in sorted(manifests.items())}
    poms, groups = _poms(texts), _groups(texts)
    for path, text in texts.items():
        if path in poms:
            yield from _of_pom(path, poms[path])
        elif path.endswith(".toml"):
            yield from _of_catalogue(path, text)
        elif path.endswith(SBT):
            for match in sbt.modules(text):
                yield path, match[1], match[2], match[3] or "", line_number(text, match.start())
        elif not path.endswith(".properties"):
            own = _group_of(posixpath.dirname(path), groups)
            yield from _of_gradle(path, text, own[0] if own else "")


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
