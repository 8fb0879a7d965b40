"""Kotlin: what a file defines, and what an identifier does where it stands."""

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache, partial

from tree_sitter import Node

from bot.languages import typed_receivers
from bot.languages.constructions import Construction
from bot.languages.spots import Spot
from bot.languages.syntax import UNKNOWN, arguments, head, text
from bot.languages.typed_receivers import TypedGrammar, TypedWalk, has, members
from bot.text.filetypes import KOTLIN
from bot.values import COMPONENT, Call, Outline, Parameter, Side, Signature, Symbol, Visibility
from impact.language import languages

CLASSES = frozenset({"class_declaration", "object_declaration"})
BODIES = frozenset({"class_body", "enum_class_body"})
METHODS = frozenset({"function_declaration", "secondary_constructor", "anonymous_initializer", "getter", "setter"})
NAMED = CLASSES | {"function_declaration", "type_alias"}
FIRST = frozenset({"variable_declaration", "parameter", "class_parameter", "type_parameter", "enum_entry"})
DECLARED = r"(?<![\w.$@])NAME\s*:\s*(?P<type>[A-Za-z_][\w.]*)(?P<more>)"
BUILT = r"\bva[lr]\s+NAME\s*=\s*(?:([A-Z]\w*)\([^()\n]{0,300}\)[ \t]*\n)?|(?<![\w.$])NAME\s*(?:,[^{}\n]{0,100})?->"
# What every object has: removing an own definition of it leaves the inherited one.
OBJECT = frozenset({"clone", "equals", "finalize", "getClass", "hashCode", "notify", "notifyAll", "toString", "wait"})
WITH_CODE = re.compile(rb"@(kotlinx\.)?(Serializable|Parcelize)\b")
TELLING = re.compile(r"[a-z0-9][A-Z]")
# The grammar takes an annotated class that has no body for an expression, which cannot stand at the top of a file.
MISREAD = re.compile(r"\b(?:class|interface|object)[ \t]+([A-Za-z_]\w*)")
FACADE = re.compile(rb"@file:(?:kotlin\.jvm\.)?JvmName\(\s*(?:name\s*=\s*)?\"(\w+)\"")
READ = 4_000  # characters of it


root = partial(typed_receivers.root, KOTLIN)
passed = partial(arguments, languages()[".kt"].calls)


@lru_cache(maxsize=64)
def outline(path: str, source: bytes, side: Side) -> Outline:
    """The definitions of a file; what is at the top, in an object or in a companion is offered by its own name."""
    tree, walk = root(source), TypedWalk(path, side)
    unclear = False
    for node in tree.named_children:
        _take(node, "", (), walk, is_offered=True)
        if node.type.endswith("expression") and not path.endswith(".kts"):
            unclear = True
            for name in MISREAD.findall(text(node)[:READ]):
                _class(node, name, walk)
    is_part = b"JvmMultifileClass" in source  # other files are in the same class of Java
    complete = not (unclear or is_part or tree.has_error or WITH_CODE.search(source) or path.endswith(".kts"))
    file_outline = walk.outline(complete, overloads=True)
    facade = facade_of(path, source) if any(_is_offered_to_java(one) for one in file_outline.symbols) else ""
    exports = (*file_outline.exports, *([(facade, "")] if facade else ()))
    return replace(file_outline, exports=exports)


def _is_offered_to_java(symbol: Symbol) -> bool:
    """Whether Java reaches it by the class that a file of Kotlin is to it."""
    return "." not in symbol.name and symbol.is_exported and symbol.kind in ("function", "variable")


def facade_of(path: str, source: bytes) -> str:
    """The class by which Java calls what is in none; "" for a script."""
    if not path.endswith(".kt"):
        return ""
    match = FACADE.search(source)
    stem = posixpath.basename(path).partition(".")[0]
    return match[1].decode() if match else f"{stem[:1].upper()}{stem[1:]}Kt"


def _take(node: Node, inside: str, bases: Sequence[str], walk: TypedWalk, *, is_offered: bool) -> None:
    """One definition with its members. `is_offered`: whether importers can name it without its class."""
    kind, name = node.type, _name(node)
    qualified_name = f"{inside}.{name}" if inside else name
    if kind in CLASSES and name:
        _class(node, qualified_name, walk)
    elif kind == "companion_object":
        for member in members(node, BODIES):
            _take(member, inside, (), walk, is_offered=True)
    elif kind == "secondary_constructor":
        _add(node, f"{inside}.constructor", "method", walk, _signature(node, "function_value_parameters", opaque=False))
    elif name and kind in ("function_declaration", "property_declaration", "type_alias", "enum_entry"):
        function = kind == "function_declaration"
        if function:
            vague = name in OBJECT or (bool(bases) and inside != "") or (_extends(node) and not TELLING.search(name))
            own_signature = _signature(node, "function_value_parameters", opaque=vague or has(node, "override"))
            _add(node, qualified_name, "function" if is_offered else "method", walk, own_signature)
        else:
            _add(node, qualified_name, "type" if kind == "type_alias" else "variable", walk, None)
        if (is_offered and (inside or not has(node, "private"))) or kind == "enum_entry":
            walk.exports.setdefault(name, qualified_name)


def _class(node: Node, name: str, walk: TypedWalk) -> None:
    short = name.rpartition(".")[2]
    bases = tuple(
        re.split(r"[<(\s{]", text(part), maxsplit=1)[0]
        for holder in node.named_children
        if holder.type == "delegation_specifiers"
        for part in holder.named_children
    ) + (("Record",) if has(node, "data") or has(node, "value") else ())
    _add(node, name, "type" if re.match(r"(\w+\s+)*interface\b", text(node)[:80]) else "class", walk, None)
    walk.exports[short] = name
    walk.inherit(short, bases)
    for part in node.named_children:
        if part.type == "primary_constructor":
            opaque = has(node, "annotation")
            _add(part, f"{name}.constructor", "method", walk, _signature(part, "class_parameters", opaque=opaque))
            for field in part.named_children[0].named_children if part.named_children else ():
                if field.type == "class_parameter" and re.search(r"\bva[lr]\b", text(field)):
                    _add(field, f"{name}.{_name(field)}", COMPONENT, walk, None)
    for member in members(node, BODIES) if name.count(".") < typed_receivers.NESTED else ():
        _take(member, name, bases, walk, is_offered=node.type == "object_declaration")


def _add(node: Node, name: str, kind: str, walk: TypedWalk, own_signature: Signature | None) -> None:
    is_exported = "." in name or not has(node, "private")
    visibility: Visibility = "file" if has(node, "private") else "anywhere"
    walk.define(name, kind, node, own_signature, is_exported=is_exported, visibility=visibility)
    receiver = _receiver(node) if node.type in ("function_declaration", "property_declaration") else ""
    if receiver:
        walk.symbols[-1] = replace(walk.symbols[-1], marks=(f"extension {receiver}",))


def _name(node: Node) -> str:
    name_node = node.child_by_field_name("name")
    if node.type == "type_alias":
        name_node = node.child_by_field_name("type")
    if node.type == "property_declaration":
        node = next((part for part in node.named_children if part.type == "variable_declaration"), node)
    if name_node is None:
        name_node = next((part for part in node.named_children if part.type == "identifier"), None)
    return text(name_node).strip("`")


def _extends(node: Node) -> bool:
    """Whether a function has a receiver: a type before its name."""
    return bool(_receiver(node))


def _receiver(node: Node) -> str:
    """The type before the name of a function or a property, of which it is an extension; "" without one."""
    name = node.child_by_field_name("name") or next(
        (part for part in node.named_children if part.type == "variable_declaration"), None
    )
    parts = node.named_children if name is not None else ()
    types = [
        one
        for one in parts
        if "type" in one.type and one.type != "type_parameters" and name and one.end_byte <= name.start_byte
    ]
    return text(types[0]) if types else ""


def _signature(node: Node, list_type: str, *, opaque: bool) -> Signature:
    holder = next((part for part in node.named_children if part.type == list_type), None)
    parameters: list[Parameter] = []
    vararg, equal = False, False
    for part in holder.children if holder is not None else ():
        if part.type in ("parameter", "class_parameter"):
            many = vararg or has(part, "vararg")
            has_default = part.type == "class_parameter" and any(item.type == "=" for item in part.children)
            kind = _kind(parameters, many)
            parameters.append(Parameter(_name(part), kind, is_required=not (many or has_default)))
            vararg = False
        elif part.type == "parameter_modifiers":
            vararg = "vararg" in text(part)
        equal = part.type == "="
        if equal and parameters:
            last = parameters[-1]
            parameters[-1] = Parameter(last.name, last.kind, is_required=False)
    end = holder.end_byte if holder is not None else node.end_byte
    is_opaque = opaque or holder is None or holder.has_error
    return Signature(tuple(parameters), head(node, end=end, after=("modifiers",)), is_opaque)


def _kind(before: Sequence[Parameter], many: bool) -> typed_receivers.Kind:
    if many:
        return "varargs"
    return "keyword-only" if any(item.kind == "varargs" for item in before) else "positional"


def place(node: Node) -> Spot | None:  # noqa: PLR0911 - one line for each place
    """What an identifier does where it stands."""
    above = node.parent
    if above is None:
        return None
    first = above.named_child(0)  # of as many as the file has lines
    if above.type in NAMED and node in (above.child_by_field_name("name"), above.child_by_field_name("type")):
        return Spot("definition")
    if above.type in FIRST and first == node:
        return Spot("definition")
    if above.type == "value_argument":
        is_named_argument = first == node and any(part.type == "=" for part in above.children)
        return Spot("key") if is_named_argument else Spot("name")
    if above.type == "navigation_expression" and first != node:
        return Spot("member", first, _call(above))
    if above.type == "user_type" and above.parent is not None and above.parent.type == "constructor_invocation":
        return Spot("name", None, _arguments(above.parent))
    if above.type == "user_type" and above.parent is not None and above.parent.type == "annotation":
        return Spot("name", None, Call())
    if above.type == "callable_reference" and text(node)[:1].isupper():
        return Spot("name", None, Call(spread=True))  # `::Cart` makes one of whatever it is given
    if above.type in ("user_type", "qualified_identifier") and first != node:
        return Spot("member", first)
    return _infix(node, above) or Spot("name", None, _call(node))


def _infix(node: Node, above: Node) -> Spot | None:
    """A member that is called between its receiver and its one argument: `a combineWith b`."""
    is_between = above.type == "infix_expression" and above.named_child(1) == node
    return Spot("member", above.named_child(0), Call(1)) if is_between else None


def _call(callee: Node) -> Call | None:
    """The call of what stands here. A lambda behind the list is one more argument."""
    above = callee.parent
    if above is None or above.type != "call_expression" or above.named_child(0) != callee:
        return None
    call = _arguments(above)
    outer = above.parent
    behind = [part for part in above.named_children if part.type == "annotated_lambda"]
    if outer is not None and outer.type == "call_expression" and outer.named_child(0) == above:
        behind += [part for part in outer.named_children if part.type == "annotated_lambda"]
    # Which parameter a trailing lambda fills depends on defaults: the count says nothing.
    return Call(call.positional, call.keywords, spread=True) if behind else call


def _arguments(node: Node) -> Call:
    return passed(next((part for part in node.named_children if part.type == "value_arguments"), None))


def constructions(holder: Node) -> Iterator[Construction]:
    """The calls of constructors in a class that name none: `constructor() : this(1)`, `: super(1)`, `super()`, which nobody has to write, and the entries of an enum."""
    has_primary = any(part.type == "primary_constructor" for part in holder.named_children)
    for member in members(holder, BODIES):
        if member.type == "secondary_constructor":
            call = next((part for part in member.named_children if part.type == "constructor_delegation_call"), None)
            if call is not None:
                is_own = text(call).startswith("this")
                yield _name_node(holder) if is_own else _base_name(holder), call, _arguments(call)
            elif not has_primary:
                yield _base_name(holder), member, Call()
        elif member.type == "enum_entry":
            yield _name_node(holder), member, _arguments(member)


def _name_node(holder: Node) -> Node | None:
    return holder.child_by_field_name("name")


def _base_name(holder: Node) -> Node | None:
    """The name of a class that a class inherits and that its head does not construct."""
    clause = next((part for part in holder.named_children if part.type == "delegation_specifiers"), None)
    types = [part.named_children[0] for part in clause.named_children if part.named_children] if clause else []
    base = next((part for part in types if part.type == "user_type"), None)
    names = [part for part in base.named_children if part.type == "identifier"] if base is not None else []
    return names[-1] if names else None


def types(receiver: Node) -> tuple[str, ...]:
    """The class that a receiver is declared to be; empty for what may be a class or an object itself."""
    kind, receiver_text = receiver.type, text(receiver)
    if kind == "this_expression":
        holder = next(iter(typed_receivers.around(receiver, CLASSES | {"object_literal", "lambda_literal"})), None)
        own = holder is not None and holder.type in CLASSES and receiver_text == "this" and not _in_extension(receiver)
        return (_name(holder),) if own and holder is not None else UNKNOWN
    if kind == "call_expression" and re.match(r"[A-Z]\w*\(", receiver_text):
        return (receiver_text.partition("(")[0],)
    if kind == "identifier" or (kind == "navigation_expression" and receiver_text.startswith("this.")):
        class_names = typed_receivers.declared_classes(receiver, READING, DECLARED, BUILT)
        if class_names:
            return class_names
    if kind in ("identifier", "navigation_expression") and receiver_text.rpartition(".")[2][:1].isupper():
        return ()
    return UNKNOWN


def _in_extension(node: Node) -> bool:
    return any(_extends(item) for item in typed_receivers.around(node, {"function_declaration"})[:3])


READING = TypedGrammar(
    identifiers=frozenset({"identifier"}),
    classes=CLASSES, methods=METHODS, place=place, types=types,
    scope_name=_name,
    heads=frozenset({"package_header"}),
    imports=frozenset({"import"}),
    anonymous=frozenset({"object_literal", "enum_entry"}),
)  # fmt: skip
