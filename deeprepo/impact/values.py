"""What the parts hand each other: facts of a file, and what a change does to the code that it names."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

from deeprepo.impact.structs import Struct, field, replace

if TYPE_CHECKING:
    from deeprepo.impact.filetypes import FileType

ParameterKind = Literal["positional", "only", "keyword", "rest", "named_rest"]
Rule = Literal[
    "missing-module",
    "missing-name",
    "missing-member",
    "arguments",
    "missing-part",
    "undeclared-package",
    "unshipped-file",
    "half-bound",
]
Form = Literal["name", "member", "import", "definition", "key"]
Certainty = Literal["proven", "likely", "named"]
Side = Literal["head", "base"]
# The kind of a member that no line of its own declares: the head of a record names it.
COMPONENT = "component"
# The mark of an object that may stand beside a class of the same name.
SINGLETON = "object"
SPACE = "namespace "  # the prefix of the mark of a definition in a namespace that nests
TAKES_OBJECT = "takes its object"  # the mark of a function that is called on an object, or on its class with the object as the first argument


class Parameter(Struct, frozen=True):
    """One parameter, in order. `only`: it cannot be passed by name; `keyword`: it can be passed by name alone."""

    name: str
    kind: ParameterKind = "positional"
    is_required: bool = True


class Definition(Struct, frozen=True):
    """One definition of a file. Lines count from 1."""

    name: str  # with what holds it: "Cart.total"
    owner: str = ""  # the class or module that holds it, "" for none
    kind: str = "function"  # method, class, type, variable; "implementation" of what another definition declares
    line: int = 0
    head: str = ""  # how it is written up to its body, on one line
    parameters: tuple[Parameter, ...] | None = None  # without the receiver; None: it takes none, or what is not known
    bases: tuple[str, ...] = ()  # of a class, as written
    private: bool = False  # its language lets no other file name it
    start: int = 0  # its first line, with its decorators
    end: int = 0  # its last line
    more: bool = False  # an object of this class may have members that it does not write: of an interface
    opaque: bool = False  # what it takes may be other than what is written
    static: bool = False  # its class has it, and not an object of that
    # From where it can be named, where that is told: "package" is any folder called like its own, "below" its folder and those
    # beneath; "self" is anywhere, but in other files without a receiver: by heirs, and by who mixes it in.
    visible: str = ""  # or "anywhere", "unit", "folder", "file"
    shown: str = ""  # the kind that a search for its users goes by, where that is another
    marks: tuple[str, ...] = ()  # what else it is: SINGLETON, "extension Cart", "namespace shop"
    sought: bool = False  # the search for its users goes by what it takes, and no new line is held against that
    means: str = ""  # the name of the file that it stands for: a key of what is exported as one object
    common: bool = False  # it is a member of an object that is exported as one
    path: str = ""  # its file, and on which side of a change, where it is told with them
    side: Side = "head"
    also: tuple[tuple[Parameter, ...], ...] = ()  # what its overloads take: a call has to fit one of them
    ambiguous: bool = False  # only a run decides which of several of its name counts: one that fits proves nothing

    @property
    def short(self) -> str:
        """Return the name that callers write."""
        return self.name.removeprefix(f"{self.owner}.") if self.owner else self.name

    @property
    def takes(self) -> tuple[Parameter, ...] | None:
        """Return what a call has to fit; None where nobody can know."""
        return None if self.opaque or self.sought else self.parameters

    @property
    def listed(self) -> tuple[Parameter, ...]:
        """Return the parameters that it writes."""
        return self.parameters or ()

    @property
    def called(self) -> "Definition | None":
        """Return itself, if it is something that is called and that tells what it takes."""
        return self if self.parameters is not None else None

    def taking(self, other: "Definition") -> "Definition":
        """Return it with what another definition takes."""
        return replace(
            self,
            parameters=other.parameters,
            head=other.head,
            opaque=other.opaque,
            also=other.also,
            ambiguous=other.ambiguous,
        )

    def is_visible(self, path: str) -> bool:
        """Return whether code of a file can name it: a private member is nobody's contract outside its class."""
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
    here: str  # "" where the code takes it without giving it a name
    line: int


class Import(Struct, frozen=True):
    """One import statement as written; nothing of it is resolved."""

    spec: str
    line: int
    names: tuple[Bound, ...] = ()
    whole: str = ""  # what the module itself is called here, "" if it gets no name
    star: bool = False  # all of its names come along
    hands_on: bool = False  # who imports this file can take these names from it
    guarded: bool = False  # the code around foresees that it fails
    maybe: bool = False  # it stands under a condition
    of_type: bool = False  # what it names is a type, or of one: it takes its members
    public: bool = False  # the statement says that others can take its names from this file
    inside: tuple[str, ...] = ()  # the names of the modules around it, outermost first


class Clues(Struct, frozen=True):
    """What a file that imports a certain file must contain, as Perl patterns for `git grep`."""

    words: frozenset[str]  # every import statement that means the file has one of them
    far: tuple[str, ...] = ()  # searched in the whole tree
    near: tuple[str, ...] = ()  # searched below `folder`: relative imports that name no parent folder
    folder: str = ""


class Link(Struct, frozen=True):
    """One import statement resolved to a file of the tree. `names` holds "*" for the whole module."""

    target: str  # path in the tree
    names: frozenset[str]
    line: int
    aliases: tuple[tuple[str, str], ...] = ()  # (name in the target or "*", name here), where the two differ
    public: bool = False  # exported again by this file


class Wrong(Struct, frozen=True):
    """The first thing that is wrong with a call: a keyword that nothing takes, too many arguments, ..."""

    kind: Literal["keyword", "surplus", "twice", "missing", "order"]
    names: tuple[str, ...] = ()  # of the parameters or keywords that it is about


class Arguments(Struct, frozen=True):
    """What a call passes. `spread`: some of it is not written one by one, so that nothing can be counted."""

    positional: int = 0
    keywords: tuple[str, ...] = ()
    spread: bool = False

    def misfit(self, parameters: Sequence[Parameter], language: "FileType") -> Wrong | None:
        """Return what is wrong with the call, in a file of a language, of what takes these parameters; None if it fits or nobody can know."""
        kinds = {one.kind for one in parameters}
        accepted = {one.name for one in parameters if one.kind in ("positional", "keyword")}
        unknown = next((word for word in self.keywords if word not in accepted and "named_rest" not in kinds), "")
        if unknown:
            return Wrong("keyword", (unknown,))
        if self.spread:
            return None
        if self.positional > len(places_of(parameters)) and "rest" not in kinds and not language.surplus_arguments:
            return Wrong("surplus")
        return None if language.missing_arguments else self._misfit_of_all(parameters, language)

    def _misfit_of_all(self, parameters: Sequence[Parameter], language: "FileType") -> Wrong | None:
        """Return what is wrong with the call in a language where every parameter needs a value, or None."""
        places = places_of(parameters)
        twice = next((one.name for one in places[: self.positional] if one.name in self.keywords), "")
        if twice and "only" not in {one.kind for one in places if one.name == twice}:
            return Wrong("twice", (twice,))
        left = [*places[self.positional :], *(one for one in parameters if one.kind == "keyword")]
        missing = tuple(one.name for one in left if one.is_required and one.name not in self.keywords)
        if missing:
            return Wrong("missing", missing)
        order = [one.name for one in parameters if one.kind == "keyword"] if language.ordered_arguments else []
        written = [order.index(word) for word in self.keywords if word in order]
        return Wrong("order") if written != sorted(written) else None


def places_of(parameters: Sequence[Parameter]) -> list[Parameter]:
    """Return the parameters that take an argument by its place."""
    return [one for one in parameters if one.kind in ("positional", "only")]


class Origin(Struct, frozen=True):
    """What a value comes from, as far as its file tells."""

    called: tuple[str, ...] = ()  # names of the functions whose result it is, and of classes
    roots: tuple[
        str, ...
    ] = ()  # names at the beginning of what gives it that nothing in the file binds, but an import may
    classes: tuple[str, ...] = ()  # names, as classes have them, anywhere in the calls that give it


class Use(Struct, frozen=True, eq=False):
    """One name where it stands. `form`: what it does there; "key" is a key of an object, the name of an argument, or a member's own name."""

    name: str
    line: int
    form: Form = "name"
    receiver: str = ""  # what stands before its dot, as written
    types: tuple[
        str, ...
    ] = ()  # classes that the receiver is known to be, as written in this file; "?" where nothing tells
    arguments: Arguments | None = None  # of a call
    function: str = "<module>"  # the definitions around it
    span: tuple[int, int] | None = None  # the lines of the innermost
    is_guarded: bool = False  # the code around foresees that it is not there, or fails
    at: int = -1  # the byte where it begins; -1: not known
    alias: str = ""  # the name that an assignment gives to what stands here, uncalled: `total = lib.total`
    result_of: str = ""  # the function of whose result it is a member, as the file writes it
    origin: Origin = Origin()  # of a receiver whose class is not known
    is_receiver: bool = False  # a member of it is meant: `lib` of `lib.total`

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Use) and self._said == other._said

    def __hash__(self) -> int:
        return hash(self._said)

    @property
    def _said(self) -> tuple[object, ...]:
        """What makes two uses the same: nothing of what the code around tells of them, nor where on its line one begins."""
        return (
            self.name,
            self.line,
            self.form,
            self.receiver,
            self.types,
            self.arguments,
            self.function,
            self.span,
            self.is_guarded,
            self.alias,
        )


class SomeUses(tuple[Use, ...]):
    """Uses of a file that may have more: a limit ended the search."""

    __slots__ = ()


class Facts(Struct, frozen=True):
    """What one file says, told from its text alone."""

    definitions: tuple[Definition, ...] = ()
    imports: tuple[Import, ...] = ()
    open: str = ""  # why it may offer more than it writes, "" if it cannot
    unsure: bool = False  # who loses a name of it may have another: annotations make some of them
    unwritten: bool = False  # it may offer more than it writes, as far as new lines are held against it
    made: frozenset[str] = frozenset()  # the words of calls of macros that make definitions of some of them
    module_value: str = (
        ""  # the definition whose value importers get as the module itself: what that holds may not all be written
    )
    open_beside: bool = False  # it is open for more than what that value may hold
    dynamic: frozenset[int] = frozenset()  # lines that can give the file, or a class of it, names that they don't write
    unscoped: bool = False  # its own code may see names that it does not write
    types: frozenset[str] = frozenset()  # names that it imports or hands on for types alone
    open_owners: frozenset[str] = frozenset()  # classes that may have more members than they write
    answering: frozenset[str] = frozenset()  # those of them that answer to any member, by their own code
    opaque: frozenset[str] = frozenset()  # functions that a decorator or a macro may give other parameters
    stars: int = 0  # statements that hand on everything of another file; as it is read, those for the file alone too
    module: str = ""  # what the file says that its module is called
    spaces: tuple[str, ...] = ()  # the namespaces that its code is in, whole, the outermost first

    # What an importer can ask of the file, as the search for users tells it (`offers.py`).
    exports: tuple[tuple[str, str], ...] = ()  # (name that importers write, name of the definition here)
    complete: bool = True  # False where names can appear that are written nowhere, or the file does not parse
    bases: tuple[tuple[str, tuple[str, ...]], ...] = ()  # class -> the classes it inherits from, as written
    is_scoped: bool = False  # whether at least the names of its own scope are all written in it, if `complete` is False
    unread: str = ""  # why a language did not read the file
    bound: tuple[str, ...] = ()  # names that imports bind, each as often as it is bound, where the language counts them
    loose: frozenset[str] = frozenset()  # names that are offered for types alone, or bound under a condition
    borrows: int = 0  # statements that bring in everything of another module, and hand nothing on
    is_whole: bool = False  # whether the name `default` is the module itself, as in CommonJS, and not one of its names

    @property
    def names(self) -> frozenset[str]:
        """Return what an importer can ask of the file."""
        return frozenset(name for name, _ in self.exports)

    @property
    def defined_names(self) -> frozenset[str]:
        """Return those of the names behind which a definition of this file stands."""
        own = {one.name for one in self.definitions}
        return frozenset(name for name, local in self.exports if local in own)

    def may_offer(self, name: str) -> bool:
        """Return whether a name that it does not write may be there all the same."""
        return bool(self.open) or self.unwritten or name in self.made


class HalfBound(Struct, frozen=True):
    """A name that one branch of a function binds alone, and a line that reads it whichever way the code has come."""

    name: str
    line: int
    bound: int  # the line on which the branch binds it


class Place(Struct, frozen=True):
    """A place that names what is not there, or passes what does not fit."""

    path: str
    line: int
    name: str  # as written there
    rule: Rule
    certainty: Certainty
    home: str  # the file that lacks it or defines what is called, or the folder of a package of several; "" of a missing module
    owner: str = ""  # the class that lacks it
    says: str = ""  # of arguments: what is wrong with them
    near: tuple[str, ...] = ()  # what it may be meant for, the nearest first
    definition: Definition | None = None  # what a call does not fit, or the nearest of what it may be meant for
    source: str = ""  # the file of the definition
    also: tuple[int, ...] = ()  # further lines of the file with the same cause
    here: str = ""  # of an import: what the name is called in the file
    happens: str = ""  # what comes of it, as the end of a sentence that begins with "this line"
    asked: str = ""  # what others write who ask the same: the module as it is imported, or the class or function


class Looked(Struct, frozen=True):
    """What a report goes by."""

    files: tuple[str, ...] = ()  # changed files whose added lines were resolved
    read: int = 0  # files of the tree that were read for it
    unread: tuple[str, ...] = ()  # changed files that no parser came to the end of


class Report(Struct, frozen=True):
    """All that a change names and that is not there."""

    places: tuple[Place, ...] = ()
    looked: Looked = field(default_factory=Looked)
    built: tuple[Place, ...] = ()  # those that do not stand before the witness


class Tree(Protocol):
    """Read access to the tree after a change."""

    async def paths(self) -> Mapping[str, bool]:
        """Return every path, and whether it is a plain file; a link or a submodule is none."""

    async def read(self, paths: Sequence[str]) -> Mapping[str, bytes]:
        """Return the bytes of files; those that cannot be read are absent."""


@runtime_checkable
class Base(Tree, Protocol):
    """Read access to the tree before a change."""

    async def holding(self, pattern: str, under: str = "") -> Sequence[str]:
        """Return the text files, of all or below a folder, with a line that matches a pattern."""


Change = Mapping[str, Collection[int]]  # path after the change -> the lines that it adds
