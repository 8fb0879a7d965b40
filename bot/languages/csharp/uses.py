"""What an identifier does where it is in a C# file, and which class a receiver is declared to be."""

import re
from collections.abc import Iterator
from functools import partial

from tree_sitter import Node

from bot.languages import typed_receivers
from bot.languages.constructions import Construction
from bot.languages.spots import Spot
from bot.languages.syntax import UNKNOWN, arguments, text
from bot.languages.typed_receivers import TypedGrammar
from bot.values import Call
from impact.language import languages

CLASSES = frozenset({
    "class_declaration", "struct_declaration", "interface_declaration", "record_declaration", "record_struct_declaration",
    "enum_declaration",
})  # fmt: skip
METHODS = frozenset({
    "method_declaration", "constructor_declaration", "property_declaration", "local_function_statement", "operator_declaration",
    "indexer_declaration",
})  # fmt: skip
NAMED = CLASSES | METHODS | {
    "delegate_declaration", "variable_declarator", "parameter", "parameter_list", "enum_member_declaration", "type_parameter",
    "foreach_statement", "catch_declaration", "declaration_expression", "declaration_pattern", "event_declaration",
    "single_variable_designation", "implicit_parameter",
}  # fmt: skip
DECLARED = r"(?<![\w.$@])(?P<type>[A-Za-z_][\w.]*)(?:<[^;(){}=]{0,200}>)?(?P<more>(?:\s*\[[,\s]*\])*)\??\s+NAME\s*(?=[=;,:)&|?{]|in\b)"
BUILT = r"\bvar\s+NAME\s*=\s*new\s+([\w.]+)\s*[({<]|(?<![\w.$])NAME\s*=>|[(,]\s*+NAME\s*+(?:,[^()]{0,200})?\)\s*+=>"

passed = partial(arguments, languages()[".cs"].calls)


def place(node: Node) -> Spot | None:
    """What an identifier does where it stands."""
    above = node.parent
    near = typed_receivers.near(node)
    if above is None or any(item.type.endswith("namespace_declaration") and item in near[:3] for item in near[:3]):
        inside = above is not None and not _named_by(node, near)
        if not inside:
            return None
    if any(item.type == "using_directive" for item in near):
        return Spot("import")
    if above is not None and above.type in NAMED and above.child_by_field_name("name") == node:
        return Spot("definition")
    if above is not None and above.type == "argument" and above.child_by_field_name("name") == node:
        return Spot("key")
    return _use(node)


def _named_by(node: Node, near: list[Node]) -> bool:
    """Whether a namespace gets its name here."""
    for item in near:
        if item.type.endswith("namespace_declaration"):
            name = item.child_by_field_name("name")
            return name is not None and name.start_byte <= node.start_byte and node.end_byte <= name.end_byte
    return False


def _use(node: Node) -> Spot:
    whole = node
    if node.parent is not None and node.parent.type == "generic_name":
        whole = node.parent
    above = whole.parent
    receiver, call_node = None, whole
    if above is not None and above.type in ("member_access_expression", "qualified_name"):
        if above.child_by_field_name("name") == whole:
            receiver, call_node = above.children[0], above
    elif above is not None and above.type == "member_binding_expression" and above.parent is not None:
        receiver, call_node = above.parent.child_by_field_name("condition"), above.parent
    elif above is not None and above.type == "assignment_expression" and _initialises(above, whole):
        return Spot("key")
    return Spot("member" if receiver is not None else "name", receiver, _call(call_node))


def _initialises(assignment: Node, node: Node) -> bool:
    """Whether a property of a new object is set: `new Foo { Name = 1 }`."""
    holder = assignment.parent
    return (
        holder is not None
        and holder.type == "initializer_expression"
        and assignment.child_by_field_name("left") == node
    )


def _call(call_node: Node) -> Call | None:
    above = call_node.parent
    if above is not None and above.type == "attribute":
        return _of_attribute(above)
    fields = {"invocation_expression": "function", "object_creation_expression": "type"}
    if above is None or above.type not in fields or above.child_by_field_name(fields[above.type]) != call_node:
        return None
    return passed(above.child_by_field_name("arguments"))


def _of_attribute(attribute: Node) -> Call:
    """The call of a constructor that an attribute is; a property that it sets (`Level = 1`) is no argument."""
    argument_list = next((part for part in attribute.named_children if part.type == "attribute_argument_list"), None)
    parts = [
        part
        for part in (argument_list.named_children if argument_list is not None else ())
        if part.type == "attribute_argument" and not any(sign.type == "=" for sign in part.children)
    ]
    names = [text(part.child_by_field_name("name")) for part in parts if any(one.type == ":" for one in part.children)]
    return Call(len(parts) - len(names), tuple(names))


def constructions(holder: Node) -> Iterator[Construction]:
    """The calls of constructors in a class that name none: `: this(1)`, `: base(1)`, `class Sub(int a) : Cart(a)`, and what nobody has to write."""
    base, head = _base(holder)
    members = [
        part for body in holder.named_children if body.type == "declaration_list" for part in body.named_children
    ]
    constructors = [
        part
        for part in members
        if part.type == "constructor_declaration" and not any(text(one) == "static" for one in part.named_children[:3])
    ]
    for constructor in constructors:
        call = next((part for part in constructor.named_children if part.type == "constructor_initializer"), None)
        argument_list = next((part for part in call.named_children), None) if call is not None else None
        if call is not None and any(part.type == "this" for part in call.children):
            yield holder.child_by_field_name("name"), call, passed(argument_list)
        else:
            yield base, call if call is not None else constructor.child_by_field_name("name"), passed(argument_list)
    is_partial = any(part.type == "modifier" and text(part) == "partial" for part in holder.named_children)
    is_partial = is_partial or holder.has_error or any("preproc" in part.type for part in members)
    if head is not None or not (constructors or is_partial):
        yield base, base, passed(head)


def _base(holder: Node) -> tuple[Node | None, Node | None]:
    """The name of the first type that a class inherits, and the arguments that its head gives to it."""
    clause = next((part for part in holder.named_children if part.type == "base_list"), None)
    if clause is None or not clause.named_children:
        return None, None
    parts = clause.named_children
    if parts[0].type == "primary_constructor_base_type":
        parts = parts[0].named_children
    base: Node | None = parts[0]
    while base is not None and base.type in ("qualified_name", "generic_name", "alias_qualified_name"):
        base = base.child_by_field_name("name") or base.named_children[0]
    return base, next((part for part in parts if part.type == "argument_list"), None)


def types(receiver: Node) -> tuple[str, ...]:
    """The class that a receiver is declared to be; empty for what may be a class itself."""
    kind, receiver_text = receiver.type, text(receiver)
    if kind == "object_creation_expression":
        return (re.sub(r"<.*", "", text(receiver.child_by_field_name("type")), flags=re.DOTALL),)
    if kind in ("this", "this_expression"):
        holder = next(iter(typed_receivers.around(receiver, CLASSES)), None)
        return (text(holder.child_by_field_name("name")),) if holder is not None else UNKNOWN
    if kind == "parenthesized_expression" and receiver.named_children:
        inner = receiver.named_children[0]
        return (text(inner.child_by_field_name("type")),) if inner.type == "cast_expression" else UNKNOWN
    if kind == "identifier" or receiver_text.startswith("this."):
        class_names = typed_receivers.declared_classes(receiver, READING, DECLARED, BUILT)
        if class_names:
            return class_names
    plain = kind in ("identifier", "member_access_expression", "qualified_name", "generic_name")
    return () if plain and receiver_text.rpartition(".")[2][:1].isupper() else UNKNOWN


READING = TypedGrammar(
    identifiers=frozenset({"identifier"}),
    classes=CLASSES, methods=METHODS, place=place, types=types,
)  # fmt: skip
