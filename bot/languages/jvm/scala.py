"""Scala: what a file defines, and what an identifier does where it stands."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache, partial

from tree_sitter import Node

from bot.languages import typed_receivers
from bot.languages.constructions import Construction
from bot.languages.spots import Spot
from bot.languages.syntax import UNKNOWN, head, text
from bot.languages.typed_receivers import TypedGrammar, TypedWalk, has
from bot.text.filetypes import SCALA
from bot.values import COMPONENT, SINGLETON, Call, Outline, Parameter, Side, Signature, Visibility

CLASSES = frozenset({"class_definition", "object_definition", "trait_definition", "enum_definition"})
HOLDERS = CLASSES | {"given_definition"}  # what has members of its own
FUNCTIONS = frozenset({"function_definition", "function_declaration"})
VALUES = frozenset({"val_definition", "var_definition", "val_declaration", "var_declaration"})
CASES = frozenset({"simple_enum_case", "full_enum_case"})
NAMED = HOLDERS | FUNCTIONS | CASES | VALUES | {
    "type_definition", "package_object", "class_parameter", "parameter", "binding", "type_parameters", "covariant_type_parameter",
    "contravariant_type_parameter", "self_type", "type_lambda",
}  # fmt: skip
PATTERNS = frozenset({
    "case_clause", "typed_pattern", "tuple_pattern", "case_class_pattern", "capture_pattern", "infix_pattern", "alternative_pattern",
    "named_pattern", "enumerator", "val_definition", "var_definition", "identifiers",
})  # fmt: skip
BINDING = ("pattern", "left", "right")  # fields of a pattern in which names are bound
ANY = "*"  # the base of a class whose members are not all written: it hands on those of something else
LISTS = frozenset({"tuple_pattern", "alternative_pattern", "identifiers"})
LAMBDAS = {"lambda_expression": "parameters", "colon_argument": "lambda_start"}  # node -> field of its only parameter
PACKAGES = frozenset(
    {"package_clause", "package_object", "extension_definition"}
)  # what holds definitions of the package
# What every object has: removing an own definition of it leaves the inherited one.
OBJECT = frozenset({"clone", "equals", "finalize", "getClass", "hashCode", "notify", "notifyAll", "toString", "wait"})
# What every case class has, beside what every object has: what loses a definition of such a name still has one.
OF_EVERY_CASE_CLASS = OBJECT | {
    "apply", "canEqual", "copy", "curried", "fromOrdinal", "ordinal", "productArity", "productElement", "productIterator",
    "productPrefix", "tupled", "unapply", "valueOf", "values",
}  # fmt: skip
PATH = re.compile(r"(?:\w++\.)*+[A-Z]\w*+")  # to a type or an object
TUPLED = re.compile(
    r"(?:Any|AnyRef|AnyVal|Object|Product|Unit|[A-Z]\d?)\b(?![.\[])|\("
)  # what a list of arguments is made to fit
# Where a name is declared with a type, and where it is bound or set to something new.
DECLARED = (
    r"(?<![\w.$@])NAME\s*+:\s*+(?:=>\s*+)?(?P<type>[A-Za-z_]\w*+(?:\.\w++)*+)(?:\[[^;(){}=]{0,200}\])?"
    r"(?P<more>(?:\s*+(?:with\b|=>|\||&|#|\*))?)"
)
BUILT = (
    r"\b(?:val|var)\s++NAME\s*+=\s*+(?:(?:new\s++)?([A-Z]\w*+)(?:\[[^()\n]{0,80}\])?\([^()\n]{0,300}\)[ \t]*+(?:\n|\Z))?"
    r"|(?<![\w.$])NAME\s*+(?:=>|<-|,[^{}\n]{0,100}=>)|\bcase\s++NAME\b"
)
MACROS = re.compile(
    rb"^[ \t]*+@(?:newtype|newsubtype|typeclass|simulacrum|Lenses|JsonCodec|deriving|data|deferred)\b", re.MULTILINE
)


root = partial(typed_receivers.root, SCALA)


@lru_cache(maxsize=64)
def outline(path: str, source: bytes, side: Side) -> Outline:
    """The definitions of a file; what is at the top of a package or in an object is offered by its own name."""
    tree, walk = root(source), TypedWalk(path, side)
    for node in tree.named_children:
        _take(node, "", (), walk, is_offered=True)
    complete = not (tree.has_error or MACROS.search(source) or walk.bases.get(""))
    return walk.outline(complete, overloads=True)


def _take(node: Node, inside: str, bases: Sequence[str], walk: TypedWalk, *, is_offered: bool) -> None:
    """One definition with its members. `is_offered`: whether importers can name it without what it is in."""
    kind = node.type
    if kind in PACKAGES:
        for member in _members(node):
            _take(member, inside, bases, walk, is_offered=is_offered)
    elif kind in HOLDERS and _name(node):
        _class(node, inside, walk)
    elif kind == "enum_case_definitions":
        for part in node.named_children:
            if part.type in CASES:
                _add(part, inside, _name(part), "variable", walk, None)
                walk.exports.setdefault(_name(part), f"{inside}.{_name(part)}")
    elif kind == "export_declaration":
        _export(node, inside, walk, is_offered=is_offered)
    elif kind in FUNCTIONS and _name(node) == "this":
        _add(node, inside, "constructor", "method", walk, _signature(node, "parameters", opaque=False))
    elif kind in FUNCTIONS or kind in VALUES or kind == "type_definition":
        _value(node, inside, bases, walk, is_offered=is_offered)


def _value(node: Node, inside: str, bases: Sequence[str], walk: TypedWalk, *, is_offered: bool) -> None:
    """A function, a value or a type: a member, or one of the package."""
    kind = "variable" if node.type in VALUES else "type" if node.type == "type_definition" else "method"
    for name in _bound(node):
        own_signature = None
        if kind == "method":
            vague = name in OF_EVERY_CASE_CLASS or bool(bases) or has(node, "override")
            own_signature = _signature(node, "parameters", opaque=vague)
        _add(node, inside, name, "function" if kind == "method" and is_offered else kind, walk, own_signature)
        if is_offered and (inside or not has(node, "private")):
            walk.exports.setdefault(name, f"{inside}.{name}" if inside else name)


def _export(node: Node, inside: str, walk: TypedWalk, *, is_offered: bool) -> None:
    """The members of something else that are members here, too: `export board.{color, pieces as all}`."""
    selectors = next((part for part in node.named_children if part.type == "namespace_selectors"), None)
    parts = selectors.named_children if selectors is not None else node.named_children[-1:]
    for part in parts:
        alias = part.child_by_field_name("alias")
        if part.type == "namespace_wildcard":
            short = inside.rpartition(".")[2]
            walk.inherit(short, (ANY,))
        else:
            _define(node, inside, text(alias if alias is not None else part), walk, is_offered=is_offered)


def _define(node: Node, inside: str, name: str, walk: TypedWalk, *, is_offered: bool) -> None:
    _add(node, inside, name, "variable", walk, None)
    if is_offered:
        walk.exports.setdefault(name, f"{inside}.{name}" if inside else name)


def _class(node: Node, inside: str, walk: TypedWalk) -> None:
    short = _name(node)
    name = f"{inside}.{short}" if inside else short
    is_case = any(part.type == "case" for part in node.children) or node.type == "enum_definition"
    bases = (*_bases(node), *(("?",) if _has_annotation(node) else ()))
    kind = "type" if node.type == "trait_definition" else "class"
    is_object = node.type == "object_definition"
    _add(node, inside, short, "variable" if node.type == "given_definition" else kind, walk, None)
    if is_object:
        walk.symbols[-1] = replace(walk.symbols[-1], marks=(SINGLETON,))
    if node.type != "given_definition" or not inside:
        walk.exports.setdefault(short, name)
    walk.inherit(short, bases)
    parameter_list = node.child_by_field_name("class_parameters")
    if parameter_list is not None and node.type == "class_definition":
        vague = b"inline" in (node.text or b"")[:80] or _is_built_elsewhere(node, short)
        _add(parameter_list, name, "constructor", "method", walk, _signature(node, "class_parameters", opaque=vague))
    for part in node.children_by_field_name("class_parameters"):
        for field in part.named_children:
            is_value = any(one.type in ("val", "var") for one in field.children)
            if field.type == "class_parameter" and (is_value or (is_case and part == parameter_list)):
                _add(field, name, _name(field), COMPONENT, walk, None)
    begin = len(walk.symbols)
    for member in _members(node) if name.count(".") < typed_receivers.NESTED else ():
        _take(member, name, bases, walk, is_offered=is_object)
    if has(node, "implicit") and parameter_list is not None:  # its members are those of what it takes, too
        walk.symbols[begin:] = [replace(one, marks=(f"extension {short}",)) for one in walk.symbols[begin:]]


def _is_built_elsewhere(node: Node, short: str) -> bool:
    """Whether the companion of a class may build it with other arguments: it defines `apply`, or inherits something."""
    above = node.parent
    for other in above.named_children if above is not None else ():
        if other.type == "object_definition" and _name(other) == short:
            names = {name for member in _members(other) if member.type in FUNCTIONS for name in _bound(member)}
            return "apply" in names or other.child_by_field_name("extend") is not None
    return False


def _bases(node: Node) -> tuple[str, ...]:
    """What a class inherits from, as written."""
    extend, derive = (node.child_by_field_name(name) for name in ("extend", "derive"))
    parts = [part for part in (extend.children_by_field_name("type") if extend is not None else ()) if part.is_named]
    if node.type == "given_definition":
        parts += [part for part in node.children_by_field_name("return_type") if part.is_named]
    words = [re.split(r"[\[(\s{]", text(part), maxsplit=1)[0] for part in parts]
    return (*words, *(("?",) if derive is not None else ()))


def _members(node: Node) -> Iterator[Node]:
    for body in node.children_by_field_name("body"):
        if body.type in FUNCTIONS:
            yield body  # of an extension
        else:
            yield from body.named_children


def _add(node: Node, inside: str, short: str, kind: str, walk: TypedWalk, own_signature: Signature | None) -> None:
    name = f"{inside}.{short}" if inside else short
    is_hidden = has(node, "private") and bool(inside)  # of a package a private name is everybody's in it
    visibility: Visibility = "file" if is_hidden else "anywhere"
    walk.define(name, kind, node, own_signature, visibility=visibility)


def _name(node: Node) -> str:
    return text(node.child_by_field_name("name")).strip("`")


def _bound(node: Node) -> Iterator[str]:
    """The names that a definition brings: `val (a, b) = pair`, `val a, b: Int`."""
    if node.type in VALUES:
        pattern = node.child_by_field_name("pattern")
        names = [*node.children_by_field_name("name"), *([pattern] if pattern is not None else [])]
        for name in names:
            if name.type == "identifier":
                yield text(name).strip("`")
            else:
                yield from (text(one).strip("`") for one in name.named_children if one.type == "identifier")
    elif _name(node):
        yield _name(node)


def _has_annotation(node: Node) -> bool:
    """Whether an annotation stands above that may add members, as a macro's does; those of the language add nothing."""
    return any(
        part.type == "annotation"
        and text(part.child_by_field_name("name"))[:1].islower()
        and MACROS.match(part.text or b"")
        for part in node.named_children
    )


def _signature(node: Node, field: str, *, opaque: bool) -> Signature:
    """The first list of parameters; those that are given by the scope are nobody's business, and a second list is not compared."""
    lists = [part for part in node.children_by_field_name(field) if part.type == field]
    explicit = [part for part in lists if not re.match(r"\(\s*(?:implicit|using)\b", text(part))]
    parameters: list[Parameter] = []
    for part in explicit[0].named_children if explicit else ():
        if part.type in ("parameter", "class_parameter"):
            many = any(one.type == "repeated_parameter_type" for one in part.named_children)
            has_default = any(one.type == "=" for one in part.children)
            kind: typed_receivers.Kind = "varargs" if many else "positional"
            parameters.append(Parameter(_name(part), kind, is_required=not (many or has_default)))
    end = lists[-1].end_byte if lists else node.end_byte
    is_vague = len(explicit) != 1 or explicit[0].has_error or _is_tupled(node, explicit[0])
    return Signature(tuple(parameters), head(node, end=end, after=("modifiers", "annotation")), opaque or is_vague)


def _is_tupled(node: Node, parameter_list: Node) -> bool:
    """Whether the compiler may make one argument of several, or of no one: the only parameter is of a type that takes tuples."""
    parts = [part for part in parameter_list.named_children if "parameter" in part.type]
    if len(parts) != 1:
        return False
    type_text = text(parts[0].child_by_field_name("type"))
    own = node.child_by_field_name("type_parameters")
    return bool(TUPLED.match(type_text)) or (
        own is not None and re.search(rf"\b{re.escape(type_text)}\b", text(own)) is not None
    )


def place(node: Node) -> Spot | None:
    """What an identifier does where it stands."""
    above = node.parent
    if above is None:
        return None
    if _is_defined(node, above):
        return Spot("definition")
    if above.type == "assignment_expression" and above.child_by_field_name("left") == node and _is_argument(above):
        return Spot("key")
    return _member(node, above) or Spot("name", None, _call(node) or _built(node))


def _is_defined(node: Node, above: Node) -> bool:
    """Whether a name gets its meaning here: of a definition, a parameter, a pattern, or handed on from somewhere else."""
    kind = above.type
    if kind in NAMED and node in above.children_by_field_name("name"):
        return True
    if kind in LAMBDAS and above.child_by_field_name(LAMBDAS[kind]) == node:
        return True
    outer = above.parent if kind == "namespace_selectors" else above
    return (outer is not None and outer.type == "export_declaration") or (kind in PATTERNS and _is_bound(node, above))


def _member(node: Node, above: Node) -> Spot | None:
    """A member: behind a dot, or between what it is called on and its argument."""
    kind = above.type
    if kind == "field_expression" and above.child_by_field_name("field") == node:
        return Spot("member", above.child_by_field_name("value"), _call(above))
    if kind == "infix_expression" and above.child_by_field_name("operator") == node:
        side = "right" if text(node).endswith(":") else "left"  # `x +: rows` calls `rows`
        return Spot("member", above.child_by_field_name(side), _infix(above))
    if kind == "postfix_expression" and above.named_child(0) != node:
        return Spot("member", above.named_child(0))
    if kind in ("stable_identifier", "stable_type_identifier") and above.named_child(0) != node:
        return Spot("member", node.prev_named_sibling, _built(above))
    return None


def _is_bound(node: Node, above: Node) -> bool:
    """Whether a pattern gives the name a meaning: one in capitals asks for a value that is there."""
    kind = above.type
    if kind in ("val_definition", "var_definition"):
        return above.child_by_field_name("pattern") == node
    if kind == "enumerator":
        return above.named_child(0) == node
    if kind == "capture_pattern" and above.child_by_field_name("name") == node:
        return True
    parts = [one for name in BINDING for one in above.children_by_field_name(name)]
    is_part = node in parts if kind not in LISTS else True
    return is_part and (kind == "identifiers" or not text(node)[:1].isupper())


def _is_argument(node: Node) -> bool:
    return node.parent is not None and node.parent.type == "arguments"


def _call(callee: Node) -> Call | None:
    """The call of what stands here."""
    above = callee.parent
    if above is not None and above.type == "generic_function" and above.child_by_field_name("function") == callee:
        callee, above = above, above.parent
    if above is None or above.type != "call_expression" or above.child_by_field_name("function") != callee:
        return None
    return _arguments(above.child_by_field_name("arguments"))


def _built(node: Node) -> Call | None:
    """The arguments that a class gets: behind `new`, or of whoever extends it."""
    above = node.parent
    if above is not None and above.type == "generic_type" and above.child_by_field_name("type") == node:
        node, above = above, above.parent
    if above is None or above.type not in ("instance_expression", "extends_clause"):
        return None
    behind = node.next_named_sibling
    if above.type == "instance_expression":
        return _arguments(above.child_by_field_name("arguments")) if above.named_child(0) == node else None
    return _arguments(behind) if behind is not None and behind.type == "arguments" else None


def _infix(node: Node) -> Call:
    right = node.child_by_field_name("right")
    if right is None or right.type in ("unit", "tuple_expression"):
        return Call(right.named_child_count if right is not None else 0, spread=True)
    return Call(1)


def _arguments(node: Node | None) -> Call:
    if node is None:
        return Call()
    if node.type != "arguments":
        return Call(1)  # a block
    parts = [part for part in node.named_children if "comment" not in part.type]
    keyword_arguments = [part for part in parts if part.type == "assignment_expression"]
    is_spread = any(part.type in ("vararg", "ascription_expression", "splat") for part in parts) or "_*" in text(node)
    is_given = re.match(r"\(\s*using\b", text(node)) is not None
    keywords = tuple(text(part.child_by_field_name("left")).strip("`") for part in keyword_arguments)
    return Call(len(parts) - len(keyword_arguments), keywords, spread=is_spread or is_given or node.has_error)


def constructions(holder: Node) -> Iterator[Construction]:
    """The calls of its own constructors in a class: `def this() = this(1)`. The base is called by its name."""
    for body in holder.named_children:
        for member in body.named_children if body.type == "template_body" else ():
            if member.type != "function_definition" or text(member.child_by_field_name("name")) != "this":
                continue
            call = member.child_by_field_name("body")
            if call is not None and call.type == "block" and call.named_children:
                call = call.named_children[0]
            if (
                call is not None
                and call.type == "call_expression"
                and text(call.child_by_field_name("function")) == "this"
            ):
                yield holder.child_by_field_name("name"), call, _arguments(call.child_by_field_name("arguments"))


def types(receiver: Node) -> tuple[str, ...]:
    """The class that a receiver is declared to be; empty for what may be an object itself."""
    kind, receiver_text = receiver.type, text(receiver)
    if receiver_text in ("this", "super"):
        holder = next(iter(typed_receivers.around(receiver, HOLDERS | {"instance_expression"})), None)
        own = holder is not None and holder.type in CLASSES and receiver_text == "this"
        return (_name(holder),) if own and holder is not None else UNKNOWN
    if kind == "instance_expression":
        has_body = any(part.type.endswith("body") for part in receiver.named_children)
        construction = re.match(r"new\s+([\w.]+)", receiver_text)
        return (construction[1].rpartition(".")[2],) if construction and not has_body else UNKNOWN
    if kind == "call_expression" and re.match(r"[A-Z]\w*\(", receiver_text):
        return (receiver_text.partition("(")[0],)
    if kind == "identifier" or receiver_text.startswith("this."):
        class_names = typed_receivers.declared_classes(receiver, READING, DECLARED, BUILT)
        if class_names:
            return class_names
    if not PATH.fullmatch(receiver_text):
        return UNKNOWN
    parts = receiver_text.split(".")
    first = next(at for at, part in enumerate(parts) if part[:1].isupper())
    return (".".join(parts[first:]),) if first else ()  # behind its package


READING = TypedGrammar(
    identifiers=frozenset({"identifier", "type_identifier"}),
    classes=HOLDERS, methods=FUNCTIONS | {"extension_definition"}, place=place, types=types,
    scope_name=_name,
    heads=frozenset({"package_identifier"}),
    imports=frozenset({"import_declaration"}),
    anonymous=frozenset({"instance_expression"}),
)  # fmt: skip
