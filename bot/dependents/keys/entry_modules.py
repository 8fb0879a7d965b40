"""Which imports mean a file that has its folder's name: `shop/__init__.py`, `shop/index.js`, `src/lib.rs`, `main.py`.

Its own name is that of many files. So an import of it is resolved from the folder of the file that imports.
"""

import posixpath
import re
from collections.abc import Iterator

from bot.text.filetypes import filetype

STEMS = frozenset({"index", "__init__", "mod", "main", "init", "lib"})
_SOURCES = frozenset({"src", "lib"})  # folders of a package that has the name of the folder around them
_TEXT = re.compile(r"[\"'`]([\w./@-]{1,200})[\"'`]")
_FROM = re.compile(r"\s*+from\s++(\.*+)([\w.]*+)\s++import\s++([^#\n]*+)")
_IMPORT = re.compile(r"\s*+import\s++([\w.]++)")
_CRATE = re.compile(r"\b(crate|(?:super::){1,8})")
_NAME = re.compile(r"\w+")


def is_entry(path: str) -> bool:
    """Whether a file has the name of its folder, or that of many files."""
    return _stem(path) in STEMS


def module_name(path: str) -> str:
    """What others call the module that a file is."""
    folder = posixpath.dirname(path)
    if not is_entry(path):
        return _stem(path)
    name = posixpath.basename(folder)
    return posixpath.basename(posixpath.dirname(folder)).replace("-", "_") if name in _SOURCES else name


def import_patterns(path: str) -> list[str]:
    """Perl patterns of lines that may import such a file by another word than its folder's."""
    stem = _stem(path)
    return [
        rf"\b(?:import|require|from|include|use|using)\w*\b.*(?<!\w){re.escape(stem)}(?!\w)",
        r"^\s*from\s+\.+\s+import\b",
        r"\b(?:from|import|require\w*)[\s(]+[\"'`]\.{1,2}/?[\"'`]",
        *([r"\buse\s+(?:crate|super)::"] if filetype(path).imports == "crate" else []),
    ]


def imports(reader: str, line: str, path: str) -> bool:
    """Whether a line of a file that imports something means the entry."""
    folder = posixpath.dirname(path)
    own = {folder or ".", posixpath.join(folder, _stem(path)), path}
    for target, is_exact in _targets(reader, line):
        if target in own or (not is_exact and any(f"/{one}".endswith(f"/{target}") for one in own)):
            return True
    return False


def _stem(path: str) -> str:
    return posixpath.splitext(posixpath.basename(path))[0]


def _targets(reader: str, line: str) -> Iterator[tuple[str, bool]]:
    """(path, whether it is whole) of what a line may import: without a suffix, or with it."""
    here = posixpath.dirname(reader)
    for text in _TEXT.findall(line):
        target = posixpath.normpath(posixpath.join(here, text)) if text.startswith(".") else text.strip("/")
        yield target, text.startswith(".")
        yield posixpath.splitext(target)[0], text.startswith(".")
        if "/" not in text:
            yield target.replace(".", "/"), False
        yield posixpath.normpath(posixpath.join(here, text)), True
    if match := _FROM.match(line):
        base = here
        for _ in match[1][1:]:
            base = posixpath.dirname(base)
        parts = match[2].replace(".", "/")
        target = posixpath.normpath(posixpath.join(base, parts)) if match[1] else parts
        yield target, bool(match[1])
        yield from (
            (posixpath.normpath(posixpath.join(target, name)), bool(match[1])) for name in _NAME.findall(match[3])
        )
    elif match := _IMPORT.match(line):
        yield match[1].replace(".", "/"), False
    for match in _CRATE.finditer(line):
        if match[1] == "crate":
            yield posixpath.join(reader.rpartition("src/")[0] + "src", "lib"), True
            yield posixpath.join(reader.rpartition("src/")[0] + "src", "main"), True
        else:
            above = here if _stem(reader) not in STEMS else posixpath.dirname(here)
            for _ in range(match[1].count("::") - 1):
                above = posixpath.dirname(above)
            yield above or ".", True
