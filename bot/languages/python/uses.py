"""What an identifier does where it stands in a Python file, and which class a receiver is known to be."""

import re
from functools import lru_cache

from tree_sitter import Node

from bot.languages.syntax import Form, Shape, ancestors, text
from bot.values import Call

SCOPES = frozenset({"function_definition", "class_definition"})
BINDERS = frozenset({
    "typed_parameter", "parameters", "lambda_parameters", "list_splat_pattern", "dictionary_splat_pattern",
    "pattern_list", "tuple_pattern", "list_pattern", "as_pattern_target", "global_statement", "nonlocal_statement",
})  # fmt: skip
LEFT = frozenset({"assignment", "for_statement", "for_in_clause", "type_alias_statement"})
NAMED = frozenset(
    {"function_definition", "class_definition", "default_parameter", "typed_default_parameter", "named_expression"}
)
FORESEEN_IMPORT = re.compile(r"ImportError|ModuleNotFoundError|\bException\b|except\s*:")
FORESEEN_USE = re.compile(r"AttributeError|NameError|TypeError")
CLASS_LIKE = re.compile(r"(?:\w++\.)*+_*+[A-Z]\w*+")


def _form(node: Node) -> Form:
    above = node.parent
    if above is None:
        return "name"
    if above.type == "keyword_argument" and above.child_by_field_name("name") == node:
        return "key"
    if above.type in NAMED and above.child_by_field_name("name") == node:
        return "definition"
    if above.type in LEFT and above.child_by_field_name("left") == node:
        return "definition"
    if above.type in BINDERS and node.type == "identifier":
        return "definition" if above.type != "typed_parameter" or above.named_children[0] == node else "name"
    return "name"


def _arguments(listed: Node) -> Call:
    """The arguments of a call. A generator expression in place of the list is one argument."""
    if listed.type == "generator_expression":
        return Call(positional=1)
    parts = [part for part in listed.named_children if part.type != "comment"]
    keywords = tuple(text(part.child_by_field_name("name")) for part in parts if part.type == "keyword_argument")
    spread = any(part.type in ("list_splat", "dictionary_splat") for part in parts)
    return Call(
        sum(part.type not in ("keyword_argument", "list_splat", "dictionary_splat") for part in parts), keywords, spread
    )


def _guarded(node: Node, around: list[Node]) -> bool:
    """Whether a `try`, `suppress` or `raises` around it foresees exactly the failure that its absence brings."""
    imported = any(above.type in ("import_statement", "import_from_statement") for above in around[:5])
    foreseen = FORESEEN_IMPORT if imported else FORESEEN_USE
    for above in around:
        if above.type == "try_statement":
            clauses = [part for part in above.named_children if part.type in ("except_clause", "except_group_clause")]
            if any(foreseen.search(text(part).partition("\n")[0]) for part in clauses):
                return True
        elif above.type == "with_statement" and foreseen.search(text(above.named_children[0])):
            return True
        elif above.type == "if_statement" and f'"{text(node)}"' in text(above.child_by_field_name("condition")).replace(
            "'", '"'
        ):
            return True  # if hasattr(module, "name")
    return False


def _types(receiver: Node) -> tuple[str, ...]:
    """Classes that a receiver is known to be, as written in this file; empty where nothing is known."""
    if receiver.type == "call":
        called = text(receiver.child_by_field_name("function"))
        if called == "super":
            return _own(receiver)[1:]
        return (called,) if CLASS_LIKE.fullmatch(called) else ()
    written = text(receiver)
    if written in ("self", "cls"):
        return _own(receiver)
    if receiver.type == "identifier":
        function = next((above for above in ancestors(receiver) if above.type == "function_definition"), None)
        return _assigned(_source(function if function is not None else _root(receiver)), re.escape(written))
    if re.fullmatch(r"self\.\w+", written):
        holder = next((above for above in ancestors(receiver) if above.type == "class_definition"), None)
        return _assigned(_source(holder), re.escape(written), written[5:]) if holder is not None else ()
    return ()


def _root(node: Node) -> Node:
    return list(ancestors(node))[-1]


def _source(node: Node) -> bytes:
    return node.text or b""


def _own(node: Node) -> tuple[str, ...]:
    """The class around a node and the classes it inherits from."""
    holder = next((above for above in ancestors(node) if above.type == "class_definition"), None)
    if holder is None:
        return ()
    listed = holder.child_by_field_name("superclasses")
    bases = [text(base) for base in listed.named_children] if listed is not None else []
    return (text(holder.child_by_field_name("name")), *bases)


@lru_cache(maxsize=512)
def _assigned(source: bytes, target: str, attribute: str = "") -> tuple[str, ...]:
    """The one class that a name is given in this stretch of code: `x = Class(...)`, `x: Class`, or a parameter so annotated."""
    code = source.decode("utf-8", "replace")
    found = set(_annotated(code, target)) | (
        set(_annotated(code, rf"(?m:^[ \t]*+){attribute}")) if attribute else set()
    )
    for value in re.findall(rf"(?<![\w.]){target}\s*+=(?!=)\s*+([^\n]++)", code):  # an annotated one has told already
        built = re.match(r"(?:await\s++)?((?:\w++\.)*+_*+[A-Z]\w*+)\(", value)
        passed = re.match(r"(\w++)\s*+(?:#.*)?$", value)
        if built:
            found.add(built[1])
        elif passed and passed[1] != "None":
            found.update(_annotated(code, re.escape(passed[1])) or {"?"})
        elif not passed:
            found.add("?")
    found.update("?" for _ in re.finditer(rf"\b(?:for|as)\s+{target}\b", code) if not found)
    return (found.pop(),) if len(found) == 1 and "?" not in found else ()


def _annotated(code: str, target: str) -> list[str]:
    written = rf"(?<![\w.]){target}\s*+:\s*+(?:Optional\[)?[\"']?((?:\w++\.)*+_*+[A-Z]\w*+)(?!\[)[\"']?"
    return [name for name in re.findall(written, code) if name not in ("Any", "Optional", "Union")]


SHAPE = Shape(
    identifiers=frozenset({"identifier"}),
    members={"attribute": ("object", "attribute")},
    calls={"call": ("function", "arguments")},
    imports=frozenset({"import_statement", "import_from_statement"}),
    scopes=SCOPES,
    arguments=_arguments,
    guarded=_guarded,
    form=_form,
    types=_types,
    scope_name=lambda node: text(node.child_by_field_name("name")),
)
