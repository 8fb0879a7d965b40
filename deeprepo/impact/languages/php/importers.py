"""Resolve PHP names with composer.json's PSR-4 and PSR-0.

They come from `use` statements, qualified names and includes. Classes of one namespace see each other without
a `use`, because they are in one folder.
"""

import posixpath
import re
from collections import defaultdict
from collections.abc import Collection, Mapping

from deeprepo.impact.languages.php import Autoload
from deeprepo.impact.paths import Paths, is_below, joined
from deeprepo.impact.resolving.namespaces import Namespaces
from deeprepo.impact.resolving.offers import uses as read_uses
from deeprepo.impact.values import Clues, Facts, Import, Use

FUNCTIONS = "function"  # the namespace of functions without a namespace, which all files see
MOST_PREFIXES = 1_000  # in all composer.json files together; each name is compared with each prefix


class Names(Namespaces):
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


def uses(path: str, source: bytes, names: Collection[str]) -> tuple[Use, ...]:
    r"""Return the identifiers of a file that match one of the names; `Models\Order` is matched by its last part."""
    return read_uses(path, source, {name.rpartition("\\")[2] for name in names})
