"""What an identifier does where it is in a Lua file."""

import re

from tree_sitter import Node

from bot.languages.syntax import Form, Shape, text
from bot.values import Call

SCOPES = frozenset({"function_declaration"})
FORESEEN = frozenset({"pcall", "xpcall"})
BINDERS = frozenset({"parameters", "attrib", "variable_list"})
NAMED = frozenset({"function_declaration", "for_numeric_clause"})


def _form(node: Node) -> Form:
    above = node.parent
    if node.type == "dot_index_expression" and _is_require(node.child_by_field_name("table")):
        return "import"  # `require("shop.cart").total`
    if above is None:
        return "name"
    is_its_name = above.child_by_field_name("name") == node
    if above.type == "field" and is_its_name:
        return "key"
    return "definition" if above.type in BINDERS or (above.type in NAMED and is_its_name) else "name"


def _is_require(node: Node | None) -> bool:
    return node is not None and node.type == "function_call" and text(node.child_by_field_name("name")) == "require"


def _arguments(argument_list: Node) -> Call:
    parts = [part for part in argument_list.named_children if part.type != "comment"]
    if argument_list.type != "arguments":
        return Call(1)  # `total "text"` and `total {}`
    spread = bool(parts) and parts[-1].type in (
        "vararg_expression",
        "function_call",
    )  # either may be any number of values
    return Call(len(parts), spread=spread)


def _is_guarded(node: Node, around: list[Node]) -> bool:
    """Whether `pcall` runs it, or a condition asks first whether the name is there."""
    name = re.escape(text(node))
    asking = re.compile(rf"(?<![\w]){name}(?!\w)(?!\s*[({{'\"])")
    for above in around:
        if above.type == "function_call" and text(above.child_by_field_name("name")) in FORESEEN:
            return True
        if above.type in ("if_statement", "elseif_statement"):
            condition = above.child_by_field_name("condition")
            if condition is not None and not _inside(node, condition) and asking.search(text(condition)[:500]):
                return True
            if condition is not None and _inside(node, condition) and not _is_called(node):
                return True
        if above.type == "binary_expression" and above.children[1:2] and above.children[1].type in ("and", "or"):
            operand = above.child_by_field_name("left")
            if operand is not None and (
                (not _inside(node, operand) and asking.search(text(operand)[:300]))
                or (_inside(node, operand) and not _is_called(node))
            ):
                return True
    return False


def _inside(node: Node, outer: Node) -> bool:
    return outer.start_byte <= node.start_byte and node.end_byte <= outer.end_byte


def _is_called(node: Node) -> bool:
    """Whether the name, or the member that it names, is called."""
    above = node.parent
    member = above is not None and above.type in ("dot_index_expression", "method_index_expression")
    whole = above if member and above is not None else node
    outer = whole.parent
    return outer is not None and outer.type == "function_call" and outer.child_by_field_name("name") == whole


SHAPE = Shape(
    identifiers=frozenset({"identifier"}),
    members={"dot_index_expression": ("table", "field"), "method_index_expression": ("table", "method")},
    calls={"function_call": ("name", "arguments")},
    imports=frozenset(),
    scopes=SCOPES,
    arguments=_arguments,
    is_guarded=_is_guarded,
    form=_form,
)
