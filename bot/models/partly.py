"""Providers' libraries, of which only the parts that are used are loaded.

`import anthropic` runs 3,000 modules and `import openai` 700, nearly all of them forms of requests and replies that are not used
here. Most packages of both only gather names of their own modules. Each such name is imported when somebody asks for it. If a
name comes from anywhere else, the whole `__init__` of its package runs first, as it always would.
"""

import ast
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from threading import RLock
from types import ModuleType
from typing import Any

LIBRARIES = ("anthropic", "openai")


def install() -> None:
    """Load these libraries in parts from now on; one that is imported already stays as it is."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


class _Finder(MetaPathFinder):
    """Finds the packages of the libraries."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """The package of this name, which is loaded in parts; None for any other module."""
        if name.partition(".")[0] not in LIBRARIES:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and spec.submodule_search_locations and type(spec.loader) is SourceFileLoader:
            spec.loader = _Loader(spec.loader.name, spec.loader.path)
        return spec


class _Package(ModuleType):
    """A package whose `__init__` has not run."""

    def __getattr__(self, name: str) -> object:
        loader: Any = self.__loader__
        try:
            value: object = loader.part(name)
        except (ImportError, AttributeError):  # such as modules that import each other, and work in one order alone
            loader.run(self)
            return getattr(self, name)
        self.__dict__[name] = value
        return value


class _Loader(SourceFileLoader):
    """Loads a package in parts."""

    def __init__(self, fullname: str, path: str) -> None:
        super().__init__(fullname, path)
        self._lock = RLock()

    def exec_module(self, module: ModuleType) -> None:
        """Leave the `__init__` for later."""
        module.__class__ = _Package

    def run(self, module: ModuleType) -> None:
        """Run the whole `__init__`, once."""
        with self._lock:
            if isinstance(module, _Package):
                module.__class__ = ModuleType  # type: ignore[assignment]  # what is no package of ours any more
                super().exec_module(module)

    def part(self, name: str) -> object:
        """What a name of the package stands for. Raises ImportError or AttributeError if only its `__init__` can tell."""
        gathered, elsewhere = self._names
        if name in elsewhere:
            raise AttributeError(name)
        module, inner = gathered.get(name, (name, ""))
        found = import_module(f"{self.name}.{module}")
        return getattr(found, inner) if inner else found

    @cached_property
    def _names(self) -> tuple[Mapping[str, tuple[str, str]], frozenset[str]]:
        """Names that come from the package's own modules: the module, and their name in it. And those that may come from elsewhere."""
        tree = ast.parse(self.get_data(self.path))
        own = [row for row in tree.body if isinstance(row, ast.ImportFrom) and row.level == 1]
        gathered = {
            alias.asname or alias.name: (row.module, alias.name) if row.module else (alias.name, "")
            for row in own
            for alias in row.names
        }
        return gathered, frozenset(name for row in tree.body if row not in own for name in _bound(row))


def _bound(row: ast.stmt) -> Iterator[str]:
    """The names that a statement may give a meaning to."""
    for node in ast.walk(row):
        match node:
            case ast.Name(ctx=ast.Store()):
                yield node.id
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.name
            case ast.alias():
                yield node.asname or node.name.partition(".")[0]
