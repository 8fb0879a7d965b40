"""What a C or C++ file defines: functions, prototypes, macros, types with their members, enumerators, variables.

A name of a file belongs to everyone who includes it. A prototype has the kind "declaration": it is the same symbol as the
definition that includes its header.
"""

import re
from dataclasses import dataclass, field

from tree_sitter import Node

from bot.languages.cfamily.includes import INCLUDE
from bot.languages.cfamily.signature import declared, macro, signature
from bot.languages.syntax import conditional, first_line, last_line, text
from bot.languages.typed import overloaded
from bot.values import Outline, Side, Signature, Symbol, Visibility

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
GUARD = re.compile(r"#[ \t]*+ifndef[ \t]++(\w++)[ \t\r]*+\n\s*+#[ \t]*+define[ \t]++\1\b")


@dataclass(slots=True)
class CFamilyWalk:
    """What the walk has met so far."""

    path: str
    side: Side
    modern: bool  # C++
    symbols: list[Symbol] = field(default_factory=list)
    exports: dict[str, str] = field(default_factory=dict)
    bases: dict[str, tuple[str, ...]] = field(default_factory=dict)
    doubtful: bool = False  # a macro may define names here

    def add(self, name: str, kind: str, node: Node, told: Signature | None = None, *, exported: bool = True) -> None:
        """Take a definition; one without a dot is offered to the includers. What only its own source can name is nobody's."""
        visibility: Visibility = "anywhere" if exported or not self.path.lower().endswith(SOURCES) else "file"
        at = first_line(node), last_line(node)
        self.symbols.append(Symbol(self.path, name, kind, *at, self.side, told, exported, visibility))
        if "." not in name:
            self.exports.setdefault(name, name)


def outline_of(path: str, root: Node, source: bytes, side: Side, *, modern: bool) -> Outline:
    """The definitions of a file, in its order."""
    found = CFamilyWalk(path, side, modern)
    left = [(node, False) for node in reversed(root.named_children)]
    while left:
        node, templated = left.pop()
        if node.type in BLOCKS or node.type == "template_declaration":
            inside = templated or node.type == "template_declaration"
            left += [(part, inside) for part in reversed(node.named_children)]
        else:
            _take(node, found, templated)
    guard = GUARD.search(source[:20_000].decode("utf-8", "replace"))
    symbols = [symbol for symbol in found.symbols if guard is None or symbol.name != guard[1]]
    return Outline(
        symbols=_told_apart(symbols),
        exports=tuple((name, local) for name, local in found.exports.items() if guard is None or name != guard[1]),
        complete=True,  # a name that is gone is looked for in the whole tree before that is said
        stars=sum(1 for match in INCLUDE.finditer(source) if match["mark"] == b'"'),
        bases=tuple(found.bases.items()),
    )


def _told_apart(symbols: list[Symbol]) -> tuple[Symbol, ...]:
    """A prototype beside its definition is left out; a call of a method has to fit one of its overloads or alternatives."""
    defined = {symbol.name for symbol in symbols if symbol.kind in ("function", "method")}
    kept = [symbol for symbol in symbols if symbol.kind != "declaration" or symbol.name not in defined]
    # Functions may have overloads in any header, methods have theirs in their class.
    free = [symbol for symbol in kept if "." not in symbol.name]
    told = (*conditional(free), *overloaded(symbol for symbol in kept if "." in symbol.name))
    return tuple(sorted(told, key=lambda symbol: symbol.start))


def _take(node: Node, found: CFamilyWalk, templated: bool) -> None:
    kind = node.type
    if kind == "function_definition":
        _function(node, found, templated)
    elif kind in ("declaration", "type_definition", "field_declaration"):
        _declaration(node, found, templated)
    elif kind == "preproc_def":
        found.add(text(node.child_by_field_name("name")), "variable", node)
    elif kind == "preproc_function_def":
        found.add(text(node.child_by_field_name("name")), "macro", node, macro(node))
    elif kind in RECORDS or kind == "enum_specifier":
        type_of(node, node, found)
    elif kind in ("alias_declaration", "concept_definition"):
        found.add(text(node.child_by_field_name("name")), "type", node)


def _function(node: Node, found: CFamilyWalk, templated: bool) -> None:
    declarator = node.child_by_field_name("declarator")
    name, function = declared(declarator) if declarator is not None else ("", None)
    if not name or function is None:
        return
    told = signature(node, function, templated=templated, modern=found.modern)
    found.add(name, "method" if "." in name else "function", node, told, exported=not _static(node))


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


def _declaration(node: Node, found: CFamilyWalk, templated: bool) -> None:
    """Variables, prototypes, type names, and the types that are defined on the way."""
    typed = node.child_by_field_name("type")
    inner = type_of(typed, node, found) if typed is not None else ""
    for declarator in node.children_by_field_name("declarator"):
        name, function = declared(declarator)
        if not name:
            continue
        if node.type == "type_definition":
            if name != inner:
                found.add(name, "type", node) if not inner else found.exports.setdefault(name, inner)
        elif function is not None:
            told = signature(node, function, templated=templated, modern=found.modern)
            found.add(name, "declaration", node, told, exported=not _static(node))
        elif "." not in name:
            found.add(name, "variable", node, exported=not _static(node))


def type_of(node: Node, outer: Node, found: CFamilyWalk) -> str:
    """Take a struct, union, class or enum that has a body; the name under which it is in the outline."""
    body = node.child_by_field_name("body")
    if body is None or (node.type not in RECORDS and node.type != "enum_specifier"):
        return ""
    name = text(node.child_by_field_name("name")).rpartition("::")[2].partition("<")[0].strip()
    if not name and outer.type == "type_definition":
        names = [declared(part)[0] for part in outer.children_by_field_name("declarator")]
        name = next((item for item in names if item), "")
    if name:
        found.add(name, "class" if node.type in RECORDS else "type", outer)
    if node.type == "enum_specifier":
        _enumerators(node, body, name, found)
    elif name:
        bases = [
            text(part)
            for item in node.named_children
            if item.type == "base_class_clause"
            for part in item.named_children
        ]
        sure = _members(body, name, found)
        found.bases[name] = tuple(bases) if sure else (*bases, "*")
    return name


def _enumerators(node: Node, body: Node, name: str, found: CFamilyWalk) -> None:
    scoped = text(node).startswith(("enum class", "enum struct"))
    left = list(reversed(body.named_children))
    while left:
        part = left.pop()
        if part.type == "enumerator":
            short = text(part.child_by_field_name("name"))
            found.add(f"{name}.{short}" if scoped and name else short, "variable", part)
        elif part.type in PREPROCESSOR:
            left += reversed(part.named_children)


def _members(body: Node, inside: str, found: CFamilyWalk) -> bool:
    """The fields and methods of a type, those of nameless inner ones among them. False where others may be hidden in macros."""
    sure = not body.has_error
    left = [(part, False) for part in reversed(body.named_children)]
    while left:
        part, templated = left.pop()
        if part.type in PREPROCESSOR or part.type == "template_declaration":
            left += [(item, templated or part.type == "template_declaration") for item in reversed(part.named_children)]
        elif part.type in ("field_declaration", "declaration", "function_definition"):
            left += [(item, templated) for item in reversed(_field(part, inside, found, templated))]
        elif part.type in ("using_declaration", "preproc_call", "friend_declaration"):
            sure = sure and part.type == "friend_declaration"
    return sure


def _field(node: Node, inside: str, found: CFamilyWalk, templated: bool) -> list[Node]:
    """Take a member. The members of a nameless struct or union are the outer type's own: they are handed back."""
    typed = node.child_by_field_name("type")
    declarators = node.children_by_field_name("declarator")
    hidden: list[Node] = []
    body = typed.child_by_field_name("body") if typed is not None and typed.type in RECORDS else None
    if typed is not None and typed.type == "enum_specifier":
        type_of(typed, node, found)
    elif body is not None and typed is not None and not typed.child_by_field_name("name"):
        hidden = body.named_children if not declarators else []
    elif typed is not None and body is not None:
        type_of(typed, node, found)
    for declarator in declarators:
        name, function = declared(declarator)
        if not name or "." in name:
            continue
        qualified = f"{inside}.{name}"
        if function is None:
            found.add(qualified, "variable", node)
        else:
            kind = "method" if node.type == "function_definition" else "declaration"
            found.add(qualified, kind, node, signature(node, function, templated=templated, modern=True))
    return hidden
