"""One definition of a JavaScript or TypeScript file with its members: a function, a class, an object, a type."""

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import takewhile
from types import MappingProxyType

from tree_sitter import Node

from bot.languages.javascript.signature import FUNCTIONS, signature
from bot.languages.syntax import ancestors, text
from bot.languages.walk import DefinitionWalk
from bot.values import Signature, Visibility

CLASSES = frozenset({"class_declaration", "abstract_class_declaration", "class"})
TYPES = frozenset({"interface_declaration", "type_alias_declaration", "enum_declaration", "internal_module", "module"})
RESULT = "()"  # behind the name of a function: the object that it returns
KEYS = frozenset({"property_identifier", "identifier", "private_property_identifier", "shorthand_property_identifier"})
FIELDS = frozenset({"public_field_definition", "field_definition"})


@dataclass(slots=True)
class MemberWalk(DefinitionWalk):
    """The definitions of a JavaScript or TypeScript file."""

    dynamic: bool = False
    whole: str = ""  # the name of this file whose value is `module.exports`
    aliases: set[str] = field(default_factory=set)  # names of this file for the object that is exported
    objects: dict[str, Node] = field(default_factory=dict)  # definition -> the object that it is written as
    read: list[tuple[int, int]] = field(default_factory=list)  # bytes: where exports are handed to a call that was read
    assignments: list[tuple[str, str]] = field(
        default_factory=list
    )  # (owner, name) of every `owner.name = ...` at the top
    import_names: list[str] = field(
        default_factory=list
    )  # names that ES imports bind, and those handed on by `export ... from`
    loose: set[str] = field(default_factory=set)  # of these, the ones that are types alone
    modern: bool = False  # it exports by `export`: then CommonJS's ways to add more do not matter


def take(node: Node, outer: Node, name: str, walk: MemberWalk) -> None:
    """One definition with its members."""
    node = bare_value(node)
    function, is_class = node.type in FUNCTIONS, node.type in CLASSES
    kind = "class" if is_class else "type" if node.type in TYPES else "variable"
    if function:
        kind = "method" if "." in name else "function"
    own_signature = signature(node) if function else None
    walk.define(name, kind, outer, own_signature)
    body = node.child_by_field_name("body")
    if own_signature is not None and "." not in name and body is not None:
        _made(name, body, own_signature, walk)
    if is_class or node.type == "interface_declaration":
        walk.inherit(name, _heritage(node))
        for member in body.named_children if body is not None else ():
            _member(member, name, walk)
    elif node.type == "call_expression" and "." not in name:
        _made_by_call(name, node, walk)
    elif node.type == "object":
        walk.objects[name] = node
        for member in node.named_children:
            _member(member, name, walk)
    elif node.type == "enum_declaration" and body is not None:
        _enumeration(body, name, walk)


def _enumeration(body: Node, name: str, walk: MemberWalk) -> None:
    walk.inherit(name, ())
    for member in body.named_children:
        key = member.child_by_field_name("name") or member
        if key.type == "property_identifier":
            walk.define(f"{name}.{text(key)}", "variable", member)


def _made(name: str, body: Node, own_signature: Signature, walk: MemberWalk) -> None:
    """The members of what a function returns, and those that it gives to its arguments: `module.exports = (Posts) => { Posts.load = ... }`."""
    local_functions = _local_functions(body)
    for member in _returned(body):
        if _is_own(member, body) or _function_of(member, local_functions) is not None:
            _member(member, f"{name}{RESULT}", walk, local_functions)
    for parameter in own_signature.parameters if body.type == "statement_block" else ():
        for row in _assigned(body, parameter.name):
            if getattr(row.child_by_field_name("right"), "type", "") in FUNCTIONS:
                _member(row, parameter.name, walk)


def _made_by_call(name: str, call: Node, walk: MemberWalk) -> None:
    """The functions that a function returns which is called at once, or that is handed to what makes one of it: `defineStore("cart", () => ...)`."""
    callee = call.child_by_field_name("function")
    function = bare_value(callee) if callee is not None else None
    inside = name
    if function is None or function.type not in FUNCTIONS:
        function, inside = _handed_function(call), f"{name}{RESULT}"
    body = function.child_by_field_name("body") if function is not None else None
    if body is not None:
        local_functions = _local_functions(body)
        for member in _returned(body):
            if _function_of(member, local_functions) is not None:
                _member(member, inside, walk, local_functions)


def _handed_function(call: Node) -> Node | None:
    """The last argument of a call that is a function."""
    arguments = call.child_by_field_name("arguments")
    parts = arguments.named_children if arguments is not None else []
    return next((part for part in reversed(parts) if part.type in FUNCTIONS), None)


def _local_functions(body: Node) -> Mapping[str, tuple[Node, Node]]:
    """The functions that a function's body gives a name, each with its statement; what a call makes of one stands for it: `useCallback((x) => ...)`."""
    functions: dict[str, list[tuple[Node, Node]]] = defaultdict(list)
    for row in body.named_children if body.type == "statement_block" else ():
        if row.type in FUNCTIONS:
            functions[text(row.child_by_field_name("name"))].append((row, row))
        for part in row.named_children:
            value = part.child_by_field_name("value") if part.type == "variable_declarator" else None
            if value is not None:
                value = bare_value(value)
                made = _handed_function(value) if value.type == "call_expression" else value
                functions[text(part.child_by_field_name("name"))].append((row, made if made is not None else value))
    return {name: rows[0] for name, rows in functions.items() if len(rows) == 1 and rows[0][1].type in FUNCTIONS}


def _function_of(member: Node, local_functions: Mapping[str, tuple[Node, Node]]) -> tuple[Node, Node] | None:
    """The statement and the function behind a member of an object: its own, or one that has a name beside the object."""
    value = member if member.type in ("shorthand_property_identifier", "method_definition") else None
    value = value or member.child_by_field_name("value") or member.child_by_field_name("right")
    value = bare_value(value) if value is not None else None
    if value is not None and value.type in FUNCTIONS:
        return member, value
    is_name = value is not None and value.type in ("identifier", "shorthand_property_identifier")
    return local_functions.get(text(value)) if is_name else None


def _returned(body: Node) -> list[Node]:
    """The members of the object that a function ends with returning: written where it is returned, or under a name that is returned."""
    if body.type != "statement_block":
        value = bare_value(body)
    else:
        last = next((part for part in reversed(body.named_children) if part.type != "comment"), None)
        if last is None or last.type != "return_statement" or not last.named_children:
            return []
        value = bare_value(last.named_children[0])
    if value.type == "identifier" and body.type == "statement_block":
        name = text(value)
        declarations = [
            part for row in body.named_children for part in row.named_children if part.type == "variable_declarator"
        ]
        objects = [
            one.child_by_field_name("value") for one in declarations if text(one.child_by_field_name("name")) == name
        ]
        made_object = _given_object(objects[0]) if len(objects) == 1 else None
        return [*made_object.named_children, *_assigned(body, name)] if made_object is not None else []
    made_object = _given_object(value)
    return made_object.named_children if made_object is not None else []


def _given_object(value: Node | None) -> Node | None:
    """The object that a value is, or that a call is given alone or by a function: `reactive({ ... })`, `useMemo(() => ({ ... }), [])`."""
    bare = bare_value(value) if value is not None else None
    arguments = bare.child_by_field_name("arguments") if bare is not None and bare.type == "call_expression" else None
    if arguments is not None and arguments.named_children:
        bare = bare_value(arguments.named_children[0])
        body = bare.child_by_field_name("body") if bare.type == "arrow_function" else None
        bare = bare_value(body) if body is not None else bare
    return bare if bare is not None and bare.type == "object" else None


def _is_own(member: Node, body: Node) -> bool:
    """Whether a member is one of an object that the function itself makes, and no call of it."""
    around = takewhile(lambda above: above != body, ancestors(member))
    return all(above.type != "arguments" for above in around)


def _assigned(body: Node, name: str) -> list[Node]:
    """The statements `name.member = ...` of a function's body."""
    rows = [part for row in body.named_children for part in row.named_children if part.type == "assignment_expression"]
    lefts = [(row, row.child_by_field_name("left")) for row in rows]
    return [
        row
        for row, left in lefts
        if left is not None and left.type == "member_expression" and text(left.child_by_field_name("object")) == name
    ]


def bare_value(node: Node) -> Node:
    """`x as const`, `x satisfies T` and `(x)` are x."""
    while node.type in ("as_expression", "satisfies_expression", "parenthesized_expression") and node.named_children:
        node = node.named_children[0]
    return node


def _heritage(node: Node) -> tuple[str, ...]:
    """What a class inherits from, as written."""
    for part in node.named_children:
        if part.type == "class_heritage":
            heritage = re.sub(r"<[^<>]*>", "", re.sub(r"\bimplements\b.*", "", text(part), flags=re.DOTALL))
            return tuple(base.strip() for base in heritage.replace("extends", " ").split(",") if base.strip())
        if part.type == "extends_type_clause":
            return tuple(base.strip() for base in text(part).replace("extends", " ").split(",") if base.strip())
    return ()


def _member(
    node: Node,
    inside: str,
    walk: MemberWalk,
    local_functions: Mapping[str, tuple[Node, Node]] = MappingProxyType({}),
) -> None:
    key = node.child_by_field_name("name") or node.child_by_field_name("key") or node.child_by_field_name("property")
    left = node.child_by_field_name("left") if node.type == "assignment_expression" else None
    if left is not None:
        key = left.child_by_field_name("property")
    elif node.type == "shorthand_property_identifier":
        key = node
    if key is None or key.type not in KEYS:
        return
    local = _function_of(node, local_functions)
    if local is not None and local[0] != node:
        is_made = local[1].parent is not None and local[1].parent.type == "arguments"
        walk.define(f"{inside}.{text(key)}", "method", local[0], signature(local[1], is_made))
        return
    value = node.child_by_field_name("value")
    name, target = f"{inside}.{text(key)}", node
    if node.type == "assignment_expression":
        value = node.child_by_field_name("right")
    if node.type in FIELDS or node.type in ("pair", "assignment_expression"):
        target = bare_value(value) if value is not None else node
    has_decorator = any(part.type == "decorator" for part in node.named_children)
    function = target.type in FUNCTIONS
    accessor = node.type == "method_definition" and re.match(r"(static\s+)?[gs]et\s", text(node)) is not None
    kind = "method" if function and not accessor else "variable"
    own_signature = signature(target, has_decorator) if kind == "method" else None
    private = key.type == "private_property_identifier" or any(
        part.type == "accessibility_modifier" and text(part) == "private" for part in node.named_children
    )
    visibility: Visibility = "file" if private else "anywhere"
    walk.define(name, kind, node, own_signature, visibility=visibility)
