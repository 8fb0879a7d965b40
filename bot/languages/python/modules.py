"""Python's imports: which file a module name means, told from the paths alone.

A source root is any folder without `__init__.py`; a name of the standard library is the library, unless a script's
neighbour shadows it (else `utils/time.py` would get every importer of `time`).
"""

import posixpath
import re
import sys
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from itertools import islice

from bot.languages.lexical import MOST_IMPORTS, Lines, mention
from bot.values import Clues, Import

# Begins with the line break before it: a pattern that begins with a letter of its own is found several times as fast.
STATEMENT = re.compile(
    rb"\n[ \t]*+(?:>>> )?(?:"
    rb"from[ \t]++(?P<module>[.\w]++)[ \t]++import[ \t]++(?P<names>\((?:[^)\n]|\n(?![ \t]*+(?:>>> )?(?:from|import)[ \t]))*+\)|(?:[^\n#\\;]|\\\r?\n)*+)"
    rb"|import[ \t]+(?P<modules>[\w., \t]+))"
)
COMPUTED = re.compile(rb"import_module\(\s*[\"']([\w.]+)[\"']")
FILES = ("/__init__.py", ".py", "/__init__.pyi", ".pyi")  # a package goes before a module of its name
MODULE_ITSELF = "*"
WHOLE = frozenset({MODULE_ITSELF})


class PythonModules:
    """The modules of one tree. Satisfies `ports.Project`."""

    def __init__(self, paths: Collection[str], configs: Mapping[str, bytes]) -> None:
        del configs  # the paths alone say what a module name means
        self._paths = frozenset(path for path in paths if path.endswith((".py", ".pyi")))
        self._roots: dict[str, list[str]] | None = None
        self._found: dict[tuple[str, str], str | None] = {}

    def clues(self, path: str) -> Clues:
        """The parent package is in the pattern: words such as `utils` alone hit half of a large tree."""
        folder, name = posixpath.split(path)
        package = name.rpartition(".")[0] == "__init__"
        module = folder if package else path.rpartition(".")[0]
        up, word = posixpath.split(module)
        parent, last = re.escape(posixpath.basename(up)), re.escape(word)
        if not last:
            return Clues(frozenset())
        far = []
        if parent:
            far.append(rf"\b{parent}(\.{last}\b|\s+import\b.*(\b{last}\b|[(\\]))")
        if not parent or f"{up}/__init__.py" not in self._paths:  # it may be imported by its bare name
            far.append(rf"\b((from|import)\s+([\w., ]*,\s*)?|import_module\(.){last}\b")
        near = (rf"from\s+\.+(\s*import|{last}\b)",)
        return Clues(frozenset({word}), tuple(far), near, posixpath.dirname(folder) if package else folder)

    def imports(self, path: str, source: bytes, words: frozenset[str] = frozenset()) -> tuple[Import, ...]:
        """The imports of a file that land in the tree."""
        mentions, imports = mention(words), []
        text, line, at = b"\n" + source, 0, 0
        for match in islice(STATEMENT.finditer(text), MOST_IMPORTS):
            module = match["module"]
            if mentions.search(match[0]) or (module and not module.strip(b".")):  # `from . import x` names no package
                line += text.count(b"\n", at, match.start() + 1)
                at = match.start() + 1
                imports += [item for item in self._statement(path, match, line) if item.target != path]
        lines = Lines(source)
        for match in islice(COMPUTED.finditer(source), MOST_IMPORTS) if b"import_module" in source else ():
            target = self._absolute(match[1].decode().strip(".").split("."), path)
            if target and target != path and mentions.search(match[1]):
                imports.append(Import(target, WHOLE, lines.at(match.start())))
        return tuple(imports)

    def _statement(self, path: str, match: re.Match[bytes], line: int) -> Iterator[Import]:
        if match["module"]:
            names_text = re.sub(rb"#[^\n]*|[()\\]", b" ", match["names"]).decode("utf-8", "replace")
            names = [part.split() for part in names_text.split(",") if part.split()]
            yield from self._from(path, match["module"].decode(), names, line)
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
        return next((path for root in nearest if (path := self._module(posixpath.join(root, *parts)))), None)


def _roots(paths: frozenset[str]) -> dict[str, list[str]]:
    """Top-level name -> the folders that it can be imported from."""
    tops: dict[str, set[str]] = defaultdict(set)
    packages = {path.removesuffix("/__init__.py") for path in paths if path.endswith("/__init__.py")}
    below: set[str] = set()
    for path in paths:
        folder, _, name = path.rpartition("/")
        below.add(folder)
        if folder not in packages:
            tops[name.rpartition(".")[0]].add(folder)
    seen_folders: set[str] = set()
    for start in below:
        folder = start
        while folder and folder not in seen_folders:
            seen_folders.add(folder)
            up, _, name = folder.rpartition("/")
            if up not in packages:
                tops[name].add(up)
            folder = up
    return {name: sorted(folders) for name, folders in tops.items()}
