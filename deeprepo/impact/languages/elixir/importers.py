"""Resolve Elixir modules to files, and local names to modules.

Mix compiles every file below `lib` under any name. By convention, `Shop.CartView` is in
lib/shop/cart_view.ex, with or without folders such as `views` between. One folder may spell several parts
(`Phoenix.LiveView` is lib/phoenix_live_view), a task's file spells them with dots, and files below `web` omit
the application. A module that several files match resolves to none of them.
"""

import posixpath
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from tree_sitter import Node

from deeprepo.impact.reading import reader
from deeprepo.impact.reading.lexical import MOST_IMPORTS, camel, mention, underscore
from deeprepo.impact.reading.nodes import first_line, text
from deeprepo.impact.reading.unreadable import Unreadable
from deeprepo.impact.values import Clues, Link

ENDINGS = (".ex", ".exs")
ROOT = re.compile(r"(?:^|.*/)(?:lib|test|test/support|web|src|priv/repo/migrations|config)/")
ACRONYM = 3  # letters of a word that may be an acronym


class ElixirModules:
    """The modules of one tree. Satisfies `ports.Project`."""

    def __init__(self, paths: Collection[str], configs: Mapping[str, bytes]) -> None:
        # the paths show the names of modules
        self._paths = frozenset(path for path in paths if path.endswith(ENDINGS))
        self._by_stem: dict[str, list[str]] | None = None
        self._files: dict[str, str | None] = {}
        self._names: dict[str, str] = {}  # first module of a changed file -> the file
        # Each further module -> the changed files that contain it on either side.
        self._further: dict[str, set[str]] = defaultdict(set)
        self._declared: dict[str, set[str]] = defaultdict(set)  # changed file -> its modules on either side

    def note(self, path: str, source: bytes) -> None:
        """Register the modules of a changed file, since its path need not match the first and matches no other."""
        first, *further = own_modules(source) or ("",)
        self._declared[path].update({first, *further} - {""})
        if first and path in self._paths:
            self._names.setdefault(first, path)
            for name in further:
                self._further[name].add(path)
        self._files.clear()

    def name_in(self, source: bytes) -> str:
        """Return the first module that a file declares."""
        return next(iter(own_modules(source)), "")

    def clues(self, path: str) -> Clues:
        """Return the last part of a module's name, which every file that uses it contains."""
        stem = _own_name(path)
        words = {camel(stem), *_unusual(stem)} - {""}
        own = [name for name, home in self._names.items() if home == path]
        own += [name for name, homes in self._further.items() if path in homes]
        words |= {name.rpartition(".")[2] for name in own}
        return Clues(frozenset(words), tuple(rf"\b(?i:{re.escape(word)})\b" for word in sorted(words)))

    def imports(self, path: str, source: bytes, words: frozenset[str] = frozenset()) -> tuple[Link, ...]:
        """Return the modules that a file names, with all their local names."""
        mentions = mention(frozenset(word.lower() for word in words))
        if not mentions.search(source.lower()):
            return ()
        rows = rows_of(source)
        imports: list[Link] = []
        aliases = {here: module for one in rows.under_names for module, here in one.names}
        for statement in rows.imports:
            for module, _ in statement.names:
                if mentions.search(module.lower().encode()):
                    imports += self._import(module, frozenset({"*"}), statement.line, ())
        for here, line in rows.written[:MOST_IMPORTS]:
            first, dot, rest = here.partition(".")
            module = f"{aliases[first]}{dot}{rest}" if first in aliases else here
            if mentions.search(module.lower().encode()):
                imports += self._import(module, frozenset({"*"}), line, (("*", here),))
        return tuple(item for item in dict.fromkeys(_first_lines(imports)) if item.target != path)

    def _import(
        self, module: str, names: frozenset[str], line: int, aliases: tuple[tuple[str, str], ...]
    ) -> Iterator[Link]:
        target = self.file_of(module)
        if target is not None:
            yield Link(target, names, line, aliases)
        elif len(homes := self._further.get(module, ())) == 1:
            own = module.rpartition(".")[2]
            yield Link(min(homes), frozenset({own}), line, tuple((own, here) for _, here in aliases))

    def file_of(self, module: str) -> str | None:
        """Return the only file whose path matches a module, or the changed file that declares it.

        A changed file declares only its own modules: `Supervisor` isn't in a file of `Shop.Supervisor`.
        """
        if module not in self._files:
            self._files[module] = self._search(module) or self._names.get(module)
        return self._files[module]

    def _search(self, module: str) -> str | None:
        if self._by_stem is None:
            self._by_stem = defaultdict(list)
            for path in self._paths:
                self._by_stem[_plain(_own_name(path))].append(path)
        parts = [_plain(underscore(part)) for part in module.split(".")]
        paths = [path for path in self._by_stem.get(parts[-1], ()) if module in (self._declared.get(path) or {module})]
        files = [path for path in paths if _spells(path, parts[:-1])]
        exact = [path for path in files if _inner_folders(path) == parts[:-1]]
        chosen = exact or files or [path for path in paths if _spells_inside(path, parts[:-1])]
        return chosen[0] if len(chosen) == 1 else None


class _Statement(NamedTuple):
    """An `alias`, `import` or `require` with the pairs of module and local name in it."""

    line: int
    names: tuple[tuple[str, str], ...]


class _Rows(NamedTuple):
    """The names of modules in a file."""

    own: tuple[str, ...]  # full names of its modules, in order
    under_names: tuple[_Statement, ...]  # the statements that give a module a local name
    imports: tuple[_Statement, ...]
    written: tuple[tuple[str, int], ...]  # names and lines of all references


def rows_of(source: bytes) -> _Rows:
    """Return the names of modules in a file. Raises `Unreadable`."""
    found = reader.names("a.ex", source)[1]
    names: dict[str, dict[int, tuple[Node, dict[tuple[str, str], None]]]] = {"alias": {}, "import": {}}
    local: set[int] = set()  # statements with `as:`
    modules: list[tuple[Node, Node]] = []
    for row in found:
        if "module" in row:
            modules.append((row["module"][0], row["own"][0]))
        if "statement" not in row:
            continue
        statement, spec = row["statement"][0], text(row["spec"][0])
        taken = names["import" if text(row["word"][0]) == "import" else "alias"]
        mine = taken.setdefault(statement.id, (statement, {}))[1]
        if "here" in row:
            mine.clear()
            local.add(statement.id)
            mine[spec, text(row["here"][0])] = None
        elif "inner" in row:
            mine |= {(f"{spec}.{text(one)}", text(one).rpartition(".")[2]): None for one in row["inner"]}
        elif statement.id not in local:
            mine[spec, spec.rpartition(".")[2]] = None
    under_names, imports = (
        tuple(_Statement(first_line(node), tuple(mine)) for node, mine in names[word].values())
        for word in ("alias", "import")
    )
    heads = {own.id for _, own in modules}
    written = tuple((text(one), first_line(one)) for one, _ in found.of("name") if one.id not in heads)
    return _Rows(tuple(_full_names(modules)), under_names, imports, written)


def _full_names(modules: Sequence[tuple[Node, Node]]) -> Iterator[str]:
    """Yield the full names of modules, given in order as pairs of the definition and its name."""
    around: list[tuple[int, str]] = []  # end and name of the enclosing modules
    for whole, own in sorted(modules, key=lambda row: row[0].start_byte):
        if text(whole.child_by_field_name("target")) == "defimpl":
            continue
        while around and around[-1][0] <= whole.start_byte:
            around.pop()
        outer = f"{around[-1][1]}." if around else ""
        around.append((whole.end_byte, outer + text(own)))
        yield around[-1][1]


def own_modules(source: bytes) -> tuple[str, ...]:
    """Return the full names of the modules in a file, in order."""
    try:
        return rows_of(source).own
    except Unreadable:  # the search says so when it reads the file
        return ()


def _plain(stem: str) -> str:
    return stem.replace("_", "").lower()


def _unusual(stem: str) -> set[str]:
    """Return other capitalizations: `Shop.HTTP` is in http.ex."""
    return {
        stem.replace("_", "").upper(),
        "".join(part.upper() if len(part) <= ACRONYM else part.title() for part in stem.split("_")),
    }


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


def _spells_inside(path: str, parts: Sequence[str]) -> bool:
    """Return whether the folders of a file below `web` spell its modules. Such a path omits the application."""
    root = ROOT.match(path)
    return root is not None and root[0].endswith("web/") and _spells(path, parts[1:])


def _first_lines(imports: list[Link]) -> Iterator[Link]:
    """Yield the first of equal imports on several lines."""
    seen_imports: set[tuple[object, ...]] = set()
    for item in imports:
        key = item.target, item.names, item.aliases
        if key not in seen_imports:
            seen_imports.add(key)
            yield item


project = ElixirModules
