"""What decides beside a definition's own text whether it exists, and for whom: conditions, modules and sections around it, the file's name and head.

A definition keeps its text when `#if 0`, `private` or `//go:build ignore` is written above it, and its users lose it all the same. So each
definition carries these texts, and where they change its contract does. Which nodes and statements they are, each language says itself.

Whatever encloses a definition is such a condition, in every language, unless it is a definition itself: `for _ = 1, 0 do` takes a
function away as `if false` does. A language need not list what can: of its lines a node tells that it encloses. On the lines of the
definition alone it cannot, so `blocks` answers there; it is the very set into which the outline goes for more definitions.

A statement below a definition can bind its name again, and a class is what it inherits, what its heirs have to define and what its
constructor takes besides its text. Of these only one direction takes something away: what a class offers must not go, what it requires
must not come.
"""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tree_sitter import Node

from bot.languages.syntax import first_line, last_line, text
from bot.text.filetypes import filetype
from bot.values import OFFERS, REQUIRES, Outline, Symbol

NOTHING = re.compile(rb"(?!)")
WORD = re.compile(r"\w+[?!]?")
LONGEST = 200  # characters of a statement
BODIES = frozenset({"body", "consequence", "alternative", "block"})  # fields behind the head of a node
DEFINING = re.compile(
    r"declaration$|declarator$|definition$|_spec$|_list$|^ERROR$"
)  # definitions, not circumstances of others
FIRST = re.compile(r"\W*\w*")
SEQUENCE = re.compile(r"block|body|^then$|^else$|clause$|_case$|statements$")  # nodes that hold statements
Span = tuple[int, int, str]  # first and last line, and what is written there
SHUT = re.compile(rb"[^({]{0,100}\b(?:private|protected|fileprivate)\b")  # the head of what not everybody may call
METHODS = frozenset({"method", "declaration", "function"})
VALUES = frozenset({"type", "variable"})
HOLDERS = frozenset({"class", "type"})
ALL = "*"  # a statement that may bind any name


def _never(_: Node) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Binding:
    """A statement that gives a name another meaning, or none."""

    name: str  # as definitions are called: "Class.method"; ALL; "Class.*" for every method of one class
    line: int  # what is defined below it is not touched; 0: whenever it runs
    text: str


@dataclass(frozen=True, slots=True)
class Conditions:
    """The syntax of one language by which the existence of a definition can depend on what stands around it."""

    blocks: Callable[[Node], bool] = lambda _: False  # what the outline goes into for more definitions
    around: Mapping[str, tuple[str, ...]] = field(
        default_factory=dict
    )  # node of whose head these fields alone are a condition -> the fields
    whole: frozenset[str] = frozenset()  # nodes without a body that say something of all that is in their parent
    marks: Mapping[str, re.Pattern[str]] = field(
        default_factory=dict
    )  # node before a definition -> what in it is a condition
    sections: Mapping[str, re.Pattern[str]] = field(
        default_factory=dict
    )  # node that says something of all that follows
    with_body: frozenset[str] = frozenset()  # definitions that usually have a body
    ends: re.Pattern[bytes] = NOTHING  # a statement outside of functions that ends the run or the reading of the file
    leaves: re.Pattern[bytes] = NOTHING  # the same, for a statement inside a block
    undoes: re.Pattern[bytes] = NOTHING  # a statement anywhere that takes names away: group 1 holds them
    binds: Callable[[Node, bytes], Iterable[Binding]] = lambda _, __: ()  # the statements that bind a name once more
    abstract: re.Pattern[bytes] = NOTHING  # the text of a method that heirs have to define
    demands: Callable[[Node], bool] = _never  # a type or a value in a class or an interface that heirs have to define
    of_interface: Callable[[Node], bool] = _never  # one that belongs to an interface: who implements it writes its name
    operators: re.Pattern[bytes] = NOTHING  # the head of a method that nobody calls by its name: an operator
    spares: Callable[[Node], bool] = lambda _: False  # nodes that look like conditions and are not


def with_conditions(
    outline: Outline,
    root: Node,
    source: bytes,
    language: Conditions,
    file: Sequence[str] = (),
    more: Sequence[Span] = (),
) -> Outline:
    """The outline whose definitions carry their conditions. `file`: what its name and its head say; `more`: what the tree does not show."""
    symbols = sorted(outline.symbols, key=lambda symbol: symbol.start)
    starts = [symbol.start for symbol in symbols]
    conditions_by_symbol: dict[int, list[str]] = defaultdict(list)
    for first, last, words in (*more, *_spans(root, symbols, language)):
        for at in range(bisect_left(starts, first), bisect_right(starts, last)):
            conditions_by_symbol[id(symbols[at])].append(words)
    whole = tuple(filter(None, (*file, *_ends(root, symbols, language))))
    undone = _undone(source, language)
    by_name, by_owner = defaultdict[str, list[Symbol]](list), defaultdict[str, list[Symbol]](list)
    for symbol in symbols:
        if symbol.kind != "variable":  # a variable is there to be set
            by_name[symbol.name].append(symbol)
            by_owner[symbol.name.rpartition(".")[0]].append(symbol)
    for binding in language.binds(root, source):
        for symbol in _bound(binding, by_name, by_owner):
            if symbol.end < binding.line or not binding.line:
                conditions_by_symbol[id(symbol)].append(_squeeze(binding.text)[:LONGEST])
    members = _members(outline, root, source, language)
    for name, local in outline.exports:
        if local and local != name:
            members.setdefault(name, []).append(f"{local} is what {name} means to importers")
    return replace(
        outline,
        symbols=tuple(
            _with_conditions(symbol, (*whole, *members.get(symbol.name, ())), conditions_by_symbol, undone)
            for symbol in outline.symbols
        ),
    )


def _bound(
    binding: Binding, by_name: Mapping[str, Sequence[Symbol]], by_owner: Mapping[str, Sequence[Symbol]]
) -> Iterator[Symbol]:
    """The definitions whose name a statement binds: its own, any name outside of classes, or any method of one class."""
    owner, _, name = binding.name.rpartition(".")
    if name != ALL:
        yield from by_name.get(binding.name, ())
        return
    for symbol in by_owner.get(owner, ()):
        if symbol.short not in filetype(symbol.path).constructors:
            yield symbol


def _members(outline: Outline, root: Node, source: bytes, language: Conditions) -> dict[str, list[str]]:
    """Class -> what it inherits and answers to, and what its heirs have to define."""
    members: dict[str, list[str]] = defaultdict(list)
    for name, bases in outline.bases:
        members[name] += [
            f"{OFFERS}{_squeeze(base)[:LONGEST]}" for base in bases if base.strip("*?") and base[:1] != "@"
        ]
    lines = source.split(b"\n")
    nodes = _nodes(outline.symbols, root, lines, language)
    for symbol in outline.symbols:
        owner, _, short = symbol.name.rpartition(".")
        node = nodes.get(id(symbol))
        is_constructor = short in {owner.rpartition(".")[2], *filetype(symbol.path).constructors}
        if owner and is_constructor and (symbol.visibility == "file" or SHUT.match(lines[symbol.start - 1])):
            members[owner].append(f"{REQUIRES}a constructor that others can call")
        if owner and symbol.kind in METHODS and not is_constructor:
            code = (node.text if node else None) or b"\n".join(lines[symbol.start - 1 : symbol.end])
            if language.operators.search(code[:LONGEST]):
                members[owner].append(f"{OFFERS}{short}")
            if language.abstract.search(code):
                members[owner].append(f"{REQUIRES}{short}")
        elif owner and node is not None:
            if language.of_interface(node):
                members[owner].append(f"{OFFERS}{short}")
            if language.demands(node):
                members[owner].append(f"{REQUIRES}{short}")
    return members


def _nodes(symbols: Sequence[Symbol], root: Node, lines: Sequence[bytes], language: Conditions) -> dict[int, Node]:
    """The nodes of the members whose lines do not tell them apart, and of those that hold a type or a value."""
    holders = {symbol.name: symbol for symbol in symbols if symbol.kind in HOLDERS}
    has_values = language.demands is not _never or language.of_interface is not _never
    members: dict[tuple[int, str], list[Symbol]] = defaultdict(list)
    for symbol in symbols:
        owner = holders.get(symbol.name.rpartition(".")[0])
        if owner is None:
            continue
        if has_values if symbol.kind in VALUES else _shares_lines(symbol, owner, lines):
            members[symbol.start, symbol.short].append(symbol)
    starts = sorted(line for line, _ in members)
    nodes: dict[int, Node] = {}
    left = [root]
    while left:
        node = left.pop()
        key = first_line(node), _own_name(node)
        if members.get(key):
            nodes[id(members[key].pop(0))] = node
        left += [child for child in reversed(node.named_children) if _holds(child, starts)]
    return nodes


def _shares_lines(symbol: Symbol, owner: Symbol, lines: Sequence[bytes]) -> bool:
    """Whether a member begins on the line of its class, or its lines hold more than itself: its brackets do not close, or two ends do."""
    code = b"\n".join(lines[symbol.start - 1 : symbol.end])
    return symbol.start == owner.start or code.count(b"{") != code.count(b"}") or code.count(b";") > 1


def _own_name(node: Node) -> str:
    """The name that a node defines; some languages keep it in the declaration of a variable."""
    if not node.is_named:
        return ""
    name = node.child_by_field_name("name")
    if name is None and node.type == "property_declaration":
        inner = next((part for part in node.named_children if part.type == "variable_declaration"), None)
        name = inner.named_children[0] if inner is not None and inner.named_children else None
    name = name.child_by_field_name("bound_identifier") or name if name is not None else None
    return text(name).strip("`")


def _with_conditions(
    symbol: Symbol,
    whole: tuple[str, ...],
    conditions_by_symbol: Mapping[int, list[str]],
    undone: Mapping[str, list[str]],
) -> Symbol:
    conditions = (*symbol.conditions, *whole, *conditions_by_symbol.get(id(symbol), ()), *undone.get(symbol.short, ()))
    return replace(symbol, conditions=conditions) if conditions else symbol


def _spans(root: Node, symbols: Sequence[Symbol], language: Conditions) -> Iterator[Span]:
    """What is written around definitions. Nodes that hold none are not entered."""
    starts = [symbol.start for symbol in symbols]
    own = frozenset((symbol.start, symbol.end) for symbol in symbols)
    names = frozenset(symbol.short for symbol in symbols)
    left = [root]
    while left:
        node = left.pop()
        pending: list[str] = []
        section = ""
        for child in node.named_children:
            kind = child.type
            if kind in language.marks and (match := language.marks[kind].match(text(child))):
                pending.append(_squeeze(match.string))
            elif kind in language.whole and child.child_by_field_name("body") is None:
                yield first_line(node) if node.parent else 0, last_line(node), _squeeze(text(child))
            elif kind in language.sections and language.sections[kind].fullmatch(text(child)):
                section = text(child)
            elif kind in language.marks or "comment" in kind:
                continue
            elif _holds(child, starts):
                span = first_line(child), last_line(child)
                conditions = [*pending, section, *_around(child, starts, language)]
                yield from [(*span, one) for one in conditions if one]
                if not (kind in language.around or span in own or _name(child) in names):
                    yield from _enclosing(child, symbols, starts, language)
                left.append(child)
                pending = []
            else:
                pending = []


def _around(node: Node, starts: Sequence[int], language: Conditions) -> Iterator[str]:
    if node.type in language.with_body and node.child_by_field_name("body") is None:
        yield "without a body"
    if node.type in language.around and not language.spares(node):
        word = node.type if not node.children or node.children[0].is_named else text(node.children[0])
        yield " ".join((word, *(_squeeze(text(node.child_by_field_name(name))) for name in language.around[node.type])))
    elif language.blocks(node) and not language.spares(node):
        yield _head(node, starts)


def _enclosing(node: Node, symbols: Sequence[Symbol], starts: Sequence[int], language: Conditions) -> Iterator[Span]:
    """The head of a node for each definition that begins and ends in it; of a block it is known by its lines alone."""
    if DEFINING.search(node.type) or language.blocks(node) or language.spares(node):
        return
    last = last_line(node)
    places = range(bisect_left(starts, first_line(node)), bisect_right(starts, last))
    inner = dict.fromkeys(starts[at] for at in places if symbols[at].end <= last)
    if inner and (head := _head(node, starts)):
        for start in inner:
            yield start, start, head


def _head(node: Node, starts: Sequence[int]) -> str:
    """What a node says before it begins to hold statements; empty where it says nothing."""
    if node.children and node.children[0].is_named and ("block" in node.type or not node.field_name_for_child(0)):
        return ""  # a list of statements
    words, line = [], first_line(node)
    for at, child in enumerate(node.children):
        is_body = node.field_name_for_child(at) in BODIES or ("block" in child.type and at > 0)
        if is_body or first_line(child) > line or "comment" in child.type:
            break
        if last_line(child) > first_line(child) and _holds(child, starts):
            break
        words.append(_squeeze(text(child)[:LONGEST]))
        line = last_line(child)
    return " ".join(words)[:LONGEST] if any(map(str.isalnum, "".join(words))) else ""


def _name(node: Node) -> str:
    return text(node.child_by_field_name("name")).rpartition(".")[2]


def _holds(node: Node, starts: Sequence[int]) -> bool:
    """Whether a definition begins in the lines of a node."""
    at = bisect_left(starts, first_line(node))
    return at < len(starts) and starts[at] <= last_line(node)


def _ends(root: Node, symbols: Sequence[Symbol], language: Conditions) -> Iterator[str]:
    """The statements outside of functions that end the run of the file: what they stand above is never reached, and who loads it fails."""
    starts = [symbol.start for symbol in symbols]
    own = frozenset((symbol.start, symbol.end) for symbol in symbols if symbol.kind != "class")
    stack = [(child, True) for child in reversed(root.named_children)]
    while stack:
        node, is_outermost = stack.pop()
        if "comment" in node.type or (node.named_children[:1] and node.named_children[0].type == "string"):
            continue
        inner = [(child, False) for child in reversed(node.named_children)]
        is_own = (first_line(node), last_line(node)) in own
        if _holds(node, starts) and not is_own:
            stack += inner
            continue
        code = node.text or b""
        if is_outermost and not is_own:
            matches = list(language.ends.finditer(code))
        else:
            matches = [match for pattern in (language.ends, language.leaves) if (match := pattern.match(code))]
        for match in matches:
            words = _squeeze(match[0].decode("utf-8", "replace"))
            # Of one that waits for a condition the words do not count: a better message ends no more files than the old one.
            yield words[:LONGEST] if is_outermost else FIRST.match(words[:LONGEST])[0]  # type: ignore[index]
        if not matches and not is_own and (language.blocks(node) or SEQUENCE.search(node.type)):
            stack += inner


def _undone(source: bytes, language: Conditions) -> Mapping[str, list[str]]:
    """Name -> the statements that take it away, wherever they stand."""
    conditions_by_name: dict[str, list[str]] = defaultdict(list)
    for match in language.undoes.finditer(source):
        for name in dict.fromkeys(WORD.findall(unicodedata.normalize("NFKC", match[1].decode("utf-8", "replace")))):
            conditions_by_name[name].append(_squeeze(match[0].decode("utf-8", "replace")))
    return conditions_by_name


def _squeeze(text: str) -> str:
    return " ".join(text.split())
