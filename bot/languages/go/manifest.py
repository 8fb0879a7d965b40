"""Go's modules: go.mod names what a tree offers, what it requires, and what it replaces."""

import posixpath
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from bot.languages.go.modules import VERSION, directives
from bot.languages.lexical import manifest_text, unread
from bot.text.lines import line_number
from bot.values.consumer import ManifestProblem, Package, Requirement

LANGUAGE = "go"
DECLARING = ("go.mod",)
MANIFESTS = (*DECLARING, "go.work")
NAMED_IN_CODE = ("*.go",)  # an import says the name of its module
QUOTES = '"`'
LOCKS: tuple[str, ...] = ()  # go.mod itself says which version is built
PRIVATE = re.compile(r"[a-z_]")


def packages(manifests: Mapping[str, bytes], paths: Collection[str]) -> tuple[Package, ...]:
    """The modules of a tree: a module consists of its folder without the modules below."""
    del paths
    rows_found = []
    for path, source in sorted(manifests.items()):
        if posixpath.basename(path) not in DECLARING:
            continue
        name = next(
            (words[0].strip(QUOTES).rstrip("/") for verb, *words in directives(source) if verb == "module" and words),
            "",
        )
        if name:
            folder = posixpath.dirname(path)
            major = name.rpartition("/")[2]
            rows_found.append(Package(LANGUAGE, name, folder, (folder,), major if VERSION.fullmatch(major) else ""))
    return tuple(rows_found)


def requirements(manifests: Mapping[str, bytes]) -> tuple[Requirement, ...]:
    """What the modules require. One that is replaced by another module is that one, under the name of the first."""
    rows_found = []
    tables = {path: list(directives(source)) for path, source in sorted(manifests.items())}
    shared = [row for path, rows in tables.items() if path.endswith("go.work") for row in _replacements(rows)]
    for path, rows in tables.items():
        replacements = {one.name: one for one in (*_replacements(rows), *shared)}
        text = manifest_text(manifests[path])
        for verb, *words in rows:
            name = words[0].strip(QUOTES) if words else ""
            at = text.find(name) if name else -1
            line = line_number(text, at) if at >= 0 else 0
            if verb == "use" and name.startswith(".."):
                rows_found += [Requirement(LANGUAGE, word, word, "path", path, line, source=word) for word in words]
            elif verb == "require" and len(words) > 1:
                other = replacements.get(name)
                rows_found += (
                    [other.requirement(path, line)]
                    if other
                    else [Requirement(LANGUAGE, name, words[1], path=path, line=line)]
                )
    return tuple(row for row in rows_found if not _is_own(row, manifests))


def problems(manifests: Mapping[str, bytes]) -> tuple[ManifestProblem, ...]:
    """The files of which a part is not read."""
    return tuple(ManifestProblem(path, why) for path, source in sorted(manifests.items()) if (why := unread(source)))


@dataclass(frozen=True, slots=True)
class _Replacement:
    """What a `replace` directive says."""

    name: str
    target: str  # a folder, or a module
    version: str

    def requirement(self, path: str, line: int) -> Requirement:
        """The requirement of a module for which this stands."""
        if self.target.startswith((".", "/")):
            return Requirement(LANGUAGE, self.name, self.target, "path", path, line, source=self.target)
        alias = self.name if self.target != self.name else ""
        source = f"https://{self.target}" if alias else ""
        return Requirement(LANGUAGE, self.target, self.version, path=path, line=line, alias=alias, source=source)


def _replacements(rows: Sequence[Sequence[str]]) -> Iterator[_Replacement]:
    """The replacements of a file."""
    for verb, *words in rows:
        if verb == "replace" and "=>" in words[1:3]:
            target = [word.strip(QUOTES) for word in words[words.index("=>") + 1 :]]
            if target:
                yield _Replacement(words[0].strip(QUOTES), target[0], target[1] if len(target) > 1 else "")


def _is_own(row: Requirement, manifests: Mapping[str, bytes]) -> bool:
    """Whether a folder that stands for a module is one of the same tree."""
    folder = (
        posixpath.normpath(posixpath.join(posixpath.dirname(row.path), row.source)) if row.origin == "path" else ".."
    )
    return not folder.startswith(("..", "/")) and (f"{folder}/go.mod".removeprefix("./") in manifests or folder == ".")


def locked_version(path: str, source: bytes, name: str) -> str:
    """No lock file settles more than go.mod does."""
    del path, source, name
    return ""


def links(packages: Sequence[Package], folders: Sequence[str], aliases: Mapping[str, str]) -> Mapping[str, bytes]:
    """A workspace of both trees: in it their modules mean each other."""
    used = [*(package.folder for package in packages), *folders]
    homes = {package.name: package.folder for package in packages}
    rows = [f"use ../{folder}\n" for folder in used]
    rows += [f"replace {alias} => ../{homes[name]}\n" for alias, name in aliases.items() if name in homes]
    return {"go.work": "".join(["go 1.21\n", *rows]).encode()}
