"""Resolve PHP classes to files with the `autoload` tables of composer.json (PSR-4)."""

import posixpath
from collections.abc import Collection, Iterator, Mapping
from difflib import get_close_matches

from tree_sitter import Node

from deeprepo.impact.language import Language
from deeprepo.impact.paths import Paths, joined
from deeprepo.impact.reading.spellings import Spelling, qualified, quoted
from deeprepo.impact.resolver import Resolver
from deeprepo.impact.text.tables import json_table, table, texts
from deeprepo.impact.values import Import

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
        own = {
            path: source for path, source in configs.items() if path.endswith("composer.json") and "vendor/" not in path
        }
        self._paths, loads = paths, Autoload(own)
        self._folders = [row for row in loads.psr4 if row[0]]
        self._is_mapped = bool(loads.homes or loads.psr0)

    def files(self, importer: str, item: Import, name: str = "") -> tuple[str, ...] | None:
        """Return the files of a namespace; with a name, the file of that class."""
        folders = self._of(item.spec)
        if not folders:
            return None
        if name:
            found = tuple(path for folder in folders if (path := joined(folder, f"{name}.php")) in self._paths.files)
            return found or (None if self._may_be(folders, name) else ())
        found = tuple(
            sorted(joined(one, file) for one in folders for file in self._paths.names(one) if file.endswith(".php"))
        )
        return found or (None if self._may_be(folders, "") or any(map(self._paths.is_folder, folders)) else ())

    def inner(self, importer: str, item: Import, name: str) -> tuple[str, ...] | None:
        """Return () if there is no such folder, since a nested namespace is imported by its own name."""
        return None if any(self._paths.is_folder(joined(one, name)) for one in self._of(item.spec)) else ()

    def visible_files(self, path: str, name: str = "") -> tuple[str, ...]:
        """Return the files of the same folder."""
        folder = posixpath.dirname(path)
        if name:
            beside = joined(folder, f"{name}.php")
            return (beside,) if beside in self._paths.files else (path,)
        return tuple(sorted(joined(folder, one) for one in self._paths.names(folder) if one.endswith(".php")))

    def near(self, importer: str, item: Import) -> tuple[str, ...]:
        """Return similar namespaces next to a missing one."""
        above, _, last = item.spec.rpartition("\\")
        names = {
            one
            for folder in self._of(above)
            for one in self._paths.names(folder)
            if self._paths.is_folder(joined(folder, one))
        }
        return tuple(f"{above}\\{one}" for one in get_close_matches(last, sorted(names), 3, 0.72))

    def _of(self, spec: str) -> list[str]:
        """Return the folders of a namespace, by the longest matching prefix."""
        rows = [(prefix, folder) for prefix, folder in self._folders if f"{spec}\\".startswith(prefix)]
        longest = max((len(prefix) for prefix, _ in rows), default=0)
        return [joined(folder, spec[longest:].replace("\\", "/")) for prefix, folder in rows if len(prefix) == longest]

    def _may_be(self, folders: list[str], name: str) -> bool:
        return self._is_mapped or any(self._paths.is_open(joined(folder, f"{name or 'a'}.php")) for folder in folders)


class PHP(Language, frozen=True):
    """PHP."""

    modules = Modules
    everywhere = "function"

    def whole_name(self, spec: str) -> str:
        """Return the last part of a name, by which code uses it."""
        return spec.rpartition("\\")[2]

    def named(self, node: Node) -> Node | None:
        """Return the qualified name that ends in a name; a variable's name is none."""
        above = node.parent
        if above is None or above.type not in QUALIFIED:
            return None if above is not None and above.type in APART else node
        return above if above.end_byte == node.end_byte else None

    def is_respelled(self, name: str, names: Collection[str]) -> bool:
        """Return whether only upper and lower case differ, which PHP ignores."""
        return name.lower() in {one.lower() for one in names} - {name}

    def spellings(self, importer: str, old: str, new: str) -> Iterator[Spelling]:
        """Yield paths in quotes, and class names with their namespaces."""
        yield from quoted(importer, old, new)
        yield from qualified(old, new, "\\")
