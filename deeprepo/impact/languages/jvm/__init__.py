"""Resolve Java, Kotlin and Scala packages to all folders whose path ends with the package.

A class is in the file of its name, otherwise in any file of the package, because Kotlin allows several classes
per file. Of several modules with the class, the nearest is used.
"""

import posixpath
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from typing import ClassVar

from tree_sitter import Node

from deeprepo.impact.language import Language
from deeprepo.impact.languages.jvm import manifest
from deeprepo.impact.packages import Packaging
from deeprepo.impact.paths import Paths, shared_folders
from deeprepo.impact.reading.nodes import first_line, text
from deeprepo.impact.resolving.namespaces import Namespaces
from deeprepo.impact.structs import replace
from deeprepo.impact.values import Bound, Facts, Import, Outline

ENDINGS = (".java", ".kt")
SCRIPT = ".kts"
SUFFIXES = (*ENDINGS, SCRIPT, ".scala")
# Words that Kotlin's grammar cannot parse here: functional interfaces, annotation classes, constants after
# annotations.
UNREAD = re.compile(rb"\b(?:fun(?=\s+interface\s)|annotation(?=\s+class\s)|const(?=\s+val\s))")
# A closing brace on the same line as the last declaration or block, before which the grammar requires a
# separator.
DECLARES = re.compile(rb"(?<![\w.])(?:fun|val|var|class|object|interface|typealias|init) ")
CLOSES = re.compile(
    rb"(?:(?<![\w.])(?:fun|val|var|class|object|interface|typealias) "
    rb"(?:[^\n{}\" ]|\"[^\"\n{}]*+\"| (?!\})){0,400}+|(?<=\})) (?=\})"
)
OWN = 2  # parts of a package of the tree that an importer shares
TESTS = re.compile(r"(^|/)src/(test|\w*Test)/")
ACCESSOR = re.compile(r"[gs]et([^a-z].*)")
CALLED_LIKE = {"kotlin": ("invoke",), "scala": ("apply",)}
ALL_NAMES = ("namespace_wildcard", "type_identifier")  # in a Scala import: `_`, `*`, and `given` with a type
RECEIVER = re.compile(r":[^=(]{1,200}\.\s{0,4}\(")  # of a value that is called on objects: `val f: Cart.() -> Unit`


def facade(path: str, module: str) -> str:
    """Return the class that Java uses for a Kotlin file's top-level names; "" for other files and scripts."""
    stem = _stem(path)
    return (module or f"{stem[:1].upper()}{stem[1:]}Kt") if path.endswith(".kt") else ""


class Modules(Namespaces):
    """The packages of one tree."""

    def __init__(self, paths: Paths, configs: Mapping[str, bytes]) -> None:
        super().__init__(paths, configs)
        self._facades: dict[str, str] = {}  # Kotlin file -> the class that Java uses for it
        self._in_facades: dict[str, frozenset[str]] = {}  # Kotlin file -> the names in that class
        self._folders: dict[str, list[str]] = defaultdict(list)  # last part of a package -> folders
        seen = {posixpath.dirname(path) for path in paths.files if path.endswith(ENDINGS)}
        for folder in sorted(seen):
            self._folders[posixpath.basename(folder)].append(folder)
        self._stems: dict[str, list[str]] = defaultdict(list)
        for path in paths.files:
            if path.endswith(SUFFIXES) and not path.endswith(SCRIPT):
                self._stems[_stem(path)].append(path)

    def register(self, path: str, facts: Facts) -> None:
        """Register the content of a file in its innermost package."""
        super().register(path, replace(facts, spaces=facts.spaces[-1:]))

    def names(self, path: str, facts: Facts) -> tuple[frozenset[str], frozenset[str]]:
        """Return the types and plain names of a file, and its extensions, unless it replaces a package of Java.

        A script has none, since no other file can see them. Only an extension may follow a dot.
        """
        if path.endswith(SCRIPT):
            return frozenset(), frozenset()
        if not path.endswith(".java") and any(space.startswith(("java.", "javax.")) for space in facts.spaces):
            # a replacement for other platforms; elsewhere the import refers to Java's own package
            return frozenset(), frozenset()
        offered = [one for one in facts.definitions if not one.owner and one.visible not in ("file", "below")]
        types = {one.name for one in offered if one.kind in ("class", "type")}
        members = {one.name: one for one in offered if one.kind in ("function", "variable", "member")}
        if members and (called := facade(path, facts.module)):
            self._facades[path] = called
            self._in_facades[path] = self._in_facades.get(path, frozenset()).union(members)
            types.add(called)
        is_group = path.endswith(".scala") and any(one.extends for one in members.values())
        extensions = {name for name, one in members.items() if one.extends or is_group or RECEIVER.search(one.head)}
        return frozenset(types | members.keys() - extensions), frozenset(extensions)

    def holding(self, importer: str, space: str, name: str) -> Collection[str]:
        """Return the files that define a name in a package, or are named so in its folder.

        Only the nearest module counts, and only tests see tests.
        """
        end = "/" + space.replace(".", "/")
        files = {path for path in super().holding(importer, space, name) if not self._is_hidden(importer, path, name)}
        files |= {
            path
            for path in self._stems.get(name, ())
            if path not in self.spaces_of and f"/{posixpath.dirname(path)}".endswith(end)
        }
        if not TESTS.search(importer):
            files = {path for path in files if not TESTS.search(path)}
        if len(files) <= 1:
            return files
        near = max(shared_folders(path, importer) for path in files)
        modules = {path.partition("/src/")[0] for path in files if shared_folders(path, importer) == near}
        return {path for path in files if path.partition("/src/")[0] in modules}

    def is_known(self, name: str) -> bool:
        """Return whether a file defines a name or is named so."""
        return super().is_known(name) or name in self._stems

    def _is_hidden(self, importer: str, path: str, name: str) -> bool:
        """Return whether Java cannot see a Kotlin name directly, because it uses the file's class."""
        return importer.endswith(".java") and name in self._in_facades.get(path, ())

    def is_whole(self, path: str, name: str) -> bool:
        """Return whether a name is the class that Java uses for a Kotlin file."""
        return self._facades.get(path) == name

    def files(self, importer: str, item: Import, name: str = "") -> tuple[str, ...] | None:
        """Return the files of a package; with a name, the file of that name."""
        folders = self._of_package(item.spec)
        if not folders:
            is_class = item.spec.rpartition(".")[2][:1].isupper()  # from which the import takes a member
            return () if self._is_own(importer, item.spec) and not is_class else None
        found = tuple(sorted(self.holding(importer, item.spec, name))) if name else ()
        return found or self._all(folders)

    def visible_files(self, path: str, name: str = "") -> tuple[str, ...]:
        """Return the files of the package in all source roots."""
        folders = self._like(posixpath.dirname(path))
        if not name:
            return self._all(folders)
        spaces = self.spaces_of.get(path, ())
        found = {one for space in spaces for one in self.holding(path, space, name)}
        return tuple(sorted(found)) or (path,)

    def beside(self, importer: str, item: Import) -> tuple[str, Collection[str]]:
        """Return the other packages in the package around a missing one."""
        above = item.spec.rpartition(".")[0]
        return f"{above}.", {name for name in self._folders if self._of_package(f"{above}.{name}")}

    def _of_package(self, spec: str) -> list[str]:
        end = spec.replace(".", "/")
        return [one for one in self._folders.get(posixpath.basename(end), ()) if f"/{one}".endswith(f"/{end}")]

    def _like(self, folder: str) -> list[str]:
        parts = folder.split("/")
        roots = [at for at, part in enumerate(parts) if part in ("java", "kotlin", "src")]
        end = "/".join(parts[roots[-1] + 1 :]) if roots else folder
        return [
            one for one in self._folders.get(posixpath.basename(folder), ()) if not end or f"/{one}".endswith(f"/{end}")
        ]

    def _all(self, folders: list[str]) -> tuple[str, ...]:
        return tuple(
            f"{folder}/{name}"
            for folder in folders
            for name in sorted(self.paths.names(folder))
            if name.endswith(ENDINGS)
        )

    def _is_own(self, importer: str, spec: str) -> bool:
        return spec.count(".") >= OWN - 1 and f"/{'/'.join(spec.split('.')[:OWN])}/" in f"/{importer}"


def _stem(path: str) -> str:
    return posixpath.basename(path).partition(".")[0]


def _selected(place: str, selector: Node, line: int) -> Iterator[Import]:
    """Yield what a selector imports from a package: a name, also under another one, or all names."""
    name = text(selector.child_by_field_name("name") or selector).strip("`")
    alias = selector.child_by_field_name("alias")
    if selector.type in ALL_NAMES:
        yield Import(place, line, star=True)
    elif "comment" not in selector.type and (alias is None or alias.type != "wildcard"):
        yield Import(place, line, (Bound(name, text(alias).strip("`") if alias is not None else name, line),))


class Jvm(Language, frozen=True):
    """Java, Kotlin and Scala."""

    modules = Modules
    packaging: ClassVar[Packaging | None] = manifest
    granting_words = r"\binline\s"

    @property
    def called_like(self) -> tuple[str, ...]:
        """The method that a call of an object runs."""
        return CALLED_LIKE.get(self.name, ())

    def accessed(self, name: str, user: str) -> tuple[str, ...]:
        """Return the Kotlin property that Java has as `getName()`."""
        called = ACCESSOR.fullmatch(name) if (self.name, user) == ("kotlin", "java") else None
        own = called[1] if called is not None else ""
        return (f"{own[:1].lower()}{own[1:]}", own, f"is{own}") if own else ()

    def code(self, source: bytes) -> bytes:
        """Return a file in a form that its grammar can parse.

        Words that the grammar does not know are removed, and separators that only the grammar requires are added.
        """
        lines = UNREAD.sub(lambda found: b" " * len(found[0]), source).split(b"\n")
        for at, line in enumerate(lines):
            if b" }" in line and line.lstrip()[:1] != b"}" and DECLARES.search(line):
                lines[at] = CLOSES.sub(lambda found: found[0][:-1] + b";", line)
        return b"\n".join(lines)

    def listed(self, statement: Node) -> Iterator[Import]:
        """Yield the imports of a Scala statement, which may name several packages."""
        parts: list[list[Node]] = [[]]
        for child in statement.children:
            if child.type == ",":
                parts.append([])
            elif child.is_named and "comment" not in child.type:
                parts[-1].append(child)
        for path in parts:
            *names, last = path or [statement]
            place = ".".join(text(one).strip("`") for one in names).removeprefix("_root_").removeprefix(".")
            for one in last.named_children if last.type == "namespace_selectors" else path[-1:]:
                yield from _selected(place, one, first_line(statement))

    def offered(self, path: str, source: bytes, outline: Outline) -> Outline:
        """Return the definitions, and the class that Java uses for top-level names."""
        is_reached = any(
            "." not in one.name and not one.private and one.kind in ("function", "variable")
            for one in outline.definitions
        )
        called = facade(path, outline.module) if is_reached else ""
        return replace(outline, exports=(*outline.exports, (called, ""))) if called else outline
