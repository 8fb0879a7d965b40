"""Uses with the declared class of a receiver, for what no query tells yet; comments blanked out.

Receivers have declared types, so a member is sure where the declaration is in sight. If it is not, the type is "?":
known to nobody here, and therefore no reason to say anything.
"""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import islice, pairwise
from typing import Literal

from tree_sitter import Node

from bot.languages import spots, syntax
from bot.languages.lexical import Words
from bot.languages.spots import Spot, SpotGrammar
from bot.languages.syntax import CLIMB, DEPTH, MOST_USES, UNKNOWN, ancestors, own_name, text
from bot.languages.unreadable import TOO_DEEP, Unreadable
from bot.languages.walk import DefinitionWalk
from bot.text.filetypes import FileType
from bot.text.lines import without_mark
from bot.values import Use
from impact.parsing import too_deep

Kind = Literal["positional", "positional-only", "keyword-only", "varargs", "kwargs"]
NESTED = 24  # classes inside classes
OPEN = 9  # comments that no one closes
CHAIN = re.compile(rb"(?<![\w.])(?:\w+\.){300}")
MAX_SCOPE = 100_000  # bytes of a definition in which declarations are looked for
INFERRED = frozenset({"var", "val"})
WORDLIKE = frozenset({
    "await", "case", "else", "final", "in", "is", "new", "out", "package", "readonly", "ref", "return", "static", "throw", "yield",
})  # fmt: skip
TYPE_ARGUMENTS = re.compile(r"(?<=\w)<[\w\s.,?:\[\]]{1,200}>(?=\.|$)|(?<=[\w<,])<[\w\s.,?:\[\]]{1,200}>(?=[\s,>])")
NESTED_ARGUMENTS = 4  # type arguments inside type arguments
KEPT = re.compile(rb"[^\r\n]")
# An open comment or string runs to the end, so that every byte is read once.
NOISE = re.compile(
    rb"//[^\n]*|/\*(?:.*?\*/|.*)|\"\"\"(?:.*?\"\"\"|.*)|@\"(?:[^\"]|\"\")*\"?|\"(?:\\.|[^\"\\\n])*\"?|'(?:\\.|[^'\\\n])+'",
    re.DOTALL,
)


QUOTED = re.compile(rb'"(?:[^"\\\n]|\\.)*+"|`[^`\n]*+`')  # texts of one line, and names that any character may be in


Bare = Callable[[str, Sequence[str]], tuple[str, ...]]  # (name, classes around) -> the class that has it


@dataclass(frozen=True, slots=True)
class TypedGrammar:
    """How one grammar is read."""

    identifiers: frozenset[str]
    classes: frozenset[str]  # definitions that have members
    place: Callable[[Node], Spot | None]  # None: a name that means nothing here
    types: Callable[[Node], tuple[str, ...]]  # classes that a receiver is declared to be
    methods: frozenset[str]  # definitions in which local variables are declared
    anonymous: frozenset[str] = frozenset()  # what holds the body of a class without a name
    heads: frozenset[str] = frozenset()  # what says to which package a file belongs
    imports: frozenset[str] = frozenset()
    scope_name: Callable[[Node], str] = own_name


@dataclass(slots=True)
class TypedWalk(DefinitionWalk):
    """The definitions of a file whose types say what they inherit by the name of the type alone."""


def root(file_type: FileType, source: bytes) -> Node:
    """Parse a file. Raises Unreadable if it has many open comments: parsers read each of them to the end in search of its other half."""
    if source.count(b"/*") > source.count(b"*/") + OPEN:
        code = QUOTED.sub(b"", source)  # `"text/*"` opens nothing
        if code.count(b"/*") > code.count(b"*/") + OPEN:
            raise Unreadable("it opens comments that it never closes")
    return syntax.parse(file_type, source)


def members(node: Node, bodies: Collection[str]) -> Iterator[Node]:
    """What stands in the bodies of a definition."""
    for body in node.named_children:
        if body.type in bodies:
            yield from body.named_children


def blank(source: bytes, *, templates: bool = False) -> bytes:
    """The code with its comments, strings and byte order mark blanked out; lines and columns stay. `templates`: strings that hold code stay."""

    def out(match: re.Match[bytes]) -> bytes:
        is_template = templates and b"$" in match[0] and not match[0].startswith(b"/")
        return match[0] if is_template else KEPT.sub(b" ", match[0])

    code = NOISE.sub(out, source)
    rest = without_mark(code)
    return b" " * (len(code) - len(rest)) + rest


def uses(root: Node, source: bytes, names: Collection[str], reading: TypedGrammar, bare: Bare) -> tuple[Use, ...]:
    """The identifiers spelt like one of the names. `bare` says whose member a call with no receiver means, () for nobody's."""
    if deep(source):
        raise Unreadable(TOO_DEEP)
    told = partial(_spot, reading=reading, bare=bare)
    grammar = SpotGrammar(reading.identifiers, reading.classes | reading.methods, told, reading.scope_name)
    found = spots.uses(root, source, names, grammar)
    return type(found)(replace(use, receiver=_without_arguments(use.receiver)) for use in found)


def _spot(node: Node, reading: TypedGrammar, bare: Bare) -> Spot | None:
    kinds = {item.type for item in near(node)} if reading.imports else set[str]()
    spot = reading.place(node) if not kinds & reading.heads else None
    if spot is None or kinds & reading.imports:
        return spot and Spot("import")
    if spot.form == "member" and spot.receiver is not None:
        return replace(spot, types=reading.types(spot.receiver))
    if spot.form != "name" or spot.call is None or text(node)[:1].isupper():
        return spot
    above = list(islice(ancestors(node), DEPTH))
    classes = [name for item in above if item.type in reading.classes and (name := reading.scope_name(item))]
    types = UNKNOWN if _nameless(above, reading) else bare(text(node), classes)
    return replace(spot, form="member" if types else "name", types=types)


def _without_arguments(receiver: str) -> str:
    """The name of a class without its type arguments: `Cache` of `Cache<T>`."""
    for _ in range(NESTED_ARGUMENTS if ">" in receiver else 0):
        receiver = TYPE_ARGUMENTS.sub("", receiver)
    return receiver


def _nameless(above: Sequence[Node], reading: TypedGrammar) -> bool:
    """Whether a class without a name stands around: what it inherits is not in sight."""
    return any(
        outer.type in reading.anonymous and outer.child_by_field_name("arguments") != inner
        for inner, outer in pairwise(above)
    )


def near(node: Node) -> list[Node]:
    """The nodes close around a node: as far as a dotted name can be from the statement that holds it."""
    return list(islice(ancestors(node), CLIMB * 3))


@lru_cache(maxsize=64)
def deep(source: bytes) -> bool:
    """Whether brackets nest deeper, or dots chain longer, than any person writes: every step up in such a tree starts at its root."""
    return too_deep(source) or CHAIN.search(source) is not None


def around(node: Node, kinds: Collection[str]) -> list[Node]:
    """The nodes of these kinds around a node, innermost first."""
    return [above for above in islice(ancestors(node), DEPTH) if above.type in kinds]


def declared_classes(receiver: Node, reading: TypedGrammar, pattern: str, construction: str) -> tuple[str, ...]:
    """The one class that a variable is declared to be: in its method, else in the classes around it.

    `pattern`, `construction`: how the language writes a declaration and a construction, with NAME for the variable.
    """
    name = text(receiver).rpartition(".")[2]
    inner = () if "." in text(receiver) else reading.methods
    for scope in [*around(receiver, inner)[:3], *around(receiver, reading.classes)[:3]]:
        if scope.end_byte - scope.start_byte > MAX_SCOPE and scope.type in reading.methods:
            return UNKNOWN
        class_names = _class_names(scope, name, pattern, construction)
        if class_names:
            return class_names[:1] if len(class_names) == 1 and class_names[0] else UNKNOWN
    return ()


@lru_cache(maxsize=MOST_USES)
def _class_names(scope: Node, name: str, pattern: str, construction: str) -> tuple[str, ...]:
    """The classes that a name is declared to be in a definition; "" for one that is no plain class."""
    code = _code(scope).near(name)
    class_names = {match[1] or "" for match in re.finditer(construction.replace("NAME", re.escape(name)), code)}
    for match in re.finditer(pattern.replace("NAME", re.escape(name)), code):
        if match["type"] in INFERRED:
            class_names = class_names or {""}
        elif match["type"] not in WORDLIKE:
            class_names.add("" if match["more"] else match["type"])
    return tuple(sorted(class_names))


@lru_cache(maxsize=64)
def _code(scope: Node) -> Words:
    return Words(blank((scope.text or b"")[:MAX_SCOPE]))
