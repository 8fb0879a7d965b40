"""Load a language from its folder: `language.toml`, the queries and a class that resolves imports."""

import posixpath
from bisect import bisect_right
from collections.abc import Mapping
from functools import cache, cached_property
from importlib import import_module
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from deeprepo.impact import table
from deeprepo.impact.defaults import Classes, Files, Imports, Lines, References
from deeprepo.impact.filetypes import UNKNOWN, FileType, filetype
from deeprepo.impact.packages import Packaging
from deeprepo.impact.resolver import Resolver
from deeprepo.impact.structs import Struct, field

if TYPE_CHECKING:  # a language is loaded without its grammar
    from tree_sitter import Language as Grammar
    from tree_sitter import Query

    from deeprepo.impact.halves import Halves

CONSTRUCTOR = "constructor"  # the search's name for a constructor that has its class's name


class Nodes(Struct, frozen=True):
    """The kinds of nodes in a language's syntax trees."""

    identifiers: frozenset[str] = frozenset({"identifier"})  # names
    around: tuple[str, ...] = ()  # what belongs to the definition inside it: decorators, `export`
    stacked: frozenset[str] = frozenset()  # what forms rows before what it marks: decorators, comments
    statements: frozenset[str] = frozenset()  # where each name is imported; if empty, the nodes of `@import`


class TypeRules(Struct, frozen=True):
    """What classes and their members are."""

    classes: str = "_?[A-Z]"  # a pattern of names that may be classes
    plain_bases: frozenset[str] = frozenset()  # library classes that add no class members
    inherited: str = ""  # the implicit base of every class
    constructors: tuple[str, ...] = ()  # what constructing a class calls; "=" is the class's own name
    broken_override: str = ""  # what happens to an incompatible override at compile time
    marked_overrides: bool = False  # every override is marked as such
    object_members: str = ""  # a pattern of members that every object has
    extension_lines: str = ""  # a pattern of lines that add members to the type NAME
    overloads: bool = False  # a name may have several definitions, of which a call uses the matching one
    importable_members: bool = False  # static members and nested classes can be imported without their class
    unqualified: bool = False  # the name of a class does not include its outer class or module
    literal: str = "(?!)"  # a pattern of the heads of values whose members are all written out
    filled_by: str = ""  # a pattern of code that may add members to a value NAME


class ReceiverRules(Struct, frozen=True):
    """What a receiver, or a name without one, may refer to."""

    own: tuple[str, ...] = ("this",)  # how a method refers to its object
    base: tuple[str, ...] = ("super",)  # how a method refers to its object as an instance of the base class
    # How an unbound receiver is treated: as "unknown", as a "class" if it is spelled like one, as "open", as
    # the class that it names ("named"), or as never unknown ("silent").
    unbound: Literal["unknown", "class", "open", "named", "silent"] = "class"
    bare_members: Literal["", "calls", "own"] = ""  # which names without a receiver may be members
    capital_members: bool = False  # fields and properties are capitalized
    # functions may be defined outside classes, so a call without a receiver may not refer to a member
    free_functions: bool = False
    # words from which a member's name is specific enough without a known receiver; 0 for never
    specific_words: int = 0
    # the form of a member at its definition; no bare name refers to a "key". By default: "definition" with
    # `bare_members`, otherwise "key"
    member_form: Literal["", "definition", "key"] = ""
    store_form: Literal["definition", "member"] = "definition"  # the form of an assigned member


class ScopeRules(Struct, frozen=True):
    """How imports name modules, and which names a file sees and offers."""

    configs: tuple[str, ...] = ()  # globs for base names of files that configure imports
    separator: str = "."  # separates the parts of a module's name
    member_separator: str = ""  # separates a member from its module in an import
    unit: Literal["file", "folder"] = "file"  # what forms a module
    relative_namespaces: bool = False  # a namespace may be relative to the file's own
    exports: bool = False  # a file offers only what it exports
    unwritten_names: bool = False  # a file can export names that it does not write
    implicit_names: str = "(?!)"  # a pattern of implicit members of modules
    generated_names: str = ""  # a pattern of generated names
    conditional_build: bool = False  # guarded code is compiled conditionally
    # a pattern of lines that define the type NAME in any file, to which a name refers rather than to an import
    definition_lines: str = ""
    whole_paths: str = "(?!)"  # a pattern of modules that need no import, since a path names them from the root


class CallRules(Struct, frozen=True):
    """How calls pass arguments, and how they are written."""

    named_arguments: str = ""  # what follows a parameter's name in a call; "" if calls don't name arguments
    missing_arguments: bool = False  # a call may omit any argument; a missing member is `undefined`
    surplus_arguments: bool = False  # surplus arguments are ignored
    argument_lists: tuple[str, ...] = ("argument_list",)  # nodes that list the arguments
    sole_argument: tuple[str, ...] = ()  # nodes that replace the list and are the only argument
    keyword: tuple[str, ...] = ()  # nodes of named arguments, with the name in the field `name`
    spread: tuple[str, ...] = ()  # nodes of spread arguments, whose number is unknown
    no_argument: tuple[str, ...] = ()  # nodes that pass no argument
    named_in_place: bool = False  # positional arguments may follow named ones that are in their own position


class Language(Struct, Files, Imports, Lines, Classes, References, frozen=True, eq=False, dict=True):
    """One language, loaded from its folder. The folder's subclass overrides what differs from other languages."""

    modules: ClassVar[type[Resolver]] = Resolver  # resolves imports
    # resolves them for the search for dependents, if it accepts more than the check of new lines
    search_modules: ClassVar[type[Resolver] | None] = None

    packaging: ClassVar[Packaging | None] = None  # how its packages are declared

    name: str = ""
    folder: str = ""
    files: FileType = UNKNOWN
    otherwise: str = ""  # the alternative grammar, used if only that one parses the file
    unchecked: bool = False  # its grammar does not decide whether a file has errors
    broken_use: str = ""  # what happens to a broken line before anything runs
    # its files are only searched for references to the change; their own new lines are not checked
    search_only: bool = False
    ambient: frozenset[str] = frozenset()  # names that are available in each file
    nameless: frozenset[str] = frozenset({"_"})  # placeholders that name nothing
    # kinds of definitions that are reported as the scope of a reference
    scopes: tuple[str, ...] = ("function", "method", "class", "holder", "module")
    fails: Mapping[str, str] = field(default_factory=dict)  # rule -> what happens at a broken place
    nodes: Nodes = Nodes()
    types: TypeRules = TypeRules()
    receivers: ReceiverRules = ReceiverRules()
    scope: ScopeRules = ScopeRules()
    calls: CallRules = CallRules()

    @cached_property
    def suffixes(self) -> tuple[str, ...]:
        """The suffixes of the languages in its folder, whose files can import each other."""
        return tuple(_of_folder(self.folder))

    def is_constructor(self, name: str) -> bool:
        """Return whether methods with this name run when their class is called, as the search names them."""
        return name in self.types.constructors or (name == CONSTRUCTOR and "=" in self.types.constructors)

    def below(self, spec: str, name: str) -> str:
        """Return the import of a submodule."""
        return f"{spec}{self.scope.separator}{name}" if not spec.endswith(self.scope.separator) else f"{spec}{name}"

    @cached_property
    def grammar(self) -> "Grammar":
        """Return the grammar, loaded on first use."""
        from deeprepo.impact.parsing import grammar  # imported here because it loads the parser

        return grammar(*self.files.grammar)

    @property
    def checker(self) -> "Grammar":
        """Return the grammar that decides whether a file has errors."""
        return self.grammar

    @cache  # noqa: B019 - languages are few, and live as long as the program
    def query(self, names: tuple[str, ...], word: str = "") -> "Compiled | None":
        """Return several queries of this language compiled into one, on first use.

        Without a word: their patterns for all files; with it, those for files that contain it.
        """
        from tree_sitter import Query  # as above

        from deeprepo.impact.halves import halves

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
        files = (folder / self.folder / f"{name}.scm" for folder in table.FOLDERS)
        text = next((file.read_text("utf-8") for file in files if file.is_file()), "")
        return _of_grammar(text, self.name) if text else {}


PARTS = (Nodes, TypeRules, ReceiverRules, ScopeRules, CallRules)
KEYS = frozenset(
    {one for kind in (FileType, Language, *PARTS) for one in kind.__struct_fields__} | {"grammars", "reads_as"}
)


class Compiled(Struct, frozen=True):
    """Several queries compiled into one."""

    query: "Query"
    names: tuple[str, ...]  # pattern index -> name of its query
    halves: "Halves"


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
        elif is_mine and not line.startswith(";"):
            kept.setdefault(word, []).append(line)
    return {word: "\n".join(lines) for word, lines in kept.items()}


@cache
def _of_folder(folder: str) -> Mapping[str, Language]:
    return {suffix: one for one in load(folder) if one.files.is_parsed for suffix in one.files.suffixes}


@cache
def leading(folder: str) -> Language:
    """Return the first installed language of a folder, which represents all of them in a search."""
    return next(iter(_of_folder(folder).values()), PLAIN)


@cache
def packagings() -> Mapping[str, Packaging]:
    """Return folder -> how the packages of its languages are declared."""
    found = {folder: leading(folder).packaging for folder in table.folders()}
    return {folder: one for folder, one in found.items() if one is not None}


@cache
def load(folder: str) -> tuple[Language, ...]:
    """Return the languages of a folder, one for each grammar."""
    module = import_module(f"deeprepo.impact.languages.{folder}")
    found = (one for one in vars(module).values() if isinstance(one, type) and issubclass(one, Language))
    kind = next((one for one in found if one.__module__ == module.__name__), Language)
    rows = {name: row for name, row in table.rows(folder).items() if "grammar" in row}
    return tuple(_language(kind, folder, row.get("reads_as", name), row) for name, row in rows.items())


def _language(kind: type[Language], folder: str, name: str, row: Mapping[str, Any]) -> Language:
    refuse_unknown(folder, row)
    form = "definition" if row.get("bare_members") else "key"
    own = {"member_form": form, **row, "name": name, "folder": folder}
    return table.filled(
        kind,
        own,
        files=filetype("x" + row["suffixes"][0]),
        ambient=frozenset(row.get("ambient", "").split()) | kind.builtin_names,
        nodes=table.filled(Nodes, own),
        types=table.filled(TypeRules, own),
        receivers=table.filled(ReceiverRules, own),
        scope=table.filled(ScopeRules, own),
        calls=table.filled(CallRules, own),
    )


def refuse_unknown(folder: str, row: Mapping[str, Any]) -> None:
    """Raise an error if a row has a key that nothing reads."""
    if unknown := sorted(row.keys() - KEYS):
        raise ValueError(f"{folder}/language.toml: no part of a language has a field named {' or '.join(unknown)}")


def language_of(path: str) -> Language | None:
    """Return the language of a path by its suffix. Only that language's folder is loaded."""
    folder = filetype(path).folder
    return _of_folder(folder).get(posixpath.splitext(path)[1].lower()) if folder else None


PLAIN = Language()  # stands for the language of files that no installed grammar reads


def rules_of(path: str) -> Language:
    """Return the language of a path, or the defaults."""
    return language_of(path) or PLAIN
