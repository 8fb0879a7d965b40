"""Python's imports: which file a module name means, told from the paths alone.

A source root is any folder without `__init__.py`; a name of the standard library is the library, unless a script's
neighbour shadows it (else `utils/time.py` would get every importer of `time`).
"""

import posixpath
import re
import sys
from collections import defaultdict
from collections.abc import Collection, Iterator
from functools import lru_cache

from bot.values import Clues, Import

STATEMENT = re.compile(
    rb"^[ \t]*(?:>>> )?(?:"
    rb"from[ \t]+(?P<module>[.\w]+)[ \t]+import[ \t]+(?P<names>\([^)]*\)|(?:[^\n#\\;]|\\\r?\n)*)"
    rb"|import[ \t]+(?P<modules>[\w., \t]+))"
    rb"|import_module\(\s*[\"'](?P<computed>[\w.]+)[\"']",
    re.MULTILINE,
)
FILES = (".py", "/__init__.py", ".pyi", "/__init__.pyi")
WHOLE = frozenset({"*"})


@lru_cache(maxsize=32)
def mention(words: frozenset[str]) -> re.Pattern[bytes]:
    """Matches a statement that holds one of the words; everything, where there are none."""
    return re.compile(b"|".join(re.escape(word.encode()) for word in sorted(words)))


class Modules:
    """The modules of one tree. Satisfies `ports.Project`."""

    def __init__(self, paths: Collection[str]) -> None:
        self._paths = frozenset(path for path in paths if path.endswith((".py", ".pyi")))
        self._roots: dict[str, list[str]] | None = None
        self._found: dict[tuple[str, str], str | None] = {}

    def clues(self, path: str) -> Clues:
        """The parent package stands in the pattern: words such as `utils` alone hit half of a large tree."""
        folder, name = posixpath.split(path)
        package = name.rpartition(".")[0] == "__init__"
        module = folder if package else path.rpartition(".")[0]
        up, word = posixpath.split(module)
        parent, last = re.escape(posixpath.basename(up)), re.escape(word)
        if not last:
            return Clues(frozenset())
        far = []
        if parent:
            far.append(rf"\b{parent}\.{last}\b|\b{parent}\s+import\b.*(\b{last}\b|[(\\])")
        if not parent or f"{up}/__init__.py" not in self._paths:  # it may be imported by its bare name
            far.append(rf"(from|import)\s+([\w., ]*,\s*)?{last}\b|import_module\(.{last}\b")
        near = (rf"from\s+\.+(\s*import|{last}\b)",)
        return Clues(frozenset({word}), tuple(far), near, posixpath.dirname(folder) if package else folder)

    def imports(self, path: str, source: bytes, words: frozenset[str] = frozenset()) -> tuple[Import, ...]:
        """The imports of a file that land in the tree."""
        asked, found = mention(words), []
        for match in STATEMENT.finditer(source):
            module = match["module"]
            if asked.search(match[0]) or (module and module.startswith(b".")):
                line = source.count(b"\n", 0, match.start()) + 1
                found += [item for item in self._statement(path, match, line) if item.target != path]
        return tuple(found)

    def _statement(self, path: str, match: re.Match[bytes], line: int) -> Iterator[Import]:
        if match["module"]:
            written = re.sub(rb"#[^\n]*|[()\\]", b" ", match["names"]).decode("utf-8", "replace")
            names = [part.split() for part in written.split(",") if part.split()]
            yield from self._from(path, match["module"].decode(), names, line)
            return
        if match["computed"]:
            target = self._absolute(match["computed"].decode().strip(".").split("."), path)
            yield from [Import(target, WHOLE, line)] if target else []
            return
        for part in match["modules"].decode().split(","):
            words = part.split()
            target = self._absolute(words[0].strip(".").split("."), path) if words else None
            if target:
                yield Import(target, WHOLE, line, (("*", words[-1]),))

    def _from(self, path: str, module: str, names: list[list[str]], line: int) -> Iterator[Import]:
        rest = [part for part in module.lstrip(".").split(".") if part]
        dots = len(module) - len(module.lstrip("."))
        folder: str | None = None
        if dots:
            folder = posixpath.dirname(path)
            for _ in range(dots - 1):
                folder = posixpath.dirname(folder)
            folder = posixpath.join(folder, *rest)
            target = self._module(folder)
        else:
            target = self._absolute(rest, path) if rest else None
            folder = posixpath.dirname(target) if target and "/__init__." in f"/{target}" else None
        for words in names:
            name, here = words[0], words[-1]
            below = self._below(folder, target, rest, name, path)
            if below:
                yield Import(below, WHOLE, line, (("*", here),))
            elif target:
                yield Import(target, frozenset({name}), line, ((name, here),) if name not in ("*", here) else ())

    def _below(self, folder: str | None, target: str | None, rest: list[str], name: str, path: str) -> str | None:
        """The submodule that `from package import name` means, if there is one."""
        if folder is not None:
            return self._module(posixpath.join(folder, name))
        return None if target else self._absolute([*rest, name], path)

    def _module(self, stem: str) -> str | None:
        return next((stem + ending for ending in FILES if stem + ending in self._paths), None)

    def _absolute(self, parts: list[str], here: str) -> str | None:
        key = (".".join(parts), posixpath.dirname(here))
        if key not in self._found:
            self._found[key] = self._search(parts, here)
        return self._found[key]

    def _search(self, parts: list[str], here: str) -> str | None:
        if self._roots is None:
            self._roots = _roots(self._paths)
        roots = self._roots.get(parts[0], [])
        if parts[0] in sys.stdlib_module_names:
            roots = [root for root in roots if root == posixpath.dirname(here)]
        nearest = sorted(roots, key=lambda root: (bool(root) and not here.startswith(f"{root}/"), -len(root), root))
        return next((found for root in nearest if (found := self._module(posixpath.join(root, *parts)))), None)


def _roots(paths: frozenset[str]) -> dict[str, list[str]]:
    """Top-level name -> the folders that it can be imported from."""
    tops: dict[str, set[str]] = defaultdict(set)
    for path in paths:
        folder, name = posixpath.split(path)
        if f"{folder}/__init__.py" not in paths:
            tops[name.rpartition(".")[0]].add(folder)
        while folder:
            up, name = posixpath.split(folder)
            if up in tops.get(name, ()):
                break
            if f"{up}/__init__.py" not in paths:
                tops[name].add(up)
            folder = up
    return {name: sorted(folders) for name, folders in tops.items()}
