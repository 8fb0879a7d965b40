"""What takes a function of a Lua module away where it is not defined: another table under its name, and what writes into the one it has."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from bot.languages.conditions import ALL, Binding
from bot.languages.lua.outline import BLOCKS, assigned_values, member_of, table_names
from bot.languages.syntax import first_line, text

READERS = re.compile(r"(?:setmetatable|i?pairs|next|print|type|assert|require|tostring|select|unpack|table\.unpack)")
ASSIGNMENTS = frozenset({"assignment_statement", "variable_declaration"})
LITERAL = re.compile(r"\A['\"](\w+)['\"]\Z")


def bindings(root: Node, source: bytes) -> Iterator[Binding]:
    """The statements that bind the returned table again, or write to it without defining."""
    del source
    tables = table_names(root)
    stack, homes = [(root, True)], set[str]()
    while stack:
        node, is_run = stack.pop()  # is_run: while the file is loaded
        if node.type in ASSIGNMENTS:
            yield from _of_assignment(node, tables, homes, is_run=is_run)
        elif node.type == "function_call":
            yield from _of_call(node, tables)
        if node.type != "variable_declaration":
            inner = is_run and (node is root or node.type in BLOCKS)
            stack += [(child, inner) for child in reversed(node.named_children)]


def _of_assignment(node: Node, tables: frozenset[str], homes: set[str], *, is_run: bool) -> Iterator[Binding]:
    for name_node, value in assigned_values(node):
        member = member_of(name_node)
        if member and member[0] in tables and (value is None or value.type != "function_definition"):
            yield Binding(member[1], first_line(node), text(node))
        elif member is None and name_node.type == "bracket_index_expression":
            if text(name_node.child_by_field_name("table")) in tables:
                yield Binding(ALL, 0, text(node))  # a name that is computed
        elif text(name_node) in tables and (is_run or node.type == "assignment_statement"):
            if text(name_node) in homes:
                yield Binding(ALL, 0, text(node))
            homes.add(text(name_node))


def _of_call(node: Node, tables: frozenset[str]) -> Iterator[Binding]:
    """A call that is handed the table may change it; `rawset` says which member it sets."""
    argument_list = node.child_by_field_name("arguments")
    parts = argument_list.named_children if argument_list is not None else []
    if not any(part.type == "identifier" and text(part) in tables for part in parts):
        return
    name = text(node.child_by_field_name("name"))
    if name == "rawset" and len(parts) > 1 and (literal := LITERAL.match(text(parts[1]))):
        yield Binding(literal[1], 0, text(node))
    elif not READERS.fullmatch(name) and node.parent is not None and node.parent.type != "expression_list":
        yield Binding(ALL, 0, text(node))
