"""What holds of the files of a suffix without parsing them: one row for each type of file. Pure.

Everything that depends on a suffix asks here. A language that `bot/languages` parses has its rows here too: `parser` names it.
Comments of suffixes that have no row are in `lines.py`.
"""

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Literal

Marks = tuple[str, ...]
HASH, PHP_HASH = r"#(?!!)", r"#(?!!|\[)"  # the kernel reads `#!`, and PHP's attributes begin with `#[`
SLASHES = r"//(?!go:|export\s|/\s*<reference)"  # Go's compiler and TypeScript's read some of them
BLOCK = r"/\*(?:(?!\*/).)*+(?:$|\*/\s*$)|\*+/\s*$|\*(?=\s|\*?$)"  # a whole one, its first, its last, a middle line
PAGE = r"<!--(?:(?!-->).)*+(?:$|-->\s*$)|-->\s*$"
C_COMMENTS: Marks = (SLASHES, BLOCK)
_SCRIPT_COMMENTS: Marks = (*C_COMMENTS, r"\{\s*/\*(?:(?!\*/).)*+(?:$|\*/\s*\}\s*$)", r"<!--")
_CONSTRUCTORS = frozenset({"__init__", "__new__", "__construct", "constructor"})
_COMPILED = "The file no longer compiles."
_LINKED = "The file no longer compiles, or the program no longer links."
_CHECKED = "The file no longer compiles, or fails when this line runs."
_OVERRIDES_NOTHING = "The file no longer compiles: this method overrides nothing any more."


@dataclass(frozen=True, slots=True, kw_only=True)
class FileType:
    """The facts about the files of some suffixes. The defaults are those of a language with braces."""

    suffixes: tuple[str, ...]
    parser: str = ""  # the language of `bot/languages` that reads these files
    family: str = ""  # one name for the languages that import each other
    lexer: str = ""  # by which a terminal colours it
    grammar: tuple[str, str] | None = None  # module and function of the grammar that tells whether a file still parses
    extra: str = ""  # the extra that brings the grammar, if the base installation has it not
    comments: Marks = ()  # how a line begins that is a comment
    docstrings: bool = False  # texts between three quotes are documentation
    head: Literal["brace", "colon", "line"] = "brace"  # where the head of a definition ends
    definitions: Literal["", "typed", "member"] = ""  # how one is written that no word announces
    imports: Literal["", "module", "path", "namespace", "dotted", "crate"] = ""  # how an import writes what it means
    configs: Marks = ()  # base names (with *) of the files that decide what an import means
    named_types: bool = False  # a file has the name of its type
    skipped_names: tuple[str, ...] = ()  # how a file's name begins that its tools leave out
    dotted_modules: bool = False  # a text names a module by its folders, with dots between them
    folder_modules: bool = False  # an import names a folder
    folder_file: str = ""  # what a file is called, without its suffix, that an import names by its folder
    folder_scope: bool = False  # the files of a folder see each other without an import
    symbols: bool = False  # `:name` is a text
    implicit_result: bool = False  # the last value of a function is its result
    named_arguments: str = ""  # what follows the name of a parameter in a call; empty: a call names none
    ordered_arguments: bool = False  # a call names arguments in the order of the parameters
    missing_arguments: bool = (
        False  # a call may leave out what its function takes; a member that is missing is `undefined`
    )
    surplus_arguments: bool = False  # what a call gives too much is dropped
    constructors: frozenset[str] = _CONSTRUCTORS  # what a method is called that a call of its class calls
    inherited_constructors: bool = False  # a class without one is called like its base
    broken_use: str = ""  # what a broken line comes to before anything runs
    broken_override: str = ""  # what no compiler lets pass: an override that does not fit
    marked_overrides: bool = False  # every overriding method is marked as one
    shorter_overrides: bool = False  # an override may ask for less than it is given


PYTHON = FileType(
    suffixes=(".py", ".pyi"),
    parser="python",
    configs=("manage.py",),  # it names the settings of a project of Django
    lexer="python",
    grammar=("tree_sitter_python", "language"),
    comments=(HASH,),
    docstrings=True,
    imports="module",
    head="colon",
    named_arguments="=",
    inherited_constructors=True,
    dotted_modules=True,
    folder_file="__init__",
)
JAVASCRIPT = FileType(
    suffixes=(".js", ".mjs", ".cjs"),
    parser="javascript",
    family="web",
    lexer="javascript",
    grammar=("tree_sitter_javascript", "language"),
    comments=_SCRIPT_COMMENTS,
    imports="path",
    folder_file="index",
    configs=("package.json", "pnpm-workspace.yaml", "lerna.json", "tsconfig*.json", "jsconfig*.json"),
    definitions="member",
    missing_arguments=True,
    inherited_constructors=True,
)
TYPESCRIPT = replace(
    JAVASCRIPT,
    suffixes=(".ts", ".mts", ".cts"),
    lexer="typescript",
    grammar=("tree_sitter_typescript", "language_typescript"),
    missing_arguments=False,
    broken_use=_CHECKED,
    shorter_overrides=True,
)
TSX = replace(TYPESCRIPT, suffixes=(".tsx",), lexer="tsx", grammar=("tree_sitter_typescript", "language_tsx"))
JAVA = FileType(
    suffixes=(".java",),
    parser="jvm",
    family="jvm",
    lexer="java",
    imports="dotted",
    named_types=True,
    folder_scope=True,
    grammar=("tree_sitter_java", "language"),
    comments=C_COMMENTS,
    definitions="typed",
    broken_use=_COMPILED,
    marked_overrides=True,
    dotted_modules=True,
)
KOTLIN = replace(
    JAVA,
    suffixes=(".kt", ".kts"),
    lexer="kotlin",
    grammar=("tree_sitter_kotlin", "language"),
    named_arguments=" = ",
    broken_override=_OVERRIDES_NOTHING,
)
SCALA = replace(
    JAVA,
    suffixes=(".scala",),
    lexer="scala",
    grammar=("tree_sitter_scala", "language"),
    extra="languages",
    named_arguments=" = ",
    implicit_result=True,
    broken_override="The file no longer compiles: this method overrides nothing any more, or leaves a member undefined.",
)
CSHARP = FileType(
    suffixes=(".cs",),
    parser="csharp",
    lexer="csharp",
    configs=("*.csproj", "Directory.Build.props", "*Usings.cs", "*usings.cs"),
    named_types=True,
    folder_scope=True,
    grammar=("tree_sitter_c_sharp", "language"),
    comments=C_COMMENTS,
    definitions="typed",
    named_arguments=": ",
    broken_use=_COMPILED,
    broken_override=_OVERRIDES_NOTHING,
    marked_overrides=True,
)
C = FileType(
    suffixes=(".c",),
    parser="c/c++",
    family="c",
    lexer="c",
    imports="path",
    grammar=("tree_sitter_c", "language"),
    comments=C_COMMENTS,
    definitions="typed",
    broken_use=_LINKED,
)
CPP = replace(
    C,
    suffixes=(".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx", ".inl", ".ipp", ".tcc"),
    lexer="cpp",
    grammar=("tree_sitter_cpp", "language"),
)
GO = FileType(
    suffixes=(".go",),
    parser="go",
    lexer="go",
    grammar=("tree_sitter_go", "language"),
    comments=C_COMMENTS,
    configs=("go.mod", "go.work"),
    skipped_names=("_", "."),
    folder_modules=True,
    folder_scope=True,
    broken_use=_COMPILED,
)
RUST = FileType(
    suffixes=(".rs",),
    parser="rust",
    lexer="rust",
    imports="crate",
    folder_file="mod",
    configs=("Cargo.toml",),
    grammar=("tree_sitter_rust", "language"),
    comments=C_COMMENTS,
    implicit_result=True,
    broken_use=_COMPILED,
    broken_override="The file no longer compiles: this method does not fit its trait any more.",
)
PHP = FileType(
    suffixes=(".php", ".inc", ".phtml"),
    parser="php",
    lexer="php",
    imports="namespace",
    configs=("composer.json",),
    folder_scope=True,
    grammar=("tree_sitter_php", "language_php"),
    comments=(PHP_HASH, *C_COMMENTS, PAGE),
    named_arguments=": ",
    surplus_arguments=True,
    broken_override="PHP stops with a fatal error as soon as it loads this class.",
    inherited_constructors=True,
)
RUBY = FileType(
    suffixes=(".rb", ".rake", ".gemspec", ".ru"),
    parser="ruby",
    lexer="ruby",
    configs=("*.gemspec",),
    imports="path",
    folder_scope=True,
    grammar=("tree_sitter_ruby", "language"),
    comments=(HASH,),
    head="line",
    symbols=True,
    implicit_result=True,
    named_arguments=": ",
    constructors=frozenset({"initialize"}),
    inherited_constructors=True,
)
ELIXIR = FileType(
    suffixes=(".ex", ".exs"),
    parser="elixir",
    lexer="elixir",
    grammar=("tree_sitter_elixir", "language"),
    comments=(HASH,),
    docstrings=True,
    head="line",
    symbols=True,
    implicit_result=True,
)
SWIFT = FileType(
    suffixes=(".swift",),
    parser="swift",
    lexer="swift",
    configs=("Package.swift", "*Exports.swift", "*Exported.swift"),
    folder_scope=True,
    grammar=("tree_sitter_swift", "language"),
    extra="languages",
    comments=C_COMMENTS,
    implicit_result=True,
    named_arguments=": ",
    ordered_arguments=True,
    constructors=_CONSTRUCTORS | {"init"},
    broken_use=_COMPILED,
    broken_override=_OVERRIDES_NOTHING,
    marked_overrides=True,
)
LUA = FileType(
    suffixes=(".lua",),
    folder_file="init",
    parser="lua",
    lexer="lua",
    grammar=("tree_sitter_lua", "language"),
    comments=(r"--",),
    head="line",
    missing_arguments=True,
    surplus_arguments=True,
)
FILETYPES: tuple[FileType, ...] = (
    PYTHON,
    replace(PYTHON, suffixes=(".pyx",), parser="", grammar=None),
    TYPESCRIPT,
    TSX,
    JAVASCRIPT,
    replace(JAVASCRIPT, suffixes=(".jsx",), lexer="jsx"),
    replace(JAVASCRIPT, suffixes=(".vue", ".svelte"), lexer="", grammar=None, comments=(*C_COMMENTS, PAGE)),
    JAVA,
    KOTLIN,
    SCALA,
    CSHARP,
    FileType(suffixes=(".cshtml", ".razor")),
    C,
    replace(CPP, suffixes=(".h",), lexer="c"),
    CPP,
    replace(CPP, suffixes=(".cu", ".cuh"), lexer="", grammar=None),
    FileType(suffixes=(".m",), family="c", comments=C_COMMENTS, definitions="typed"),
    GO,
    RUST,
    PHP,
    RUBY,
    FileType(suffixes=(".erb",)),
    SWIFT,
    FileType(suffixes=(".dart",), comments=C_COMMENTS, definitions="typed"),
    ELIXIR,
    LUA,
    FileType(suffixes=(".jl", ".r"), comments=(HASH,), implicit_result=True),
    FileType(suffixes=(".clj", ".ml", ".hs"), implicit_result=True),
    FileType(suffixes=(".sh", ".bash"), lexer="bash", comments=(HASH,)),
    FileType(suffixes=(".sql",), lexer="sql"),
    FileType(suffixes=(".css",), lexer="css"),
    FileType(suffixes=(".scss", ".less")),
    FileType(suffixes=(".html",), lexer="html"),
    FileType(suffixes=(".json",), lexer="json"),
    FileType(suffixes=(".toml",), lexer="toml"),
    FileType(suffixes=(".yml", ".yaml"), lexer="yaml"),
)
UNKNOWN = FileType(suffixes=())


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
    """Whether a file stands for its folder, or is the root of a package or a program: its own name is that of many files."""
    return posixpath.splitext(posixpath.basename(path))[0] in _common_names()


@lru_cache(maxsize=4_096)
def family(path: str) -> str:
    """Return what languages have in common that import each other; of another file its suffix."""
    return filetype(path).family or posixpath.splitext(path)[1].lower()


def configs_of(parser: str) -> tuple[str, ...]:
    """Return the base names (with *) of the files that decide what an import of a language means."""
    return next((one.configs for one in FILETYPES if one.parser == parser), ())


def parsed_by(parser: str) -> tuple[str, ...]:
    """Return the suffixes that a language of `bot/languages` reads."""
    return tuple(suffix for one in FILETYPES if one.parser == parser for suffix in one.suffixes)


@cache
def _common_names() -> frozenset[str]:
    return frozenset({"lib", "main", *(one.folder_file for one in FILETYPES)}) - {""}


@cache
def _by_suffix() -> Mapping[str, FileType]:
    return MappingProxyType({suffix: one for one in FILETYPES for suffix in one.suffixes})
