"""What a Ruby file defines: classes, modules, methods, attributes, constants. Modules that only hold others are left out of names."""

import re
from dataclasses import dataclass, field, replace

from tree_sitter import Node

from bot.languages.syntax import head, text
from bot.languages.walk import DefinitionWalk
from bot.values import Outline, Parameter, Side, Signature, Visibility

HOLDERS = frozenset({"class", "module"})
BLOCKS = frozenset(
    {
        "body_statement",
        "if",
        "unless",
        "else",
        "elsif",
        "then",
        "begin",
        "program",
        "rescue",
        "begin_block",
        "block_body",
    }
)
VISIBILITIES = frozenset({"private", "public", "protected", "module_function"})
ATTRIBUTES = frozenset({"attr_accessor", "attr_reader", "attr_writer", "attr"})
MIXED_IN = frozenset(
    {
        "include",
        "extend",
        "prepend",
        "delegate",
        "def_delegators",
        "def_delegator",
        "alias_method",
        "def_instance_delegators",
    }
)
# Methods and constants that are written nowhere: then nothing can be said to be missing.
DYNAMIC = re.compile(
    rb"\b(?:(?:define_method|define_singleton_method|const_set)\b(?![ \t]{0,8}\(?[ \t]{0,8}(?::\w|['\"]\w+[?!=]?['\"][ \t]{0,8}[,)\n]))"
    rb"|method_missing|const_missing|class_eval|module_eval|instance_eval"
    rb"|class_exec|refine|eval)\b"
)
MADE = frozenset({"define_method", "define_singleton_method", "const_set"})  # with the name as a literal, they are read
UNSEEN = ("*",)
RELATIVE = re.compile(rb"^[ \t]*require_relative\b", re.MULTILINE)


@dataclass(slots=True)
class _RubyWalk(DefinitionWalk):
    private: bool = False  # what is taken now
    private_names: set[str] = field(default_factory=set)  # made private by their names

    def add(self, name: str, kind: str, node: Node, own_signature: Signature | None = None) -> None:
        visibility: Visibility = "self" if self.private and node.type != "singleton_method" else "anywhere"
        self.define(name, kind, node, own_signature, visibility=visibility)
        if "." not in name:
            self.exports.setdefault(name, name)


def outline_of(path: str, root: Node, source: bytes, side: Side) -> Outline:
    """The definitions of a file, in its order: `module A; class B; def c` gives A, B and B.c."""
    walk = _RubyWalk(path, side)
    left: list[tuple[Node, str, int]] = [(node, "", root.id) for node in reversed(root.named_children)]
    private = set[int]()  # bodies whose rest is private
    while left:
        node, inside, body = left.pop()
        if node.type in HOLDERS:
            left += [(part, name, node.id) for part, name in reversed(_holder(node, walk))]
        elif node.type == "singleton_class" or node.type in BLOCKS:
            own = node.id if node.type == "singleton_class" else body
            left += [(part, inside, own) for part in reversed(node.named_children)]
        elif node.type == "identifier" and inside and text(node) in VISIBILITIES:
            private.discard(body) if text(node) != "private" else private.add(body)
        else:
            walk.private = body in private
            _take(node, inside, walk)
    is_dynamic = DYNAMIC.search(source) is not None
    walk.stars = len(RELATIVE.findall(source))
    walk.symbols = [
        replace(symbol, visibility="self") if symbol.name in walk.private_names else symbol for symbol in walk.symbols
    ]
    for name in walk.bases if is_dynamic else ():
        walk.inherit(name, UNSEEN)
    return walk.outline(not root.has_error and not is_dynamic)


def last(path: str) -> str:
    """The class itself in a path of modules."""
    return path.rpartition("::")[2].strip()


def _holder(node: Node, walk: _RubyWalk) -> list[tuple[Node, str]]:
    """Take a class or a module; what it holds is handed back."""
    name = last(text(node.child_by_field_name("name")))
    body = node.child_by_field_name("body")
    if not name:
        return []
    walk.add(name, "class", node)
    superclass = node.child_by_field_name("superclass")
    superclass_name = (
        text(superclass).lstrip("< ") if superclass is not None else "Object"
    )  # which anyone may have opened
    walk.inherit(name, (superclass_name,))
    return [(part, name) for part in body.named_children] if body is not None else []


def _take(node: Node, inside: str, walk: _RubyWalk) -> None:
    prefix = f"{inside}." if inside else ""
    if node.type in ("method", "singleton_method"):
        name = text(node.child_by_field_name("name"))
        walk.add(prefix + name, "method" if inside else "function", node, signature(node))
    elif node.type == "assignment":
        left = node.child_by_field_name("left")
        if left is not None and left.type == "constant":
            walk.add(prefix + text(left), "variable", node)
            if inside and not text(left).isupper():
                walk.exports.setdefault(text(left), prefix + text(left))  # Point = Struct.new(:x)
    elif node.type == "call":
        _take_call(node, inside, walk)
    elif node.type == "alias" and node.named_children:
        walk.add(prefix + text(node.named_children[0]), "variable", node)


def _take_call(node: Node, inside: str, walk: _RubyWalk) -> None:
    """`attr_reader :name`, `private def name`, and what mixes in names that are not seen here."""
    method = text(node.child_by_field_name("method"))
    argument_list = node.child_by_field_name("arguments")
    arguments = argument_list.named_children if argument_list is not None else []
    if method == "private" and inside:
        walk.private_names |= {f"{inside}.{text(part)[1:]}" for part in arguments if part.type == "simple_symbol"}
        walk.private = True
    if method in ATTRIBUTES:
        for part in arguments:
            if part.type == "simple_symbol":
                walk.add(f"{inside}.{text(part)[1:]}" if inside else text(part)[1:], "variable", node)
    elif method in MADE and arguments and arguments[0].type in ("simple_symbol", "string"):
        walk.add(".".join(filter(None, (inside, text(arguments[0]).strip(":'\"")))), "method", node)
    elif method in MIXED_IN and inside:
        walk.inherit(inside, map(text, arguments))
        for part in arguments[:1] if method == "alias_method" else ():
            walk.add(f"{inside}.{text(part).lstrip(':')}", "variable", node)
    else:
        for part in arguments:
            if part.type in ("method", "singleton_method"):
                _take(part, inside, walk)


def signature(node: Node) -> Signature:
    """The signature of a method. Required parameters after optional ones cannot be counted from the left."""
    parameter_list = node.child_by_field_name("parameters")
    parameters: list[Parameter] = []
    opaque = parameter_list is not None and parameter_list.has_error
    for part in parameter_list.named_children if parameter_list is not None else ():
        name = text(part.child_by_field_name("name")) or text(part)
        if part.type in ("identifier", "destructured_parameter"):
            opaque = opaque or any(not item.is_required for item in parameters)
            parameters.append(Parameter(name))
        elif part.type == "optional_parameter":
            parameters.append(Parameter(name, is_required=False))
        elif part.type == "keyword_parameter":
            parameters.append(Parameter(name, "keyword-only", is_required=part.child_by_field_name("value") is None))
        elif part.type == "splat_parameter":
            parameters.append(Parameter(name, "varargs", is_required=False))
        elif part.type == "hash_splat_parameter":
            parameters.append(Parameter(name, "kwargs", is_required=False))
        elif part.type == "forward_parameter":
            parameters += [
                Parameter("...", "varargs", is_required=False),
                Parameter("...", "kwargs", is_required=False),
            ]
        elif part.type not in ("block_parameter", "comment"):
            opaque = True
    if parameter_list is not None:
        return Signature(tuple(parameters), head(node, end=parameter_list.end_byte), opaque)
    first = text(node).partition("\n")[0]
    return Signature((), first.partition(";")[0].partition("=")[0].strip(), opaque)
