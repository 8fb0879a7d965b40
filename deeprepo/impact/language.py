"""Load a language from its folder: `language.toml`, the queries and a class that resolves imports."""

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cache, cached_property
from importlib import import_module
from itertools import accumulate, pairwise
from types import ModuleType
from typing import Any, NamedTuple, Protocol

from tree_sitter import Language as Grammar
from tree_sitter import Node, Query

from deeprepo.impact import table
from deeprepo.impact.filetypes import FileType, Traits, filetype, has_module
from deeprepo.impact.halves import Halves, halves
from deeprepo.impact.parsing import grammar
from deeprepo.impact.paths import Paths
from deeprepo.impact.structs import Struct, field
from deeprepo.impact.values import Arguments, Clues, Import

QUERIES = (
    "defs",
    "uses",
    "bindings",
    "guards",
    "foreseen",
    "types",
    "receivers",
    "imports",
    "names",
    "open",
    "results",
    "objects",
    "paths",
    "wholes",
)
HOOKS = (
    "members",
    "listed",
    "code",
    "passed",
    "faults",
    "imported",
    "import_lines",
    "type_name",
    "is_pattern",
)  # optional names in a folder's module, besides `Modules` and `AMBIENT`


class Modules(Protocol):
    """Resolves imports of one language in one tree: the only code that a language must provide."""

    # whether a package is recognized by name only, although a published package may share that name
    guesses: bool

    def __init__(self, paths: Paths, configs: Mapping[str, bytes]) -> None:
        """Take the configuration files that `language.toml` asks for, by path."""

    def files(self, importer: str, item: Import, name: str = "") -> tuple[str, ...] | None:
        """Return the files that an import refers to; if a name is given, those that may define it.

        Return () if the import refers to missing files of this tree, None if it is unknown or a library.
        """

    def inner(self, importer: str, item: Import, name: str) -> tuple[str, ...] | None:
        """Return the files of the module that an imported name refers to; () if it is no module, None if unknown."""

    def mates(self, path: str, name: str = "") -> tuple[str, ...]:
        """Return the files whose names a file sees without an import, including itself.

        If a name is given, return those that may define it; () if the file sees only its own names.
        """

    def near(self, importer: str, item: Import) -> tuple[str, ...]:
        """Return suggestions for an import whose module does not exist."""

    def parents(self, importer: str, item: Import) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Return the modules that make an import reachable.

        Each is a file with the files of which one must declare it as its module.
        """

    def is_added_to(self, home: str, name: str, sources: Mapping[str, bytes]) -> bool:
        """Return whether the build adds names like this to a file or folder with some.

        `sources`: the files read.
        """

    def respelt(self, importer: str, path: str, name: str) -> Collection[str]:
        """Return the words that refer to a member of this name in a file of another language."""

    def clues(self, path: str) -> Clues:
        """Return what a file that imports a path must contain."""

    def built_from(self, importer: str, spec: str, home: str) -> str | None:
        """Return the folder whose files an import may refer to.

        It is used if `home` is a guess because no file matches the package's declaration.
        """


class Member(NamedTuple):
    """A member of an object literal, as returned by the hook `members` of a language."""

    owner: str
    name: Node
    whole: Node  # including everything that belongs to it
    function: Node | None  # the function that a call runs
    opaque: bool = False  # the function is passed to another one, which creates the member


class Standalone:
    """Defaults for a language whose files share no names without imports and get no suggestions."""

    def inner(self, importer: str, item: Import, name: str) -> tuple[str, ...] | None:
        """Return (): an imported name is never a module."""
        del importer, item, name
        return ()

    def mates(self, path: str, name: str = "") -> tuple[str, ...]:
        """Return (): files see only their own names."""
        del path, name
        return ()

    def near(self, importer: str, item: Import) -> tuple[str, ...]:
        """Return (): there are no suggestions."""
        del importer, item
        return ()

    def parents(self, importer: str, item: Import) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Return (): a file's module follows from its path."""
        del importer, item
        return ()

    def is_added_to(self, home: str, name: str, sources: Mapping[str, bytes]) -> bool:
        """Return False: a file writes out everything that it exports."""
        del home, name, sources
        return False

    def respelt(self, importer: str, path: str, name: str) -> Collection[str]:
        """Return (): a name is spelled the same in all languages."""
        del importer, path, name
        return ()

    def clues(self, path: str) -> Clues:
        """Return no clue: imports do not name files."""
        del path
        return Clues(frozenset())

    def built_from(self, importer: str, spec: str, home: str) -> str | None:
        """Return None: an import states which file it refers to."""
        del importer, spec, home
        return None


class Unresolved(Standalone):
    """Defaults for a language whose imports cannot be resolved to files."""

    guesses = False

    def __init__(self, paths: Paths, configs: Mapping[str, bytes]) -> None:
        del paths, configs

    def files(self, importer: str, item: Import, name: str = "") -> tuple[str, ...] | None:
        """Return None: the files are unknown."""
        del importer, item, name
        return None


class CallRules(Struct, frozen=True):
    """How calls are written in a language."""

    argument_lists: tuple[str, ...] = ("argument_list",)  # nodes that list the arguments
    alone: tuple[str, ...] = ()  # nodes that replace the list and are the only argument
    keyword: tuple[str, ...] = ()  # nodes of named arguments, with the name in the field `name`
    spread: tuple[str, ...] = ()  # nodes of spread arguments, whose number is unknown
    nothing: tuple[str, ...] = ()  # nodes that pass no argument
    aside: tuple[str, ...] = ()  # nodes among the arguments that are no argument, such as blocks
    # nodes before an argument that name its parameter; other nodes may also be there
    labels: tuple[str, ...] = ()
    named_in_place: bool = False  # positional arguments may follow named ones that are in their own position
    setters: tuple[str, ...] = ()  # nodes among the arguments that set a member if they contain a `=`
    last_call: bool = False  # a call as the last argument may pass several values
    lone_call: bool = False  # a call as the only argument may pass several values


class Language(Struct, frozen=True, eq=False, dict=True):
    """One language, loaded from its folder."""

    name: str
    folder: str
    files: FileType
    traits: Traits
    grammar_module: str
    grammar_function: str
    modules: type[Modules]
    calls: CallRules
    speaks: tuple[str, ...]  # the grammars whose parameters it understands
    configs: tuple[str, ...] = ()  # globs for base names of files that configure imports
    # globs of files that configure generated code, which the check of new lines also reads
    builds: tuple[str, ...] = ()
    scripts: bool = False  # its code is in the script elements of a page
    otherwise: str = ""  # the alternative grammar, used if only that one parses the file
    otherwise_if: str = ""  # a pattern of files for which the alternative grammar takes precedence
    ambient: frozenset[str] = frozenset()  # names that are available in each file
    separator: str = "."  # separates the parts of a module's name
    exports: bool = False  # a file offers only what it exports
    offers_all: str = "(?!)"  # a pattern of files that offer everything
    hands_on: bool = False  # importers of a file can also import what it imports
    receiver: bool = False  # a method's first parameter is its object
    private: str = ""  # a pattern of names that other files cannot use, "" for none
    called_as_written: bool = False  # a module imported without a name is called by the import's spelling
    fails: Mapping[str, str] = field(default_factory=dict)  # rule -> what happens at a broken place

    abstract_heirs: bool = False  # a class that lacks an abstract member fails only when it is instantiated
    overloads: bool = False  # a name may have several definitions, of which a call uses the matching one
    unit: str = "file"  # "folder" if all files of a folder form a module
    inline_modules: bool = False  # a file may define modules, so only their names show whether one exists
    ignores_case: bool = False  # names of classes and members are case-insensitive
    split: str = ""  # separates a member from its module in an import
    lost_names: bool = False  # a name without a receiver is from the file, its mates or its imports
    object_members: str = ""  # a pattern of members that every object has
    extended: bool = False  # functions of any file may extend any object
    made_names: str = ""  # a pattern of generated names
    classes: str = "_?[A-Z]"  # a pattern of names that may be classes
    # Library classes that add no class members.
    plain_bases: frozenset[str] = frozenset()
    # plain bases whose call constructs nothing, such as enumerations
    valued_bases: frozenset[str] = frozenset()
    module_members: str = "(?!)"  # a pattern of implicit members of modules
    unknown_members: str = ""  # a pattern of implicit members of classes
    constructors: tuple[str, ...] = ()  # what constructing a class calls; "=" is the class's own name
    called_like: tuple[str, ...] = ()  # members that are also run by a call of a class or of its object
    identifiers: frozenset[str] = frozenset({"identifier"})  # nodes of names
    around: tuple[str, ...] = ()  # nodes that belong to the definition inside them: decorators, `export`
    declarators: tuple[str, ...] = ()  # nodes between a definition and its name, such as pointers
    bodies_beside: tuple[str, ...] = ()  # nodes of bodies that follow their definitions as siblings
    stacked: frozenset[str] = frozenset()  # nodes that form rows before what they mark: decorators, comments
    # Nodes in which each name is imported; if empty, those of `@import`.
    statements: frozenset[str] = frozenset()
    scopes: tuple[str, ...] = (
        "function",
        "method",
        "class",
        "holder",
        "module",
    )  # kinds of definitions that are reported as the scope of a reference
    own: tuple[str, ...] = ("this",)  # how a method refers to its object
    above: tuple[str, ...] = ("super",)  # how a method refers to its object as an instance of the base class
    private_is: str = "file"  # who can use a private name: "file", "folder", "below", "self"
    unexported: frozenset[str] = frozenset()  # definitions that other files cannot use
    nameless: frozenset[str] = frozenset({"_"})  # placeholders that name nothing
    free_functions: bool = (
        # functions may be defined outside classes, so a call without a receiver may not refer to a member
        False
    )
    # words from which a member's name is specific enough without a known receiver; 0 for never
    specific_words: int = 0
    sought: bool = (
        False  # its files are only searched for references to the change; their own new lines are not checked
    )
    lends_members: bool = False  # static members and nested classes can be imported without their class
    members: Callable[[str, Node], Iterator[Member]] | None = None  # the members of a named value
    # Nodes between a statement and an anonymous function that runs in place.
    inline: frozenset[str] = frozenset()
    flat: bool = False  # the name of a class does not include its outer class or module
    # members are called by name only, since each file may name their table differently
    apart_members: bool = False
    scoped: bool = False  # a file declares all names that its code sees
    reads_all: str = ""  # a word with which a function reads all its arguments
    literal: str = "(?!)"  # a pattern of the heads of values whose members are all written out
    closed: str = "(?!)"  # a pattern of the heads of values that cannot be given more members
    filled: str = ""  # a pattern of code that may add members to a value NAME
    passed: Callable[[Node], Arguments] | None = None  # the arguments of a call that no node lists
    # names that importing a library's module defines in a file
    given: Mapping[str, str] = field(default_factory=dict)
    imports_end: str = ""  # a pattern of the first line after the imports
    relative: bool = False  # a namespace may be relative to the file's own
    endings: Mapping[str, str] = field(default_factory=dict)  # node -> the suffix that a name may omit there
    listed: Callable[[str, int], Iterator[Import]] | None = (
        None  # the imports of a statement and its line, if no node lists them
    )
    # The imports of a file, if they are found by its lines.
    imported: Callable[[bytes], Iterator[Import]] | None = None
    import_lines: Callable[[bytes], bytes] | None = None  # the lines with imports; line numbers stay the same
    code: Callable[[bytes], bytes] | None = None  # the code to parse; offsets and line numbers stay the same
    faults: Callable[[bytes], frozenset[int]] | None = None  # lines with errors that the grammar accepts
    member_form: str = (
        ""  # the form of a member at its definition: a "definition", or a "key", which no bare name refers to
    )
    store_form: str = "definition"  # the form of an assigned member: a "definition" or a "member"
    qualified: tuple[str, ...] = ()  # nodes of a qualified name, whose last part is the name
    apart: tuple[str, ...] = ()  # nodes with identifiers that are no names, such as variables with a sigil
    told_by: str = ""  # a pattern of lines that define NAME, if neither an import nor a path identifies the file
    added_by: str = ""  # a pattern of lines that add members to the type NAME
    # The full name of a type node; whether a node is a pattern, which may omit parts.
    type_name: Callable[[Node], str] | None = None
    is_pattern: Callable[[Node], bool] | None = None
    metaclasses: frozenset[str] = frozenset()  # bases whose subclasses construct classes
    own_class: str = ""  # how a method refers to its class
    paths_with: str = ""  # the separator of paths, which the search for references replaces by dots
    tokens: str = ""  # nodes of code that is only known as tokens
    inherited: str = ""  # the implicit base of every class
    # How an unbound receiver is treated: as "unknown", as a "class" if it is spelled like one, as "open", as
    # the class that it names ("named"), or as never unknown ("silent").
    untold: str = "class"

    def around_of(self, node: Node) -> Node | None:
        """Return the parent of a node; for a body that follows its definition, return that definition."""
        return node.prev_named_sibling if node.type in self.bodies_beside else node.parent

    def last_of(self, node: Node) -> Node:
        """Return the last node of a definition: the body that follows it, or the definition itself."""
        after = node.next_named_sibling if self.bodies_beside else None
        return after if after is not None and after.type in self.bodies_beside else node

    def span(self, node: Node) -> tuple[int, int]:
        """Return the byte span of a definition with its body."""
        return node.start_byte, self.last_of(node).end_byte

    def whole(self, node: Node) -> Node:
        """Return the definition of a node, outside its declarators."""
        while node.type in self.declarators and (above := node.parent) is not None:
            node = above
        return node

    def constructors_of(self, name: str) -> tuple[str, ...]:
        """Return the names of a class's constructors."""
        return (*(name if one == "=" else one for one in self.constructors), *self.called_like)

    def below(self, spec: str, name: str) -> str:
        """Return the import of a submodule."""
        return f"{spec}{self.separator}{name}" if not spec.endswith(self.separator) else f"{spec}{name}"

    def is_private(self, name: str) -> bool:
        """Return whether the spelling of a name hides it from other files."""
        return bool(self.private) and re.match(self.private, name) is not None

    def whole_name(self, spec: str) -> str:
        """Return the local name of a module imported without one; "" if the module decides it."""
        return spec if self.called_as_written else ""

    @cached_property
    def is_module(self) -> bool:
        """Return whether files declare their own module, which is relevant to every query of a file."""
        return any("@module" in text for text in self.texts("defs").values())

    @cached_property
    def has_aliases(self) -> bool:
        """Return whether an assignment can re-export an imported name under another name."""
        return any("@alias" in text for name in ("bindings", "receivers") for text in self.texts(name).values())

    @cached_property
    def grammar(self) -> Grammar:
        """Return the grammar, loaded on first use."""
        return grammar(self.grammar_module, self.grammar_function)

    @cache  # noqa: B019 - languages are few, and live as long as the program
    def query(self, names: tuple[str, ...], word: str = "") -> "Compiled | None":
        """Return queries of this language combined into one, or their part for files with a word.

        Compiled on first use.
        """
        texts = {name: self.texts(name).get(word, "") for name in names}
        if not any(text.strip() for text in texts.values()):
            return None
        query = Query(self.grammar, "".join(f"{text}\n" for text in texts.values()))
        ends = [*accumulate(len(text.encode()) + 1 for text in texts.values())]
        starts = [query.start_byte_for_pattern(pattern) for pattern in range(query.pattern_count)]
        whole = "".join(f"{text}\n" for text in texts.values()).encode()
        halved = {
            pattern: found
            for pattern, (start, end) in enumerate(pairwise([*starts, len(whole)]))
            if (found := halves(whole[start:end].decode()))
        }
        return Compiled(query, tuple(names[bisect_right(ends, start)] for start in starts), halved)

    @cache  # noqa: B019 - as above
    def texts(self, name: str) -> Mapping[str, str]:
        """Return a query's patterns for this grammar.

        They are grouped by the word or `/pattern/` that a file must contain.
        """
        file = table.FOLDER / self.folder / f"{name}.scm"
        return _of_grammar(file.read_text("utf-8"), self.name) if file.is_file() else {}


class Compiled(Struct, frozen=True):
    """Several queries compiled into one."""

    query: Query
    names: tuple[str, ...]  # pattern index -> name of its query
    halves: Halves


def _of_grammar(text: str, name: str) -> Mapping[str, str]:
    """Return the patterns for one grammar, grouped by the word that a file must contain.

    Three comments apply to the patterns below them:
    - `; only: a b` limits them to the grammars a and b;
    - `; when: word` limits them to files with this word (`/word/` is a regular expression);
    - `; all` ends both limits.
    """
    kept: dict[str, list[str]] = {"": []}
    is_mine, word = True, ""
    for line in text.splitlines():
        if line.startswith("; only:"):
            is_mine = name in line.removeprefix("; only:").split()
        elif line.startswith("; when:"):
            word = line.removeprefix("; when:").strip()
        elif line.startswith("; all"):
            is_mine, word = True, ""
        elif is_mine:
            kept.setdefault(word, []).append(line)
    return {word: "\n".join(lines) for word, lines in kept.items()}


@cache
def languages() -> Mapping[str, Language]:
    """Return suffix -> language."""
    return {suffix: one for folder in table.folders() for suffix, one in _of_folder(folder).items()}


@cache
def _of_folder(folder: str) -> Mapping[str, Language]:
    return {suffix: one for one in load(folder) if has_module(one.grammar_module) for suffix in one.files.suffixes}


@cache
def _of_suffix(suffix: str) -> Language | None:
    """Return the language of a suffix. Only that language's folder is loaded."""
    for folder, rows in table.folders().items():
        if any(suffix in row["suffixes"] for row in rows["grammars"].values()):
            return _of_folder(folder).get(suffix)
    return None


@cache
def load(folder: str) -> tuple[Language, ...]:
    """Return the languages of a folder, one for each grammar."""
    hooks = import_module(f"deeprepo.impact.languages.{folder}")
    rows = {name: row for name, row in table.rows(folder).items() if "grammar" in row}
    return tuple(_language(folder, row.get("reads_as", name), row, [*rows], hooks) for name, row in rows.items())


def _language(folder: str, name: str, row: Mapping[str, Any], grammars: Collection[str], hooks: ModuleType) -> Language:
    """Return a language from its table row and the hooks of its folder."""
    given = {key: getattr(hooks, key) for key in HOOKS if hasattr(hooks, key)}
    own = {"speaks": grammars, "member_form": "definition" if row.get("bare_members") else "key", **row, "name": name}
    return table.filled(
        Language,
        own,
        folder=folder,
        files=filetype("x" + row["suffixes"][0]),
        traits=table.filled(Traits, row),
        grammar_module=row["grammar"][0],
        grammar_function=row["grammar"][1],
        modules=getattr(hooks, "Modules", Unresolved),
        calls=table.filled(CallRules, row["calls"]),
        ambient=frozenset(row.get("ambient", "").split()) | getattr(hooks, "AMBIENT", frozenset()),
        **given,
    )


def language_of(path: str) -> Language | None:
    """Return the language of a path by its suffix."""
    return _of_suffix("." + path.rpartition(".")[2].lower()) if "." in path.rpartition("/")[2] else None
