"""What holds of the files of a suffix without parsing them. Pure: no grammar is loaded for an answer.

Everything that depends on a suffix asks here. The rows are those of `deeprepo/impact/languages/NAME/language.toml`, and of `others.toml` for
files that no language reads.
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
SLASHES = r"//(?!go:|export\s|/\s*<reference)"  # compilers read some of them
BLOCK = r"/\*(?:(?!\*/).)*+(?:$|\*/\s*$)|\*+/\s*$|\*(?=\s|\*?$)"  # a whole one, its first, its last, a middle line
PAGE = r"<!--(?:(?!-->).)*+(?:$|-->\s*$)|-->\s*$"
C_COMMENTS: Marks = (SLASHES, BLOCK)
BRACED = r"\{\s*/\*(?:(?!\*/).)*+(?:$|\*/\s*\}\s*$)"
# What a table calls them; anything else is a pattern of its own.
COMMENTS = {
    "hash": HASH,
    "hash but attributes": PHP_HASH,
    "slashes": SLASHES,
    "block": BLOCK,
    "page": PAGE,
    "braced block": BRACED,
}
CONSTRUCTOR = "constructor"  # what the search calls one that has the name of its class


class FileType(Struct, frozen=True, kw_only=True):
    """The facts about the files of some suffixes. The defaults are those of a language with braces."""

    suffixes: tuple[str, ...]
    parser: str = ""  # the language that reads these files
    family: str = ""  # one name for the languages that import each other
    lexer: str = ""  # by which a terminal colours it
    grammar: tuple[str, ...] = ()  # module and function of the grammar that tells whether a file still parses
    extra: str = ""  # the extra that brings the grammar, if the base installation has it not
    comments: Marks = ()  # how a line begins that is a comment
    docstrings: bool = False  # texts between three quotes are documentation
    head: Literal["brace", "colon", "line"] = "brace"  # where the head of a definition ends
    definitions: Literal["", "typed", "member"] = ""  # how one is written that no word announces
    imports: Literal["", "module", "path", "namespace", "dotted", "crate"] = ""  # how an import writes what it means
    named_types: bool = False  # a file has the name of its type
    skipped_names: tuple[str, ...] = ()  # how a file's name begins that its tools leave out
    dotted_modules: bool = False  # a text names a module by its folders, with dots between them
    folder_modules: bool = False  # an import names a folder
    folder_file: str = ""  # what a file is called, without its suffix, that an import names by its folder
    folder_scope: bool = False  # the files of a folder see each other without an import
    shared_names: Literal["", "folder", "namespace", "tree"] = (
        ""  # whose top-level names a file uses without naming their file
    )
    assigned_members: bool = False  # an assignment to a member of a class or a module defines it
    symbols: bool = False  # `:name` is a text
    static_calls: bool = False  # code calls no function by a text that holds its name
    arrow_entries: bool = False  # `"name" => value` is an entry of a dictionary; elsewhere it is a case of a match
    implicit_result: bool = False  # the last value of a function is its result
    named_arguments: str = ""  # what follows the name of a parameter in a call; empty: a call names none
    ordered_arguments: bool = False  # a call names arguments in the order of the parameters
    missing_arguments: bool = False  # a call may leave out what its function takes; a missing member is `undefined`
    surplus_arguments: bool = False  # what a call gives too much is dropped
    constructors: frozenset[str] = frozenset()  # what a method is called that a call of its class calls
    inherits_constructors: bool = True  # a class without one is called like its base
    broken_use: str = ""  # what a broken line comes to before anything runs
    broken_override: str = ""  # what no compiler lets pass: an override that does not fit
    marked_overrides: bool = False  # every overriding method is marked as one
    shorter_overrides: bool = False  # an override may ask for less than it is given
    constructible: str = ""  # a pattern of heads of functions that `new` may call, where only `new` calls a class
    implements: str = ""  # the word before the interfaces of a class where it inherits nothing of them
    default_import: str = ""  # a pattern of imports that call the default of a file as they like
    any_suffix: bool = False  # an import may name a file by another suffix of its language
    shared_macros: bool = False  # macros are called in all of a package without an import
    loose_methods: str = "(?!)"  # a pattern of heads of functions that values have whose class nobody writes down
    folder_namespaces: bool = True  # a file that moves to another folder gets another namespace, and else keeps it
    unbuilt: str = "(?!)"  # a pattern of files that no build and no program takes up: stubs, declarations, scripts
    settings_class: str = ""  # the class of a library whose heirs have a variable of the environment behind each field

    @property
    def is_readable(self) -> bool:
        """Return whether nothing is missing in this installation that reads such a file."""
        return not self.extra or has_module(self.grammar[0])

    @property
    def is_installed(self) -> bool:
        """Return whether the grammar can be loaded. It is not loaded for the answer."""
        return bool(self.grammar) and self.is_readable


class Traits(Struct, frozen=True, kw_only=True):
    """What the search for users has to know of a language."""

    declared_members: bool = False  # a member that no type declares does not compile
    conditional_build: bool = False  # what is guarded is code that is built under a condition
    bare_members: str = ""  # whether a name without a receiver may be a member: "calls", "all", "own", or "" for never
    capital_members: bool = False  # fields and properties are written like classes
    members_apart: bool = False  # a member may be written in another file than its class, a file that nobody imports
    unwritten_names: bool = False  # a file can offer names that it does not write
    open_classes: bool = False  # any file that is loaded may open a class or a module again
    loader: str = ""  # names are found wherever they are defined, and only a statement with this word can lose a file
    whole_files: bool = False  # an import names a whole file with its suffix: `box.cpp` is no `box.hpp`
    everywhere: str = ""  # the word before what every file sees that one defines in no class and no namespace
    module_word: str = ""  # an import names a module, which any file may declare with this word


UNKNOWN = FileType(suffixes=())


@cache
def has_module(name: str) -> bool:
    """Return whether a module can be loaded: some grammars come with an extra."""
    try:
        return find_spec(name) is not None
    except ImportError:
        return False


@cache
def filetypes() -> tuple[FileType, ...]:
    """Return the types of all files that something is known of."""
    of_languages = tuple(_of_languages())
    read = {suffix for one in of_languages for suffix in one.suffixes}
    others = (_type({**row, "suffixes": [one for one in row["suffixes"] if one not in read]}) for row in table.others())
    return (*of_languages, *(one for one in others if one.suffixes))


def _of_languages() -> Iterator[FileType]:
    for folder in table.folders():
        for row in table.rows(folder).values():
            is_read = "grammar" in row
            grammar = row.get("checked_by", () if row.get("scripts") else row.get("grammar", ()))
            yield _type(
                row,
                parser=row.get("name", folder) if is_read else "",
                grammar=tuple(grammar),
                constructors=frozenset(CONSTRUCTOR if one == "=" else one for one in row.get("constructors", ())),
            )


def _type(row: Mapping[str, Any], **more: object) -> FileType:
    marks = tuple(COMMENTS.get(one, one) for one in row.get("comments", ()))
    return table.filled(FileType, row, comments=marks, **more)


@lru_cache(maxsize=4_096)
def filetype(path: str) -> FileType:
    """Return the type of a file; of an unknown suffix the defaults."""
    return _by_suffix().get(posixpath.splitext(path)[1].lower(), UNKNOWN)


@lru_cache(maxsize=4_096)
def module_path(path: str) -> str:
    """Return the path of a file as imports name it: without its suffix; of a file that stands for its folder, that of the folder."""
    stem, name = posixpath.splitext(path)[0], filetype(path).folder_file
    return stem.removesuffix(f"/{name}") if name else stem


def has_common_name(path: str) -> bool:
    """Return whether a file stands for its folder, or is the root of a package or a program: its own name is that of many files."""
    return posixpath.splitext(posixpath.basename(path))[0] in _common_names()


@lru_cache(maxsize=4_096)
def family(path: str) -> str:
    """Return what languages have in common that import each other; of another file its suffix."""
    return filetype(path).family or posixpath.splitext(path)[1].lower()


def parsed_by(parser: str) -> tuple[str, ...]:
    """Return the suffixes that a language reads."""
    return tuple(suffix for one in filetypes() if one.parser == parser for suffix in one.suffixes)


@cache
def _common_names() -> frozenset[str]:
    return frozenset({"lib", "main", *(one.folder_file for one in filetypes())}) - {""}


@cache
def _by_suffix() -> Mapping[str, FileType]:
    return MappingProxyType({suffix: one for one in filetypes() for suffix in one.suffixes})
