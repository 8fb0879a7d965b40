"""Resolve dotted Python names to files by their paths.

A folder without `__init__.py` can be an import root. A name belongs to the tree if its first part is the
importer's own package, or a package in a project's place: at the root, in `src`, or next to a file that
installs it.
"""

import ast
import builtins
import posixpath
import re
import sys
import warnings
from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import ClassVar

from deeprepo.impact.language import Language
from deeprepo.impact.languages.python import manifest
from deeprepo.impact.languages.python.statements import import_lines
from deeprepo.impact.packages import Packaging
from deeprepo.impact.paths import Paths, above_of, joined
from deeprepo.impact.resolver import Resolver
from deeprepo.impact.text.lines import Places
from deeprepo.impact.values import Clues, Import

BUILTINS = frozenset(
    [*dir(builtins), "__file__", "__path__", "__builtins__", "reveal_type", "unicode", "basestring", "xrange"]
)
CONTINUED = r"\s*\\\s*$"  # the statement goes on in the next line
# a package takes precedence over a module of its name
FILES = ("/__init__.py", ".py", "/__init__.pyi", ".pyi")
INSTALLS = ("pyproject.toml", "setup.py", "setup.cfg", "manage.py")


class Modules(Resolver):
    """The modules of one tree."""

    def __init__(self, paths: Paths, configs: Mapping[str, bytes]) -> None:
        self._paths = paths
        self._projects = {posixpath.dirname(path) for path in configs if posixpath.basename(path) in INSTALLS}
        self._roots = _roots(paths.files)
        self._stems: dict[tuple[str, str], str | None] = {}  # importer and module name -> path without suffix

    def files(self, importer: str, item: Import, name: str = "") -> tuple[str, ...] | None:
        """Return the file of a module or package."""
        stem = self._stem(importer, item.spec)
        if stem is None:
            return None
        file = self._file(stem)
        if file is not None:
            return (file,)
        return None if self._paths.is_folder(stem) else ()

    def inner(self, importer: str, item: Import, name: str) -> tuple[str, ...] | None:
        """Return the submodule that an imported name refers to."""
        stem = self._stem(importer, item.spec)
        if stem is None:
            return None
        below = posixpath.join(stem, name)
        file = self._file(below)
        if file is not None:
            return (file,)
        return None if self._paths.is_folder(below) else ()

    def clues(self, path: str) -> Clues:
        """Return a pattern with the parent package, since a word such as `utils` matches half of a large tree."""
        folder, name = posixpath.split(path)
        package = name.rpartition(".")[0] == "__init__"
        module = folder if package else path.rpartition(".")[0]
        up, word = posixpath.split(module)
        parent, last = re.escape(posixpath.basename(up)), re.escape(word)
        if not last:
            return Clues(frozenset())
        far = []
        if parent:
            far.append(rf"\b{parent}(\.{last}\b|\s+import\b.*(\b{last}\b|[(\\])|{CONTINUED})")
        if not parent or f"{up}/__init__.py" not in self._paths.files:  # it may be imported by its bare name
            far.append(rf"\b((from|import)\s+([\w., ]*,\s*)?|import_module\(.){last}\b|\b(from|import){CONTINUED}")
        near = (rf"from\s+\.+(\s*import|{last}\b|{CONTINUED})",)
        return Clues(frozenset({word}), tuple(far), near, posixpath.dirname(folder) if package else folder)

    def beside(self, importer: str, item: Import) -> tuple[str, Collection[str]]:
        """Return the modules in the folder of a missing one."""
        folder, _, name = (self._stem(importer, item.spec) or "").rpartition("/")
        modules = {one.rpartition(".")[0] or one for one in self._paths.names(folder)} - {"__init__"}
        return item.spec.removesuffix(name), modules

    def _stem(self, importer: str, spec: str) -> str | None:
        key = importer, spec
        if key not in self._stems:
            self._stems[key] = self._resolved(importer, spec)
        return self._stems[key]

    def _resolved(self, importer: str, spec: str) -> str | None:
        parts = spec.lstrip(".").split(".") if spec.strip(".") else []
        dots = len(spec) - len(spec.lstrip("."))
        if dots:
            folder = posixpath.dirname(importer)
            for _ in range(dots - 1):
                if not folder:
                    return None
                folder = posixpath.dirname(folder)
            return joined(folder, "/".join(parts))
        homes = self._roots.get(parts[0], ()) if parts else ()
        if parts and parts[0] in sys.stdlib_module_names:  # a script may be next to a file of that name
            homes = tuple(home for home in homes if home == posixpath.dirname(importer))
        stems = [posixpath.join(home, *parts) for home in homes]
        found = [stem for stem in stems if self._file(stem) is not None]
        if not found:  # a folder without `__init__.py`
            found = [stem for stem in stems if self._paths.is_folder(stem)]
        mine = [stem for stem in found if self._is_own(stem[: -len("/".join(parts))].rstrip("/"), parts[0], importer)]
        if found:
            return min(mine or found, key=lambda one: _distance(one, importer))
        packages = [home for home in homes if posixpath.join(home, parts[0], "__init__.py") in self._paths.files]
        owning = [home for home in packages if self._is_own(home, parts[0], importer)]
        return posixpath.join(owning[0], *parts) if len(owning) == len(homes) == 1 else None

    def _is_own(self, home: str, top: str, importer: str) -> bool:
        """Return whether a name belongs to the tree rather than a library.

        The importer is in that package or next to it, or a project contains it.
        """
        package = posixpath.join(home, top)
        is_in = importer.startswith(f"{package}/") and f"{package}/__init__.py" in self._paths.files
        project = posixpath.dirname(home) if posixpath.basename(home) == "src" else home
        if project in self._projects or home in self._projects:
            return is_in or not project or importer.startswith(f"{project}/")
        return is_in or home == posixpath.dirname(importer)

    def _file(self, stem: str) -> str | None:
        return next((stem + end for end in FILES if stem + end in self._paths.files), None)


def _distance(stem: str, importer: str) -> tuple[int, int]:
    shared = len(posixpath.commonprefix([stem, importer]))
    return -shared, len(stem)


def _roots(files: frozenset[str]) -> Mapping[str, tuple[str, ...]]:
    """Return the first part of a dotted name -> its possible import roots."""
    python = [path for path in files if path.endswith((".py", ".pyi"))]
    packages = {posixpath.dirname(path) for path in python if posixpath.basename(path).startswith("__init__.")}
    tops: dict[str, set[str]] = defaultdict(set)
    folders = set[str]()
    for path in python:
        folder, _, name = path.rpartition("/")
        folders.update((folder, *above_of(folder)))
        if folder not in packages:
            tops[name.rpartition(".")[0]].add(folder)
    for folder in folders - {""}:
        up, _, name = folder.rpartition("/")
        if up not in packages:
            tops[name].add(up)
    return {name: tuple(sorted(homes)) for name, homes in tops.items()}


class Python(Language, frozen=True):
    """Python."""

    modules = Modules
    packaging: ClassVar[Packaging | None] = manifest
    builtin_names = BUILTINS
    reexports = True
    has_self_parameter = True
    sees_own_members = False
    metaclasses = frozenset({"type", "ABCMeta", "EnumMeta"})
    valued_bases = frozenset(
        f"{module}{name}"
        for module in ("", "enum.")
        for name in ("Enum", "IntEnum", "StrEnum", "Flag", "IntFlag", "ReprEnum")
    )

    def adds_nothing(self, base: str, name: str) -> bool:
        """Return whether a library class adds no member: an enumeration, or a type of its values."""
        values = {"str": str, "int": int}.get(base)  # `class Mode(str, Enum)`
        return base in self.valued_bases or (values is not None and not hasattr(values, name))

    def whole_name(self, spec: str) -> str:
        """Return the whole path, by which code uses a module after `import a.b`."""
        return spec

    def import_lines(self, source: bytes) -> bytes:
        """Return the import statements."""
        return import_lines(source)

    def faults(self, source: bytes) -> frozenset[int]:
        """Return lines that the grammar accepts and Python rejects.

        Examples are a block without a body, or a `return` outside a function.
        """
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                ast.parse(source)
        except SyntaxError as error:
            return frozenset({Places(source.decode("utf-8", "replace")).row(error.lineno or 1)})
        except (ValueError, RecursionError, MemoryError):
            return frozenset({1})
        return frozenset()
