"""A language is a folder: `language.toml`, queries, and one class that says what an import means."""

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cache, cached_property
from importlib import import_module
from itertools import accumulate
from types import ModuleType
from typing import Any, NamedTuple, Protocol

from tree_sitter import Language as Grammar
from tree_sitter import Node, Query

from deeprepo.impact import table
from deeprepo.impact.filetypes import FileType, Traits, filetype, has_module
from deeprepo.impact.parsing import grammar
from deeprepo.impact.paths import Paths
from deeprepo.impact.structs import Struct, field
from deeprepo.impact.values import Arguments, Clues, HalfBound, Import

QUERIES = (
    "defs",
    "uses",
    "bindings",
    "guards",
    "foreseen",
    "types",
    "receivers",
    "imports",
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
    "half_bound",
    "imported",
    "import_lines",
    "type_name",
    "is_pattern",
)  # what the module of a folder may have besides `Modules` and `AMBIENT`


class Modules(Protocol):
    """What an import of one language means in one tree: the only code that a language must write."""

    guesses: bool  # whether a package of the tree is meant by its name alone, where a published one may be

    def __init__(self, paths: Paths, configs: Mapping[str, bytes]) -> None:
        """`configs`: the files that `language.toml` asks for, by path."""

    def files(self, importer: str, item: Import, name: str = "") -> tuple[str, ...] | None:
        """Return the files that an import means, with a name those that may define it.

        () if it means some of this tree that are not there; None if nobody can know, or they are a library's.
        """

    def inner(self, importer: str, item: Import, name: str) -> tuple[str, ...] | None:
        """Return the files of the module that an imported name means; () if it is not a module, None if that is unknown."""

    def mates(self, path: str, name: str = "") -> tuple[str, ...]:
        """Return the files whose names a file sees without an import, itself among them, with a name those that may define it; () if it stands alone."""

    def near(self, importer: str, item: Import) -> tuple[str, ...]:
        """Return how the import might be meant to be written, where its module is not there."""

    def parents(self, importer: str, item: Import) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Return the modules by which an import counts: each a file, and those of which one has to say that it is its module."""

    def is_added_to(self, home: str, name: str, sources: Mapping[str, bytes]) -> bool:
        """Return whether the tree says that a build adds names such as this to a file or a folder that has some. `sources`: what was read."""

    def respelt(self, importer: str, path: str, name: str) -> Collection[str]:
        """Return the words that stand for a member of this name in a file of another language."""

    def clues(self, path: str) -> Clues:
        """Return what a file that imports a path must contain."""

    def built_from(self, importer: str, spec: str, home: str) -> str | None:
        """Return the folder whose files an import may mean where `home` is a guess, as no file of the tree is what its package says that it is."""


class Member(NamedTuple):
    """A member of an object that the code writes: what the hook `members` of a language tells."""

    owner: str
    name: Node
    whole: Node  # with all that belongs to it
    function: Node | None  # what is called
    opaque: bool = False  # that function is handed to another one, which makes the member of it


class Standalone:
    """What holds in a language whose files see nothing of each other without an import, and of which nobody guesses what is meant."""

    def inner(self, importer: str, item: Import, name: str) -> tuple[str, ...] | None:
        """Return (): a name of a module is no module."""
        del importer, item, name
        return ()

    def mates(self, path: str, name: str = "") -> tuple[str, ...]:
        """Return (): each file stands alone."""
        del path, name
        return ()

    def near(self, importer: str, item: Import) -> tuple[str, ...]:
        """Return (): nothing is proposed for a module that is not there."""
        del importer, item
        return ()

    def parents(self, importer: str, item: Import) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Return (): a file is the module that its path says."""
        del importer, item
        return ()

    def is_added_to(self, home: str, name: str, sources: Mapping[str, bytes]) -> bool:
        """Return False: what a file offers it writes."""
        del home, name, sources
        return False

    def respelt(self, importer: str, path: str, name: str) -> Collection[str]:
        """Return (): a name is written alike everywhere."""
        del importer, path, name
        return ()

    def clues(self, path: str) -> Clues:
        """Return no clue: no import names a file."""
        del path
        return Clues(frozenset())

    def built_from(self, importer: str, spec: str, home: str) -> str | None:
        """Return None: an import says which file it means."""
        del importer, spec, home
        return None


class Unresolved(Standalone):
    """What holds where nobody can know which files an import means: no line that names them says it."""

    guesses = False

    def __init__(self, paths: Paths, configs: Mapping[str, bytes]) -> None:
        del paths, configs

    def files(self, importer: str, item: Import, name: str = "") -> tuple[str, ...] | None:
        """Return None: nobody can know."""
        del importer, item, name
        return None


class CallRules(Struct, frozen=True):
    """How a call is written."""

    argument_lists: tuple[str, ...] = ("argument_list",)  # nodes of the arguments that are written one by one
    alone: tuple[str, ...] = ()  # nodes that are the only argument, in the place of a list
    keyword: tuple[str, ...] = ()  # nodes of an argument that is passed by name: its name is their field `name`
    spread: tuple[str, ...] = ()  # nodes of arguments that nobody can count
    nothing: tuple[str, ...] = ()  # nodes that stand for no argument
    aside: tuple[str, ...] = ()  # nodes that stand among the arguments and are no argument: a block
    labels: tuple[str, ...] = ()  # nodes before an argument that name its parameter: other nodes may be in that place
    named_in_place: bool = False  # a positional argument may follow named ones, which are then in their positions
    setters: tuple[str, ...] = ()  # nodes among the arguments that set a member, where they hold a `=`
    last_call: bool = False  # a call that is the last argument may pass several
    lone_call: bool = False  # a call that is the only argument may pass several


class ResultRules(Struct, frozen=True):
    """What a call gives, and which types never stand for each other."""

    counted: bool = False  # a call gives several results, and has to take each
    # Patterns of code that puts something else in the place of NAME.
    replaced: Mapping[str, str] = field(default_factory=dict)
    inferred: bool = False  # the `return` statements tell, for a declared type binds nobody
    strict: bool = True  # a condition takes nothing but a truth value
    none: str = ""  # the type where none is declared
    awaitable: str = "(?!)"  # a pattern of types that have to be awaited
    of_awaitable: tuple[str, ...] = ()  # members of what is not awaited yet
    of_keys: tuple[str, ...] = ()  # members of a dictionary that leave it as it is
    unawaited: str = "does not compile"  # what comes of a use of such a one
    nothing: tuple[str, ...] = ()  # types without a value
    nothing_is: str = "nothing"  # how a sentence names what gives no value
    tops: tuple[str, ...] = ()  # types that a wrapper may stand for
    wrappers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # type around another -> its own members
    of_wrappers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # the same -> forms that need it
    kinds: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # text, number, truth -> plain types

    @property
    def is_read(self) -> bool:
        """Return whether a module of the language reads the results."""
        return self.counted or self.inferred

    def kind_of(self, name: str) -> str:
        """Return the kind of a plain type; "" for any other."""
        return next((kind for kind, names in self.kinds.items() if name in names), "")


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
    results: ResultRules
    speaks: tuple[str, ...]  # the grammars whose parameters it knows
    configs: tuple[str, ...] = ()  # globs of the base names of files that decide what an import means
    builds: tuple[str, ...] = ()  # of further files that say what a build adds, which new lines are held against
    scripts: bool = False  # its code is in the script elements of a page
    otherwise: str = ""  # the grammar for a file in which it finds an error and that one none
    otherwise_if: str = ""  # a pattern of files for which that one goes before it, unless it alone reads them
    ambient: frozenset[str] = frozenset()  # names that each file has
    separator: str = "."  # between the parts of a module's name
    exports: bool = False  # a file offers only what it says it exports
    offers_all: str = "(?!)"  # a pattern of files of which that is not so
    hands_on: bool = False  # who imports a file can take from it what it imports
    receiver: bool = False  # the first parameter of a method is its object
    private: str = ""  # a pattern of names that no other file can use, "" for none
    called_as_written: bool = False  # a module that is imported without a name is called as the import writes it
    fails: Mapping[str, str] = field(default_factory=dict)  # what happens at a place, by its rule

    abstract_heirs: bool = False  # a class that lacks an abstract part fails only where an object of it is made
    overloads: bool = False  # several definitions of one name stand beside each other, and a call takes one that fits
    unit: str = "file"  # "folder" where a module is all files of one
    inline_modules: bool = False  # a file may define modules, so that only its names tell whether one is there
    ignores_case: bool = False  # names of classes and members are the same in capitals
    split: str = ""  # an import names a member of what stands before the last of these
    lost_names: bool = False  # a name without a receiver means a definition of the file, its mates or its imports
    object_members: str = ""  # a pattern of members that each object has
    extended: bool = False  # a function of any file may be a member of any object
    made_names: str = ""  # a pattern of what generators name
    classes: str = "_?[A-Z]"  # a pattern of what may be a class by its spelling
    # Library classes that bring no member that is asked of a class by its name.
    plain_bases: frozenset[str] = frozenset()
    valued_bases: frozenset[str] = frozenset()  # the same, and a call of such a class constructs nothing: enumerations
    module_members: str = "(?!)"  # a pattern of names that modules have without writing them
    unknown_members: str = ""  # a pattern of members that classes have without writing them
    constructors: tuple[str, ...] = ()  # what a construction of a class calls; "=" is the class's own name
    called_like: tuple[str, ...] = ()  # members that a call of a class or of its object means as well
    identifiers: frozenset[str] = frozenset({"identifier"})  # nodes of names
    around: tuple[str, ...] = ()  # nodes that belong to the definition in them: decorators, `export`
    declarators: tuple[str, ...] = ()  # nodes between the name of a definition and the definition, as C has them
    bodies_beside: tuple[str, ...] = ()  # nodes of bodies that stand behind their definitions, and not in them
    # Nodes in which each name is one that is imported; none: those of `@import`.
    statements: frozenset[str] = frozenset()
    scopes: tuple[str, ...] = (
        "function",
        "method",
        "class",
        "holder",
        "module",
    )  # kinds of definitions that a use is told to be in
    own: tuple[str, ...] = ("this",)  # how a method writes its object
    above: tuple[str, ...] = ("super",)  # how a method writes its object as one of the class above
    private_is: str = "file"  # who can use a private name: "file", "folder", "below", "self"
    unexported: frozenset[str] = frozenset()  # definitions that no other file can ask for
    nameless: frozenset[str] = frozenset({"_"})  # what stands for no name
    free_functions: bool = (
        False  # a function may stand outside of classes: who calls one without a receiver may mean no member
    )
    telling: int = 0  # words of a member's name that speaks for itself although nothing tells its receiver; 0 for never
    sought: bool = (
        False  # its files are searched for users of what changed, and their own new lines are held against nothing
    )
    lends_members: bool = False  # an importer can name static members, and classes of a class, without the class
    members: Callable[[str, Node], Iterator[Member]] | None = None  # the members of a value that has a name
    # Nodes between a statement and a function without a name that runs where it stands.
    inline: frozenset[str] = frozenset()
    flat: bool = False  # what a class is called does not say in which class or module it is
    apart_members: bool = False  # a member is called by its own name alone: its table has another name in each file
    scoped: bool = False  # a file writes the names that its code sees
    reads_all: str = ""  # a word by which a function reads all that it is passed
    literal: str = "(?!)"  # a pattern of heads of values whose members are all written
    closed: str = "(?!)"  # a pattern of heads of values that no code can give members
    filled: str = ""  # a pattern of code that may give a value, NAME, members that are not written
    passed: Callable[[Node], Arguments] | None = None  # what a call passes, where no node lists it all
    given: Mapping[str, str] = field(default_factory=dict)  # what a library's module defines in a file that imports it
    imports_end: str = ""  # a pattern of the first line below which no import stands
    relative: bool = False  # the name of a namespace may begin in one that the file is in
    endings: Mapping[str, str] = field(default_factory=dict)  # a node -> what a name may leave out there
    listed: Callable[[str, int], Iterator[Import]] | None = (
        None  # what a statement and its line import, where no node lists it
    )
    # The import statements of a file, where its lines alone tell them.
    imported: Callable[[bytes], Iterator[Import]] | None = None
    import_lines: Callable[[bytes], bytes] | None = None  # what of a file holds its imports, in the same lines
    code: Callable[[bytes], bytes] | None = None  # what of a file its parser is given: as many bytes, in the same lines
    faults: Callable[[bytes], frozenset[int]] | None = (
        None  # the lines that its grammar lets through and that do not parse all the same
    )
    # Names that one branch binds alone, of the functions that some lines are in; of all with None.
    half_bound: Callable[[bytes, Collection[int] | None], tuple[HalfBound, ...]] | None = None
    member_form: str = (
        ""  # the name of a member where it is defined: a "definition", or a "key", which no bare name can mean
    )
    store_form: str = "definition"  # a member where it is assigned: a "definition", or a "member" like any other
    qualified: tuple[str, ...] = ()  # nodes of a name with the path before it: its last part names it
    apart: tuple[
        str, ...
    ] = ()  # nodes in which an identifier is no name: variables with a sigil, a namespace's own name
    told_by: str = (
        ""  # a pattern of lines that define NAME, where neither an import nor a path says in which file it is
    )
    added_by: str = ""  # a pattern of lines that give the type NAME more members than its own file
    # What a type is called in full whose name a node holds; whether a node is a pattern, which need not name each part.
    type_name: Callable[[Node], str] | None = None
    is_pattern: Callable[[Node], bool] | None = None
    metaclasses: frozenset[str] = frozenset()  # bases of which the heirs construct classes
    own_class: str = ""  # how a method writes the class that it belongs to
    paths_with: str = ""  # the separator of paths that the search for users replaces by dots
    tokens: str = ""  # nodes of code that is told by its words alone
    inherited: str = ""  # what each class may inherit from although it does not say so
    # A receiver that no line binds is "unknown", or may be a "class" if it is spelt like one, or is "open"; "named": it is that class;
    # "silent": of no receiver is it said that its class is unknown.
    untold: str = "class"

    def around_of(self, node: Node) -> Node | None:
        """Return the node around another one: around a body that stands beside its definition, that definition."""
        return node.prev_named_sibling if node.type in self.bodies_beside else node.parent

    def last_of(self, node: Node) -> Node:
        """Return the node with which a definition ends: itself, or the body that stands beside it."""
        after = node.next_named_sibling if self.bodies_beside else None
        return after if after is not None and after.type in self.bodies_beside else node

    def span(self, node: Node) -> tuple[int, int]:
        """Return the bytes of a definition, with its body."""
        return node.start_byte, self.last_of(node).end_byte

    def whole(self, node: Node) -> Node:
        """Return the definition that a node stands for: what is around its declarators."""
        while node.type in self.declarators and (above := node.parent) is not None:
            node = above
        return node

    def constructors_of(self, name: str) -> tuple[str, ...]:
        """Return what the constructors of a class are called; "=" stands for its own name."""
        return (*(name if one == "=" else one for one in self.constructors), *self.called_like)

    def below(self, spec: str, name: str) -> str:
        """Return the import of a module of a module."""
        return f"{spec}{self.separator}{name}" if not spec.endswith(self.separator) else f"{spec}{name}"

    def is_private(self, name: str) -> bool:
        """Return whether the spelling of a name keeps it from other files."""
        return bool(self.private) and re.match(self.private, name) is not None

    def whole_name(self, spec: str) -> str:
        """Return what a module is called that is imported without a name: as it is written, where the module does not say it."""
        return spec if self.called_as_written else ""

    @cached_property
    def is_module(self) -> bool:
        """Return whether a file is a module that it names itself: that counts wherever in the file something is asked."""
        return any("@module" in text for text in self.texts("defs").values())

    @cached_property
    def has_aliases(self) -> bool:
        """Return whether an assignment gives a name of another module a second one that a file offers."""
        return any("@alias" in text for name in ("bindings", "receivers") for text in self.texts(name).values())

    @cached_property
    def returns(self) -> Any:  # noqa: ANN401 - a module of its folder
        """Return the module that tells results where declarations do not, or reads how many there are; it loads with the first that is asked for."""
        return import_module(f"deeprepo.impact.languages.{self.folder}.returns") if self.results.is_read else None

    @cached_property
    def grammar(self) -> Grammar:
        """Return the grammar, loaded when the first file asks for it."""
        return grammar(self.grammar_module, self.grammar_function)

    @cache  # noqa: B019 - languages are few, and live as long as the program
    def query(self, names: tuple[str, ...], word: str = "") -> "Compiled | None":
        """Return queries of its folder as one, or the part of them that is for files with a word; compiled when the first file asks for it."""
        texts = {name: self.texts(name).get(word, "") for name in names}
        if not any(text.strip() for text in texts.values()):
            return None
        query = Query(self.grammar, "".join(f"{text}\n" for text in texts.values()))
        ends = [*accumulate(len(text.encode()) + 1 for text in texts.values())]
        starts = [query.start_byte_for_pattern(pattern) for pattern in range(query.pattern_count)]
        return Compiled(query, tuple(names[bisect_right(ends, start)] for start in starts))

    @cache  # noqa: B019 - as above
    def texts(self, name: str) -> Mapping[str, str]:
        """Return the patterns of a query for this grammar. The key is a word, or a pattern between slashes: only files with it are searched for these patterns."""
        file = table.FOLDER / self.folder / f"{name}.scm"
        return _of_grammar(file.read_text("utf-8"), self.name) if file.is_file() else {}


class Compiled(Struct, frozen=True):
    """Queries that are asked as one."""

    query: Query
    names: tuple[str, ...]  # pattern -> the query that it is of


def _of_grammar(text: str, name: str) -> Mapping[str, str]:
    """The patterns for one grammar, by the word that a file has to have for them.

    A line `; only: a b` keeps the patterns below it for the grammars a and b, `; when: word` for files with this word (`/word/`: with code that matches),
    `; all` for each.
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
    """Its language: a change of one language loads what the code of no other needs."""
    for folder, rows in table.folders().items():
        if any(suffix in row["suffixes"] for row in rows["grammars"].values()):
            return _of_folder(folder).get(suffix)
    return None


@cache
def load(folder: str) -> tuple[Language, ...]:
    """Return the languages of one folder: as many as it names grammars."""
    hooks = import_module(f"deeprepo.impact.languages.{folder}")
    rows = {name: row for name, row in table.rows(folder).items() if "grammar" in row}
    return tuple(_language(folder, row.get("reads_as", name), row, [*rows], hooks) for name, row in rows.items())


def _language(folder: str, name: str, row: Mapping[str, Any], grammars: Collection[str], hooks: ModuleType) -> Language:
    """One language from its row, and from what its folder does by code."""
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
        results=_result_rules(row["results"]),
        ambient=frozenset(row.get("ambient", "").split()) | getattr(hooks, "AMBIENT", frozenset()),
        **given,
    )


def _result_rules(row: Mapping[str, Any]) -> ResultRules:
    """The table `[results]`; what it lists by names is written with spaces, too."""
    lists = {
        key: {name: tuple(words.split()) for name, words in row.get(key, {}).items()}
        for key in ("wrappers", "of_wrappers", "kinds")
    }
    return table.filled(ResultRules, {**row, **lists})


def language_of(path: str) -> Language | None:
    """Return the language of a path by its suffix."""
    return _of_suffix("." + path.rpartition(".")[2].lower()) if "." in path.rpartition("/")[2] else None
