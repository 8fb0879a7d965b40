"""What a Rust file defines: items, methods as Type.method, fields and variants; the names it binds by `use` count as offered."""

import re
from dataclasses import dataclass, replace

from tree_sitter import Node

from bot.languages.rust.signature import receives, signature
from bot.languages.syntax import text
from bot.languages.walk import DefinitionWalk
from bot.values import Outline, Side, Signature, Visibility

KINDS = {
    "struct_item": "class", "union_item": "class", "enum_item": "class", "trait_item": "class", "type_item": "type",
    "associated_type": "type", "const_item": "variable", "static_item": "variable", "macro_definition": "macro",
}  # fmt: skip
FUNCTIONS = frozenset({"function_item", "function_signature_item"})
OWN = FUNCTIONS | {"struct_item", "union_item", "enum_item", "trait_item", "type_item", "const_item", "static_item"}
MEMBERS = frozenset({"field_declaration", "enum_variant"})
# Macros whose names all stand in what they are given; of any other one nobody knows what it defines.
SPELT = re.compile(r"cfg\w*|thread_local|lazy_static|bitflags|task_local|static_assert\w*|const_assert\w*|assert\w*")
PART = re.compile(r"\$\w+")  # of what a macro is called with
UNKNOWN_BASE = ("?",)  # traits may give a type more members than are written in its file


@dataclass(slots=True)
class _RustWalk(DefinitionWalk):
    is_complete: bool = True

    def add(self, name: str, kind: str, node: Node, own_signature: Signature | None = None) -> None:
        """Take a definition; one that is in no other is offered."""
        modifier = next((text(part) for part in node.named_children if part.type == "visibility_modifier"), "")
        public = bool(modifier)
        is_open = modifier == "pub" or kind == "implementation" or not (modifier or _is_restricted(node))
        visibility: Visibility = "anywhere" if is_open else "unit" if public else "below"
        is_exported = public or kind == "implementation"
        self.define(name, kind, node, own_signature, is_exported=is_exported, visibility=visibility)
        if "." not in name:
            self.exports[name] = name


def outline_of(path: str, root: Node, side: Side) -> Outline:
    """The definitions of a file, those of its inline modules as module.name."""
    walk = _RustWalk(path, side)
    _items(root, "", 0, walk)
    return walk.outline(walk.is_complete and not root.has_error)


def bare(type_text: str) -> str:
    """The name of a type with dots, without references and type arguments; empty if the text names no type."""
    name = re.sub(r"^(?:&\s*(?:'\w+\s+)?(?:mut\s+)?)+", "", type_text.strip())
    name = re.sub(r"(?:::)?<.*", "", name, flags=re.DOTALL).strip().replace("::", ".")
    return name if re.fullmatch(r"\w+(?:\.\w+)*", name) else ""


def _items(holder: Node, inside: str, depth: int, walk: _RustWalk) -> None:
    for node in holder.named_children:
        name = _under(inside, text(node.child_by_field_name("name")))
        body = node.child_by_field_name("body")
        if node.type in FUNCTIONS:
            walk.add(name, "function", node, signature(node))
        elif node.type in KINDS:
            walk.add(name, KINDS[node.type], node)
            _members(node, name, walk)
        elif node.type == "impl_item":
            _implementation(node, inside, walk)
        elif node.type == "mod_item":
            walk.add(name, "module", node)
            _items(body or node, name, depth + 1, walk)
        elif node.type == "foreign_mod_item" and body is not None:
            _items(body, inside, depth, walk)
        elif node.type == "use_declaration":
            _use(node, inside, depth, walk)
        elif node.type == "extern_crate_declaration" and not inside:
            walk.exports.setdefault(text(node.child_by_field_name("alias")) or name, "")
        elif node.type in ("macro_invocation", "expression_statement"):
            _macro(node, inside, walk)


def _is_restricted(node: Node) -> bool:
    """Whether no word makes a definition private to its module and those in it; the members of traits are as visible as these."""
    holder = node.parent.parent if node.parent is not None else None
    if holder is None or holder.type == "impl_item":
        return node.type in OWN and (holder is None or holder.child_by_field_name("trait") is None)
    if node.type == "field_declaration":
        return holder.type in ("struct_item", "union_item")
    return node.type in OWN and holder.type not in ("trait_item", "foreign_mod_item")


def _under(inside: str, name: str) -> str:
    return f"{inside}.{name}" if inside else name


def _members(node: Node, name: str, walk: _RustWalk) -> None:
    """The fields of a struct, the variants of an enum, what a trait asks for."""
    if node.type in ("struct_item", "union_item", "enum_item", "trait_item"):
        walk.inherit(name, UNKNOWN_BASE)
    body = node.child_by_field_name("body")
    for part in body.named_children if body is not None and KINDS[node.type] == "class" else ():
        below = _under(name, text(part.child_by_field_name("name")))
        if part.type in MEMBERS:
            walk.add(below, "variable", part)
        elif part.type in FUNCTIONS:
            walk.add(below, "method" if receives(part) else "function", part, signature(part))
        elif part.type in KINDS:
            walk.add(below, KINDS[part.type], part)


def _implementation(node: Node, inside: str, walk: _RustWalk) -> None:
    """The members of an `impl` block. Those of a trait stand for the trait's: without them its own may still be there."""
    owner = bare(text(node.child_by_field_name("type"))).rpartition(".")[2]
    trait = node.child_by_field_name("trait") is not None
    body = node.child_by_field_name("body")
    for part in body.named_children if body is not None and owner else ():
        name = _under(inside, f"{owner}.{text(part.child_by_field_name('name'))}")
        if part.type in FUNCTIONS:
            own_signature = signature(part)
            kind = "implementation" if trait else "method" if receives(part) else "function"
            walk.add(name, kind, part, replace(own_signature, opaque=own_signature.opaque or trait))
        elif part.type in KINDS:
            walk.add(name, "implementation" if trait else KINDS[part.type], part)


def _use(node: Node, inside: str, depth: int, walk: _RustWalk) -> None:
    argument = text(node.child_by_field_name("argument"))
    own = len(re.findall(r"\bsuper\b", argument)) == depth and re.fullmatch(
        r"(?:super::)+\*", "".join(argument.split())
    )
    walk.stars += 0 if own else argument.count("*")
    if not inside:
        for name in re.findall(r"(?<!\w)(\w++)\s*+(?=[,}]|$)", argument):
            walk.exports.setdefault(name, "")
        for name in re.findall(r"(?<!\w)(\w++)\s*+::\s*+\{[^{}]*\bself\b", argument):
            walk.exports.setdefault(name, "")


def _macro(node: Node, inside: str, walk: _RustWalk) -> None:
    """A macro among the items defines things. Where their names must stand in it, they are offered."""
    call = node.named_children[0] if node.type == "expression_statement" and node.named_children else node
    if call.type != "macro_invocation":
        return
    if not SPELT.fullmatch(text(call.child_by_field_name("macro")).rpartition("::")[2]):
        walk.is_complete = False
    elif not inside:
        for name in dict.fromkeys(re.findall(r"[^\W\d]\w*", text(call))):
            walk.exports.setdefault(name, "")
