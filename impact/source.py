"""What a language tells about one file: its outline, its uses of names, and how its importers are found."""

from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal

from impact.values import Parameter

Side = Literal["head", "base"]
# From where a definition can be named: "package" is any folder called like its own, "below" its folder and those beneath;
# "self" is anywhere, but in other files without a receiver: by heirs, and by who mixes it in.
Visibility = Literal["anywhere", "unit", "package", "folder", "below", "file", "self"]


@dataclass(frozen=True, slots=True)
class Signature:
    """What a caller has to know. `parameters` leave out the receiver (self, cls) of a method."""

    parameters: tuple[Parameter, ...]
    text: str  # as written: "def resolve(self, packagename, method)"
    opaque: bool = False  # a decorator, an overload or a destructuring makes the parameters unreliable
    also: tuple[tuple[Parameter, ...], ...] = ()  # of the other overloads: a call has to fit one of them
    ambiguous: bool = (
        False  # only a run decides which of several definitions of the name counts: one that fits proves nothing
    )


# The kind of a member that no line of its own declares: the head of a record names it.
COMPONENT = "component"
# The mark of an object that may stand beside a class of the same name.
SINGLETON = "object"
SPACE = "namespace "  # the prefix of the mark of a definition in a C++ namespace


@dataclass(frozen=True, slots=True)
class Symbol:
    """A definition: a function, method, class, exported name. `name` is qualified: "Class.method"."""

    path: str
    name: str
    kind: str  # "function", "method", "class", "variable", "type"; "implementation" of what another definition declares
    start: int
    end: int
    side: Side
    signature: Signature | None = None
    is_exported: bool = True
    visibility: Visibility = "anywhere"
    marks: tuple[str, ...] = ()  # what else it is: SINGLETON, "extension Cart", "namespace shop"

    @property
    def short(self) -> str:
        """The name that callers write."""
        return self.name.rpartition(".")[2]

    def is_visible(self, path: str) -> bool:
        """Whether code of a file can name it: a private member is nobody's contract outside its class."""
        home, here = PurePosixPath(self.path).parent, PurePosixPath(path).parent
        match self.visibility:
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


@dataclass(frozen=True, slots=True)
class Clues:
    """What a file that imports a certain file must contain, as Perl patterns for `git grep`."""

    words: frozenset[str]  # every import statement that means the file has one of them
    far: tuple[str, ...] = ()  # searched in the whole tree
    near: tuple[str, ...] = ()  # searched below `folder`: relative imports that name no parent folder
    folder: str = ""


@dataclass(frozen=True, slots=True)
class Outline:
    """The definitions of a file, and the names that an importer can ask of it."""

    symbols: tuple[Symbol, ...] = ()
    exports: tuple[tuple[str, str], ...] = ()  # (name that importers write, name of the definition here)
    complete: bool = True  # False where names can appear that are written nowhere, or the file does not parse
    stars: int = 0  # statements that hand on everything of another module
    bases: tuple[tuple[str, tuple[str, ...]], ...] = ()  # class -> the classes it inherits from, as written
    is_scoped: bool = False  # whether at least the names of its own scope are all written in it, if `complete` is False
    unread: str = ""  # why a language did not read the file
    bound: tuple[str, ...] = ()  # names that imports bind, each as often as it is bound, where the language counts them
    loose: frozenset[str] = frozenset()  # names that are offered for types alone, or bound under a condition
    borrows: int = 0  # statements that bring in everything of another module, and hand nothing on
    is_whole: bool = False  # whether the name `default` is the module itself, as in CommonJS, and not one of its names

    @property
    def names(self) -> frozenset[str]:
        """What an importer can ask of the file."""
        return frozenset(name for name, _ in self.exports)

    @property
    def defined_names(self) -> frozenset[str]:
        """Of these, the names behind which a definition of this file stands."""
        own = {symbol.name for symbol in self.symbols}
        return frozenset(name for name, local in self.exports if local in own)


@dataclass(frozen=True, slots=True)
class Link:
    """One import statement resolved to a file of the tree. `names` holds "*" for the whole module."""

    target: str  # path in the tree
    names: frozenset[str]
    line: int
    aliases: tuple[tuple[str, str], ...] = ()  # (name in the target or "*", name here), where the two differ
    public: bool = False  # exported again by this file
