"""What a language tells about one file: its outline, its uses of names, and how its importers are found."""

import re
from dataclasses import dataclass, field, replace
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
    is_type: bool = field(default=False, compare=False)  # where nothing but a type can stand, as the grammar tells
    result_of: str = field(
        default="", compare=False
    )  # the function of whose result it is a member, as the file writes it
    is_changed: bool = field(default=False, compare=False)  # what it holds is read and set: `cart.total += 1`
    is_receiver: bool = field(default=False, compare=False)  # a member of it is meant: `lib` of `lib.total`


@dataclass(frozen=True, slots=True)
class Origin:
    """What a receiver comes from: a package, by its name in the file ("" for the file's own), and a function or a literal's type of it, if one is called."""

    package: str
    function: str = ""


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
    doubt: str = ""  # what may define any name, and in which line: "`exec(code)` in line 3"
    doubts: frozenset[str] = frozenset()  # everything that may, each as it is written, where the language lists it
    bound: tuple[str, ...] = ()  # names that imports bind, each as often as it is bound, where the language counts them
    loose: frozenset[str] = frozenset()  # names that are offered for types alone, or bound under a condition
    borrows: int = 0  # statements that bring in everything of another module, and hand nothing on
    typed_stars: frozenset[int] = frozenset()  # lines that hand on everything of a module for types alone
    is_whole: bool = False  # whether the name `default` is the module itself, as in CommonJS, and not one of its names
    listing: frozenset[str] | None = None  # what the file lists for `import *`; "*..." is a part that it computes

    @property
    def names(self) -> frozenset[str]:
        """What an importer can ask of the file."""
        return frozenset(name for name, _ in self.exports)

    @property
    def defined_names(self) -> frozenset[str]:
        """Of these, the names behind which a definition of this file stands."""
        own = {symbol.name for symbol in self.symbols}
        return frozenset(name for name, local in self.exports if local in own)


ONE = "\N{BROKEN BAR}"  # behind the comma of a tuple with one part, in the code of a definition

NOTHING, VALUE, END, STREAM = "nothing", "value", "the end of the code", "another stream"  # forms of a result
KIND = "a "  # how the form of a value begins whose syntax tells what it is: "a list"
PROMISE = f"{KIND}new Promise"
AT_ONCE = f"{KIND}value that is no promise"  # of no other kind that is known
THERE, PERHAPS = (
    "something",
    "something or nothing",
)  # of an unknown kind, known to be there, and known to be missing at times
ELEMENT, DATA = f"{KIND}element", f"{KIND}parsed text"
LIST, SET, MAPPING, ARRAY, TABLE = (f"{KIND}{name}" for name in ("list", "set", "mapping", "PHP array", "table"))
TEXT, BYTES, SYMBOL, NUMBER, TRUTH = (
    f"{KIND}{name}" for name in ("text", "byte string", "symbol", "number", "truth value")
)
# Kinds of which no more is known than what they are not, each with those that it may be.
BROAD = {
    LIST: re.compile(rf"{LIST} of "),
    MAPPING: re.compile(rf"{MAPPING} by "),
    DATA: re.compile(rf"(?:{LIST}|{MAPPING}|{ARRAY})\b"),
    ELEMENT: re.compile(rf"{KIND}(?!list\b|set\b|new Promise$)"),
    AT_ONCE: re.compile(rf"{KIND}(?!new Promise$)"),
}


@dataclass(frozen=True, slots=True)
class Results:
    """What a function hands back, each as a form: `NOTHING`, `VALUE`, "2 parts"; `END` where it runs off its end."""

    returns: frozenset[str] = frozenset()
    yields: frozenset[str] = frozenset()  # `STREAM`: what another one yields
    inner: frozenset[str] = frozenset()  # what the functions inside it return
    chains: frozenset[str] = frozenset()  # the chains of members that it returns: `axios.get(_).data`
    block_values: int | None = None  # how many values its block is given at least; None: it calls none

    def with_others(self, other: "Results") -> "Results":
        """What both hand back."""
        counts = [count for count in (self.block_values, other.block_values) if count is not None]
        return Results(
            self.returns | other.returns,
            self.yields | other.yields,
            self.inner | other.inner,
            self.chains | other.chains,
            min(counts) if counts else None,
        )

    def may_lack(self, other: "Results") -> bool:
        """Whether another one is missing at times while this one is known to be there."""
        return PERHAPS in other.returns and self.returns.isdisjoint((NOTHING, END, VALUE, AT_ONCE, PERHAPS))

    def beside(self, other: "Results") -> "Results":
        """The same as far as it can be compared: where a side has a value of no known kind, another one may be of that kind, too.

        Who returns a stream and nothing else yields what that yields.
        """
        both_sides, returns = self.returns | other.returns, self.returns
        if PERHAPS in returns:
            returns = (
                returns - {PERHAPS} | {ELEMENT} | ({NOTHING} if not both_sides.isdisjoint((NOTHING, END)) else set())
            )
        if not both_sides.isdisjoint((VALUE, THERE)):
            returns = frozenset(VALUE if form == THERE or form.startswith(KIND) else form for form in returns)
        for broad, narrow in BROAD.items():
            if broad in both_sides or (broad == ELEMENT and PERHAPS in both_sides):
                returns = frozenset(broad if narrow.match(form) else form for form in returns)
        if STREAM not in returns:
            return replace(self, returns=returns)
        if not returns.isdisjoint((VALUE, AT_ONCE)):
            return replace(self, returns=returns - {STREAM})
        return replace(self, returns=returns - {STREAM}, yields=self.yields | {STREAM})


@dataclass(frozen=True, slots=True)
class DefinitionCode:
    """A definition as it is compared: without comments, each literal one word."""

    text: str
    frame: str  # the same without the bodies of functions
    results: Results = Results()
