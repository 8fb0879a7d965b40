"""Packages of .NET: project files, Directory.Packages.props and packages.lock.json."""

import posixpath
import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from bot.languages.lexical import manifest_text, unread
from bot.text.lines import line_number
from bot.values.consumer import ManifestProblem, Package, Requirement

LANGUAGE = "csharp"
DECLARING = ("*.csproj", "*.nuspec")
MANIFESTS = (*DECLARING, "*.props", "*.targets", "packages.config")
LOCKS = ("packages.lock.json",)
PRIVATE = re.compile(r"_(?!_)")
ELSEWHERE = "as another file sets it"
TAG = r"<NAME(?:\s[^<>]{0,400})?>\s{0,200}([^<\s]{1,400})\s{0,200}</NAME>"
REFERENCE = re.compile(
    r"<(?P<kind>PackageReference|PackageVersion|GlobalPackageReference|ProjectReference|Reference|package)\b(?P<rest>[^>]{0,1000})>"
    r"(?:\s{0,200}<Version>(?P<version>[^<]{1,200})</Version>)?",
    re.IGNORECASE,
)
ATTRIBUTE = re.compile(r"\b(\w{1,60})\s{0,20}=\s{0,20}(?:\"([^\"]{0,300})\"|'([^']{0,300})')")
PROPERTY = re.compile(r"<([\w.]{1,80})(?:\s[^<>]{0,400})?>\s{0,20}([^<>\s]{1,200})\s{0,20}</\1>")
ROUNDS = 4  # properties that one stands behind
USE = re.compile(r"\$\(([\w.]{1,80})\)")


def packages(manifests: Mapping[str, bytes], paths: Collection[str]) -> tuple[Package, ...]:
    """The packages of a tree: a project by its PackageId, its AssemblyName or its file's name."""
    del paths
    rows_found = []
    for path, name in _named(manifests):
        text, folder = manifest_text(manifests[path]), posixpath.dirname(path)
        version = next(iter(_tags("Version", text)), "")
        known = (_stem(path) if "$" in name else name).lower()
        rows_found.append(Package(LANGUAGE, known, folder, (folder,), version))
    return tuple(rows_found)


def _stem(path: str) -> str:
    return posixpath.basename(path).rpartition(".")[0]


def _named(manifests: Mapping[str, bytes]) -> Iterator[tuple[str, str]]:
    """What each project is called, with the properties of its file and of those that MSBuild takes in beside it and above."""
    texts = {path: manifest_text(source) for path, source in sorted(manifests.items())}
    shared = {path: text for path, text in texts.items() if path.endswith((".props", ".targets"))}
    everywhere = dict(row for text in shared.values() for row in PROPERTY.findall(text))
    for path, text in texts.items():
        if path.endswith(".nuspec"):
            yield from ((path, value) for value in _tags("id", text)[:1] if "$" not in value)
        elif path.endswith(".csproj"):
            above = [shared[name] for name in _above(path) if name in shared]
            values = dict(everywhere)
            for one in (*reversed(above), text):
                values |= PROPERTY.findall(one)
            values |= dict.fromkeys(("MSBuildProjectName", "MSBuildThisFileName"), _stem(path))
            values = {"AssemblyName": _stem(path), "RootNamespace": _stem(path), **values}
            told = (_tags(tag, one) for tag in ("PackageId", "AssemblyName") for one in (text, *above))
            yield path, _resolve(next((rows[-1] for rows in told if rows), _stem(path)), values)


def _above(path: str) -> Iterator[str]:
    """The files with properties that a project takes in by itself, the nearest first."""
    folder = posixpath.dirname(path)
    while True:
        yield from (posixpath.join(folder, f"Directory.Build.{kind}") for kind in ("targets", "props"))
        if not folder:
            return
        folder = posixpath.dirname(folder)


def _resolve(value: str, values: Mapping[str, str]) -> str:
    for _ in range(ROUNDS):
        if "$(" not in value:
            break
        value = USE.sub(lambda use: values.get(use[1], use[0]), value)[:400]
    return value


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
    rows_found += [
        ManifestProblem(path, "names its package by a property that another file sets", is_name=True)
        for path, name in _named(manifests)
        if "$" in name
    ]
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


def _tags(name: str, text: str) -> list[str]:
    """The values of a property."""
    return re.findall(TAG.replace("NAME", name), text)


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
