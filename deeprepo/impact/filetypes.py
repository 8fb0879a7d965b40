"""Describe the files of each suffix, without loading a grammar.

The rows come from `deeprepo/impact/languages/NAME/language.toml`, and from `others.toml` for files that no
language reads.
"""

import posixpath
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from importlib.util import find_spec
from types import MappingProxyType
from typing import Any, Literal

from deeprepo.impact import table
from deeprepo.impact.structs import Struct

Marks = tuple[str, ...]
HASH, PHP_HASH = r"#(?!!)", r"#(?!!|\[)"  # the kernel reads `#!`, and some attributes begin with `#[`
SLASHES = r"//(?!go:|export\s|/\s*<reference)"  # compilers read some of these comments
# a whole comment, or its first, middle or last line
BLOCK = r"/\*(?:(?!\*/).)*+(?:$|\*/\s*$)|\*+/\s*$|\*(?=\s|\*?$)"
PAGE = r"<!--(?:(?!-->).)*+(?:$|-->\s*$)|-->\s*$"
C_COMMENTS: Marks = (SLASHES, BLOCK)
BRACED = r"\{\s*/\*(?:(?!\*/).)*+(?:$|\*/\s*\}\s*$)"
# Names of comment forms in the tables; any other text is a pattern.
COMMENTS = {
    "hash": HASH,
    "hash but attributes": PHP_HASH,
    "slashes": SLASHES,
    "block": BLOCK,
    "page": PAGE,
    "braced block": BRACED,
}
ROOTS = frozenset({"lib", "main"})  # names of files that represent the root of a package or program


class FileType(Struct, frozen=True, kw_only=True):
    """What is known of files by their suffix, without loading a language. The defaults fit a language with braces."""

    suffixes: tuple[str, ...]
    folder: str = ""  # of the language that reads these files
    family: str = ""  # a shared name for languages that import each other
    lexer: str = ""  # the lexer for syntax highlighting
    grammar: tuple[str, ...] = ()  # module and function of its grammar
    extra: str = ""  # the optional extra that installs the grammar
    comments: Marks = ()  # patterns of how a comment line begins
    head: Literal["brace", "colon", "line"] = "brace"  # where the head of a definition ends
    definitions: Literal["", "typed", "member"] = ""  # how a definition without a keyword is written
    folder_file: str = ""  # base name of the file that an import of its folder refers to
    # whose top-level names a file can use without naming their file
    shared_names: Literal["", "folder", "namespace", "tree"] = ""
    unbuilt: str = "(?!)"  # a pattern of files that are neither built nor run: stubs, declarations, scripts

    @property
    def is_parsed(self) -> bool:
        """Whether an installed language reads such files."""
        return bool(self.folder) and (not self.extra or has_module(self.grammar[0]))


UNKNOWN = FileType(suffixes=())


@cache
def has_module(name: str) -> bool:
    """Return whether a module is installed: some grammars need an extra."""
    try:
        return find_spec(name) is not None
    except ImportError:
        return False


@cache
def filetypes() -> tuple[FileType, ...]:
    """Return all known file types."""
    of_languages = tuple(_of_languages())
    read = {suffix for one in of_languages for suffix in one.suffixes}
    others = (_type({**row, "suffixes": [one for one in row["suffixes"] if one not in read]}) for row in table.others())
    return (*of_languages, *(one for one in others if one.suffixes))


def _of_languages() -> Iterator[FileType]:
    for folder in table.folders():
        for row in table.rows(folder).values():
            is_read = "grammar" in row
            yield _type(row, folder=folder if is_read else "")


def _type(row: Mapping[str, Any], **more: object) -> FileType:
    marks = tuple(COMMENTS.get(one, one) for one in row.get("comments", ()))
    return table.filled(FileType, row, comments=marks, **more)


@lru_cache(maxsize=4_096)
def filetype(path: str) -> FileType:
    """Return the type of a file, or the defaults for an unknown suffix."""
    return _by_suffix().get(posixpath.splitext(path)[1].lower(), UNKNOWN)


@lru_cache(maxsize=4_096)
def module_path(path: str) -> str:
    """Return a file's path as imports write it: without suffix, or its folder for a file that represents the folder."""
    stem, name = posixpath.splitext(path)[0], filetype(path).folder_file
    return stem.removesuffix(f"/{name}") if name else stem


def module_name(path: str) -> str:
    """Return the name of a file's module: that of the file, or of its folder if the file represents it."""
    stem = posixpath.splitext(path)[0]
    return posixpath.basename(posixpath.dirname(stem) if has_common_name(path) and "/" in stem else stem)


def main_names(path: str) -> frozenset[str]:
    """Return the names, in a file's language, of files that represent a folder or the root of a package or program."""
    return (ROOTS | {filetype(path).folder_file}) - {""}


def has_common_name(path: str) -> bool:
    """Return whether a file's name is generic, because it represents a folder or the root of a package or program."""
    return posixpath.splitext(posixpath.basename(path))[0] in _common_names()


@lru_cache(maxsize=4_096)
def family(path: str) -> str:
    """Return the shared name of languages that import each other, or the suffix for other files."""
    return filetype(path).family or posixpath.splitext(path)[1].lower()


def installed() -> tuple[str, ...]:
    """Return the folders of the languages whose grammar is installed."""
    return tuple(sorted({one.folder for one in filetypes() if one.is_parsed}))


@cache
def _common_names() -> frozenset[str]:
    return ROOTS.union(one.folder_file for one in filetypes()) - {""}


@cache
def _by_suffix() -> Mapping[str, FileType]:
    return MappingProxyType({suffix: one for one in filetypes() for suffix in one.suffixes})
