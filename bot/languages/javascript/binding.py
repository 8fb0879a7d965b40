"""What takes a method of a class away, or another export, below where it was written or on an instance.

Casts, brackets and assertions are looked through: `(this as any).total = null` is `this.total = null`.
"""

import re
from collections.abc import Iterator

from tree_sitter import Node

from bot.languages.conditions import ALL, Binding
from bot.languages.syntax import ancestors, bare_values, first_line, text

EXPORTS = re.compile(rb"\bexports\b")
REPLACED = re.compile(rb"(?<![\w.$])(?:module\.)?exports[ \t]*=(?![=>])[^\n]*")  # the last one counts
UNKNOWN = re.compile(rb"\bdelete[ \t]+(?:module\.)?exports\[(?![\"'])[^\n]*")
SET = re.compile(rb"^[ \t]*(\w{1,100})[ \t]*=(?!=|>)[^\n]*", re.MULTILINE)
OWNERS = re.compile(
    rb"\b(?:this\b(?!\.\w{1,100}[ \t]*+[(.;?+*&|])|prototype\b)|\bdelete\b"
)  # `this`, where it may be set
CALLS = re.compile(
    rb"\b(?:Object|Reflect)\.(?:assign|define(?:Property|Properties)|setPrototypeOf|deleteProperty|set)\b(?=[ \t]*\()"
)
CLASSES = frozenset({"class_declaration", "abstract_class_declaration", "class"})
PATTERNS = frozenset({"array_pattern", "object_pattern", "pair_pattern", "assignment_pattern", "rest_pattern"})
LEFT = frozenset({"assignment_expression", "augmented_assignment_expression", "for_in_statement"})
WORD = re.compile(r"[\w$]+")


def bindings(root: Node, source: bytes) -> Iterator[Binding]:
    """The statements that set or delete what is defined above them."""
    first = EXPORTS.search(source)
    for match in REPLACED.finditer(source):
        if first is not None and first.start() < match.start(0) + len(match[0]) - len(match[0].lstrip()):
            yield _binding(ALL, source, match)
    for match in UNKNOWN.finditer(source):
        yield _binding(ALL, source, match)
    for pattern, of_place in ((OWNERS, _of_owner), (CALLS, _of_call)):
        for match in pattern.finditer(source):
            node = root.descendant_for_byte_range(match.start(), match.end())
            if node is not None:
                yield from of_place(node)
    for match in SET.finditer(source):
        yield _binding(match[1].decode("utf-8", "replace"), source, match)
    yield from _replaced_instances(root, source)


def _binding(name: str, source: bytes, match: re.Match[bytes]) -> Binding:
    return Binding(name, source.count(b"\n", 0, match.start()) + 1, match[0].decode("utf-8", "replace"))


def _of_owner(node: Node) -> Iterator[Binding]:
    """What `this`, `Cart.prototype` or `delete` does to a member, if it is set or deleted there."""
    if node.type == "delete":
        operand = node.parent.child_by_field_name("argument") if node.parent is not None else None
        member = _bare(operand) if operand is not None else None
    else:
        whole = node.parent if node.type == "property_identifier" else node
        member = _outer(whole).parent if whole is not None else None
    if member is None or member.type not in ("member_expression", "subscript_expression"):
        return
    owner, is_instance = _owner(member.child_by_field_name("object"))
    key = member.child_by_field_name("property") or member.child_by_field_name("index")
    name = text(key).strip("\"'`") if key is not None and key.type in ("property_identifier", "string") else ""
    target = _outer(member)
    statement = target.parent
    while statement is not None and statement.type in PATTERNS:
        target, statement = statement, statement.parent
    is_deleted = statement is not None and text(statement).startswith("delete")
    is_set = statement is not None and statement.type in LEFT and statement.child_by_field_name("left") == target
    if statement is None or not owner or not name or not (is_deleted or is_set):
        return
    if not re.match(r"this\.[\w$]+\.bind\(", text(statement.child_by_field_name("right"))):
        yield Binding(
            f"{owner}.{name}", 0 if is_instance else first_line(statement), text(statement).partition("\n")[0]
        )


def _of_call(node: Node) -> Iterator[Binding]:
    """What `Object.assign(this, { ... })` and its like do to the members of a class."""
    call = next((one for one in ancestors(node) if one.type == "call_expression"), None)
    arguments = call.child_by_field_name("arguments") if call is not None else None
    parts = [part for part in arguments.named_children if part.type != "comment"] if arguments is not None else []
    owner, is_instance = _owner(parts[0]) if parts else ("", False)
    if call is None or not owner:
        return
    line = 0 if is_instance else first_line(call)
    if "setPrototypeOf" in text(call.child_by_field_name("function")):
        yield Binding(f"{owner}.{ALL}", line, text(call))
    for part in parts[1:]:
        value = _bare(part)
        keys = value.named_children if value.type == "object" else [value] if value.type == "string" else []
        for key in keys:
            name = WORD.search(text(key.child_by_field_name("key") or key.child_by_field_name("name") or key))
            if name:
                yield Binding(f"{owner}.{name[0]}", line, text(call))


def _replaced_instances(root: Node, source: bytes) -> Iterator[Binding]:
    """The constructors that return another object than the one that is made."""
    for match in re.finditer(rb"\bconstructor\b(?=[ \t]*\()", source):
        node = root.descendant_for_byte_range(match.start(), match.end())
        method = node.parent if node is not None else None
        body = method.child_by_field_name("body") if method is not None else None
        if node is None or body is None or b"return" not in (body.text or b""):
            continue
        for row in _statements(body):
            if row.type == "return_statement" and row.named_children:
                yield Binding(f"{_class_of(node)}.{ALL}", 0, text(row))


def _statements(node: Node) -> Iterator[Node]:
    """The statements of a body, those of functions inside it excepted."""
    pending_nodes = list(node.named_children)
    while pending_nodes:
        one = pending_nodes.pop()
        yield one
        if "function" not in one.type and one.type not in ("method_definition", *CLASSES):
            pending_nodes += one.named_children


def _bare(node: Node) -> Node:
    """The value inside of brackets and casts."""
    while values := bare_values(node):
        node = values[0]
    return node


def _outer(node: Node) -> Node:
    """The brackets and casts around a value, or the value itself."""
    while node.parent is not None and node in bare_values(node.parent):
        node = node.parent
    return node


def _owner(node: Node | None) -> tuple[str, bool]:
    """The class or object whose members are meant, and whether one instance of it is."""
    if node is None:
        return "", False
    value = _bare(node)
    if value.type == "this":
        return _class_of(value), True
    if value.type == "member_expression" and text(value.child_by_field_name("property")) == "prototype":
        inner = value.child_by_field_name("object")
        return (text(_bare(inner)), False) if inner is not None else ("", False)
    return (text(value), False) if value.type == "identifier" else ("", False)


def _class_of(node: Node) -> str:
    """The name of the class around a node."""
    holder = next((one for one in ancestors(node) if one.type in CLASSES), None)
    if holder is None:
        return ""
    around = holder.parent
    declarator_name = (
        around.child_by_field_name("name") if around is not None and around.type == "variable_declarator" else None
    )
    return text(holder.child_by_field_name("name")) or text(declarator_name) or "default"
