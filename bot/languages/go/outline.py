"""What a Go file defines: functions, methods as Type.Method, types with their fields, constants and variables."""

import re
from collections.abc import Iterator
from dataclasses import replace

from tree_sitter import Node

from bot.languages.syntax import head, text
from bot.languages.walk import DefinitionWalk
from bot.values import Outline, Parameter, Side, Signature, Visibility

SPECS = frozenset({"type_spec", "type_alias", "const_spec", "var_spec"})
NAMED = frozenset({"type_identifier", "qualified_type", "generic_type"})


class _GoWalk(DefinitionWalk):
    def add(self, name: str, kind: str, node: Node, own_signature: Signature | None = None) -> None:
        """Take a definition; what begins with a small letter stays in its package."""
        is_exported = all(part[:1].isupper() for part in name.split("."))
        if not name.rpartition(".")[2] or name == "_":
            return
        visibility: Visibility = "anywhere" if name.rpartition(".")[2][:1].isupper() else "folder"
        self.define(name, kind, node, own_signature, is_exported=is_exported, visibility=visibility)


def outline_of(path: str, root: Node, side: Side) -> Outline:
    """The definitions of a file. Every name without a dot is one that the package offers."""
    walk = _GoWalk(path, side)
    for node in root.named_children:
        if node.type == "function_declaration":
            walk.add(text(node.child_by_field_name("name")), "function", node, _signature(node))
        elif node.type == "method_declaration":
            owner = receiver_type(node)
            name = text(node.child_by_field_name("name"))
            walk.add(f"{owner}.{name}", "method", node, _signature(node))
        elif node.type == "import_declaration":
            walk.stars += len(re.findall(rb"(?:^|[\s(;])\.\s*[\"`]", node.text or b""))
        elif node.type in ("type_declaration", "const_declaration", "var_declaration"):
            for spec in _specs(node):
                _spec(spec, node if len(node.named_children) == 1 and spec.parent == node else spec, walk)
    offered = tuple((s.name, s.name) for s in walk.symbols if "." not in s.name and s.name not in ("init", "main"))
    return replace(walk.outline(not root.has_error), exports=offered)


def receiver_type(node: Node) -> str:
    """The type that a method belongs to, without its pointer and its type parameters."""
    receivers = node.child_by_field_name("receiver")
    type_node = (
        receivers.named_children[0].child_by_field_name("type")
        if receivers is not None and receivers.named_children
        else None
    )
    return bare(text(type_node))


def bare(type_text: str) -> str:
    """The name of a type, without pointers and type arguments; empty if the text names no type."""
    name = re.sub(r"\[.*", "", type_text.strip("(* \t"), flags=re.DOTALL).rstrip(") \t")
    return name if re.fullmatch(r"[\w.]+", name) and name not in ("map", "chan", "func", "struct", "interface") else ""


def _specs(node: Node) -> Iterator[Node]:
    for part in node.named_children:
        if part.type in SPECS:
            yield part
        elif part.type.endswith("_spec_list"):
            yield from _specs(part)


def _spec(spec: Node, outer: Node, walk: _GoWalk) -> None:
    if not spec.type.startswith("type"):
        for one in spec.children_by_field_name("name"):
            walk.add(text(one), "variable", outer)
        return
    name, type_node = text(spec.child_by_field_name("name")), spec.child_by_field_name("type")
    kind = type_node.type if type_node is not None else ""
    walk.add(name, "class" if kind == "struct_type" else "type", outer)
    if type_node is None or kind in NAMED or spec.type == "type_alias":
        walk.inherit(name, (text(type_node),))
        return
    members = type_node.named_children[0].named_children if kind == "struct_type" and type_node.named_children else ()
    bases = []
    for part in type_node.named_children if kind == "interface_type" else members:
        if part.type == "method_elem":
            walk.add(f"{name}.{text(part.child_by_field_name('name'))}", "method", part, _signature(part))
        elif part.type == "field_declaration" and part.child_by_field_name("name") is not None:
            for one in part.children_by_field_name("name"):
                walk.add(f"{name}.{text(one)}", "variable", part)
        elif part.type != "comment":
            bases.append(text(part))
    walk.inherit(name, bases)


def _signature(node: Node) -> Signature:
    """Parameters are told apart by their place alone; none can be left out but the variadic one."""
    parameter_list = node.child_by_field_name("parameters")
    parameters: list[Parameter] = []
    for part in parameter_list.named_children if parameter_list is not None else ():
        names = [text(name) for name in part.children_by_field_name("name")] or ["_"]
        if part.type == "variadic_parameter_declaration":
            parameters.append(Parameter(names[0], "varargs", is_required=False))
        elif part.type == "parameter_declaration":
            parameters += [Parameter(name, "positional-only") for name in names]
    is_broken = node.has_error and (parameter_list is None or parameter_list.has_error)
    return Signature(tuple(parameters), head(node), opaque=is_broken)
