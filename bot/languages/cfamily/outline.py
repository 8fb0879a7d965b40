"""What a C or C++ file defines: functions, prototypes, macros, types with their members, enumerators, variables.

A name of a file belongs to everyone who includes it. A prototype has the kind "declaration": it is the same symbol as the
definition that includes its header.
"""

import re
from dataclasses import dataclass, replace

from tree_sitter import Node

from bot.languages.cfamily.includes import INCLUDE
from bot.languages.cfamily.signature import WRAPS, declaration, macro, signature
from bot.languages.syntax import text
from bot.languages.walk import DefinitionWalk, alternatives
from bot.values import SPACE, Outline, Side, Signature, Symbol, Visibility

RECORDS = frozenset({"struct_specifier", "union_specifier", "class_specifier"})
PREPROCESSOR = frozenset({"preproc_if", "preproc_ifdef", "preproc_else", "preproc_elif", "preproc_elifdef"})
BLOCKS = PREPROCESSOR | {
    "linkage_specification",
    "declaration_list",
    "namespace_definition",
    "ERROR",
    "export_declaration",
}
SOURCES = (".c", ".cc", ".cpp", ".cxx", ".m", ".mm")  # which nobody includes
DECLARATORS = WRAPS | {"function_declarator", "operator_cast"}
FORMATTING = re.compile(r" (?!\w)|(?<!\w) ")
WORD = re.compile(r"[A-Za-z_]\w*+")
GUARD = re.compile(r"#[ \t]*+ifndef[ \t]++(\w++)[ \t\r]*+\n\s*+#[ \t]*+define[ \t]++\1\b")


@dataclass(slots=True)
class CFamilyWalk(DefinitionWalk):
    """The definitions of a C or C++ file."""

    modern: bool = False  # C++
    doubtful: bool = False  # a macro may define names here

    def add(
        self, name: str, kind: str, node: Node, own_signature: Signature | None = None, *, is_exported: bool = True
    ) -> None:
        """Take a definition; one without a dot is offered to the includers. What only its own source can name is nobody's."""
        visibility: Visibility = "anywhere" if is_exported or not self.path.lower().endswith(SOURCES) else "file"
        self.define(name, kind, node, own_signature, is_exported=is_exported, visibility=visibility)
        if "." not in name:
            self.exports.setdefault(name, name)


def outline_of(path: str, root: Node, source: bytes, side: Side, *, modern: bool) -> Outline:
    """The definitions of a file, in its order."""
    walk = CFamilyWalk(path, side, modern=modern)
    left: list[tuple[Node, bool, tuple[str, ...]]] = [(node, False, ()) for node in reversed(root.named_children)]
    while left:
        node, is_template, marks = left.pop()
        if node.type in BLOCKS or node.type == "template_declaration":
            inside = is_template or node.type == "template_declaration"
            if node.type == "namespace_definition":
                marks = (*marks, f"{SPACE}{text(node.child_by_field_name('name')).rpartition('::')[2]}")
            left += [(part, inside, marks) for part in reversed(node.named_children)]
        else:
            first = len(walk.symbols)
            _take(node, walk, is_template)
            if marks:
                walk.symbols[first:] = [replace(one, marks=marks) for one in walk.symbols[first:]]
    guard = GUARD.search(source[:20_000].decode("utf-8", "replace"))
    symbols = [symbol for symbol in walk.symbols if guard is None or symbol.name != guard[1]]
    return Outline(
        symbols=_told_apart(symbols),
        exports=tuple((name, local) for name, local in walk.exports.items() if guard is None or name != guard[1]),
        complete=True,  # a name that is gone is looked for in the whole tree before that is said
        stars=sum(1 for match in INCLUDE.finditer(source) if match["mark"] == b'"'),
        bases=tuple(walk.bases.items()),
    )


def _told_apart(symbols: list[Symbol]) -> tuple[Symbol, ...]:
    """A prototype beside its definition is left out; a call of a method has to fit one of its overloads or alternatives."""
    defined_names = {symbol.name for symbol in symbols if symbol.kind in ("function", "method")}
    kept_symbols = [symbol for symbol in symbols if symbol.kind != "declaration" or symbol.name not in defined_names]
    # Functions may have overloads in any header, methods have theirs in their class.
    free = [symbol for symbol in kept_symbols if "." not in symbol.name]
    members = [symbol for symbol in kept_symbols if "." in symbol.name]
    distinct_symbols = (*alternatives(free), *alternatives(members, overloads=True))
    return tuple(sorted(distinct_symbols, key=lambda symbol: symbol.start))


def _take(node: Node, walk: CFamilyWalk, is_template: bool) -> None:
    kind = node.type
    if kind == "function_definition":
        _function(node, walk, is_template)
    elif kind in ("declaration", "type_definition", "field_declaration"):
        _declaration(node, walk, is_template)
    elif kind == "preproc_def":
        walk.add(text(node.child_by_field_name("name")), "variable", node)
    elif kind == "preproc_function_def":
        walk.add(text(node.child_by_field_name("name")), "macro", node, macro(node))
    elif kind in RECORDS or kind == "enum_specifier":
        type_of(node, node, walk)
    elif kind in ("alias_declaration", "concept_definition"):
        walk.add(text(node.child_by_field_name("name")), "type", node)


def _function(node: Node, walk: CFamilyWalk, is_template: bool) -> None:
    declarator = node.child_by_field_name("declarator")
    name, function = declaration(declarator) if declarator is not None else ("", None)
    if not name or function is None:
        return
    own_signature = signature(node, function, is_template=is_template, modern=walk.modern)
    walk.add(name, "method" if "." in name else "function", node, own_signature, is_exported=not _static(node))


def _static(node: Node) -> bool:
    """Whether a definition is its own file's: by its word, or in a namespace without a name."""
    if any(part.type == "storage_class_specifier" and text(part) == "static" for part in node.children):
        return True
    above: Node | None = node.parent
    while above is not None and above.type in BLOCKS | {"template_declaration"}:
        if above.type == "namespace_definition" and above.child_by_field_name("name") is None:
            return True
        above = above.parent
    return False


def _declaration(node: Node, walk: CFamilyWalk, is_template: bool) -> None:
    """Variables, prototypes, type names, and the types that are defined on the way."""
    type_node = node.child_by_field_name("type")
    inner = type_of(type_node, node, walk) if type_node is not None else ""
    for declarator in node.children_by_field_name("declarator"):
        name, function = declaration(declarator)
        if not name:
            continue
        if node.type == "type_definition":
            if name != inner:
                walk.add(name, "type", node) if not inner else walk.exports.setdefault(name, inner)
        elif function is not None:
            own_signature = signature(node, function, is_template=is_template, modern=walk.modern)
            walk.add(name, "declaration", node, own_signature, is_exported=not _static(node))
        elif "." not in name:
            walk.add(name, "variable", node, is_exported=not _static(node))


def type_of(node: Node, outer: Node, walk: CFamilyWalk, inside: str = "") -> str:
    """Take a struct, union, class or enum that has a body; the name under which it is in the outline. `inside`: the class around it."""
    body = node.child_by_field_name("body")
    if body is None or (node.type not in RECORDS and node.type != "enum_specifier"):
        return ""
    name = text(node.child_by_field_name("name")).rpartition("::")[2].partition("<")[0].strip()
    if not name and outer.type == "type_definition":
        names = [declaration(part)[0] for part in outer.children_by_field_name("declarator")]
        name = next((item for item in names if item), "")
    if name:
        walk.add(name, "class" if node.type in RECORDS else "type", outer)
    if node.type == "enum_specifier":
        _enumerators(node, body, name, inside, walk)
    elif name:
        bases = [
            text(part)
            for item in node.named_children
            if item.type == "base_class_clause"
            for part in item.named_children
        ]
        sure = _members(body, name, walk)
        walk.bases[name] = tuple(bases) if sure else (*bases, "*")
    return name


def _enumerators(node: Node, body: Node, name: str, inside: str, walk: CFamilyWalk) -> None:
    """Those of a scoped enumeration are its own members, others the members of the class around it or free names."""
    is_scoped = text(node).startswith(("enum class", "enum struct"))
    owner = name if is_scoped else inside
    if is_scoped and name:
        walk.bases[name] = ()  # it inherits from nothing, and has what is written in it
    left = list(reversed(body.named_children))
    while left:
        part = left.pop()
        if part.type == "enumerator":
            short = text(part.child_by_field_name("name"))
            walk.add(f"{owner}.{short}" if owner else short, "variable", part)
        elif part.type in PREPROCESSOR:
            left += reversed(part.named_children)


def _members(body: Node, inside: str, walk: CFamilyWalk) -> bool:
    """The fields and methods of a type, those of nameless inner ones among them. False where others may be hidden in macros."""
    sure = not body.has_error
    left = [(part, False) for part in reversed(body.named_children)]
    while left:
        part, is_template = left.pop()
        if part.type in PREPROCESSOR or part.type == "template_declaration":
            left += [
                (item, is_template or part.type == "template_declaration") for item in reversed(part.named_children)
            ]
        elif part.type in ("field_declaration", "declaration", "function_definition"):
            left += [(item, is_template) for item in reversed(_field(part, inside, walk, is_template))]
        elif part.type in ("using_declaration", "preproc_call"):
            sure = False
    return sure


def _field(node: Node, inside: str, walk: CFamilyWalk, is_template: bool) -> list[Node]:
    """Take a member. The members of a nameless struct or union are the outer type's own: they are handed back."""
    type_node = node.child_by_field_name("type")
    declarators = node.children_by_field_name("declarator")
    inner_nodes: list[Node] = []
    body = type_node.child_by_field_name("body") if type_node is not None and type_node.type in RECORDS else None
    if type_node is not None and type_node.type == "enum_specifier":
        type_of(type_node, node, walk, inside)
    elif body is not None and type_node is not None and not type_node.child_by_field_name("name"):
        inner_nodes = body.named_children if not declarators else []
    elif type_node is not None and body is not None:
        type_of(type_node, node, walk)
    for declarator in declarators:
        name, function = declaration(declarator)
        if not name or "." in name:
            continue
        qualified_name = f"{inside}.{name}"
        if function is None:
            walk.add(qualified_name, "variable", node)
        else:
            kind = "method" if node.type == "function_definition" else "declaration"
            walk.add(qualified_name, kind, node, signature(node, function, is_template=is_template, modern=True))
    return inner_nodes
