"""Which callbacks a module of Elixir asks of others, which modules' callbacks it answers, and what it defines for them.

A behaviour says `@callback handle(term) :: :ok`, a protocol `def handle(value)`; who answers says `@behaviour Shop.Worker`, `use Shop.Worker`
or `defimpl Shop.Worker, for: Cart`. Nothing else ties the two: who calls a callback has the module in a variable.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from tree_sitter import Node

from bot.languages import syntax
from bot.languages.elixir.modules import ALIAS, alias_names, is_alias
from bot.languages.elixir.outline import BLOCKS, PUBLIC, arguments, body, callee, head, signature
from bot.languages.elixir.uses import call_of
from bot.languages.syntax import first_line, last_line, text
from bot.languages.unreadable import Unreadable
from bot.text.filetypes import ELIXIR

CALLBACKS = frozenset({"callback", "macrocallback"})
HANDING_ON = frozenset(
    {"__using__", "__before_compile__"}
)  # macros whose code the compiler puts into each module that uses theirs
IMPLEMENTATION = "defimpl"
HOLDERS = frozenset({"defmodule", "defprotocol", IMPLEMENTATION})
MOST_NODES = 200_000  # of one file
OPTIONAL = re.compile(r"\b([a-z_]\w*[?!]?):\s*(\d+)")


@dataclass(frozen=True, slots=True)
class Member:
    """A callback, or a function that may answer one."""

    name: str
    least: int  # arguments; a default makes it fewer
    most: int
    start: int
    end: int
    words: str  # its head as written

    def takes(self, other: "Member") -> bool:
        """Whether it can be called as another one is."""
        return self.name == other.name and self.least <= other.most <= self.most


@dataclass(slots=True)
class Module:
    """One module, protocol or implementation of a protocol."""

    name: str  # with all that is around it
    start: int
    end: int
    is_protocol: bool = False
    callbacks: list[Member] = field(default_factory=list)
    functions: list[Member] = field(default_factory=list)
    optional: set[tuple[str, int]] = field(default_factory=set)
    behaviours: list[str] = field(default_factory=list)  # the modules whose callbacks it answers
    uses: list[str] = field(default_factory=list)  # the modules whose macros put code into it
    handed_behaviours: list[str] = field(default_factory=list)  # what a module that uses this one answers
    handed_names: set[str] = field(default_factory=set)  # the functions that its macros define there

    def defines(self, callback: Member) -> bool:
        """Whether one of its functions can be called as a callback is."""
        return any(one.takes(callback) for one in self.functions)

    def demands(self, callback: Member) -> bool:
        """Whether who answers it must have code of its own for a callback."""
        return (callback.name, callback.most) not in self.optional and callback.name not in self.handed_names


def modules(source: bytes) -> tuple[Module, ...]:
    """The modules of a file, in their order; none of unreadable code."""
    try:
        root = syntax.shallow_root(ELIXIR, source)
    except (Unreadable, RecursionError):
        return ()
    names = {here: name for match in ALIAS.finditer(source) if is_alias(match) for name, here in alias_names(match)}
    its_modules: list[Module] = []
    stack: list[tuple[Node, Module | None]] = [(part, None) for part in reversed(root.named_children)]
    while stack:
        node, inside = stack.pop()
        word = callee(node)
        if word in HOLDERS:
            module = _module(node, word, inside, names)
            block = body(node)
            if module is not None and block is not None:
                its_modules.append(module)
                stack += [(part, module) for part in reversed(block.named_children)]
        elif node.type in ("else_block", "do_block") or word in BLOCKS:
            stack += [(part, inside) for part in reversed(node.named_children)]
        elif inside is not None:
            _take(node, word, inside, names)
    return tuple(its_modules)


def _module(node: Node, word: str, inside: Module | None, names: Mapping[str, str]) -> Module | None:
    parts = arguments(node)
    if not parts or parts[0].type != "alias":
        return None
    span = first_line(node), last_line(node)
    if word == IMPLEMENTATION:
        protocol = _meant(text(parts[0]), inside, names)
        whose = text(parts[1]).removeprefix("for:").strip() if len(parts) > 1 else inside.name if inside else ""
        return Module(f"{protocol}.{whose}", *span, behaviours=[protocol])
    own = text(parts[0])
    return Module(f"{inside.name}.{own}" if inside is not None else own, *span, is_protocol=word == "defprotocol")


def _take(node: Node, word: str, module: Module, names: Mapping[str, str]) -> None:
    """What a statement of a module says of its callbacks."""
    if word in PUBLIC and (function := function_member(node)) is not None:
        (module.callbacks if module.is_protocol else module.functions).append(function)
        if word == "defmacro" and function.name in HANDING_ON:
            _take_handed(node, module, names)
    elif word == "use":
        module.uses += _named(node, module, names)
    elif (inner := _attribute(node)) is not None:
        keyword = callee(inner)
        if keyword in CALLBACKS:
            module.callbacks += _callback(inner)
        elif keyword == "behaviour":
            module.behaviours += _named(inner, module, names)
        elif keyword == "optional_callbacks":
            module.optional |= {(name, int(count)) for name, count in OPTIONAL.findall(text(inner))}


def _take_handed(node: Node, module: Module, names: Mapping[str, str]) -> None:
    """What the macro of a module writes into who uses it."""
    for inner in nodes_below(node):
        word = callee(inner)
        if word in ("behaviour", "use"):
            module.handed_behaviours += _named(inner, module, names)
        elif word in PUBLIC and inner != node and (function := function_member(inner)) is not None:
            module.handed_names.add(function.name)


def nodes_below(node: Node) -> Iterator[Node]:
    """A node and all that is in it, in the order of the file."""
    stack = [node]
    for _ in range(MOST_NODES):
        if not stack:
            return
        yield (one := stack.pop())
        stack += reversed(one.named_children)


def _attribute(node: Node) -> Node | None:
    """What stands behind the at sign."""
    is_attribute = node.type == "unary_operator" and node.children[:1] != [] and node.children[0].type == "@"
    return node.child_by_field_name("operand") if is_attribute else None


def _named(node: Node, module: Module, names: Mapping[str, str]) -> list[str]:
    """The module that a statement names, in full."""
    parts = arguments(node)
    first = text(parts[0])[:200] if parts else ""
    return [name] if (name := _meant(first.removeprefix("unquote(").rstrip(")"), module, names)) else []


def _meant(word: str, inside: Module | None, names: Mapping[str, str]) -> str:
    first, dot, rest = word.partition(".")
    if first == "__MODULE__":
        return f"{inside.name}{dot}{rest}" if inside is not None else ""
    return f"{names.get(first, first)}{dot}{rest}" if first[:1].isupper() else ""


def function_member(node: Node) -> Member | None:
    """A definition of a function or a macro; None if its name is computed."""
    first = head(node)
    name = (callee(first) if first.type == "call" else text(first)) if first is not None else ""
    if first is None or name in ("", "unquote"):
        return None
    parameters = signature(node).parameters
    least = sum(one.is_required for one in parameters)
    return Member(name, least, len(parameters), first_line(node), last_line(node), _line(node))


def _callback(node: Node) -> Iterator[Member]:
    """`@callback handle(term) :: :ok when term: any`."""
    parts = arguments(node)
    first: Node | None = parts[0] if parts else None
    while first is not None and first.type == "binary_operator":
        first = first.child_by_field_name("left")
    name = callee(first) or text(first) if first is not None else ""
    if first is not None and name.rstrip("?!").isidentifier():
        count = len(arguments(first)) if first.type == "call" else 0
        yield Member(name, count, count, first_line(node), last_line(node), f"@{_line(node)}")


def _line(node: Node) -> str:
    return " ".join(text(node)[:400].partition("\n")[0].removesuffix(" do").split())


def calls_of_variables(source: bytes, names: Collection[str]) -> Iterator[tuple[int, str, int]]:
    """(line, name, number of arguments) of each call of such a name on a value: `worker.handle(1)`."""
    try:
        root = syntax.shallow_root(ELIXIR, source)
    except (Unreadable, RecursionError):
        return
    for _, node in islice(syntax.places(root, source, names), syntax.MOST_USES):
        dot = node.parent
        call = dot.parent if dot is not None and dot.type == "dot" else None
        if dot is None or call is None or call.type != "call" or dot.child_by_field_name("right") != node:
            continue
        receiver = dot.child_by_field_name("left")
        is_written = any(part.type == "arguments" for part in call.named_children)
        if receiver is not None and receiver.type not in ("alias", "atom") and is_written:
            yield first_line(node), text(node), call_of(call).positional
