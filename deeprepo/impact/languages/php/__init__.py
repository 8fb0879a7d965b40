"""Resolve PHP names to files with the `autoload` tables of composer.json (PSR-4 and PSR-0).

They come from `use` statements, qualified names and includes. Classes of one namespace see each other without
a `use`, because they are in one folder.
"""

import posixpath
import re
from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import ClassVar

from tree_sitter import Node

from deeprepo.impact.language import Language
from deeprepo.impact.languages.php import manifest
from deeprepo.impact.packages import Packaging
from deeprepo.impact.paths import Paths, is_below, joined
from deeprepo.impact.resolver import Resolver
from deeprepo.impact.resolving.namespaces import Namespaces
from deeprepo.impact.text.tables import json_table, table, texts
from deeprepo.impact.values import Clues, Facts, Import

FUNCTIONS = "function"  # the namespace of functions without a namespace, which all files see
MOST_PREFIXES = 1_000  # in all composer.json files together; each name is compared with each prefix
QUALIFIED = ("qualified_name", "relative_name")
APART = ("variable_name", "namespace_name")  # nodes with identifiers that are no names


class Autoload:
    """The folders of classes that a tree's manifests declare."""

    def __init__(self, configs: Mapping[str, bytes]) -> None:
        """Read each composer.json."""
        self.psr4: list[tuple[str, str]] = []  # pairs of namespace prefix and folder
        self.psr0: list[tuple[str, str]] = []
        self.homes: list[str] = []  # folders and files in which any file may define a class
        for path in sorted(configs):
            manifest, folder = json_table(configs[path]), posixpath.dirname(path)
            for loads in (table(manifest.get(key)) for key in ("autoload", "autoload-dev")):
                for kind, rows in (("psr-4", self.psr4), ("psr-0", self.psr0)):
                    for prefix, folders in table(loads.get(kind)).items():
                        inner = prefix.replace("\\", "/") if kind == "psr-0" else ""
                        rows += [(prefix, joined(joined(folder, one), inner)) for one in texts(folders)]
                self.homes += [joined(folder, one) for one in texts(loads.get("classmap"))]


class Modules(Resolver):
    """The namespaces of one tree."""

    def __init__(self, paths: Paths, configs: Mapping[str, bytes]) -> None:
        self._paths = paths
        self._folders = [row for row in Autoload(configs).psr4 if row[0]]

    def files(self, importer: str, item: Import, name: str = "") -> tuple[str, ...] | None:
        """Return the files of a namespace; with a name, the file of that class."""
        names = [name] if name else []
        found = {
            joined(folder, f"{one}.php") for folder in self._of(item.spec) for one in names or self._classes(folder)
        }
        return tuple(sorted(found & self._paths.files)) or None

    def inner(self, importer: str, item: Import, name: str) -> tuple[str, ...] | None:
        """Return () if there is no such folder, since a nested namespace is imported by its own name."""
        return None if any(self._paths.is_folder(joined(one, name)) for one in self._of(item.spec)) else ()

    def visible_files(self, path: str, name: str = "") -> tuple[str, ...]:
        """Return the files of the same folder."""
        folder = posixpath.dirname(path)
        beside = {joined(folder, f"{one}.php") for one in ([name] if name else self._classes(folder))}
        return tuple(sorted(beside & self._paths.files)) or (path,)

    def _classes(self, folder: str) -> list[str]:
        return [name.removesuffix(".php") for name in self._paths.names(folder) if name.endswith(".php")]

    def _of(self, spec: str) -> list[str]:
        rows = [(prefix, folder) for prefix, folder in self._folders if f"{spec}\\".startswith(prefix)]
        longest = max((len(prefix) for prefix, _ in rows), default=0)
        return [joined(folder, spec[longest:].replace("\\", "/")) for prefix, folder in rows if len(prefix) == longest]


class SearchModules(Namespaces):
    """The classes and files of one tree."""

    declares_content = False
    has_nested_imports = False

    def __init__(self, paths: Paths, configs: Mapping[str, bytes]) -> None:
        super().__init__(paths, configs)
        loads = Autoload(configs)
        # Namespace with its trailing backslash -> folder.
        self._prefixes = sorted([*loads.psr4, *loads.psr0][:MOST_PREFIXES], key=lambda row: (-len(row[0]), row))
        self._homes = loads.homes
        self._named: dict[str, list[str]] = defaultdict(list)  # base name -> files
        for path in paths.files:
            self._named[posixpath.basename(path)].append(path)
        self._found: dict[str, str | None] = {}

    def register(self, path: str, facts: Facts) -> None:
        """Register the content of a file, since no path shows its functions and constants."""
        super().register(path, facts)
        functions = {one.name for one in facts.definitions if not one.owner and one.kind == "function"}
        for name in functions if not facts.spaces and path in self.paths.files else ():
            self._files[FUNCTIONS, name].add(path)

    def names(self, path: str, facts: Facts) -> tuple[frozenset[str], frozenset[str]]:
        """Return the classes, functions and constants of a file."""
        return frozenset(one.name for one in facts.definitions if not one.owner), frozenset()

    def names_unread(self, path: str) -> Collection[str]:
        """Return the base name of a file, and the class of that name."""
        name = posixpath.basename(path)
        return {name, name.partition(".")[0]} - {""}

    def clues(self, path: str, names: Collection[str] = ()) -> Clues:
        """Return names as in qualified names or groups, names without a namespace, and the quoted name of a file."""
        words = "|".join(sorted(re.escape(name) for name in names if name.isidentifier()))
        far = [rf"{re.escape(posixpath.basename(path))}['\"]"]
        if words:
            far.append(rf"\\({words})\b|[{{,]\s*({words})\b[^;()]*[,}}]|^\s*({words})(\s+as\s+\w+)?\s*[,}}]")
        if words and "" in self.spaces_of.get(path, ()):
            far.append(rf"(?<![\w\\$>:])({words})\b")
        return Clues(frozenset(names), tuple(far))

    def in_sight(self, path: str, written: Collection[str]) -> Collection[str]:
        """Return where names without a namespace are: in a file with a namespace, only functions are in sight."""
        return (FUNCTIONS,) if written else (FUNCTIONS, "")

    def around(self, path: str, written: Collection[str]) -> Collection[str]:
        """Return the namespaces of the file."""
        return written

    def opened(self, item: Import) -> Collection[str]:
        """Return (): only includes take all names."""
        return ()

    def loaded(self, importer: str, item: Import) -> tuple[str, ...]:
        """Return the file that `require` or `include` loads: next to the file, or from the root of the tree."""
        if not item.star:
            return ()
        tries = joined(posixpath.dirname(importer), item.spec.lstrip("/")), posixpath.normpath(item.spec)
        return tuple(one for one in tries if one in self.paths.files)[:1]

    def holding(self, importer: str, space: str, name: str) -> Collection[str]:
        """Return the file of a class by its path, or the registered files that define a name."""
        space = space.replace("\\namespace", "")
        full = f"{space}\\{name}".lstrip("\\")
        if full not in self._found:
            self._found[full] = self._search(full) if space != FUNCTIONS else None
        found = self._found[full]
        return super().holding(importer, space, name) if found is None else (found,)

    def is_known(self, name: str) -> bool:
        """Return whether a name may be a class, or was registered."""
        return name[:1].isupper() or name in self._names

    def mates(self, path: str, changed: Collection[str]) -> Collection[str]:
        """Return the files of the same namespace.

        They share its folder if composer.json maps folders to namespaces.
        """
        folder = posixpath.dirname(path)
        homes = [*(home for _, home in self._prefixes), *self._homes]
        if not path.endswith(".php") or not any(is_below(folder, home) for home in homes):
            return ()
        beside = (joined(folder, name) for name in self.paths.names(folder) if name.endswith(".php"))
        return sorted(one for one in beside if one in self.paths.files and one != path)

    def _search(self, full: str) -> str | None:
        for prefix, home in self._prefixes:
            inner = full.removeprefix(prefix) if full.startswith(prefix) else ""
            path = joined(home, inner.strip("\\").replace("\\", "/") + ".php")
            if inner and path in self.paths.files:
                return path
        if (self._prefixes and not self._homes) or "\\" not in full:
            return None
        tail = full.split("\\")[-2:]  # without a map: the class's file in a folder named like its namespace
        ending = "/" + "/".join(tail) + ".php"
        folders = self._homes if self._prefixes else [""]
        named = [
            path
            for path in self._named.get(f"{tail[-1]}.php", ())
            if any(is_below(posixpath.dirname(path), folder) for folder in folders)
        ]
        paths = [path for path in named if f"/{path}".endswith(ending)]
        paths = paths or [path for path in named if _holds(path, full)]  # the namespace omits some folders
        return paths[0] if len(paths) == 1 else None


def _holds(path: str, full: str) -> bool:
    """Return whether a file's folders contain the parts of a namespace in order.

    The first part, the project's name, does not count.
    """
    folders = iter(path.split("/")[:-1])
    parts = full.split("\\")[1:-1]
    return bool(parts) and all(part in folders for part in parts)


class PHP(Language, frozen=True):
    """PHP."""

    modules = Modules
    search_modules = SearchModules
    packaging: ClassVar[Packaging | None] = manifest
    sees_own_members = False

    def whole_name(self, spec: str) -> str:
        """Return the last part of a name, by which code uses it."""
        return spec.rpartition("\\")[2]

    def named(self, node: Node) -> Node | None:
        """Return the qualified name that ends in a name; a variable's name is none."""
        above = node.parent
        if above is None or above.type not in QUALIFIED:
            return None if above is not None and above.type in APART else node
        return above if above.end_byte == node.end_byte else None
