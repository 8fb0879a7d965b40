"""Java: what a file defines, and what an identifier does where it stands."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache, partial

from tree_sitter import Node

from bot.languages import typed_receivers
from bot.languages.constructions import Construction
from bot.languages.spots import Spot
from bot.languages.syntax import UNKNOWN, arguments, head, text
from bot.languages.typed_receivers import TypedGrammar, TypedWalk, has
from bot.text.filetypes import JAVA
from bot.values import Call, Outline, Parameter, Side, Signature, Visibility
from impact.language import languages

CLASSES = frozenset({
    "class_declaration", "interface_declaration", "enum_declaration", "record_declaration", "annotation_type_declaration",
})  # fmt: skip
METHODS = frozenset({"method_declaration", "constructor_declaration", "compact_constructor_declaration"})
FIELDS = frozenset({"field_declaration", "constant_declaration"})
HERITAGE = frozenset({"superclass", "super_interfaces", "extends_interfaces"})
BODIES = frozenset({"enum_body_declarations"})
RESTRICTED = CLASSES | METHODS | {"field_declaration"}  # where no modifier means that the package alone can name it
NAMED = CLASSES | METHODS | {
    "variable_declarator", "formal_parameter", "catch_formal_parameter", "resource", "enhanced_for_statement",
    "enum_constant", "annotation_type_element_declaration", "instanceof_expression", "type_pattern", "inferred_parameters",
}  # fmt: skip
# What every object has: removing an own definition of it leaves the inherited one.
OBJECT = frozenset({"clone", "equals", "finalize", "getClass", "hashCode", "notify", "notifyAll", "toString", "wait"})
DECLARED = r"(?<![\w.$@])(?P<type>[A-Za-z_][\w$]*+(?:\.[\w$]++)*+)(?:<[^;(){}=]{0,200}>)?(?P<more>(?:\s*+\[\s*+\]|\s*+\.\.\.)*)\s++NAME\s*+(?=[=;,:)&|?])"
BUILT = r"\bvar\s+NAME\s*=\s*new\s+([\w.]+)\s*[(<]|(?<![\w.$])NAME\s*->|[(,]\s*+NAME\s*+(?:,[^()]{0,200})?\)\s*+->"
GENERATED_CONSTRUCTOR = re.compile(r"@\w*(?:Builder|Constructor)\b")  # as Lombok names what calls the base as it likes
GENERATED = re.compile(
    rb"(?:^[ \t]*+import\s++(?:static\s++)?|@)(?:lombok|org\.immutables|com\.google\.auto)\b", re.MULTILINE
)


root = partial(typed_receivers.root, JAVA)
passed = partial(arguments, languages()[".java"].calls)


@lru_cache(maxsize=64)
def outline(path: str, source: bytes, side: Side) -> Outline:
    """The definitions of a file; nested types and static members are offered by their own names, too."""
    tree = root(source)
    walk = TypedWalk(path, side)
    for node in tree.named_children:
        if node.type in CLASSES:
            _type(node, "", walk)
    complete = not tree.has_error and not GENERATED.search(source)
    return walk.outline(complete, overloads=True)


def _type(node: Node, inside: str, walk: TypedWalk) -> None:
    short = text(node.child_by_field_name("name"))
    name = f"{inside}.{short}" if inside else short
    kind = "type" if node.type in ("interface_declaration", "annotation_type_declaration") else "class"
    walk.define(name, kind, node, visibility=_visibility(node, inside, walk))
    walk.exports[short] = name
    bases = _bases(node)
    walk.inherit(short, bases)
    if node.type == "record_declaration":
        parameter_list = node.child_by_field_name("parameters")
        _take(
            parameter_list if parameter_list is not None else node,
            f"{name}.constructor",
            "method",
            walk,
            _signature(node, opaque=False),
        )
        if parameter_list is not None:
            walk.components(name, parameter_list, "formal_parameter", _members(node))
    members = list(_members(node)) if name.count(".") < typed_receivers.NESTED else []
    for member in members:
        _member(member, name, bases, walk)


def _bases(node: Node) -> tuple[str, ...]:
    """What a type inherits from, as written; an enum and a record have members that are written nowhere."""
    heritage = [part for part in node.named_children if part.type in HERITAGE]
    names = [
        re.sub(r"<.*", "", text(base), flags=re.DOTALL).strip()
        for part in heritage
        for holder in part.named_children
        for base in (holder.named_children if holder.type == "type_list" else [holder])
    ]
    return (*names, *(["Record"] if node.type == "record_declaration" else []))


def _members(node: Node) -> Iterator[Node]:
    body = node.child_by_field_name("body")
    for member in body.named_children if body is not None else ():
        if member.type in BODIES:
            yield from member.named_children
        else:
            yield member


def _member(node: Node, inside: str, bases: Sequence[str], walk: TypedWalk) -> None:
    kind = node.type
    if kind in CLASSES:
        _type(node, inside, walk)
    elif kind == "constructor_declaration":
        _take(node, f"{inside}.constructor", "method", walk, _signature(node, opaque=False))
    elif kind == "method_declaration":
        name, is_static = text(node.child_by_field_name("name")), has(node, "static")
        own_signature = _signature(
            node, opaque=name in OBJECT or bool(bases and not is_static and not has(node, "private"))
        )
        _take(node, f"{inside}.{name}", "function" if is_static else "method", walk, own_signature)
        if is_static:
            walk.exports.setdefault(name, f"{inside}.{name}")
    elif kind in FIELDS or kind == "enum_constant":
        declarators = [part for part in node.named_children if part.type == "variable_declarator"] or [node]
        for part in declarators:
            name = text(part.child_by_field_name("name"))
            _take(node, f"{inside}.{name}", "variable", walk, None)
            if kind != "field_declaration" or has(node, "static"):
                walk.exports.setdefault(name, f"{inside}.{name}")
    elif kind == "annotation_type_element_declaration":
        _take(node, f"{inside}.{text(node.child_by_field_name('name'))}", "variable", walk, None)


def _take(node: Node, name: str, kind: str, walk: TypedWalk, own_signature: Signature | None) -> None:
    visibility = _visibility(node, name.rpartition(".")[0], walk)
    walk.define(name, kind, node, own_signature, visibility=visibility)


def _visibility(node: Node, inside: str, walk: TypedWalk) -> Visibility:
    """Who can name a definition; what no word restricts stays in its package, but for members of interfaces and enums."""
    if has(node, "private"):
        return "file"
    has_visibility = any(has(node, word) for word in ("public", "protected"))
    holder = next((symbol for symbol in walk.symbols if symbol.name == inside), None)
    open_member = holder is not None and holder.kind == "type"
    return "anywhere" if has_visibility or open_member or node.type not in RESTRICTED else "package"


def _signature(node: Node, *, opaque: bool) -> Signature:
    parameter_list = node.child_by_field_name("parameters")
    parameters = []
    for part in parameter_list.named_children if parameter_list is not None else ():
        if part.type == "formal_parameter":
            parameters.append(Parameter(text(part.child_by_field_name("name")), "positional-only"))
        elif part.type == "spread_parameter":
            last = part.named_children[-1] if part.named_children else part
            parameters.append(Parameter(text(last.child_by_field_name("name")), "varargs", is_required=False))
    end = parameter_list.end_byte if parameter_list is not None else node.end_byte
    is_broken = parameter_list is None or parameter_list.has_error
    return Signature(tuple(parameters), head(node, end=end, after=("modifiers",)), opaque or is_broken)


def place(node: Node) -> Spot | None:  # noqa: PLR0911 - one line for each place
    """What an identifier does where it stands."""
    above = node.parent
    if above is None:
        return None
    if above.type == "method_invocation" and above.child_by_field_name("name") == node:
        call = passed(above.child_by_field_name("arguments"))
        owner = above.child_by_field_name("object")
        return Spot("member", owner, call) if owner is not None else Spot("name", None, call)
    if above.type == "field_access" and above.child_by_field_name("field") == node:
        return Spot("member", above.child_by_field_name("object"), Call(spread=True) if _is_made_by(above) else None)
    if above.type == "method_reference" and above.named_children and above.named_children[0] != node:
        return Spot("member", above.named_children[0])
    if above.type in NAMED and above.child_by_field_name("name") == node:
        return Spot("definition")
    if above.type in ("inferred_parameters", "lambda_expression") and above.child_by_field_name("body") != node:
        return Spot("definition")
    if above.type == "element_value_pair" and above.child_by_field_name("key") == node:
        return Spot("key")
    return _type_use(node, above)


def _type_use(node: Node, above: Node) -> Spot:
    """A name of a type: a construction where `new` stands before it, or behind it as `::new`; the last part of `Outer.Inner` is a member."""
    whole, receiver = node, None
    if above.type in ("scoped_type_identifier", "scoped_identifier"):
        parts = above.named_children
        if parts and parts[-1] == node and len(parts) > 1:
            receiver = parts[-2] if parts[-2].type != "type_arguments" else parts[0]
        whole = above
    if whole.parent is not None and whole.parent.type == "generic_type":
        whole = whole.parent
    holder = whole.parent
    is_construction = (
        holder is not None
        and holder.type == "object_creation_expression"
        and holder.child_by_field_name("type") == whole
        and (whole == node or receiver is not None or whole.type == "generic_type")
    )
    call = passed(holder.child_by_field_name("arguments")) if is_construction and holder is not None else None
    call = Call(spread=True) if _is_made_by(whole) else call
    return Spot("member" if receiver is not None else "name", receiver, call)


def _is_made_by(whole: Node) -> bool:
    """Whether it is the class of `Cart::new`, which says nothing of the arguments."""
    holder = whole.parent
    return holder is not None and holder.type == "method_reference" and holder.children[-1].type == "new"


def constructions(holder: Node) -> Iterator[Construction]:
    """The calls of constructors in a class that name none: `this(1)`, `super(1)`, `super()`, which nobody has to write, and the constants of an enum."""
    base = _base_name(holder)
    constructors = [part for part in _members(holder) if part.type == "constructor_declaration"]
    for constructor in constructors:
        body = constructor.child_by_field_name("body")
        calls = [part for part in body.named_children if part.type == "explicit_constructor_invocation"] if body else []
        for call in calls[:1]:
            is_own = text(call.child_by_field_name("constructor")) == "this"
            name = holder.child_by_field_name("name") if is_own else base
            yield name, call, passed(call.child_by_field_name("arguments"))
        if not calls:
            yield base, constructor.child_by_field_name("name"), Call()
    for constant in _members(holder) if holder.type == "enum_declaration" else ():
        if constant.type == "enum_constant":
            yield holder.child_by_field_name("name"), constant, passed(constant.child_by_field_name("arguments"))
    if not constructors and not holder.has_error:
        modifiers = next((text(part) for part in holder.named_children if part.type == "modifiers"), "")
        yield base, base, Call(spread=bool(GENERATED_CONSTRUCTOR.search(modifiers)))


def _base_name(holder: Node) -> Node | None:
    """The name of the class that a class extends, without what stands around it."""
    clause = holder.child_by_field_name("superclass")
    base = clause.named_children[0] if clause is not None and clause.named_children else None
    while base is not None and base.type in ("generic_type", "scoped_type_identifier"):
        base = base.named_children[0 if base.type == "generic_type" else -1]
    return base


def types(receiver: Node) -> tuple[str, ...]:  # noqa: PLR0911 - one line for each kind
    """The class that a receiver is declared to be; empty for what may be a class itself."""
    kind = receiver.type
    if kind == "object_creation_expression":
        if any(part.type == "class_body" for part in receiver.named_children):
            return UNKNOWN
        return (re.sub(r"<.*", "", text(receiver.child_by_field_name("type")), flags=re.DOTALL),)
    if kind in ("this", "super"):
        return _own(receiver, kind)
    if kind == "parenthesized_expression" and receiver.named_children:
        inner = receiver.named_children[0]
        return (text(inner.child_by_field_name("type")),) if inner.type == "cast_expression" else UNKNOWN
    if kind in ("identifier", "field_access"):
        if kind == "identifier" or text(receiver).startswith("this."):
            class_names = typed_receivers.declared_classes(receiver, READING, DECLARED, BUILT)
            if class_names:
                return class_names
        return () if text(receiver).rpartition(".")[2][:1].isupper() else UNKNOWN
    return () if kind in ("type_identifier", "scoped_type_identifier") else UNKNOWN


def _own(node: Node, kind: str) -> tuple[str, ...]:
    """The class around a node, or what it extends. Inside an anonymous class, that is another one."""
    holder = next(iter(typed_receivers.around(node, CLASSES | {"object_creation_expression"})), None)
    if holder is None or holder.type not in CLASSES:
        return UNKNOWN
    if kind == "this":
        return (text(holder.child_by_field_name("name")),)
    return _bases(holder)[:1] or UNKNOWN


READING = TypedGrammar(
    identifiers=frozenset({"identifier", "type_identifier"}),
    classes=CLASSES, methods=METHODS, place=place, types=types,
    heads=frozenset({"package_declaration"}),
    imports=frozenset({"import_declaration"}),
    anonymous=frozenset({"object_creation_expression", "enum_constant"}),
)  # fmt: skip
