"""C#'s namespaces: a namespace is the folders that the convention of projects gives it.

The namespace of a project is what its file says, or is called; folders below it add a part each. Nothing but habit holds a file to that,
so a namespace is missing only where another one of the tree is nearly called so, or nothing is called so in a tree that has the one around
it. A type is known by the file of its name.
"""

import posixpath
import re
from collections import defaultdict
from collections.abc import Mapping
from difflib import get_close_matches

from impact.language import Standalone
from impact.paths import Paths, above_of
from impact.values import Import

SLIP = 1  # letters more or fewer of a name that is mistyped
ROOT = re.compile(rb"<RootNamespace>([\w.]+)</RootNamespace>")
REF_PARTIAL = re.compile(rb"\bref(?=[ \t]++partial[ \t]++struct\b)")


def code(source: bytes) -> bytes:
    """The code without a word that the grammar does not know: the `ref` of `ref partial struct`."""
    return REF_PARTIAL.sub(b"   ", source)


class Modules(Standalone):
    """The namespaces of one tree."""

    def __init__(self, paths: Paths, configs: Mapping[str, bytes]) -> None:
        self._paths = paths
        self._folders: dict[str, list[str]] = defaultdict(list)  # namespace -> folders
        self._spaces: dict[str, str] = {}  # folder -> namespace
        roots = {
            posixpath.dirname(path): found[1].decode() if (found := ROOT.search(source)) else _stem(path)
            for path, source in configs.items()
            if path.endswith(".csproj")
        }
        self._roots = frozenset(roots.values())
        for folder in sorted({posixpath.dirname(path) for path in paths.files if path.endswith(".cs")}):
            home = next((above for above in (folder, *above_of(folder), "") if above in roots), None)
            if home is not None:
                parts = folder[len(home) :].strip("/").replace("/", ".")
                space = f"{roots[home]}.{parts}".rstrip(".")
                self._spaces[folder] = space
                self._folders[space].append(folder)

    def files(self, importer: str, item: Import, name: str = "") -> tuple[str, ...] | None:
        """The files of a namespace, with a name the one that is called so."""
        folders = self._folders.get(item.spec)
        if folders is None:
            above, _, last = item.spec.rpartition(".")
            if any(space.startswith(f"{item.spec}.") for space in self._folders):
                return None
            is_own = above in self._folders or above in self._roots
            return () if self.near(importer, item) or (is_own and not self._says(last)) else None
        if name:
            return self._named(folders, name) or None
        return tuple(
            f"{folder}/{one}".lstrip("/")
            for folder in folders
            for one in sorted(self._paths.names(folder))
            if one.endswith(".cs")
        )

    def mates(self, path: str, name: str = "") -> tuple[str, ...]:
        """The file of a name in the namespace of a file and those around it."""
        space = self._spaces.get(posixpath.dirname(path), "")
        while space:
            found = self._named(self._folders.get(space, []), name)
            if found:
                return found
            space = space.rpartition(".")[0]
        return ()

    def near(self, importer: str, item: Import) -> tuple[str, ...]:
        """The namespaces beside the one that is missing whose names are like its."""
        del importer
        above, _, last = item.spec.rpartition(".")
        start = f"{above}." if above else ""
        names = {space[len(start) :].partition(".")[0] for space in self._folders if space.startswith(start)}
        close = get_close_matches(last, sorted(names), 3, 0.75)
        return tuple(f"{start}{one}" for one in close if abs(len(one) - len(last)) <= SLIP)

    def _says(self, word: str) -> bool:
        """Whether a file or a folder is called like a word, or begins so."""
        return any(f"/{path}".find(f"/{word}") >= 0 or f".{word}" in path for path in self._paths.files)

    def _named(self, folders: list[str], name: str) -> tuple[str, ...]:
        files = (f"{folder}/{name}.cs".lstrip("/") for folder in folders)
        return tuple(path for path in files if path in self._paths.files)


def _stem(path: str) -> str:
    return posixpath.basename(path).removesuffix(".csproj")
