"""The arguments of a call as they are written, with their places: for code that rewrites one of them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from tree_sitter import Node

from bot.languages.syntax import tree_of
from bot.text.filetypes import filetype
from impact.nodes import ancestors, text

LISTS = frozenset({"argument_list", "arguments", "value_arguments"})
CLIMB = 6  # levels from a name up to the call that calls it
APART = re.compile(
    rb"\A\s*+(?:(?:::)?[<\[][^()]{0,200}[>\]])?\s*+"
)  # between a name and its arguments: those of its types
KEYWORDS = frozenset({"keyword_argument", "argument", "value_argument", "pair"})
SPREADS = re.compile(r"splat|spread|variadic")
# What an expression does beside having a value: without it, the program would do less.
EFFECTS = re.compile(r"call|invocation|await|yield|assign|update|creation|new_expression|macro|named_expression")
DEFERRED = frozenset({"lambda", "arrow_function", "function_expression", "lambda_literal", "lambda_expression"})
WRAPPERS = frozenset({"Some", "Ok", "Err"})  # values of Rust that are written like calls
MOST_NODES = 500  # of one argument


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument: its bytes, and its name where it is written with one."""

    start: int
    end: int
    keyword: str = ""
    keyword_end: int = 0  # where the name ends, which begins where the argument does
    is_spread: bool = False
    is_pure: bool = True  # whether it has a value and nothing else


@dataclass(frozen=True, slots=True)
class ArgumentList:
    """The arguments of one call; from the opening to the closing bracket, where it has brackets."""

    start: int
    end: int
    arguments: tuple[Argument, ...]


def node_at(path: str, source: bytes, at: int, name: bytes) -> Node | None:
    """The syntax of a name at its place; None if nobody here can read the file, or something else is there."""
    root = tree_of(path, source)
    if root is None or source[at : at + len(name)] != name:
        return None
    return root.descendant_for_byte_range(at, at + len(name))


def arguments_of(path: str, name: Node, source: bytes) -> ArgumentList | None:
    """The arguments with which the name is called."""
    for above in islice(ancestors(name), CLIMB):
        for child in above.children:
            if child.type in LISTS and child.start_byte >= name.end_byte:
                is_next = APART.fullmatch(source[name.end_byte : child.start_byte])
                return _list(path, child) if is_next else None
    return None


def _list(path: str, node: Node) -> ArgumentList | None:
    parts = [part for part in node.named_children if part.type not in ("comment", "line_comment", "block_comment")]
    return ArgumentList(node.start_byte, node.end_byte, tuple(_argument(path, part) for part in parts))


def _argument(path: str, node: Node) -> Argument:
    keyword = _keyword(path, node)
    return Argument(
        node.start_byte,
        node.end_byte,
        text(keyword),
        keyword.end_byte if keyword is not None else 0,
        is_spread=bool(SPREADS.search(node.type)),
        is_pure=_is_pure(node),
    )


def _keyword(path: str, node: Node) -> Node | None:
    """The name that an argument is written with: nothing but it stands before the sign of assignment."""
    if node.type == "assignment_expression" and filetype(path).assigned_arguments:
        return node.child_by_field_name("left")
    if node.type not in KEYWORDS:
        return None
    named = node.child_by_field_name("name") or node.child_by_field_name("key")
    if named is None and len(node.named_children) > 1 and node.named_children[0].type == "identifier":
        named = node.named_children[0]
    return named if named is not None and named.start_byte == node.start_byte else None


def _is_pure(node: Node) -> bool:
    nodes = list(islice(_nodes(node), MOST_NODES))
    return len(nodes) < MOST_NODES and not any(map(_acts, nodes))


def _nodes(node: Node) -> Iterator[Node]:
    """Yield a node and the named ones in it, without the bodies of functions that run later."""
    stack = [node]
    while stack:
        part = stack.pop()
        yield part
        if part.type not in DEFERRED:
            stack += reversed(part.named_children)


def _acts(node: Node) -> bool:
    return bool(EFFECTS.search(node.type)) and text(node.child_by_field_name("function")) not in WRAPPERS
