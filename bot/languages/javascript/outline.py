"""What a JavaScript or TypeScript file defines, and what its importers can ask of it: ES modules and CommonJS."""

import re
from dataclasses import replace

from tree_sitter import Node

from bot.languages.javascript.members import CLASSES, RESULT, TYPES, MemberWalk, bare_value, take
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
    rb"__exportStar|\bexports\s*\[|\(\s*(module\s*\.\s*)?exports\b|=\s*(module\s*\.\s*)?exports\s*[;,\n]|\bthis\s*,\s*function"
)
FILLING = re.compile(r"Object\.(assign|defineProperty|defineProperties)")
EXPORTS = re.compile(r"(?:module\.)?exports")
UNSCOPED = re.compile(
    rb"(?<![.\w])(?:eval|with)\s*\("
)  # names that a file's own scope may get without writing them; code of `new Function` does not see that scope


def outline_of(path: str, root: Node, source: bytes, side: Side) -> Outline:
    """The definitions of a file, outermost first. Functions inside named functions belong to their function."""
    walk = MemberWalk(path, side)
    _walk(root, walk)
    if walk.whole:
        _whole(walk, source)
    unread = _unread(source, walk)
    if any(_may_be_filled(name, unread) or _again(name, source) for name in walk.aliases):
        walk.dynamic = True
    out = frozenset(walk.exports.values())
    walk.symbols = [
        replace(one, is_exported=one.name.partition(".")[0].removesuffix(RESULT) in out or one.name in out)
        for one in walk.symbols
    ]
    is_computed = not walk.modern and DYNAMIC.search(_unread(source, walk)) is not None
    is_scoped = not (root.has_error or UNSCOPED.search(source) or path.endswith((".vue", ".svelte", ".d.ts")))
    complete = not (root.has_error or walk.dynamic or is_computed or path.endswith((".vue", ".svelte", ".d.ts")))
    return replace(
        walk.outline(complete),
        is_scoped=is_scoped,
        bound=tuple(walk.import_names),
        loose=frozenset(walk.loose),
        is_whole=bool(walk.exports.get("default")) and not walk.modern,
    )


def _unread(source: bytes, walk: MemberWalk) -> bytes:
    """The text without the exports that are handed to a call whose names are all written in it."""
    left = bytearray(source)
    for start, end in walk.read:
        left[start:end] = b" " * (end - start)
    return bytes(left)


def _whole(walk: MemberWalk, source: bytes) -> None:
    """What importers can ask of `module.exports = NAME`: the members of that function, class or object of this file.

    Anything else that NAME may be, such as what a call returned, can have members that are written nowhere, and so can a value
    that is handed to a function or filled by computed keys.
    """
    name = walk.whole
    kinds = {symbol.kind for symbol in walk.symbols if symbol.name == name}
    members = {symbol.name.partition(".")[2] for symbol in walk.symbols if symbol.name.startswith(f"{name}.")}
    is_literal = kinds == {"variable"} and name in walk.objects and not _again(name, source)
    if is_literal:
        _object(walk.objects[name], walk, f"{name}.")
    if not (is_literal or kinds in ({"function"}, {"class"})) or walk.bases.get(name) or _may_be_filled(name, source):
        walk.dynamic = True
    members |= {key for owner, key in walk.assignments if owner == name}
    walk.exports.update({key: f"{name}.{key}" for key in sorted(members - walk.exports.keys())})


def _may_be_filled(name: str, source: bytes) -> bool:
    """Whether an object is handed to somebody who may fill it, or gets computed keys."""
    fill_pattern = rf"[(,]\s*(\.\.\.)?{re.escape(name)}\s*[,)]|(?<![\w$.]){re.escape(name)}\s*\["
    return re.search(fill_pattern.encode(), source) is not None


def _again(name: str, source: bytes) -> bool:
    """Whether a variable gets a value more than once."""
    return len(re.findall(rf"(?<![\w$.]){re.escape(name)}\s*=(?![=>])".encode(), source)) > 1


def _walk(node: Node, walk: MemberWalk) -> None:
    for child in node.named_children:
        kind = child.type
        if kind == "export_statement":
            _export(child, walk)
        elif kind == "import_statement":
            _bind_imports(child, walk)
        elif kind == "expression_statement" and child.named_children:
            _expression(child.named_children[0], child, walk)
        elif _declare(child, child, walk):
            continue
        elif kind in BLOCKS:
            _walk(child, walk)


def _bind_imports(node: Node, walk: MemberWalk) -> None:
    """The names that an import statement binds."""
    left = [part for part in node.named_children if part.type == "import_clause"]
    while left:
        part = left.pop()
        if part.type == "import_specifier":
            _bound(text(part.child_by_field_name("alias") or part.child_by_field_name("name")), (node, part), walk)
        elif part.type == "identifier":
            _bound(text(part), (node,), walk)
        else:
            left += part.named_children


def _bound(name: str, parts: tuple[Node, ...], walk: MemberWalk) -> None:
    """A name that is taken from another module, by a statement or a part of it that may say that it is a type."""
    walk.import_names.append(name)
    if any(part.type == "type" for node in parts for part in node.children):
        walk.loose.add(name)


def _declare(node: Node, outer: Node, walk: MemberWalk, export: bool = False) -> bool:
    """Take a declaration into the outline. False where the node is none."""
    if node.type == "ambient_declaration" and export:
        for part in node.named_children:
            _declare(part, outer, walk, export)
        return True
    if node.type in FUNCTIONS or node.type in CLASSES or node.type in TYPES:
        name = text(node.child_by_field_name("name"))
        if name:
            take(node, outer, name, walk)
            walk.exports.update({name: name} if export else {})
        return True
    if node.type in VARIABLES:
        for part in node.named_children:
            if part.type == "variable_declarator":
                _variable(part, outer, walk, export)
        return True
    return False


def _variable(node: Node, outer: Node, walk: MemberWalk, export: bool) -> None:
    target, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if target is None:
        return
    value = bare_value(value) if value is not None else None
    if target.type != "identifier":
        names = re.findall(r"(?<![\w$])([\w$]++)\s*+(?=[,}\]=]|$)", text(target)) if export else []
        walk.exports.update(dict.fromkeys(names, ""))
        return
    if value is not None and value.type == "assignment_expression" and _alias(text(target), value, outer, walk):
        pass  # const api = module.exports = ...
    elif value is None or not re.match(r"(await\s+)?(require|import)\s*\(", text(value)):
        take(value if value is not None else node, outer, text(target), walk)
    if export:
        walk.exports[text(target)] = text(target)


def _alias(name: str, value: Node, outer: Node, walk: MemberWalk) -> bool:
    """`const NAME = module.exports = ...`: the object that is exported gets a name. False if the value is none of that kind."""
    inner: Node | None = value
    lefts = list[str]()
    while inner is not None and inner.type == "assignment_expression":
        lefts.append(text(inner.child_by_field_name("left")).replace(" ", ""))
        inner = inner.child_by_field_name("right")
    if not any(EXPORTS.fullmatch(left) for left in lefts):
        return False
    walk.aliases.add(name)
    walk.define(name, "variable", outer)
    right = value.child_by_field_name("right")
    if right is not None:
        _assign(lefts[0], right, outer, walk)
    return True


def _export(node: Node, walk: MemberWalk) -> None:
    walk.modern = True
    declaration, value = node.child_by_field_name("declaration"), node.child_by_field_name("value")
    default = any(part.type == "default" for part in node.children)
    if declaration is not None:
        _declare(declaration, node, walk, export=not default)
        if default:
            walk.exports["default"] = text(declaration.child_by_field_name("name")) or "default"
    elif value is not None:
        walk.exports["default"] = text(value) if value.type == "identifier" else "default"
        if value.type != "identifier":
            take(value, node, "default", walk)
    else:
        _handed_on(node, walk)


def _handed_on(node: Node, walk: MemberWalk) -> None:
    """`export { a as b }`, with or without a module that they come from, and `export *`."""
    source = node.child_by_field_name("source")
    clauses = [part for part in node.named_children if part.type in ("export_clause", "namespace_export")]
    for clause in clauses:
        for part in clause.named_children:
            if part.type == "export_specifier":
                name, alias = text(part.child_by_field_name("name")), text(part.child_by_field_name("alias"))
                walk.exports[alias or name] = "" if source is not None else name
                if source is not None:
                    _bound(alias or name, (node, part), walk)
                elif any(one.type == "type" for holder in (node, part) for one in holder.children):
                    walk.loose.add(alias or name)
            elif clause.type == "namespace_export":
                walk.exports[text(part)] = ""
    parts = [part for part in node.named_children if part.type not in ("decorator", "comment")]
    if not clauses and source is not None:
        walk.stars += 1
    elif not clauses and parts and any(part.type == "=" for part in node.children):  # TypeScript's module.exports
        walk.modern = False
        _module_exports(parts[0], node, walk)
    elif not clauses:  # export as namespace x
        walk.dynamic = True


def _expression(node: Node, outer: Node, walk: MemberWalk) -> None:
    if node.type == "internal_module":
        _declare(node, outer, walk)
    elif node.type == "assignment_expression":
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        is_chain = right is not None and right.type == "assignment_expression"  # exports = module.exports = ...
        if left is not None and right is not None and (left.type == "member_expression" or is_chain):
            _assign(text(left).replace(" ", ""), right, outer, walk)
    elif node.type == "call_expression" and _filling(node, outer, walk):
        pass
    elif node.type in WRAPPERS:
        _unwrap(node, walk)


def _unwrap(node: Node, walk: MemberWalk) -> None:
    """What stands at the top of an anonymous function that is called at once or handed over, as in UMD and AMD modules."""
    for part in node.named_children:
        if part.type in WRAPPERS:
            _unwrap(part, walk)
        elif part.type in ("function_expression", "arrow_function") and not text(part.child_by_field_name("name")):
            body = part.child_by_field_name("body")
            if body is not None and body.type == "statement_block":
                _walk(body, walk)


def _assign(left: str, right: Node, outer: Node, walk: MemberWalk) -> None:
    if right.type == "assignment_expression":  # module.exports = exports = ...
        deeper, value = right.child_by_field_name("left"), right.child_by_field_name("right")
        if deeper is not None and value is not None:
            inner = text(deeper).replace(" ", "")
            _assign(inner, value, outer, walk)
            if EXPORTS.fullmatch(left) and EXPORTS.fullmatch(inner):
                return  # two names for one object, whose members were taken
            right = value
    if EXPORTS.fullmatch(left):
        _module_exports(right, outer, walk)
        return
    owner, _, name = left.rpartition(".")
    walk.assignments.append((owner, name))
    if EXPORTS.fullmatch(owner) or owner in walk.aliases:
        is_name = right.type == "identifier"
        walk.exports[name] = text(right) if is_name else name
        if not is_name:
            take(right, outer, name, walk)
    elif owner.endswith(".prototype") or (re.fullmatch(r"[\w$]+", owner) and right.type in FUNCTIONS):
        take(right, outer, f"{owner.removesuffix('.prototype')}.{name}", walk)


def _module_exports(right: Node, outer: Node, walk: MemberWalk) -> None:
    if right.type != "object":
        walk.exports["default"] = "default"
        if right.type == "identifier":
            walk.exports["default"] = walk.whole = text(right)
        elif right.type in FUNCTIONS or right.type in CLASSES:  # known in its file by its own name, if it has one
            walk.exports["default"] = walk.whole = text(right.child_by_field_name("name")) or "default"
            take(right, outer, walk.whole, walk)
        else:
            walk.dynamic = True
            take(right, outer, "default", walk)
        return
    _object(right, walk)


def _object(node: Node, walk: MemberWalk, inside: str = "") -> None:
    """The members of an object are exports. `inside`: the prefix of those that the outline has already as members of a name."""
    for part in node.named_children:
        key = part.child_by_field_name("key") or part.child_by_field_name("name")
        if part.type == "shorthand_property_identifier":
            walk.exports[text(part)] = text(part)
        elif part.type == "spread_element" or (key is not None and key.type == "computed_property_name"):
            walk.dynamic = True
        elif key is not None:
            value = part.child_by_field_name("value")
            is_name, name = value is not None and value.type == "identifier", text(key).strip("'\"")
            walk.exports[name] = text(value) if is_name else f"{inside}{name}"
            if not is_name and not inside and key.type == "property_identifier":
                take(value if value is not None else part, part, name, walk)


def _filling(node: Node, outer: Node, walk: MemberWalk) -> bool:
    """`Object.assign(exports, {...})`, `Object.defineProperty(exports, "name", {...})`. False if the call is none of these.

    Names that the call computes make the outline incomplete, by the pattern that looks for exports that are handed over.
    """
    form = FILLING.fullmatch(re.sub(r"\s", "", text(node.child_by_field_name("function"))[:100]))
    argument_list = node.child_by_field_name("arguments")
    arguments = (
        [part for part in argument_list.named_children if part.type != "comment"] if argument_list is not None else []
    )
    if form is None or not arguments[1:]:
        return False
    target = re.sub(r"\s", "", text(arguments[0])[:100])
    if not (EXPORTS.fullmatch(target) or target in walk.aliases):
        return False
    if form[1] == "defineProperty":
        is_defined = _define(arguments[1], arguments[2:], outer, walk)
    else:
        objects = [part for part in arguments[1:] if part.type == "object"]
        is_defined = len(objects) == len(arguments) - 1
        for part in objects:
            if form[1] == "assign":
                _object(part, walk)
                continue
            for pair in part.named_children:
                key, value = pair.child_by_field_name("key"), pair.child_by_field_name("value")
                is_defined = _define(key, [value] if value is not None else [], outer, walk) and is_defined
    if is_defined:
        walk.read.append((arguments[0].start_byte, arguments[0].end_byte))
    return True


def _define(key: Node | None, description: list[Node], outer: Node, walk: MemberWalk) -> bool:
    """One property with its description. False if its name is not written."""
    if key is None or key.type not in ("string", "property_identifier"):
        return False
    name = text(key).strip("'\"")
    value = _described_value(description[0]) if description and description[0].type == "object" else None
    walk.exports[name] = text(value) if value is not None and value.type == "identifier" else ""
    if value is not None and (value.type in FUNCTIONS or value.type in CLASSES):
        walk.exports[name] = name
        take(value, outer, name, walk)
    return True


def _described_value(node: Node) -> Node | None:
    """The value of a described property: as it is written, or the name that its getter returns."""
    for part in node.named_children:
        key = part.child_by_field_name("key") or part.child_by_field_name("name")
        value = part.child_by_field_name("value") if part.type == "pair" else part
        if text(key) == "value":
            return value
        if text(key) == "get" and value is not None:
            body = value.child_by_field_name("body")
            if body is None or body.type != "statement_block":
                return body
            returns = [each for each in body.named_children if each.type == "return_statement" and each.named_children]
            return returns[0].named_children[0] if len(returns) == 1 else None
    return None
