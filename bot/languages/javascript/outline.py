"""What a JavaScript or TypeScript file defines, and what its importers can ask of it: ES modules and CommonJS."""

import re
from collections import Counter
from dataclasses import replace

from tree_sitter import Node

from bot.languages.javascript.members import CLASSES, TYPES, MemberWalk, take
from bot.languages.javascript.signature import FUNCTIONS
from bot.languages.syntax import text
from bot.values import Outline, Side

VARIABLES = frozenset({"lexical_declaration", "variable_declaration"})
BLOCKS = frozenset({
    "if_statement", "else_clause", "try_statement", "catch_clause", "finally_clause", "statement_block", "for_statement",
    "for_in_statement", "while_statement", "labeled_statement", "switch_statement", "switch_body", "switch_case",
    "ambient_declaration",
})  # fmt: skip
WRAPPERS = frozenset({
    "call_expression", "arguments", "parenthesized_expression", "unary_expression", "await_expression", "expression_statement",
    "sequence_expression", "export_statement",
})  # fmt: skip
# Exports that are computed: then nothing can be said to be missing.
DYNAMIC = re.compile(
    rb"(Object\s*\.\s*(assign|defineProperty|defineProperties)\s*\(\s*(module\s*\.\s*)?exports|__exportStar|\bexports\s*\["
    rb"|\(\s*(module\s*\.\s*)?exports\b|=\s*(module\s*\.\s*)?exports\s*[;,\n]|\bthis\s*,\s*function)"
)
EXPORTS = re.compile(r"(?:module\.)?exports")
UNSCOPED = re.compile(
    rb"(?<![.\w])(eval|with|Function)\s*\("
)  # names that a file's own scope may get without writing them


def outline_of(path: str, root: Node, source: bytes, side: Side) -> Outline:
    """The definitions of a file, outermost first. Functions inside named functions belong to their function."""
    found = MemberWalk(path, side)
    _walk(root, found)
    if found.whole:
        _whole(found, source)
    many = Counter(symbol.name for symbol in found.symbols)
    out = frozenset(found.exports.values())
    symbols = tuple(
        replace(
            symbol,
            exported=symbol.name.partition(".")[0] in out or symbol.name in out,
            signature=replace(symbol.signature, opaque=True)
            if symbol.signature and many[symbol.name] > 1
            else symbol.signature,
        )
        for symbol in found.symbols
    )
    computed = not found.modern and DYNAMIC.search(source)
    scoped = not (root.has_error or UNSCOPED.search(source) or path.endswith((".vue", ".svelte", ".d.ts")))
    complete = not (root.has_error or found.dynamic or computed or path.endswith((".vue", ".svelte", ".d.ts")))
    return Outline(symbols, tuple(found.exports.items()), complete, found.stars, tuple(found.bases), scoped=scoped)


def _whole(found: MemberWalk, source: bytes) -> None:
    """What importers can ask of `module.exports = NAME`: the members of that function or class of this file.

    Anything else that NAME may be, such as what a call returned, can have members that are written nowhere, and so can a value
    that is handed to a function or filled by computed keys.
    """
    name = found.whole
    kinds = {symbol.kind for symbol in found.symbols if symbol.name == name}
    members = {symbol.name.partition(".")[2] for symbol in found.symbols if symbol.name.startswith(f"{name}.")}
    inherits = any(bases for owner, bases in found.bases if owner == name)
    filled = rf"[(,]\s*(\.\.\.)?{re.escape(name)}\s*[,)]|\b{re.escape(name)}\s*\["
    if kinds not in ({"function"}, {"class"}) or inherits or re.search(filled.encode(), source):
        found.dynamic = True
    members |= {key for owner, key in found.assigned if owner == name}
    found.exports.update({key: f"{name}.{key}" for key in sorted(members - found.exports.keys())})


def _walk(node: Node, found: MemberWalk) -> None:
    for child in node.named_children:
        kind = child.type
        if kind == "export_statement":
            _export(child, found)
        elif kind == "expression_statement" and child.named_children:
            _expression(child.named_children[0], child, found)
        elif _declared(child, child, found):
            continue
        elif kind in BLOCKS:
            _walk(child, found)


def _declared(node: Node, outer: Node, found: MemberWalk, export: bool = False) -> bool:
    """Take a declaration into the outline. False where the node is none."""
    if node.type == "ambient_declaration" and export:
        for part in node.named_children:
            _declared(part, outer, found, export)
        return True
    if node.type in FUNCTIONS or node.type in CLASSES or node.type in TYPES:
        name = text(node.child_by_field_name("name"))
        if name:
            take(node, outer, name, found)
            found.exports.update({name: name} if export else {})
        return True
    if node.type in VARIABLES:
        for part in node.named_children:
            if part.type == "variable_declarator":
                _variable(part, outer, found, export)
        return True
    return False


def _variable(node: Node, outer: Node, found: MemberWalk, export: bool) -> None:
    target, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if target is None:
        return
    if target.type != "identifier":
        names = re.findall(r"(?<![\w$])([\w$]++)\s*+(?=[,}\]=]|$)", text(target)) if export else []
        found.exports.update(dict.fromkeys(names, ""))
        return
    if value is None or not re.match(r"(await\s+)?(require|import)\s*\(", text(value)):
        take(value if value is not None else node, outer, text(target), found)
    if export:
        found.exports[text(target)] = text(target)


def _export(node: Node, found: MemberWalk) -> None:
    found.modern = True
    declaration, value = node.child_by_field_name("declaration"), node.child_by_field_name("value")
    default = any(part.type == "default" for part in node.children)
    if declaration is not None:
        _declared(declaration, node, found, export=not default)
        if default:
            found.exports["default"] = text(declaration.child_by_field_name("name")) or "default"
    elif value is not None:
        found.exports["default"] = text(value) if value.type == "identifier" else "default"
        if value.type != "identifier":
            take(value, node, "default", found)
    else:
        _handed_on(node, found)


def _handed_on(node: Node, found: MemberWalk) -> None:
    """`export { a as b }`, with or without a module that they come from, and `export *`."""
    source = node.child_by_field_name("source")
    clauses = [part for part in node.named_children if part.type in ("export_clause", "namespace_export")]
    for clause in clauses:
        for part in clause.named_children:
            if part.type == "export_specifier":
                name, alias = text(part.child_by_field_name("name")), text(part.child_by_field_name("alias"))
                found.exports[alias or name] = "" if source is not None else name
            elif clause.type == "namespace_export":
                found.exports[text(part)] = ""
    if not clauses and source is not None:
        found.stars += 1
    elif not clauses:  # export = x, export as namespace x
        found.dynamic = True


def _expression(node: Node, outer: Node, found: MemberWalk) -> None:
    if node.type == "internal_module":
        _declared(node, outer, found)
    elif node.type == "assignment_expression":
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        chained = right is not None and right.type == "assignment_expression"  # exports = module.exports = ...
        if left is not None and right is not None and (left.type == "member_expression" or chained):
            _assigned(text(left).replace(" ", ""), right, outer, found)
    elif node.type in WRAPPERS:
        _wrapped(node, found)


def _wrapped(node: Node, found: MemberWalk) -> None:
    """What stands at the top of an anonymous function that is called at once or handed over, as in UMD and AMD modules."""
    for part in node.named_children:
        if part.type in WRAPPERS:
            _wrapped(part, found)
        elif part.type in ("function_expression", "arrow_function") and not text(part.child_by_field_name("name")):
            body = part.child_by_field_name("body")
            if body is not None and body.type == "statement_block":
                _walk(body, found)


def _assigned(left: str, right: Node, outer: Node, found: MemberWalk) -> None:
    if right.type == "assignment_expression":  # module.exports = exports = ...
        deeper, value = right.child_by_field_name("left"), right.child_by_field_name("right")
        if deeper is not None and value is not None:
            inner = text(deeper).replace(" ", "")
            _assigned(inner, value, outer, found)
            if EXPORTS.fullmatch(left) and EXPORTS.fullmatch(inner):
                return  # two names for one object, whose members were taken
            right = value
    if EXPORTS.fullmatch(left):
        _module_exports(right, outer, found)
        return
    owner, _, name = left.rpartition(".")
    found.assigned.append((owner, name))
    if EXPORTS.fullmatch(owner):
        known = right.type == "identifier"
        found.exports[name] = text(right) if known else name
        if not known:
            take(right, outer, name, found)
    elif owner.endswith(".prototype") or (re.fullmatch(r"[\w$]+", owner) and right.type in FUNCTIONS):
        take(right, outer, f"{owner.removesuffix('.prototype')}.{name}", found)


def _module_exports(right: Node, outer: Node, found: MemberWalk) -> None:
    if right.type != "object":
        found.exports["default"] = text(right) if right.type == "identifier" else "default"
        if right.type == "identifier":
            found.whole = text(right)
        elif right.type in FUNCTIONS or right.type in CLASSES:
            found.whole = text(right.child_by_field_name("name")) or "default"
            take(right, outer, found.whole, found)
        else:
            found.dynamic = True
        return
    for part in right.named_children:
        key = part.child_by_field_name("key") or part.child_by_field_name("name")
        if part.type == "shorthand_property_identifier":
            found.exports[text(part)] = text(part)
        elif part.type == "spread_element":
            found.dynamic = True
        elif key is not None:
            value = part.child_by_field_name("value")
            known = value is not None and value.type == "identifier"
            found.exports[text(key).strip("'\"")] = text(value) if known else text(key).strip("'\"")
            if not known and key.type == "property_identifier":
                take(value if value is not None else part, part, text(key), found)
