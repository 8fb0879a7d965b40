"""Resolve Elixir modules to files.

Mix compiles every file below `lib` under any name. By convention, `Shop.CartView` is in
lib/shop/cart_view.ex, with or without folders such as `views` between. One folder may spell several parts
(`Phoenix.LiveView` is lib/phoenix_live_view), and a task's file spells them with dots. A module that several files
match resolves to none of them.
"""

import posixpath
import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from tree_sitter import Node

from deeprepo.impact.language import Language
from deeprepo.impact.paths import Paths
from deeprepo.impact.reading.lexical import camel
from deeprepo.impact.reading.nodes import text
from deeprepo.impact.resolving.namespaces import Namespaces
from deeprepo.impact.values import Arguments, Facts

ENDINGS = (".ex", ".exs")
ROOT = re.compile(r"(?:^|.*/)(?:lib|test|test/support|web|src|priv/repo/migrations|config)/")


class SearchModules(Namespaces):
    """The modules of one tree."""

    declares_content = False
    has_nested_imports = False

    def __init__(self, paths: Paths, configs: Mapping[str, bytes]) -> None:
        super().__init__(paths, configs)
        self._by_stem: dict[str, list[str]] = defaultdict(list)
        for path in paths.files:
            if path.endswith(ENDINGS):
                self._by_stem[_plain(_own_name(path))].append(path)
        self._found: dict[str, str | None] = {}
        self._first: dict[str, str] = {}  # first module of a registered file -> the file
        # Each further module -> the registered files that contain it on either side.
        self._further: dict[str, set[str]] = defaultdict(set)

    def register(self, path: str, facts: Facts) -> None:
        """Register the modules of a file, since its path need not match the first and matches no other."""
        self.place(path, facts.spaces)
        self._found.clear()
        if facts.spaces and path in self.paths.files:
            self._names |= self.names(path, facts)[0]
            self._first.setdefault(facts.spaces[0], path)
            for module in facts.spaces[1:]:
                self._further[module].add(path)

    def names(self, path: str, facts: Facts) -> tuple[frozenset[str], frozenset[str]]:
        """Return the last parts of the names of modules."""
        return frozenset(module.rpartition(".")[2] for module in facts.spaces), frozenset()

    def names_unread(self, path: str) -> Collection[str]:
        """Return how the last part of the name of a file's module may be capitalized."""
        stem = _own_name(path)
        return {camel(stem), stem.replace("_", "").upper()} - {""}

    def holding(self, importer: str, space: str, name: str) -> Collection[str]:
        """Return the only file whose path matches a module, or the registered file that declares it.

        A registered file declares only its own modules: `Supervisor` isn't in a file of `Shop.Supervisor`.
        """
        module = f"{space}.{name}".lstrip(".")
        if module not in self._found:
            self._found[module] = self._search(module) or self._first.get(module)
        found = self._found[module]
        homes = self._further.get(module, set()) if found is None else {found}
        return homes if len(homes) == 1 else ()

    def in_sight(self, path: str, written: Collection[str]) -> Collection[str]:
        """Return the top level: a module's own name is no prefix of the names in it."""
        return ("",)

    def is_known(self, name: str) -> bool:
        """Return whether a module may have this name."""
        return name[:1].isupper() and (_plain(name) in self._by_stem or name in self._names)

    def is_whole(self, path: str, name: str) -> bool:
        """Return whether a name means the whole file, not a further module in it that another file may define."""
        modules = [module for module, homes in self._further.items() if path in homes]
        return not any(one.rpartition(".")[2] == name and self._found.get(one) is None for one in modules)

    def mates(self, path: str, changed: Collection[str]) -> Collection[str]:
        """Return (): each module is named where it is used."""
        return ()

    def _search(self, module: str) -> str | None:
        parts = [_plain(part) for part in module.split(".")]
        known = self._by_stem.get(parts[-1], ())
        paths = [path for path in known if module in (self.spaces_of.get(path) or {module})]
        files = [path for path in paths if _spells(path, parts[:-1])]
        exact = [path for path in files if _inner_folders(path) == parts[:-1]]
        chosen = exact or files
        return chosen[0] if len(chosen) == 1 else None


def _plain(stem: str) -> str:
    return stem.replace("_", "").lower()


def _own_name(path: str) -> str:
    """Return the last part of a module's name from its file: `Mix.Tasks.Shop.Load` is in mix/tasks/shop.load.ex."""
    return posixpath.splitext(posixpath.basename(path))[0].rpartition(".")[2]


def _inner_folders(path: str) -> list[str]:
    root = ROOT.match(path)
    *folders, name = path[root.end() if root else 0 :].split("/")
    return [_plain(part) for part in (*folders, *name.split(".")[:-2])]


def _spells(path: str, parts: Sequence[str]) -> bool:
    """Return whether a file's folders spell the enclosing modules in order.

    Other folders, such as `views`, may be between.
    """
    if not ROOT.match(path):
        return False
    at = 0
    for folder in _inner_folders(path):
        remaining = "".join(parts[at:])
        ends = [
            end
            for end in range(len(parts), at, -1)
            if remaining.startswith(folder) and folder == "".join(parts[at:end])
        ]
        at = ends[0] if ends else at
    return at == len(parts)


def _operator(node: Node | None) -> str:
    return text(node.child_by_field_name("operator")) if node is not None else ""


class Elixir(Language, frozen=True):
    """Elixir. Its files are searched for references only, since no import names a module's file."""

    search_modules = SearchModules
    paths = ("alias",)
    module_word = "defmodule"

    def whole_name(self, spec: str) -> str:
        """Return the last part of a module's name, which is its alias."""
        return spec.rpartition(".")[2]

    def passed(self, call: Node) -> Arguments:
        """Return the arguments of a call. A pipe and a block add one each, and `&total/2` states the number."""
        above = call.parent
        outer = above.parent if above is not None else None
        if above is not None and _operator(outer) == "&" and _operator(above) == "/":
            return Arguments(int(text(above.child_by_field_name("right"))))
        parts = [one for child in call.named_children if child.type == "arguments" for one in child.named_children]
        written = [one for one in parts if one.type != "comment"]
        is_piped = above is not None and _operator(above) == "|>" and above.child_by_field_name("right") == call
        has_block = any(one.type == "do_block" for one in call.named_children)
        has_keywords = bool(written) and written[-1].type == "keywords"  # a block joins the keywords
        spread = any("unquote_splicing" in text(one) for one in written)
        return Arguments(len(written) + is_piped + (has_block and not has_keywords), spread=spread)
