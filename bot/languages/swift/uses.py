"""What an identifier does where it is in a Swift file, and which type a receiver is declared to be."""

import re
from itertools import islice

from tree_sitter import Node

from bot.languages import typed_receivers
from bot.languages.spots import Spot
from bot.languages.swift.outline import ALIASES, BODIES, FUNCTIONS, TYPES, is_extension, type_name
from bot.languages.syntax import DEPTH, UNKNOWN, ancestors, text
from bot.languages.typed_receivers import TypedGrammar
from bot.values import Call

METHODS = FUNCTIONS | {"init_declaration", "deinit_declaration", "subscript_declaration", "computed_property"}
PROPERTIES = frozenset({"property_declaration", "protocol_property_declaration"})
NAMED = FUNCTIONS | TYPES | ALIASES
LABELS = frozenset({"value_argument_label", "call_suffix"})
BINDS = frozenset({"lambda_parameter", "type_parameter", "capture_list_item"})
DECLARED = r"(?<![\w.$@])NAME\s*+:\s*+(?:(?:inout|some|any|borrowing|consuming|@escaping)\s++)?(?P<type>[A-Z]\w*+(?:\.\w++)*+)(?P<more>)"
BUILT = (
    r"\b(?:let|var)\s++NAME\b(?!\s*+:)(?:\s*+=\s*+(?:try[?!]?\s++)?(?:await\s++)?([A-Z]\w*+)\([^()\n]{0,300}\)[ \t]*+(?:\n|\Z))?"
    r"|\bfor\s++NAME\s++in\b|(?<![\w.$])NAME\s*+(?:,[^{}\n]{0,100})?\sin\b"
)


def place(node: Node) -> Spot | None:  # noqa: PLR0911 - one line for each place
    """What an identifier does where it stands."""
    above = node.parent
    if above is None:
        return None
    if any(item.type == "import_declaration" for item in typed_receivers.near(node)[:3]):
        return Spot("import")
    if above.type == "parameter":
        return Spot("definition") if above.child_by_field_name("name") == node else None
    if (above.type in NAMED and above.child_by_field_name("name") == node) or _is_bound(node, above):
        return Spot("definition")
    if above.type in LABELS:
        return _of_label(above)
    if above.type == "user_type":
        return _of_type(node, above)
    return _of_value(node, above)


def _of_label(above: Node) -> Spot | None:
    """A label of an argument, or of a closure behind the list; in `total(rows:)` it only tells which function is meant."""
    holder = above.parent
    is_argument = above.type == "call_suffix" or (holder is not None and holder.child_by_field_name("name") == above)
    return Spot("key") if is_argument else None


def _of_value(node: Node, above: Node) -> Spot:
    """A name in an expression: behind a dot a member, in `.one` of the type that the place asks for."""
    if above.type == "navigation_suffix" and above.parent is not None:
        return Spot("member", above.parent.child_by_field_name("target"), _call(node))
    is_member = node.prev_sibling is not None and node.prev_sibling.type == "."
    return Spot("member" if is_member else "name", None, _call(node))


def _is_bound(node: Node, above: Node) -> bool:
    """Whether a name is bound here: a variable, a case of an enum, a parameter of a closure."""
    if above.type == "enum_entry":
        return node in above.children_by_field_name("name")
    if above.type in BINDS:
        return above.named_children[:1] == [node] or above.child_by_field_name("name") == node
    if above.type == "pattern" and above.parent is not None and above.parent.type == "pattern":
        outer = above.parent.parent
        return outer is not None and outer.type in (*PROPERTIES, "for_statement")
    return node in above.children_by_field_name("bound_identifier")


def _of_type(node: Node, above: Node) -> Spot:
    """A name of a type; behind a dot it is a member of what stands before."""
    parts = [part for part in above.named_children if part.type == "type_identifier"]
    at = next((index for index, part in enumerate(parts) if part == node), 0)
    holder = above.parent
    is_built = holder is not None and holder.type == "constructor_expression" and parts[-1:] == [node]
    suffix = (
        next((part for part in holder.named_children if part.type == "constructor_suffix"), None) if holder else None
    )
    call = arguments(suffix) if is_built and suffix is not None else None
    if holder is not None and holder.type == "attribute":
        call = Call(spread=True)  # a wrapper or a macro: what it gets besides stands elsewhere
    return Spot("member", parts[at - 1], call) if at else Spot("name", None, call)


def _call(node: Node) -> Call | None:
    """The call of what stands here. The grammar binds arguments less tightly than an operator: `1 + total(2)` calls `1 + total`."""
    inner = node
    for above in islice(ancestors(node), DEPTH):
        if above.type == "call_expression" and above.children[:1] == [inner]:
            suffix = next((part for part in above.children if part.type == "call_suffix"), None)
            return arguments(suffix) if suffix is not None else None
        if above.end_byte != inner.end_byte:
            return None
        inner = above
    return None


def arguments(suffix: Node) -> Call | None:
    """The arguments of a call; None for what looks like one: `total[1]`, `total(rows:)`."""
    argument_list = next((part for part in suffix.named_children if part.type == "value_arguments"), None)
    parts = [part for part in argument_list.named_children if part.type == "value_argument"] if argument_list else []
    is_reference = any(part.child_by_field_name("reference_specifier") is not None for part in parts)
    if is_reference or (argument_list is not None and not text(argument_list).startswith("(")):
        return None
    labels = [part.child_by_field_name("name") for part in parts]
    keywords = tuple(text(label).strip("`") for label in labels if label is not None)
    # Which parameter a closure behind the list fills depends on defaults: the count says nothing.
    has_closure = any(part.type == "lambda_literal" for part in suffix.named_children)
    return Call(len(parts) - len(keywords), keywords, spread=has_closure)


def types(receiver: Node) -> tuple[str, ...]:
    """The type that a receiver is declared to be; empty for what may be a type itself."""
    while receiver.type in ("postfix_expression", "optional_chaining_expression") and receiver.named_children:
        receiver = receiver.named_children[0]
    kind, receiver_text = receiver.type, text(receiver).lstrip("\\")
    if receiver_text in ("self", "Self"):
        holder = next(iter(typed_receivers.around(receiver, TYPES)), None)
        return (_scope_name(holder),) if holder is not None else UNKNOWN
    if receiver_text == "super":
        return _base(receiver)
    if kind in ("call_expression", "constructor_expression"):
        construction = re.fullmatch(r"([A-Z]\w*)(?:<[^()]{0,200}>)?\([^()]{0,300}\)", receiver_text)
        return (construction[1],) if construction else UNKNOWN
    if kind == "simple_identifier" or receiver_text.startswith("self."):
        class_names = typed_receivers.declared_classes(receiver, READING, DECLARED, BUILT)
        if class_names:
            return class_names
    return () if re.fullmatch(r"(?:\w+\.)*[A-Z]\w*", receiver_text) else UNKNOWN


def _base(node: Node) -> tuple[str, ...]:
    """The class that the class around a node names as its base."""
    holder = next(iter(typed_receivers.around(node, TYPES)), None)
    clauses = [part for part in holder.named_children if part.type == "inheritance_specifier"] if holder else []
    return (re.sub(r"<.*", "", text(clauses[0]), flags=re.DOTALL).strip(),) if clauses else UNKNOWN


def _scope_name(node: Node) -> str:
    """What a definition is called that stands around a use; a variable of a function is no such definition."""
    if node.type in TYPES:
        name = type_name(node)
        return name.rpartition(".")[2] if is_extension(node) else name
    if node.type in PROPERTIES:
        pattern = node.child_by_field_name("name")
        is_member = node.parent is not None and node.parent.type in BODIES
        return text(pattern) if is_member and pattern is not None else ""
    return text(node.child_by_field_name("name")) if node.type != "computed_property" else ""


READING = TypedGrammar(
    identifiers=frozenset({"simple_identifier", "type_identifier"}),
    classes=TYPES,
    methods=METHODS | PROPERTIES,
    scope_name=_scope_name,
    place=place,
    types=types,
)
