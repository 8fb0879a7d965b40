"""Rust's imports: which file a path means, told from the layout of the crates.

A path is followed as far as there are files for its modules; what is left of it is a name in the last of them.
"""

import posixpath
import re
from collections.abc import Collection, Mapping

from bot.languages.rust.layout import Layout, ModulePath, join
from bot.languages.rust.paths import CodePath, Segments, code_paths, inside, plain
from bot.values import Clues, Import
from impact.parsing import Lines

WHOLE = frozenset({"*"})
PathTarget = tuple[str, Segments]  # file, what is left of the path


class Crates:
    """The crates of one tree. Satisfies `ports.Project`."""

    def __init__(self, paths: Collection[str], configs: Mapping[str, bytes]) -> None:
        self._layout = Layout(paths, configs)
        self._known: dict[str, tuple[int, tuple[Import, ...]]] = {}  # file -> (hash of its source, its imports)

    def clues(self, path: str) -> Clues:
        """A module's name is in every path to it, but for its children's `super` and, of a root, `crate`."""
        place = self._layout.place(path)
        names = {place.parts[-1]} if place.parts else self._layout.names(path)
        below = join(place.folder, *place.parts)
        parent = any(other.startswith(f"{below}/") if below else True for other in self._layout.paths)
        near = (r"\bsuper\b" if place.parts else r"\b(super|crate)\b",) if parent else ()
        words = frozenset(names) | ({"crate"} if not place.parts and parent else frozenset())
        far = ""
        if names:
            any_name = "|".join(re.escape(name) for name in sorted(names))
            far = rf"((^|::|[{{,])\s*|\buse\s+|\bmod\s+|\bcrate\s+)({any_name})\s*(::|[,;}}\"]|\s+as\s|$)|\b({any_name})::"
        return Clues(words, (far,) if far else (), near, below)

    def imports(self, path: str, source: bytes, words: frozenset[str] = frozenset()) -> tuple[Import, ...]:
        """The imports of a file that land in the tree; qualified names count, each once. Computed once and remembered."""
        del words  # a statement can mean a file that it does not name
        key = hash(source)
        if path not in self._known or self._known[path][0] != key:
            self._known[path] = key, self._read(path, plain(source))
        return self._known[path][1]

    def _read(self, path: str, code: bytes) -> tuple[Import, ...]:
        place, modules, lines = self._layout.place(path), inside(code), Lines(code)
        imports: dict[tuple[str, frozenset[str], tuple[tuple[str, str], ...]], Import] = {}
        tried_paths: set[tuple[str, Segments, str, Segments]] = set()
        for one in code_paths(code):
            around = tuple(name for start, end, name in modules if start <= one.at < end)
            path_key = one.kind, one.parts, one.here, around
            path_target = self._path_target(path, place, one, around) if path_key not in tried_paths else None
            tried_paths.add(path_key)
            if path_target is None or path_target[0] == path:
                continue
            names, aliases = _taken_names(one, path_target[1])
            if (path_target[0], names, aliases) not in imports:
                imports[path_target[0], names, aliases] = Import(
                    path_target[0], names, lines.at(one.at), aliases, one.public
                )
        return tuple(imports.values())

    def _path_target(self, path: str, place: ModulePath, one: CodePath, around: Segments) -> PathTarget | None:
        """The file that a path leads to, and the names in it that are left."""
        if one.kind == "mod":
            file = self._module_file(path, place, one, around)
            return (file, ()) if file is not None else None
        parts = one.parts[:-1] if one.parts[-1] == "*" else one.parts
        first, here = parts[0] if parts else "", (*place.parts, *around)
        if first == "crate":
            return self._deepest(path, place, parts[1:])
        if first in ("self", "super"):
            ups = next((at for at, word in enumerate(parts) if word not in ("self", "super")), len(parts))
            up = parts[:ups].count("super")
            return self._deepest(path, place, (*here[: max(0, len(here) - up)], *parts[ups:]))
        near = bool(first) and one.kind != "crate" and self._layout.module(place, (*here, first)) is not None
        return self._deepest(path, place, (*here, *parts)) if near else self._abroad(path, place, parts, one)

    def _abroad(self, path: str, place: ModulePath, parts: Segments, one: CodePath) -> PathTarget | None:
        """A path that begins with a crate, or, as the 2015 edition writes them, with a module of the root."""
        crates, first = self._layout.crates(path), parts[0] if parts else ""
        if first in crates:
            return self._deepest(crates[first], self._layout.place(crates[first]), parts[1:])
        old = bool(first) and one.kind == "use" and self._layout.module(place, (first,)) is not None
        return self._deepest(path, place, parts) if old else None

    def _module_file(self, path: str, place: ModulePath, one: CodePath, around: Segments) -> str | None:
        """The file of `mod x;`."""
        if one.file:
            file = join(posixpath.dirname(path), *around, one.file)
            return file if file in self._layout.paths else None
        return self._layout.module(place, (*place.parts, *around, *one.parts))

    def _deepest(self, path: str, place: ModulePath, parts: Segments) -> PathTarget | None:
        """The last module on a path that has a file of its own."""
        for count in range(len(parts), -1, -1):
            file = path if parts[:count] == place.parts else self._layout.module(place, parts[:count])
            if file is not None:
                return file, parts[count:]
        return None


def _taken_names(one: CodePath, rest: Segments) -> tuple[frozenset[str], tuple[tuple[str, str], ...]]:
    """The names that an import takes from its file, and what they are called here."""
    if not rest:
        return WHOLE, ((("*", one.here),) if one.here else () if one.parts[-1] == "*" else (("*", "_"),))
    if one.kind == "name":
        dotted_path = ".".join(one.parts[: len(one.parts) - len(rest) + 1])
        return frozenset(rest[:1]), ((rest[0], dotted_path),)
    here = one.here if len(rest) == 1 and one.parts[-1] != "*" else ""
    return frozenset(rest[:1]), ((rest[0], here),) if here != rest[0] else ()
