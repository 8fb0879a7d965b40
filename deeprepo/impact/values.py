"""Define the values that the analyzers share: facts about a file, references and findings about a change."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Literal

from deeprepo.impact.structs import Struct, field

ParameterKind = Literal["positional", "only", "keyword", "rest", "named_rest"]
Rule = Literal["missing-module", "missing-name"]
Form = Literal["name", "member", "import", "definition", "key"]
Certainty = Literal["proven", "likely"]
# What a definition is. "common" is a member of an exported object, "holder" an extension of a type that is defined
# elsewhere, "bound" a name that is no definition, "component" a member that is declared in the head of a record,
# "block" code that is no definition.
DefinitionKind = Literal[
    "function", "method", "constructor", "class", "type", "module", "holder", "variable", "member", "attribute",
    "component", "common", "global", "bound", "macro", "declaration", "implementation", "block",
]  # fmt: skip
# Who can use a definition, as it declares. "package": any folder with the same name; "below": its folder and
# subfolders; "unit": what is compiled with it; "self": any file, but without a receiver only subclasses and classes
# that mix it in; "": it declares nothing.
Visibility = Literal["", "anywhere", "unit", "package", "folder", "file", "below", "self"]
Side = Literal["head", "base"]
COMPONENT: DefinitionKind = "component"
NAMED = re.compile(r"\$?[^\W_]")  # a parameter that is neither unnamed nor destructured
MODULE = "<module>"  # the scope of code outside all definitions


class Parameter(Struct, frozen=True):
    """One parameter, in order. `only` cannot be passed by name, `keyword` only by name."""

    name: str
    kind: ParameterKind = "positional"
    is_required: bool = True


class Signature(Struct, frozen=True):
    """What a call must match: the parameters without the receiver, or those of another definition of the name."""

    parameters: tuple[Parameter, ...] = ()
    overloads: tuple[tuple[Parameter, ...], ...] = ()  # the parameters of the other definitions
    opaque: bool = False  # the real parameters may differ from those written
    inherits: bool = False  # opaque only because a base may have an overload
    ambiguous: bool = False  # the definition in effect is chosen at run time, so a match proves nothing
    # of an extension: its class, on which it can be called with the object as the first argument
    extending_class: str = ""

    @property
    def forms(self) -> tuple[tuple[Parameter, ...], ...]:
        """The parameter lists, of which a call must match one."""
        return self.parameters, *self.overloads

    def is_newly_ambiguous(self, before: "Signature") -> bool:
        """Return whether it is newly decided at run time which of several definitions is in effect."""
        was_ambiguous = before.ambiguous and before.overloads == self.overloads
        return self.ambiguous and not before.opaque and not was_ambiguous

    def moved_places(self, before: "Signature") -> frozenset[int]:
        """Return the positions whose argument now reaches another parameter than before."""
        if before.overloads or self.overloads:
            return frozenset()  # the arguments decide which overload a call uses
        old, new = positional(before.parameters), positional(self.parameters)
        names_before, names_after = before.unique_names, self.unique_names
        rest = any(item.kind == "rest" for item in self.parameters)
        collects = any(item.kind == "rest" for item in before.parameters)
        places = set(range(len(old), len(new))) if collects else set[int]()  # what was collected has a name now
        for index, item in enumerate(old):
            other = new[index].name if index < len(new) else ""
            if other == item.name or (index >= len(new) and not rest):
                continue
            if item.name in names_after or other in names_before or (index >= len(new) and item.name in names_before):
                places.add(index)
        return frozenset(places)

    @property
    def unique_names(self) -> frozenset[str]:
        """The parameter names that occur only once."""
        many = Counter(item.name for item in self.parameters)
        return frozenset(name for name, count in many.items() if count == 1 and NAMED.match(name))


class QueryFacts(Struct, frozen=True):
    """What a query says about a definition, in addition to its code."""

    more: bool = False  # instances may have members that this class does not declare, as for an interface
    shown: DefinitionKind | Literal[""] = ""  # the kind used in the search for references, if different
    means: str = ""  # for a key of an exported object: the name of its value in the file
    common: bool = False  # it is a member of an exported object


class Definition(Struct, frozen=True):
    """One definition of a file. Lines count from 1."""

    name: str  # qualified, such as "Cart.total"
    owner: str = ""  # the enclosing class or module, or ""
    kind: DefinitionKind = "function"  # "implementation" if the declaration is elsewhere
    line: int = 0
    head: str = ""  # its code up to the body, on one line
    signature: Signature | None = None  # None if it is not callable or the parameters are unknown
    bases: tuple[str, ...] = ()  # of a class, as written
    private: bool = False  # other files cannot use it
    start: int = 0  # first line, including decorators
    end: int = 0  # last line
    static: bool = False  # it belongs to the class, not to its instances
    visible: Visibility = ""
    extends: str = ""  # the type, defined elsewhere, of whose values it is a member
    namespaces: tuple[str, ...] = ()  # the blocks of namespaces around it, outermost first; "" for an unnamed one
    is_object: bool = False  # a single object, which may share its name with a class
    by_query: QueryFacts = QueryFacts()
    path: str = ""  # its file; `side` is the side of the change
    side: Side = "head"

    @property
    def short(self) -> str:
        """The name that callers write."""
        return self.name.removeprefix(f"{self.owner}.") if self.owner else self.name

    def is_named(self, name: str) -> bool:
        """Return whether this is the definition of a plain name; extensions and constructors only belong to one."""
        return self.name == name and not self.owner and self.kind not in ("holder", "constructor")

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters as written."""
        return self.signature.parameters if self.signature is not None else ()

    def is_visible(self, path: str) -> bool:
        """Return whether code in a file can name this definition."""
        home, here = PurePosixPath(self.path).parent, PurePosixPath(path).parent
        match self.visible:
            case "file":
                return path == self.path
            case "folder":
                return home == here
            case "package":
                return home.name == here.name
            case "below":
                return here.is_relative_to(home)
            case "unit":  # what is compiled with it: the folder around its sources
                around = [folder.parent for folder in (home, *home.parents) if folder.name == "src"]
                return not around or here.is_relative_to(around[0])
        return True


class Bound(Struct, frozen=True):
    """One name that an import takes from a module."""

    there: str
    here: str  # "" if it gets no local name
    line: int


class Import(Struct, frozen=True):
    """One import statement as written, not resolved."""

    spec: str
    line: int
    names: tuple[Bound, ...] = ()
    whole: str = ""  # the local name of the module, or ""
    star: bool = False  # it imports all names of the module
    hands_on: bool = False  # importers of this file can import these names from it
    guarded: bool = False  # the code around handles its failure
    maybe: bool = False  # it is inside a condition
    of_type: bool = False  # it imports a type, or members of a type
    public: bool = False  # the statement re-exports its names
    private: bool = False  # only this module and the modules in it can import these names
    inside: tuple[str, ...] = ()  # the modules around it, outermost first


class Clues(Struct, frozen=True):
    """What a file that imports a certain file must contain, as Perl patterns for `git grep`."""

    words: frozenset[str]  # each import statement of the file contains one of them
    far: tuple[str, ...] = ()  # searched in the whole tree
    near: tuple[str, ...] = ()  # searched below `folder`, for relative imports without a parent folder
    folder: str = ""


class Link(Struct, frozen=True):
    """One import statement resolved to a file of the tree. `names` contains "*" for the whole module."""

    target: str  # path in the tree
    names: frozenset[str]
    line: int
    # pairs of name in the target (or "*") and local name, if they differ
    aliases: tuple[tuple[str, str], ...] = ()
    public: bool = False  # this file re-exports it


class Arguments(Struct, frozen=True):
    """The arguments of a call. With `spread`, some are not written out, so they cannot be counted."""

    positional: int = 0
    keywords: tuple[str, ...] = ()
    spread: bool = False


def positional(parameters: Sequence[Parameter]) -> list[Parameter]:
    """Return the parameters that accept a positional argument."""
    return [one for one in parameters if one.kind in ("positional", "only")]


class Use(Struct, frozen=True):
    """One reference to a name.

    `form` is its role; "key" is an object key, an argument name or a member's own name.
    """

    name: str
    line: int
    form: Form = "name"
    receiver: str = ""  # the code before its dot
    types: tuple[str, ...] = ()  # possible classes of the receiver, as written in this file; "?" if unknown
    arguments: Arguments | None = None  # of a call
    function: str = MODULE  # the enclosing definitions
    span: tuple[int, int] | None = None  # first and last line of the innermost one
    is_in_class_body: bool = False  # the innermost one is a class
    is_guarded: bool = False  # the code around handles its absence or failure
    at: int = -1  # byte offset; -1 if unknown
    is_receiver: bool = False  # a member of it is used: `lib` in `lib.total`
    is_assigned: bool = False  # it gets a value


class SomeUses(tuple[Use, ...]):
    """The references in a file up to a limit; there may be more."""

    __slots__ = ()


class Unwritten(Struct, frozen=True):
    """What a file may define without writing it."""

    for_search: bool = False  # its names may be generated, for example from annotations
    for_new_lines: bool = False  # new lines must assume that it defines more than it writes
    words: frozenset[str] = frozenset()  # words in calls of macros that generate definitions
    lines: frozenset[int] = frozenset()  # lines that can add names to the file or a class


class Facts(Struct, frozen=True):
    """What the text of one file shows."""

    definitions: tuple[Definition, ...] = ()
    imports: tuple[Import, ...] = ()
    open: str = ""  # why it may define more than it writes, or ""
    unwritten: Unwritten = Unwritten()
    module_value: str = ""  # the definition that is exported as the module itself; not all its members may be written
    open_beside: bool = False  # it is open for a reason besides that value
    types: frozenset[str] = frozenset()  # names imported or re-exported as types only
    open_owners: frozenset[str] = frozenset()  # classes that may have unwritten members
    answering: frozenset[str] = frozenset()  # those of them that accept any member, by their own code
    stars: int = 0  # wildcard re-exports
    module: str = ""  # the module name that the file declares
    spaces: tuple[str, ...] = ()  # full namespaces of its code, outermost first

    def may_offer(self, name: str) -> bool:
        """Return whether a name may exist although the file does not write it."""
        return bool(self.open) or self.unwritten.for_new_lines or name in self.unwritten.words


class Outline(Struct, frozen=True):
    """What one file offers to its importers, in the form that the search for references needs."""

    definitions: tuple[Definition, ...] = ()
    imports: tuple[Import, ...] = ()
    exports: tuple[tuple[str, str], ...] = ()  # pairs of exported name and local name
    complete: bool = True  # False if unwritten names may exist or the file does not parse
    unread: str = ""  # why the file could not be read
    is_whole: bool = False  # the name `default` is the module itself, not a member
    bases: tuple[tuple[str, tuple[str, ...]], ...] = ()  # class -> its base classes, as written
    bound: tuple[str, ...] = ()  # names bound by imports, once per binding, if the language counts them
    loose: frozenset[str] = frozenset()  # names that are exported as types only, or bound under a condition
    stars: int = 0  # wildcard imports with re-export
    module: str = ""  # the module name that the file declares
    spaces: tuple[str, ...] = ()  # full namespaces of its code, outermost first

    @property
    def names(self) -> frozenset[str]:
        """The names that importers can use."""
        return frozenset(name for name, _ in self.exports)

    @property
    def defined_names(self) -> frozenset[str]:
        """The exported names that are defined in this file."""
        own = {one.name for one in self.definitions}
        return frozenset(name for name, local in self.exports if local in own)


class Place(Struct, frozen=True):
    """An import that leads nowhere, or takes a name that the imported file doesn't offer."""

    path: str
    line: int
    name: str  # as written there
    rule: Rule
    certainty: Certainty
    home: str  # the file that lacks the name; "" for a missing module
    near: tuple[str, ...] = ()  # suggestions, best first
    here: str = ""  # the local name of an import


class Looked(Struct, frozen=True):
    """The coverage of a report."""

    files: tuple[str, ...] = ()  # changed files whose added lines were resolved
    unread: tuple[str, ...] = ()  # changed files that could not be parsed completely
    left_out: tuple[str, ...] = ()  # changed files beyond the limit of files that a report reads


class Report(Struct, frozen=True):
    """Everything missing that a change refers to."""

    places: tuple[Place, ...] = ()
    looked: Looked = field(default_factory=Looked)


Change = Mapping[str, Collection[int]]  # path after the change -> added lines
