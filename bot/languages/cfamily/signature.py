"""What a caller of a C or C++ function has to know, and how a declarator is unwrapped to the name it declares."""

from tree_sitter import Node

from bot.languages.syntax import head, text
from bot.values import Parameter, Signature

WRAPS = frozenset({
    "pointer_declarator", "reference_declarator", "array_declarator", "parenthesized_declarator", "init_declarator",
    "attributed_declarator", "bitfield_clause",
})  # fmt: skip
NAMES = frozenset({
    "identifier", "field_identifier", "type_identifier", "qualified_identifier", "destructor_name", "operator_name",
    "template_function", "operator_cast",
})  # fmt: skip
DEEP = 40  # wrappings of a declarator


def declaration(node: Node) -> tuple[str, Node | None]:
    """The name that a declarator declares, and its function declarator where it declares a function.

    A pointer to a function is a variable: `int (*handler)(int)`.
    """
    function: Node | None = None
    for _ in range(DEEP):
        if node.type in NAMES:
            return _name(node), function
        if node.type == "function_declarator":
            function = node
        elif node.type in ("pointer_declarator", "array_declarator") and function is not None:
            function = None
        elif node.type not in WRAPS:
            return "", None
        inner = node.child_by_field_name("declarator")
        if inner is None:
            inner = next(
                (part for part in node.named_children if part.type in WRAPS | NAMES | {"function_declarator"}), None
            )
        if inner is None:
            return "", None
        node = inner
    return "", None


def _name(node: Node) -> str:
    """`Box::size` is "Box.size": the class and the name; namespaces further out are left away."""
    name_text = text(node)
    if node.type == "operator_name" or "operator" in name_text or "~" in name_text:
        return ""
    parts = [part.partition("<")[0].strip() for part in name_text.split("::")]
    return ".".join(part for part in parts[-2:] if part)


def signature(outer: Node, function: Node, *, is_template: bool = False, modern: bool = False) -> Signature:
    """The signature of a function. In C an empty list promises nothing, and neither do the names of a K&R definition."""
    parameter_list = function.child_by_field_name("parameters")
    parameters: list[Parameter] = []
    opaque = is_template or parameter_list is None or parameter_list.has_error or function.has_error
    for part in parameter_list.children if parameter_list is not None else ():
        if part.type == "identifier":
            opaque = True
        elif part.type in ("variadic_parameter", "...", "variadic_parameter_declaration"):
            parameters.append(Parameter("...", "varargs", is_required=False))
        elif part.type in ("parameter_declaration", "optional_parameter_declaration"):
            name = _parameter(part)
            opaque = opaque or name is None
            if name != "void":
                parameters.append(Parameter(name or "?", is_required=part.type == "parameter_declaration"))
    if not parameters and not modern and parameter_list is not None and not parameter_list.named_children:
        opaque = True
    return Signature(tuple(parameters), head(outer, trailing=" ;{"), opaque)


def _parameter(part: Node) -> str | None:
    """The name of a parameter, its type where it has none, "void" for no parameter; None where it may be a macro."""
    declarator = part.child_by_field_name("declarator")
    type_text = text(part.child_by_field_name("type"))
    if declarator is None:
        if type_text == "void" and len(part.named_children) == 1:
            return "void"
        return (
            type_text if not (type_text.isupper() and len(type_text) > 1) else None
        )  # a macro may stand for several parameters
    name, _ = declaration(declarator)
    return name or type_text


def macro(node: Node) -> Signature:
    """A macro's parameters are shown, never counted: it may paste, drop or spread them."""
    parameter_list = node.child_by_field_name("parameters")
    names = [text(part) for part in parameter_list.named_children] if parameter_list is not None else []
    return Signature(
        tuple(Parameter(name) for name in names),
        f"#define {text(node.child_by_field_name('name'))}{text(parameter_list)}",
        opaque=True,
    )
