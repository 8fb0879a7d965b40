"""What a Lua file defines, and what the table that it returns offers to who requires it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import zip_longest

from tree_sitter import Node

from bot.languages.syntax import head, text
from bot.languages.walk import DefinitionWalk, statements
from bot.values import Outline, Parameter, Side, Signature

BLOCKS = frozenset({"do_statement", "if_statement", "elseif_statement", "else_statement", "for_statement", "while_statement", "repeat_statement", "block"})  # fmt: skip
MEMBERS = {"dot_index_expression": ("table", "field"), "method_index_expression": ("table", "method")}
WHOLE = "default"  # what a module is that returns a function
ROOT = re.compile(r"[.:\[]")  # behind the name of a table
LITERAL = re.compile(r"\A(['\"])([A-Za-z_]\w*)\1\Z")


@dataclass(slots=True)
class _LuaWalk(DefinitionWalk):
    members: list[tuple[str, str, str]] = field(default_factory=list)  # (table, member, definition)
    tables: dict[str, str] = field(default_factory=dict)  # a second name of a table -> its first


def outline_of(path: str, root: Node, source: bytes, side: Side) -> Outline:
    """The definitions of a file, in its order. A member of a local table is called by its own name alone."""
    walk = _LuaWalk(path, side)
    for node in statements(root, BLOCKS):
        if node.type == "function_declaration":
            _function(node, walk)
        elif node.type in ("variable_declaration", "assignment_statement"):
            _assignment(node, walk, is_local=node.type == "variable_declaration")
    table_name, is_known = _table_name(root, walk)
    is_dynamic = bool(table_name) and _is_dynamic(source, table_name)
    walk.exports = _exports(root, walk, table_name)
    outline = walk.outline(not root.has_error and is_known and not is_dynamic)
    return replace(outline, is_scoped=not root.has_error)


def _function(node: Node, walk: _LuaWalk) -> None:
    name_node = node.child_by_field_name("name")
    if name_node is None:
        return
    if name_node.type in MEMBERS:
        table, member = (text(name_node.child_by_field_name(part)) for part in MEMBERS[name_node.type])
        walk.define(member, "function", node, signature(node))
        walk.members.append((table, member, member))
    else:
        walk.define(text(name_node), "function", node, signature(node))


def assigned_values(node: Node) -> Iterator[tuple[Node, Node | None]]:
    """Yield what an assignment sets, each with its value; None if there are fewer values than names."""
    holder = next((part for part in node.named_children if part.type == "assignment_statement"), node)
    names = next((part.named_children for part in holder.named_children if part.type == "variable_list"), [])
    values = next((part.named_children for part in holder.named_children if part.type == "expression_list"), [])
    yield from zip_longest(names, values[: len(names)])


def _assignment(node: Node, walk: _LuaWalk, *, is_local: bool) -> None:
    for name_node, value in assigned_values(node):
        member = member_of(name_node)
        name = member[1] if member else text(name_node) if name_node.type == "identifier" else ""
        if not name:
            continue
        is_function = value is not None and value.type == "function_definition"
        own_signature = signature(value) if is_function and value is not None else None
        if not (is_local and value is not None and "require" in text(value)[:20]):
            walk.define(name, "function" if is_function else "variable", node, own_signature)
        if member:
            walk.members.append((*member, name))
        elif value is not None and value.type == "table_constructor":
            walk.members += [(name, field_name, _field(field_name, part, walk)) for field_name, part in _fields(value)]
        elif value is not None and value.type == "identifier":
            walk.tables[name] = text(value)


def _field(name: str, part: Node, walk: _LuaWalk) -> str:
    """Take a field of a table that is written out; what its definition is called here is handed back."""
    value = part.child_by_field_name("value")
    if value is not None and value.type == "identifier":
        return text(value)
    is_function = value is not None and value.type == "function_definition"
    walk.define(
        name, "function" if is_function else "variable", part,
        signature(value) if is_function and value is not None else None,
    )  # fmt: skip
    return name


def _fields(table: Node) -> Iterator[tuple[str, Node]]:
    for part in table.named_children:
        name_node = part.child_by_field_name("name") if part.type == "field" else None
        if name_node is None:
            continue
        literal = LITERAL.match(text(name_node))
        name = literal[2] if literal else text(name_node) if name_node.type == "identifier" else ""
        if name:
            yield name, part


def member_of(node: Node) -> tuple[str, str] | None:
    """(table, member) of `M.total`, `M:total` and `M["total"]`."""
    if node.type in MEMBERS:
        table, name = (text(node.child_by_field_name(part)) for part in MEMBERS[node.type])
        return table, name
    if node.type == "bracket_index_expression":
        literal = LITERAL.match(text(node.child_by_field_name("field")))
        return (text(node.child_by_field_name("table")), literal[2]) if literal else None
    return None


def _result(root: Node) -> Node | None:
    """What the file returns at its end."""
    last = next((part for part in reversed(root.named_children) if part.type != "comment"), None)
    if last is None or last.type != "return_statement":
        return None
    values = next((part.named_children for part in last.named_children if part.type == "expression_list"), [])
    return values[0] if len(values) == 1 else None


def _names_of(table_name: str, walk: _LuaWalk) -> frozenset[str]:
    """What a table is called in the file: a second name of it, and of which it is one."""
    return frozenset(
        {
            table_name,
            walk.tables.get(table_name, ""),
            *(one for one, other in walk.tables.items() if other == table_name),
        }
        - {""}
    )


def _table_name(root: Node, walk: _LuaWalk) -> tuple[str, bool]:
    """The name of the table that the file returns, and whether all that it offers is written in the file."""
    result = _result(root)
    if result is None:
        return "", not any(part.type == "return_statement" for part in root.named_children)
    if result.type == "identifier":
        name = text(result)
        is_own = any(table == name for table, _, _ in walk.members) or any(one.name == name for one in walk.symbols)
        return name, is_own
    if result.type == "function_call" and text(result.child_by_field_name("name")) == "setmetatable":
        parts = result.child_by_field_name("arguments")
        first = parts.named_children[0] if parts is not None and parts.named_children else None
        return (text(first), False) if first is not None and first.type == "identifier" else ("", False)
    return "", result.type in ("table_constructor", "function_definition")


def _exports(root: Node, walk: _LuaWalk, table_name: str) -> dict[str, str]:
    exports: dict[str, str] = {}
    result = _result(root)
    if result is not None and result.type == "table_constructor":
        for name, part in _fields(result):
            exports.setdefault(name, _field(name, part, walk))
    elif result is not None and result.type == "function_definition":
        walk.define(WHOLE, "function", result, signature(result))
        exports[WHOLE] = WHOLE
    own_names = _names_of(table_name, walk)
    exports |= {member: local for table, member, local in walk.members if table in own_names}
    if table_name and any(one.name == table_name and one.kind == "function" for one in walk.symbols):
        exports[WHOLE] = table_name
    return exports


def _is_dynamic(source: bytes, table: str) -> bool:
    """Whether something may give the returned table any member: a name that is computed, or a metatable."""
    word = re.escape(table.encode())
    return bool(
        re.search(rb"(?<![\w.:])(?:" + word + rb"[ \t]{0,9}\[(?![ \t]{0,9}['\"\d])"
            rb"|(?:setmetatable|rawset|table\.\w{1,30}|[\w.:]{0,60}(?:extend|merge|mixin|copy|inherit)\w{0,30})[ \t]{0,9}\([ \t]{0,9}" + word + rb"\b)", source)
    )  # fmt: skip


def signature(node: Node) -> Signature:
    """The parameters of a function; the receiver of `M:total()` is not among them."""
    parameter_list = node.child_by_field_name("parameters")
    parameters = [
        Parameter("...", "varargs", is_required=False)
        if part.type == "vararg_expression"
        else Parameter(text(part), "positional-only", is_required=True)
        for part in (parameter_list.named_children if parameter_list is not None else ())
        if part.type in ("identifier", "vararg_expression")
    ]
    return Signature(tuple(parameters), head(node, end=parameter_list.end_byte if parameter_list is not None else 0))
