"""What a caller of a JavaScript or TypeScript function has to know."""

import re

from tree_sitter import Node

from bot.languages.syntax import head, text
from bot.values import Parameter, Signature

FUNCTIONS = frozenset({
    "function_declaration", "generator_function_declaration", "function_expression", "generator_function", "arrow_function",
    "method_definition", "function_signature", "method_signature", "abstract_method_signature",
})  # fmt: skip


def signature(node: Node, has_decorator: bool = False) -> Signature:
    """The signature of a function. One that reads `arguments` takes what it is given."""
    parameter_list = node.child_by_field_name("parameters")
    if parameter_list is None:  # x => ...
        single = node.child_by_field_name("parameter")
        parameters = tuple(Parameter(text(part)) for part in (single,) if part is not None)
    else:
        parameters = tuple(_parameter(part) for part in parameter_list.named_children if _counts(part))
    body = node.child_by_field_name("body")
    whatever = body is not None and re.search(rb"\barguments\b", body.text or b"") is not None
    is_broken = parameter_list is not None and parameter_list.has_error
    bodiless = node.type == "function_signature"  # one of several overloads
    is_opaque = has_decorator or whatever or is_broken or bodiless
    return Signature(parameters, head(node).removesuffix("=>").strip(), is_opaque)


def _counts(part: Node) -> bool:
    return part.type not in ("comment", "decorator") and _pattern(part).type != "this"


def _pattern(part: Node) -> Node:
    inner = part.child_by_field_name("pattern") or part.child_by_field_name("left")
    return inner if inner is not None else part


def _parameter(part: Node) -> Parameter:
    inner = _pattern(part)
    if inner.type == "rest_pattern":
        return Parameter(text(inner).lstrip("."), "varargs", is_required=False)
    optional = (
        part.type in ("optional_parameter", "assignment_pattern")
        or part.child_by_field_name("value") is not None
        or bool(re.search(r":\s*(void|any|unknown)$|\bundefined\b|\bvoid\b", text(part.child_by_field_name("type"))))
    )
    return Parameter(text(inner) if inner.type == "identifier" else "{}", is_required=not optional)
