"""Packages of Java and Kotlin: a package is the folders whose path ends in it, of whatever source root.

A package is the tree's own where the importer shares its first two parts, or many folders of main source roots have them. A class is looked for in the file of its name, else in every
file of the package: Kotlin puts several into one.
"""

import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from difflib import get_close_matches

from impact.language import Standalone
from impact.paths import Paths, joined
from impact.values import Import

ENDINGS = (".java", ".kt")
OTHERS = (
    ".groovy",
    ".scala",
    ".clj",
    ".proto",
    ".g4",
    ".avsc",
    ".xsd",
    ".wsdl",
    ".fbs",
    ".jte",
    ".class",
)  # a build makes classes of these
MAKERS = (
    b"jooq",
    b"openapi",
    b"protobuf",
    b"antlr",
    b"avro",
    b"xjc",
    b"jaxb",
    b"codegen",
    b"graphql",
    b"sqldelight",
    b"swagger",
    b"wsdl",
)
# Words that Kotlin's grammar stumbles over: a class of one function, and an annotation below others.
UNREAD = re.compile(rb"\b(?:fun(?=\s+interface\s)|annotation(?=\s+class\s))")
VENDORED = 10  # a package is the tree's own with one in so many of its folders, or more
OWN = 2  # parts of a package that its importer shares, or a package of a main source root
MAIN = re.compile(r"(?:^|/)src/main/(?:java|kotlin)/(.+)")


def code(source: bytes) -> bytes:
    """A file without the words that its grammar does not know."""
    return UNREAD.sub(lambda found: b" " * len(found[0]), source)


class Modules(Standalone):
    """The packages of one tree."""

    guesses = False

    def __init__(self, paths: Paths, configs: Mapping[str, bytes]) -> None:
        self._paths = paths
        self._folders: dict[str, list[str]] = defaultdict(list)  # last part of a package -> folders
        seen = {posixpath.dirname(path) for path in paths.files if path.endswith(ENDINGS)}
        for folder in sorted(seen):
            self._folders[posixpath.basename(folder)].append(folder)
        starts = Counter("/".join(found[1].split("/")[:OWN]) for folder in seen if (found := MAIN.search(folder)))
        # A few packages of somebody else's, which a project has copied, do not make the others of that name its own.
        self._starts = {start for start, folders in starts.items() if folders * VENDORED >= starts.total()}
        self._classes = {posixpath.basename(path).partition(".")[0] for path in paths.files if path.endswith(ENDINGS)}
        text = b"\n".join(source.lower() for path, source in configs.items() if not path.endswith(".gitignore"))
        self._is_made = any(word in text for word in MAKERS) or any(path.endswith(OTHERS) for path in paths.files)

    def files(self, importer: str, item: Import, name: str = "") -> tuple[str, ...] | None:
        """The files of a package, with a name the one that is called so. None is missing that a generator may make: such a one is like no other."""
        folders = self._of_package(item.spec)
        if not folders and item.spec.rpartition(".")[2][:1].isupper():  # a class, of which the import takes a member
            return None
        if not folders:
            names = {name, *(bound.there for bound in item.names)}
            is_known = self._near(item.spec) or bool(names & self._classes)
            is_known = is_known or (not self._is_made and bool(self._of_package(item.spec.rpartition(".")[0])))
            return () if self._is_own(importer, item.spec) and is_known else None
        if not self._is_own(importer, item.spec):
            return None
        return self._named(folders, name) or self._all(folders)

    def mates(self, path: str, name: str = "") -> tuple[str, ...]:
        """The files of the package, in all source roots."""
        folders = self._like(posixpath.dirname(path))
        return self._named(folders, name) or ((path,) if name else self._all(folders))

    def near(self, importer: str, item: Import) -> tuple[str, ...]:
        """The packages whose names are like the one that is missing."""
        del importer
        return self._near(item.spec)

    def _near(self, spec: str) -> tuple[str, ...]:
        above, _, last = spec.rpartition(".")
        names = {
            posixpath.basename(one) for folder in self._of_package(above, any_depth=True) for one in self._below(folder)
        }
        return tuple(f"{above}.{one}" for one in get_close_matches(last, sorted(names), 3, 0.72))

    def _of_package(self, spec: str, *, any_depth: bool = False) -> list[str]:
        end = spec.replace(".", "/")
        if any_depth:
            every = {folder for rows in self._folders.values() for folder in rows}
            return sorted(
                {
                    f"/{one}/".partition(f"/{end}/")[0].strip("/") + f"/{end}"
                    for one in every
                    if f"/{end}/" in f"/{one}/"
                }
            )
        return [one for one in self._folders.get(posixpath.basename(end), ()) if f"/{one}".endswith(f"/{end}")]

    def _below(self, folder: str) -> list[str]:
        return [
            joined(folder, name)
            for name in self._paths.names(folder.strip("/"))
            if self._paths.is_folder(joined(folder.strip("/"), name))
        ]

    def _like(self, folder: str) -> list[str]:
        """The folders of the same package in other source roots: those that end in the same last parts."""
        parts = folder.split("/")
        roots = [at for at, part in enumerate(parts) if part in ("java", "kotlin", "src")]
        end = "/".join(parts[roots[-1] + 1 :]) if roots else folder
        return [
            one for one in self._folders.get(posixpath.basename(folder), ()) if not end or f"/{one}".endswith(f"/{end}")
        ]

    def _named(self, folders: list[str], name: str) -> tuple[str, ...]:
        files = (f"{folder}/{name}{end}" for folder in folders for end in ENDINGS) if name else ()
        return tuple(path for path in files if path in self._paths.files)

    def _all(self, folders: list[str]) -> tuple[str, ...]:
        return tuple(
            f"{folder}/{name}"
            for folder in folders
            for name in sorted(self._paths.names(folder))
            if name.endswith(ENDINGS)
        )

    def _is_own(self, importer: str, spec: str) -> bool:
        start = "/".join(spec.split(".")[:OWN])
        return spec.count(".") >= OWN - 1 and (f"/{start}/" in f"/{importer}" or start in self._starts)
