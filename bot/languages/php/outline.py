"""What a PHP file defines: functions, constants, classes, interfaces, traits and enums with their members."""

import re

from tree_sitter import Node

from bot.languages.syntax import head, text
from bot.languages.walk import DefinitionWalk, statements
from bot.values import Outline, Parameter, Side, Signature, Visibility

CLASSES = frozenset({"class_declaration", "interface_declaration", "trait_declaration", "enum_declaration"})
BLOCKS = frozenset({
    "if_statement", "else_clause", "else_if_clause", "compound_statement", "namespace_definition", "colon_block", "program",
    "try_statement", "catch_clause", "finally_clause",
})  # fmt: skip
MAGIC = frozenset({"__call", "__callStatic", "__get", "__set"})
# Names that come from strings: then nothing can be said to be missing.
DYNAMIC = re.compile(
    rb"\b(?:eval|runkit\w*|uopz\w*|class_alias(?!\s*\([^,()]*,\s*(?:[\\\w]+::class|['\"][\\\w]+['\"])))\s*\("
)
ALIAS = re.compile(r"class_alias\(\s*[^,()]{1,200},\s*(?:([\\\w]+)::class|['\"]([\\\w]+)['\"])")
INCLUDED = re.compile(rb"^[ \t]*(?:return[ \t]+)?(?:require|include)(?:_once)?\b", re.MULTILINE)


class _PhpWalk(DefinitionWalk):
    def add(self, name: str, kind: str, node: Node, own_signature: Signature | None = None) -> None:
        if not name:
            return
        visibility: Visibility = "file" if "." in name and _private(node) else "anywhere"
        self.define(name, kind, node, own_signature, visibility=visibility)
        if "." not in name:
            self.exports.setdefault(name, name)


def outline_of(path: str, root: Node, source: bytes, side: Side) -> Outline:
    """The definitions of a file, in its order; those under a condition are definitions, too."""
    walk = _PhpWalk(path, side)
    for node in statements(root, BLOCKS):
        _take(node, walk)
    walk.stars = len(INCLUDED.findall(source))
    return walk.outline(not root.has_error and not DYNAMIC.search(source))


def _take(node: Node, walk: _PhpWalk) -> None:
    if node.type == "function_definition":
        walk.add(text(node.child_by_field_name("name")), "function", node, signature(node))
    elif node.type in CLASSES:
        _class(node, walk)
    elif node.type == "const_declaration":
        _constants(node, "", walk)
    elif node.type == "expression_statement":
        definition = re.match(r"define\(\s*['\"](\w+)['\"]", text(node)[:200])
        walk.add(definition[1] if definition else "", "variable", node)
        alias = ALIAS.match(text(node)[:400])
        walk.add((alias[1] or alias[2]).rpartition("\\")[2] if alias else "", "class", node)


def _constants(node: Node, inside: str, walk: _PhpWalk) -> None:
    for part in node.named_children:
        if part.type == "const_element" and part.named_children:
            walk.add(inside + text(part.named_children[0]), "variable", node)


def _class(node: Node, walk: _PhpWalk) -> None:
    name = text(node.child_by_field_name("name"))
    walk.add(name, "class", node)
    bases = [
        text(part) for item in node.named_children if item.type.endswith("_clause") for part in item.named_children
    ]
    if node.type in ("interface_declaration", "trait_declaration"):
        bases.append("*")  # what stands behind it may have more than it says
    body = node.child_by_field_name("body")
    for member in body.named_children if body is not None else ():
        if member.type == "method_declaration":
            short = text(member.child_by_field_name("name"))
            bases += ["*"] if short in MAGIC else []
            walk.add(f"{name}.{short}", "method", member, signature(member))
            _promote_parameters(member, name, walk)
        elif member.type == "const_declaration":
            _constants(member, f"{name}.", walk)
        elif member.type == "enum_case":
            walk.add(f"{name}.{text(member.child_by_field_name('name'))}", "variable", member)
        elif member.type == "property_declaration":
            for part in member.named_children:
                if part.type == "property_element":
                    walk.add(f"{name}.{_bare(part.child_by_field_name('name'))}", "variable", member)
        elif member.type == "use_declaration":
            bases += [text(part) for part in member.named_children if part.type in ("name", "qualified_name")]
    walk.inherit(name, bases)


def _promote_parameters(method: Node, inside: str, walk: _PhpWalk) -> None:
    """`public function __construct(private int $size)` makes a property."""
    parameter_list = method.child_by_field_name("parameters")
    for part in parameter_list.named_children if parameter_list is not None else ():
        if part.type == "property_promotion_parameter":
            walk.add(f"{inside}.{_bare(part.child_by_field_name('name'))}", "variable", part)


def _private(node: Node) -> bool:
    """Whether only its class can name a member; a trait's is its users' own."""
    holder = node.parent.parent if node.parent is not None else None
    trait = holder is not None and holder.type == "trait_declaration"
    return not trait and any(part.type == "visibility_modifier" and text(part) == "private" for part in node.children)


def _bare(node: Node | None) -> str:
    return text(node).lstrip("&$.")


def signature(node: Node) -> Signature:
    """The signature of a function. One that reads its own arguments takes what it is given; `...` takes names, too."""
    parameter_list, body = node.child_by_field_name("parameters"), node.child_by_field_name("body")
    parameters: list[Parameter] = []
    for part in parameter_list.named_children if parameter_list is not None else ():
        name = _bare(part.child_by_field_name("name"))
        if part.type == "variadic_parameter":
            parameters += [Parameter(name, "varargs", is_required=False), Parameter(name, "kwargs", is_required=False)]
        elif part.type in ("simple_parameter", "property_promotion_parameter"):
            parameters.append(Parameter(name, is_required=part.child_by_field_name("default_value") is None))
    whatever = body is not None and re.search(rb"\bfunc_(get_args?|num_args)\b", body.text or b"") is not None
    return Signature(
        tuple(parameters),
        head(node, trailing=" ;"),
        whatever or parameter_list is None or parameter_list.has_error,
    )
