"""Resolve Java, Kotlin and Scala packages to all folders whose path ends with the package.

A package belongs to the tree if the importer shares its first two parts, if many folders in main source
roots have them, or if it is in the importer's own source root. A class is in the file of its name, otherwise in any file of the package, because Kotlin
allows several classes per file. Of several modules with the class, the nearest is used.
"""

import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import ClassVar

from tree_sitter import Node

from deeprepo.impact.language import Language
from deeprepo.impact.languages.jvm import manifest
from deeprepo.impact.languages.jvm.generated import accessors
from deeprepo.impact.packages import Packaging
from deeprepo.impact.paths import Paths, joined, shared_folders
from deeprepo.impact.reading.nodes import first_line, text
from deeprepo.impact.reading.spellings import Spelling, qualified
from deeprepo.impact.resolving.namespaces import Namespaces
from deeprepo.impact.structs import replace
from deeprepo.impact.values import Bound, Facts, Import, Outline

ENDINGS = (".java", ".kt")
SCRIPT = ".kts"
SUFFIXES = (*ENDINGS, SCRIPT, ".scala")
# Files from which a build generates classes.
OTHERS = (".groovy", ".scala", ".clj", ".proto", ".g4", ".avsc", ".xsd", ".wsdl", ".fbs", ".jte", ".class")
MAKERS = (
    b"jooq", b"openapi", b"protobuf", b"antlr", b"avro", b"xjc", b"jaxb", b"codegen", b"graphql",
    b"sqldelight", b"swagger", b"wsdl", b"annotationprocessor", b"apt-maven", b"kapt", b"ksp",
    b"com.android", b"viewbinding", b"safeargs",
)  # fmt: skip
LONG = 4  # letters of a class name from which generated names are derived
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
VENDORED = 10  # a prefix belongs to the tree if it has at least a tenth of the folders
OWN = 2  # parts of a package that an importer, or a package in a main source root, must share
TESTS = re.compile(r"(^|/)src/(test|\w*Test)/")
CALLED_LIKE = {"kotlin": ("invoke",), "scala": ("apply",)}
ALL_NAMES = ("namespace_wildcard", "type_identifier")  # in a Scala import: `_`, `*`, and `given` with a type
RECEIVER = re.compile(r":[^=(]{1,200}\.\s{0,4}\(")  # of a value that is called on objects: `val f: Cart.() -> Unit`
MAIN = re.compile(r"(?:^|/)src/main/(?:java|kotlin)/(.+)")


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
        starts = Counter("/".join(found[1].split("/")[:OWN]) for folder in seen if (found := MAIN.search(folder)))
        # A few vendored packages do not make all packages with that prefix the project's own.
        self._starts = {start for start, folders in starts.items() if folders * VENDORED >= starts.total()}
        others = {posixpath.dirname(path) for path in paths.files if path.endswith(OTHERS)}
        # the same for folders with files of unknown classes
        self._others: dict[str, list[str]] = defaultdict(list)
        for folder in sorted(others):
            self._others[posixpath.basename(folder)].append(folder)
        self._stems: dict[str, list[str]] = defaultdict(list)
        for path in paths.files:
            if path.endswith(SUFFIXES) and not path.endswith(SCRIPT):
                self._stems[_stem(path)].append(path)
        text = b"\n".join(source.lower() for path, source in configs.items() if not path.endswith(".gitignore"))
        self._is_made = any(word in text for word in MAKERS) or any(path.endswith(OTHERS) for path in paths.files)

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
        """Return the files of a package; with a name, the file of that name.

        A package counts as missing only if its name resembles another one, because it may be generated.
        """
        folders = self._of_package(item.spec)
        # a class, from which the import takes a member
        if not folders and item.spec.rpartition(".")[2][:1].isupper():
            return None
        if not folders:
            names = {name, *(bound.there for bound in item.names)}
            is_known = self._near(item.spec) or bool(names & self._stems.keys())
            is_known = is_known or (not self._is_made and bool(self._of_package(item.spec.rpartition(".")[0])))
            is_known = is_known and not (self._is_made and self._of_package(item.spec, any_depth=True))
            return () if self._is_own(importer, item.spec) and is_known else None
        if not self._is_own(importer, item.spec):
            return None
        found = tuple(sorted(self.holding(importer, item.spec, name))) if name else ()
        if name and not found and self._of_package(item.spec, self._others):
            return None  # one of these files may define it, whatever its own name is
        return found or self._all(folders)

    def visible_files(self, path: str, name: str = "") -> tuple[str, ...]:
        """Return the files of the package in all source roots."""
        folders = self._like(posixpath.dirname(path))
        if not name:
            return self._all(folders)
        spaces = self.spaces_of.get(path, ())
        found = {one for space in spaces for one in self.holding(path, space, name)}
        return tuple(sorted(found)) or (path,)

    def near(self, importer: str, item: Import) -> tuple[str, ...]:
        """Return packages with similar names."""
        return self._near(item.spec)

    def _near(self, spec: str) -> tuple[str, ...]:
        above, _, last = spec.rpartition(".")
        names = {
            posixpath.basename(one) for folder in self._of_package(above, any_depth=True) for one in self._below(folder)
        }
        return tuple(f"{above}.{one}" for one in get_close_matches(last, sorted(names - {last}), 3, 0.72))

    def _of_package(
        self, spec: str, known: Mapping[str, Sequence[str]] | None = None, *, any_depth: bool = False
    ) -> list[str]:
        end, known = spec.replace(".", "/"), self._folders if known is None else known
        if any_depth:
            every = {folder for rows in self._folders.values() for folder in rows}
            return sorted(
                {
                    f"/{one}/".partition(f"/{end}/")[0].strip("/") + f"/{end}"
                    for one in every
                    if f"/{end}/" in f"/{one}/"
                }
            )
        return [one for one in known.get(posixpath.basename(end), ()) if f"/{one}".endswith(f"/{end}")]

    def _below(self, folder: str) -> list[str]:
        return [
            joined(folder, name)
            for name in self.paths.names(folder.strip("/"))
            if self.paths.is_folder(joined(folder.strip("/"), name))
        ]

    def _like(self, folder: str) -> list[str]:
        """Return the folders of the same package in other source roots."""
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
        start = "/".join(spec.split(".")[:OWN])
        is_like_own = spec.count(".") >= OWN - 1 and (f"/{start}/" in f"/{importer}" or start in self._starts)
        return is_like_own or self._is_beside(importer, spec)

    def _is_beside(self, importer: str, spec: str) -> bool:
        """Return whether the importer's source root also contains the package, so that both are built together."""
        folder, known = f"/{posixpath.dirname(importer)}", self._of_package(spec)
        ends = [f"/{space.replace('.', '/')}" for space in self.spaces_of.get(importer, ()) if space] if known else []
        roots = {folder.removesuffix(end) for end in ends if folder.endswith(end)}
        return any(f"{root}/{spec.replace('.', '/')}" in {f"/{one}" for one in known} for root in roots)


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
        """Return the definitions with generated accessors, and the class that Java uses for top-level names."""
        outline = replace(outline, definitions=(*outline.definitions, *accessors(outline, source)))
        is_reached = any(
            "." not in one.name and not one.private and one.kind in ("function", "variable")
            for one in outline.definitions
        )
        called = facade(path, outline.module) if is_reached else ""
        return replace(outline, exports=(*outline.exports, (called, ""))) if called else outline

    def spellings(self, importer: str, old: str, new: str) -> Iterator[Spelling]:
        """Yield class names with their packages."""
        return qualified(old, new, ".")
