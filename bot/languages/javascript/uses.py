"""What an identifier does where it is in a JavaScript or TypeScript file, and which class a receiver is known to be."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import lru_cache, partial

from tree_sitter import Node

from bot.languages.constructions import Construction, nodes_of
from bot.languages.syntax import CASTS, MAX_TEXT, Form, Shape, ancestors, arguments, text
from impact.language import languages

CLASSES = frozenset({"class_declaration", "abstract_class_declaration", "class"})
NAMED = frozenset({
    "function_declaration", "generator_function_declaration", "function_expression", "function_signature", "class_declaration",
    "abstract_class_declaration", "class", "interface_declaration", "type_alias_declaration", "enum_declaration",
    "internal_module", "module", "method_definition", "method_signature", "abstract_method_signature", "public_field_definition",
    "field_definition", "property_signature", "variable_declarator", "type_parameter",
})  # fmt: skip
MEMBERS = frozenset({"method_definition", "public_field_definition", "field_definition"})
SCOPES = frozenset({
    "function_declaration", "generator_function_declaration", "method_definition", "class_declaration",
    "abstract_class_declaration", "variable_declarator", "public_field_definition", "field_definition", "pair",
    "interface_declaration",
})  # fmt: skip
BINDERS = frozenset({
    "formal_parameters", "required_parameter", "optional_parameter", "rest_pattern", "array_pattern", "catch_clause",
    "assignment_pattern", "object_assignment_pattern",
})  # fmt: skip
KEYED = frozenset({"pair", "jsx_attribute", "enum_assignment", "enum_body"})
ASKING = {"if_statement": "condition", "ternary_expression": "condition", "binary_expression": "left"}
NAME = r"(?:this\.)?#?[\w$]++"
# What is given to a name. One line may give several: what stands behind is looked at and not consumed.
ANNOTATED = re.compile(rf"(?<![\w$.])({NAME})\s*+[?!]?\s*+:(?=\s*+([A-Z][\w$]*+)[ \t\r]*+[;,)=\n])")
ASSIGNED = re.compile(rf"(?<![\w$.])({NAME})\s*+=(?![=>])\s*+(?=([^\n]{{1,200}}))")
BUILT = re.compile(r"(?:await\s++)?new\s++([\w$.]++)")
LOADED = re.compile(r"(await\s+)?(require|import)\s*(<[^()]*>)?\(")

passed = partial(arguments, languages()[".js"].calls)


def _form(node: Node) -> Form:
    above = node.parent
    if above is None:
        return "name"
    if node.type == "shorthand_property_identifier_pattern" or above.type == "pair_pattern":
        return _taken_apart(node, above)
    if above.type == "export_specifier":
        return _handed_on(node, above)
    if above.type in KEYED:
        return "key" if node.type == "property_identifier" else "name"
    return "definition" if _binds(node, above) else "name"


def _binds(node: Node, above: Node) -> bool:
    """Whether an identifier gets its meaning here: a name, the target of an assignment, a parameter."""
    if above.type in BINDERS:
        return node.type == "identifier" and not any(
            above.child_by_field_name(f) == node for f in ("value", "right", "body")
        )
    field_name = (
        "left" if above.type == "assignment_expression" else "parameter" if above.type == "arrow_function" else "name"
    )
    is_name = above.type in NAMED or field_name != "name"
    return is_name and above.child_by_field_name(field_name) == node


def _handed_on(node: Node, above: Node) -> Form:
    """A name in `export { name as other }`: an import, where it comes from a module."""
    if above.child_by_field_name("name") != node:
        return "key"
    statement = next((item for item in ancestors(above) if item.type == "export_statement"), None)
    return "import" if statement is not None and statement.child_by_field_name("source") is not None else "name"


def _taken_apart(node: Node, above: Node) -> Form:
    """A name in `{ name } = value`: an import, where the value is a module."""
    holder = next((item for item in ancestors(node) if item.type in ("variable_declarator", "formal_parameters")), None)
    value = holder.child_by_field_name("value") if holder is not None and holder.type == "variable_declarator" else None
    key = above.type != "pair_pattern" or above.child_by_field_name("key") == node
    if value is not None and LOADED.match(text(value)):
        return "import"
    if key and above.type == "pair_pattern":
        return "key"
    return "definition"


def _is_guarded(node: Node, around: list[Node]) -> bool:
    """Whether the code around it asks first if it exists: `x?.()`, `typeof x`, `if (x) x()`, or a `try` around a require."""
    return any(_foresees(node, level, above, around) for level, above in enumerate(around))


def _foresees(node: Node, level: int, above: Node, around: list[Node]) -> bool:
    kind = above.type
    if kind in ASKING:
        return _asks(above.child_by_field_name(ASKING[kind]), node)
    if kind == "call_expression":
        return level <= 1 and bool(re.search(r"\?\.\s*\(", text(above)[: len(text(node)) + 200]))
    if kind == "member_expression":
        return level == 0 and "?." in text(above)[-len(text(node)) - 3 :]
    if kind == "unary_expression":
        return text(above).startswith("typeof")
    return kind == "try_statement" and any(LOADED.match(text(part)) for part in around[:3])


def _asks(condition: Node | None, node: Node) -> bool:
    """Whether a condition tests for the name without calling it."""
    name = re.escape(text(node))
    return bool(re.search(rf"(?<![\w$]){name}(?![\w$])(?!\s*\()", text(condition)))


def _types(receiver: Node) -> tuple[str, ...]:
    """Classes that a receiver is known to be, as written in this file; empty where nothing is known."""
    receiver_text = text(receiver)
    if receiver.type == "new_expression":
        return (text(receiver.child_by_field_name("constructor")),)
    if receiver_text in ("this", "super"):
        own = _own(receiver)
        return own if receiver_text == "this" else own[1:]
    if receiver.type == "identifier":
        function = next((above for above in ancestors(receiver) if above.type in ("statement_block", "program")), None)
        outer = next((above for above in ancestors(receiver) if above.type in SCOPES), function)
        return _class_of(outer, receiver_text) if outer is not None else ()
    if re.fullmatch(r"this\.#?\w+", receiver_text):
        holder = next((above for above in ancestors(receiver) if above.type in CLASSES), None)
        return _class_of(holder, receiver_text, receiver_text[5:]) if holder is not None else ()
    return ()


def _result_of(node: Node, receiver: Node | None) -> str:
    """The function whose result a name is a member of: `useCart` in `cart.total` below `const cart = useCart()`, and in `const { total } = useCart()`."""
    if receiver is not None:
        return _called(receiver)
    pattern = node.parent
    if pattern is not None and pattern.type == "pair_pattern" and pattern.child_by_field_name("key") == node:
        pattern = pattern.parent
    holder = pattern.parent if pattern is not None and pattern.type == "object_pattern" else None
    if holder is None or holder.type != "variable_declarator" or holder.child_by_field_name("name") != pattern:
        return ""
    return _called(holder.child_by_field_name("value"))


def _called(value: Node | None, *, is_declared: bool = False) -> str:
    """The function that a value is the result of, as it is written: a call, or a name that a declaration around it gives to one."""
    while value is not None and (value.type in CASTS or value.type == "await_expression") and value.named_children:
        value = value.named_children[0]
    if value is None:
        return ""
    if value.type == "call_expression":
        function = value.child_by_field_name("function")
        return (
            text(function)[:MAX_TEXT]
            if function is not None and function.type in ("identifier", "member_expression")
            else ""
        )
    if value.type != "identifier" or is_declared:
        return ""
    blocks = (above for above in ancestors(value) if above.type in ("statement_block", "program"))
    return next(
        (block_calls[text(value)] for block in blocks if text(value) in (block_calls := _declared_calls(block))), ""
    )


@lru_cache(maxsize=64)
def _declared_calls(block: Node) -> Mapping[str, str]:
    """Name -> the function whose result it is declared to be in a block, outside the blocks in it; "" for another value."""
    calls: dict[str, str] = {}
    for row in block.named_children:
        for part in (row.child_by_field_name("declaration") or row).named_children:
            name = part.child_by_field_name("name") if part.type == "variable_declarator" else None
            if name is not None and name.type == "identifier":
                calls[text(name)] = _called(part.child_by_field_name("value"), is_declared=True)
    return calls


def _own(node: Node) -> tuple[str, ...]:
    """The class around a node and the class it extends."""
    holder = next((above for above in ancestors(node) if above.type in CLASSES), None)
    if holder is None:
        return ()
    head = (holder.text or b"").split(b"{", 1)[0].decode("utf-8", "replace")
    bases = re.findall(r"\bextends\s+([\w$.]+)", head)
    return (text(holder.child_by_field_name("name")), *bases)


@lru_cache(maxsize=64)
def _classes_by_name(scope: Node) -> Mapping[str, frozenset[str]]:
    """Name -> the classes that it is given in a stretch of code, which is read once; "?" for what is no new object."""
    code = text(scope)
    classes_by_name: dict[str, set[str]] = defaultdict(set)
    for match in ANNOTATED.finditer(code):
        classes_by_name[match[1]].add(match[2])
    for match in ASSIGNED.finditer(code):
        construction = BUILT.match(match[2])
        classes_by_name[match[1]].add(construction[1] if construction else "?")
    return {name: frozenset(classes) for name, classes in classes_by_name.items()}


def _class_of(scope: Node, *names: str) -> tuple[str, ...]:
    """The one class that a name is given in this stretch of code: `x = new Class(...)` or `x: Class`."""
    classes_by_name = _classes_by_name(scope)
    class_names = {one for name in names for one in classes_by_name.get(name, ())}
    return (class_names.pop(),) if len(class_names) == 1 and "?" not in class_names else ()


def _scope_name(node: Node) -> str:
    """The name of a definition; a variable or a key counts where it holds a function or a class."""
    if node.type in ("variable_declarator", "public_field_definition", "field_definition", "pair"):
        value = node.child_by_field_name("value")
        if value is None or value.type not in ("arrow_function", "function_expression", "class"):
            return ""
    name = node.child_by_field_name("name") or node.child_by_field_name("key") or node.child_by_field_name("property")
    return text(name)


def constructions(holder: Node) -> Iterator[Construction]:
    """The calls of constructors in a class that name none: `super(1)`, `new this(1)`, `new this.constructor(1)`."""
    clause = next((part for part in holder.named_children if part.type == "class_heritage"), None)
    base = clause.named_children[0] if clause is not None and clause.named_children else None
    if base is not None and base.type == "extends_clause":
        base = base.child_by_field_name("value")
    if base is not None and base.type == "member_expression":
        base = base.child_by_field_name("property")
    body = holder.child_by_field_name("body")
    for member in body.named_children if body is not None else ():
        is_static = any(part.type == "static" for part in member.children)
        for creation in nodes_of(member, "new_expression", CLASSES) if member.type in MEMBERS else ():
            if text(creation.child_by_field_name("constructor")).strip("()") == (
                "this" if is_static else "this.constructor"
            ):
                yield holder.child_by_field_name("name"), creation, passed(creation.child_by_field_name("arguments"))
        is_constructor = text(member.child_by_field_name("name")) == "constructor"
        if base is not None and member.type == "method_definition" and is_constructor:
            for word in nodes_of(member, "super", CLASSES):
                call = word.parent
                argument_list = call.child_by_field_name("arguments") if call is not None else None
                if argument_list is not None:
                    yield base, word, passed(argument_list)


SHAPE = Shape(
    identifiers=frozenset({
        "identifier", "property_identifier", "type_identifier", "shorthand_property_identifier",
        "shorthand_property_identifier_pattern",
    }),
    members={"member_expression": ("object", "property"), "nested_type_identifier": ("module", "name")},
    calls={"call_expression": ("function", "arguments"), "new_expression": ("constructor", "arguments")},
    imports=frozenset({"import_statement"}),
    scopes=SCOPES,
    arguments=passed, is_guarded=_is_guarded, form=_form, types=_types, result_of=_result_of, scope_name=_scope_name,
    assignments={"variable_declarator": ("name", "value"), "assignment_expression": ("left", "right")},
)  # fmt: skip
