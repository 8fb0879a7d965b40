"""What a language tells about one file: its outline, its uses of names, and how its importers are found."""

from dataclasses import dataclass, field
from typing import Literal

from bot.values.change import Symbol


@dataclass(frozen=True, slots=True)
class Clues:
    """What a file that imports a certain file must contain, as Perl patterns for `git grep`."""

    words: frozenset[str]  # one of them stands in every import statement that means the file
    far: tuple[str, ...] = ()  # searched in the whole tree
    near: tuple[str, ...] = ()  # searched below `folder`: relative imports that name no parent folder
    folder: str = ""


@dataclass(frozen=True, slots=True)
class Call:
    """The arguments of a call as written."""

    positional: int = 0
    keywords: tuple[str, ...] = ()
    spread: bool = False  # *args, **kwargs or ...rest: the count says nothing


@dataclass(frozen=True, slots=True)
class Use:
    """One identifier of a file. `form` says what it does there; "key" is an object key or the name of a keyword argument."""

    name: str
    line: int
    form: Literal["name", "member", "import", "definition", "key"]
    receiver: str = ""  # of a member: what stands before the dot, as written
    types: tuple[str, ...] = ()  # of a member: classes that the receiver is known to be, as written in this file
    call: Call | None = None
    function: str = "<module>"
    span: tuple[int, int] | None = None
    is_guarded: bool = False  # inside a `try`, or beside a test for existence: its absence is foreseen
    at: int = field(default=-1, compare=False)  # the byte where the identifier begins; -1: not known
    alias: str = ""  # the name that an assignment gives to what stands here, uncalled: `total = lib.total`
    result_of: str = field(
        default="", compare=False
    )  # the function of whose result it is a member, as the file writes it
    is_receiver: bool = field(default=False, compare=False)  # a member of it is meant: `lib` of `lib.total`


class SomeUses(tuple[Use, ...]):
    """Uses of a file that may have more: a limit ended the search."""

    __slots__ = ()


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
