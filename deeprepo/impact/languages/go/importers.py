"""Find the imports of Go packages, and their local names."""

import posixpath
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping

from deeprepo.impact.language import languages
from deeprepo.impact.languages.go import Modules
from deeprepo.impact.languages.go.names import likely_names
from deeprepo.impact.reading.unreadable import finds
from deeprepo.impact.resolving.importers import WHOLE, KnownModules, statements
from deeprepo.impact.resolving.offers import uses as read_uses
from deeprepo.impact.values import Import, Link, Use

GO = languages()[".go"]
DOTTED = re.compile(rb"(?<![\w\x80-\xff])([\w\x80-\xff]++)\.")


class GoModules(KnownModules[Modules]):
    """The packages of one tree. Satisfies `ports.Project` and `ports.SharedScope`."""

    def __init__(self, paths: Collection[str], configs: Mapping[str, bytes]) -> None:
        super().__init__(Modules, paths, configs)
        self._folders: dict[str, set[str]] = defaultdict(set)
        for path in self.paths:
            if path.endswith(".go"):
                self._folders[posixpath.dirname(path)].add(path)

    def visible_files(self, path: str) -> Collection[str]:
        """Return the other files in the folder, including tests."""
        return self._folders.get(posixpath.dirname(path), set()) - {path}

    def imports(self, path: str, source: bytes, words: frozenset[str] = frozenset()) -> tuple[Link, ...]:
        """Return a file's imports that resolve to the tree, one for each file of the package."""
        rows = [one for one in statements(GO, source) if not words or one.spec in words]
        dotted = frozenset(DOTTED.findall(source)) if rows else frozenset[bytes]()
        return tuple(dict.fromkeys(item for one in rows for item in self._of_package(path, one, dotted)))

    def _of_package(self, path: str, item: Import, dotted: frozenset[bytes]) -> Iterator[Link]:
        here = "" if item.star else item.whole or _local_name(item.spec, dotted)
        is_unnamed = here in ("", "_")  # an import for side effects binds nothing
        for file in self.modules.files(path, item) or ():
            if not file.endswith("_test.go"):
                taken = WHOLE if here != "_" else frozenset[str]()
                yield Link(file, taken, item.line, () if is_unnamed else (("*", here),))


def _local_name(spec: str, dotted: frozenset[bytes]) -> str:
    """Return the local name of a package imported without one: the likely name that is used before a dot."""
    names = likely_names(spec)
    return next((name for name in names if name.encode() in dotted), names[0] if names else "")


project = GoModules


@finds
def uses(path: str, source: bytes, names: Collection[str]) -> tuple[Use, ...]:
    """Return the identifiers of a file that match one of the names.

    An imported package is found by its likely name.
    """
    wanted_names = frozenset(names)
    import_uses = [
        Use(name, item.line, "import")
        for item in statements(GO, source)
        for name in (likely_names(item.spec) if not item.whole and not item.star else ())
        if name in wanted_names
    ]
    code_uses = read_uses(path, source, wanted_names)
    return type(code_uses)((*import_uses, *code_uses))
