"""What an identifier does where it is in a Go file, and which type a receiver is known to have."""

from collections.abc import Mapping
from functools import lru_cache, partial

from tree_sitter import Node

from bot.languages.go.outline import bare, receiver_type
from bot.languages.syntax import (
    MOST_USES,
    UNKNOWN,
    Form,
    Shape,
    ancestors,
    any_of,
    arguments,
    first_line,
    local_type,
    text,
)
from impact.language import languages

FUNCTIONS = frozenset({"function_declaration", "method_declaration"})
NAMED = frozenset({
    "function_declaration", "type_spec", "type_alias", "const_spec", "var_spec", "parameter_declaration",
    "variadic_parameter_declaration", "type_parameter_declaration",
})  # fmt: skip
MEMBERS = frozenset({"method_declaration", "field_declaration", "method_elem"})
LISTS = frozenset({"short_var_declaration", "range_clause", "receive_statement"})
COUNTED = frozenset({"map_type", "slice_type", "array_type", "implicit_length_array_type"})


def _form(node: Node) -> Form:
    above = node.parent
    if above is None:
        return "name"
    if above.type in MEMBERS:
        return "key" if node in above.children_by_field_name("name") else "name"
    if above.type == "package_clause":
        return "key"
    if above.type == "literal_element":
        key_element = above.parent
        is_field = (
            key_element is not None
            and key_element.child_by_field_name("key") == above
            and not _has_value_keys(key_element)
        )
        return "key" if is_field else "name"
    return "definition" if _binds(node) else "name"


def _has_value_keys(key_element: Node) -> bool:
    """Whether the keys of a literal are values, those of a map or of an array; where its type is not written, nobody knows."""
    literal = key_element.parent.parent if key_element.parent is not None else None
    type_node = literal.child_by_field_name("type") if literal is not None else None
    return type_node is not None and type_node.type in COUNTED


def _binds(node: Node) -> bool:
    """Whether an identifier gets its meaning here: a declared name, a parameter, the left side of `:=`."""
    above = node.parent
    if above is None:
        return False
    if above.type in NAMED:
        return node in above.children_by_field_name("name")
    if above.type == "expression_list" and above.parent is not None:
        holder = above.parent
        if holder.type == "type_switch_statement":
            return holder.child_by_field_name("alias") == above
        new = holder.type == "short_var_declaration" or any(part.type == ":=" for part in holder.children)
        return holder.type in LISTS and new and holder.child_by_field_name("left") == above
    return above.type == "labeled_statement"


def _types(receiver: Node) -> tuple[str, ...]:
    """The type of a receiver as written in this file."""
    while receiver.type == "parenthesized_expression" and receiver.named_children:
        receiver = receiver.named_children[0]
    if receiver.type == "selector_expression":
        return _field(receiver)
    if receiver.type == "index_expression":
        return _element(receiver.child_by_field_name("operand"))
    if receiver.type != "identifier":
        return _of_value(receiver) or UNKNOWN
    function = next((above for above in ancestors(receiver) if above.type in FUNCTIONS), None)
    if function is None:
        return UNKNOWN
    return local_type(receiver, function, b".", _binds, _bound)


def _element(value: Node | None) -> tuple[str, ...]:
    """The type of what a local list or table holds, as the function writes it."""
    if value is None or value.type != "identifier":
        return UNKNOWN
    function = next((above for above in ancestors(value) if above.type in FUNCTIONS), None)
    return local_type(value, function, b".", _binds, _bound_element) if function is not None else UNKNOWN


def _bound_element(node: Node) -> tuple[str, ...]:
    """The type of the elements that a binding gives to its name: `[]T`, `...T`, `map[K]T`, also of a literal or `make`."""
    above = node.parent
    type_node = above.child_by_field_name("type") if above is not None else None
    if above is not None and above.type == "variadic_parameter_declaration":
        return (bare(text(type_node)),) if bare(text(type_node)) else UNKNOWN
    if type_node is None and above is not None:
        holder = above.parent if above.type == "expression_list" else above
        values = holder.child_by_field_name("right") or holder.child_by_field_name("value") if holder else None
        right = values.named_children if values is not None else []
        value = right[0] if len(right) == 1 and above.named_child_count == 1 else None
        if value is not None and value.type == "composite_literal":
            type_node = value.child_by_field_name("type")
        elif value is not None and text(value.child_by_field_name("function")) == "make":
            arguments = value.child_by_field_name("arguments")
            type_node = arguments.named_children[0] if arguments is not None and arguments.named_children else None
    element = (
        type_node.child_by_field_name("element" if type_node.type != "map_type" else "value") if type_node else None
    )
    return (bare(text(element)),) if bare(text(element)) else UNKNOWN


def _bound(node: Node) -> tuple[str, ...]:
    """The type that a binding gives to its name."""
    above = node.parent
    if above is None:
        return UNKNOWN
    type_node = above.child_by_field_name("type")
    if type_node is not None:
        name = bare(text(type_node)) if above.type != "variadic_parameter_declaration" else ""
        return (name,) if name else UNKNOWN
    holder = above.parent if above.type == "expression_list" else above
    if holder is not None and holder.type == "range_clause":
        is_element = above.named_children.index(node) == 1  # the first is its place
        return _element(holder.child_by_field_name("right")) if is_element else UNKNOWN
    if holder is None or holder.type not in ("short_var_declaration", "var_spec"):
        return UNKNOWN
    left = above.named_children if holder is not above else above.children_by_field_name("name")
    values = holder.child_by_field_name("right") or holder.child_by_field_name("value")
    right = values.named_children if values is not None else []
    at = left.index(node)
    if len(left) == len(right):
        return _of_value(right[at]) or UNKNOWN
    is_assertion = len(right) == 1 and at == 0 and right[0].type == "type_assertion_expression"
    return (_of_value(right[0]) if is_assertion else ()) or UNKNOWN


def _of_value(value: Node) -> tuple[str, ...]:
    """The type of an expression that names it: `T{}`, `&T{}`, `new(T)`, `x.(T)`; empty for any other."""
    if value.type == "unary_expression" and text(value).startswith("&"):
        operand = value.child_by_field_name("operand")
        return _of_value(operand) if operand is not None else ()
    type_text = ""
    if value.type in ("composite_literal", "type_assertion_expression"):
        type_text = text(value.child_by_field_name("type"))
    elif value.type == "call_expression" and text(value.child_by_field_name("function")) == "new":
        arguments = value.child_by_field_name("arguments")
        type_text = text(arguments.named_children[0]) if arguments is not None and arguments.named_children else ""
    return (bare(type_text),) if bare(type_text) else ()


def _field(receiver: Node) -> tuple[str, ...]:
    """The type of a field, where the struct is declared in this file."""
    operand, name = receiver.child_by_field_name("operand"), text(receiver.child_by_field_name("field"))
    owner = _types(operand) if operand is not None and operand.type == "identifier" else UNKNOWN
    spec = _types_of(list(ancestors(receiver))[-1]).get(owner[0]) if owner != UNKNOWN else None
    return _declared_types(spec, name) if spec is not None else UNKNOWN


@lru_cache(maxsize=8)
def _types_of(root: Node) -> Mapping[str, Node]:
    """The types that a file declares; of two with one name the first."""
    specs = [spec for item in root.named_children if item.type == "type_declaration" for spec in item.named_children]
    return {text(spec.child_by_field_name("name")): spec for spec in reversed(specs)}


@lru_cache(maxsize=MOST_USES)
def _declared_types(spec: Node, name: str) -> tuple[str, ...]:
    type_node = spec.child_by_field_name("type")
    for part in (
        type_node.named_children[0].named_children if type_node is not None and type_node.named_children else ()
    ):
        if any(text(one) == name for one in part.children_by_field_name("name")):
            type_text = bare(text(part.child_by_field_name("type")))
            return (type_text,) if type_text else UNKNOWN
    return UNKNOWN


def fields(root: Node, source: bytes, names: frozenset[str]) -> dict[tuple[int, str], str]:
    """(line, field) -> the type of the literal that sets it: `T{field: 1}`."""
    types_by_field: dict[tuple[int, str], str] = {}
    for match in any_of(names).finditer(source):
        if source[match.end() : match.end() + 1] != b":":
            continue
        node = root.descendant_for_byte_range(match.start(), match.end())
        key_element = node.parent.parent if node is not None and node.parent is not None else None
        composite = key_element.parent if key_element is not None and key_element.type == "keyed_element" else None
        literal = composite.parent if composite is not None else None
        name = bare(text(literal.child_by_field_name("type"))) if literal is not None else ""
        if node is not None and name and literal is not None and literal.type == "composite_literal":
            types_by_field[first_line(node), text(node)] = name
    return types_by_field


def _scope_name(node: Node) -> str:
    name = text(node.child_by_field_name("name"))
    return f"{receiver_type(node)}.{name}" if node.type == "method_declaration" else name


SHAPE = Shape(
    identifiers=frozenset({"identifier", "field_identifier", "type_identifier", "package_identifier"}),
    members={"selector_expression": ("operand", "field"), "qualified_type": ("package", "name")},
    calls={"call_expression": ("function", "arguments")},
    imports=frozenset({"import_spec"}),
    scopes=FUNCTIONS, arguments=partial(arguments, languages()[".go"].calls), form=_form, types=_types, scope_name=_scope_name,
    assignments={"var_spec": ("name", "value"), "short_var_declaration": ("left", "right"), "assignment_statement": ("left", "right"), "type_alias": ("name", "type")},
)  # fmt: skip
