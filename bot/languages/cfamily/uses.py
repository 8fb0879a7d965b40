"""What an identifier does where it is in a C or C++ file, and which struct a receiver is known to be."""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from tree_sitter import Node

from bot.languages.syntax import Form, Shape, ancestors, text
from bot.values import Call, Use

SCOPES = frozenset({"function_definition", "struct_specifier", "class_specifier", "union_specifier", "enum_specifier"})
DECLARATORS = frozenset({
    "init_declarator", "pointer_declarator", "array_declarator", "function_declarator", "reference_declarator",
    "parenthesized_declarator", "parameter_declaration", "optional_parameter_declaration", "declaration", "field_declaration",
    "type_definition",
})  # fmt: skip
NAMED = frozenset({
    "preproc_def", "preproc_function_def", "enumerator", "alias_declaration", "namespace_definition", "type_parameter_declaration",
})  # fmt: skip
BINDERS = frozenset({
    "ERROR", "preproc_params", "parameter_list", "reference_declarator", "structured_binding_declarator", "using_declaration",
})  # fmt: skip
LIBRARIES = frozenset({"std", "boost", "absl", "testing"})  # namespaces whose names no tree defines
POINTER = re.compile(r"\w*(?:_|P|^)[pP]tr$")  # `unique_ptr`, `QPtr`: what an arrow on it reaches is its argument
ARGUMENT = re.compile(r"<\s*+(?:const\s++)?(?:\w++::)*+(\w++)\s*+>$")
CONDITIONS = frozenset(
    {"preproc_if", "preproc_ifdef", "preproc_elif", "preproc_else", "preproc_elifdef", "preproc_defined"}
)
RECORDS = frozenset({"struct_specifier", "class_specifier", "union_specifier", "enum_specifier"})
WHOLE_FILE = re.compile(r"#[ \t]*+ifndef[ \t]++(\w++)[ \t\r]*+\n\s*+#[ \t]*+define[ \t]++\1\b")
TYPENAMES = re.compile(r"\b(?:typename|class)(?:\s*+\.\.\.)?\s++(\w++)\s*+(?=[,>=])")
# A type with a name behind it: `static robj *o`, `std::vector<int> rows`.
DECLARED = re.compile(
    r"(?<![\w.>:])(?:[A-Za-z_]\w*+(?:::|\s++)){0,8}([A-Za-z_]\w*+)(<[^<>;]{0,200}+>)?"
    r"(?:\s*+[*&]++\s*+(?:const\s++)?|\s++)(\w++)\s*+(?=[=;,)\[{(:])"
)
STATEMENT = re.compile(r"[^;(){}]++[;)]?")
WORD = re.compile(r"\w++")
SET = re.compile(r"[,*&\s](\w++)\s*+(?=[=;,)\[])")
FAR = 200  # characters between a name and the word that begins its statement
KEYWORDS = "const volatile struct class union enum static extern register unsigned signed auto return else"
WORDS = frozenset(KEYWORDS.split())


def _form(node: Node) -> Form:
    above = node.parent
    if above is not None and above.type == "field_designator":
        return "member"
    if above is not None and above.type == "field_initializer" and above.named_children[0] == node:
        # Members and bases are written alike; a base is called like a type.
        return "name" if node.type != "field_identifier" or text(node)[:1].isupper() else "member"
    if above is not None and above.type == "using_declaration" and node.type == "qualified_identifier":
        return "definition" if text(node).partition("::")[0].strip() in LIBRARIES else "import"
    return "definition" if above is None or _binds(node, above) or _is_macro_argument(node) else "name"


def _binds(node: Node, above: Node) -> bool:
    """Whether the name gets its meaning here. What cannot be read may define it; the list of a K&R definition does."""
    if above.type in NAMED | RECORDS and above.child_by_field_name("name") == node:
        return above.type in NAMED or above.child_by_field_name("body") is not None
    if above.type == "qualified_identifier" and above.parent is not None:
        node, above = above, above.parent
    if above.type in DECLARATORS:
        return node in above.children_by_field_name("declarator")
    return above.type in BINDERS


def _is_macro_argument(node: Node) -> bool:
    """Whether it is an argument of a macro that stands outside any function: `DEFINE_LIST(jobs)` may define it."""
    around = list(ancestors(node))
    kinds = [above.type for above in around]
    if "compound_statement" in kinds or "initializer_list" in kinds or "enumerator_list" in kinds:
        return False
    return "argument_list" in kinds and "init_declarator" not in kinds and "attribute_specifier" not in kinds


def _arguments(argument_list: Node) -> Call:
    """The arguments of a call. One in capitals may be a macro that stands for several; `args...` is any number."""
    parts = [part for part in argument_list.named_children if part.type != "comment"]
    macros = any(part.type == "identifier" and text(part).isupper() for part in parts)
    unclear = any(part.type in ("parameter_pack_expansion", "ERROR", "compound_statement") for part in parts)
    return Call(len(parts), (), unclear or argument_list.has_error or _may_be_several(parts, macros))


def _may_be_several(parts: list[Node], macros: bool) -> bool:
    """Whether an argument may be several: adjacent strings never are, a bare word in capitals can be."""
    return macros and any(re.search(r"(ARGS?|LIST|PARAMS?)(_|$)|^_?(ARG|PARAM)", text(part)) for part in parts)


def _is_guarded(node: Node, around: list[Node]) -> bool:
    """Whether it stands in a part that the preprocessor may leave out; the guard of a whole header is none."""
    del node
    return any(
        above.type in CONDITIONS and not (above.type == "preproc_ifdef" and WHOLE_FILE.match(text(above)[:400]))
        for above in around
    )


def _types(receiver: Node) -> tuple[str, ...]:
    """The type that a receiver is declared with in the function around it; empty where that is not plain."""
    receiver_text = text(receiver)
    if receiver_text in ("this", "(*this)"):
        return _own(receiver)
    if receiver.type != "identifier":
        return ()
    function = next((above for above in ancestors(receiver) if above.type == "function_definition"), None)
    class_names = _declared_type(function, receiver_text) if function is not None else ()
    arrow = receiver.next_sibling is not None and receiver.next_sibling.type == "->"
    return tuple(
        one for word in class_names if (one := _pointee(word, arrow=arrow)) and one not in _typenames(receiver)
    )


def _pointee(receiver_text: str, *, arrow: bool) -> str:
    """The class whose member is meant: behind the arrow of a smart pointer its argument, "" where that is not plain."""
    name, _, rest = receiver_text.partition("<")
    if not arrow or not POINTER.match(name) or not rest:
        return name
    inner = ARGUMENT.search(receiver_text)
    return inner[1] if inner else ""


def _typenames(node: Node) -> frozenset[str]:
    """The types that are parameters of the templates around a node: each may be any class."""
    return frozenset(
        name
        for above in ancestors(node)
        if above.type == "template_declaration"
        for name in TYPENAMES.findall(text(above.child_by_field_name("parameters")))
    )


def _own(node: Node) -> tuple[str, ...]:
    holder = next((above for above in ancestors(node) if above.type in ("class_specifier", "struct_specifier")), None)
    if holder is not None:
        return (text(holder.child_by_field_name("name")),)
    function = next((above for above in ancestors(node) if above.type == "function_definition"), None)
    owner = (
        re.search(r"(?<!\w)(\w++)(?:<[^<>]*+>)?::~?\w++\s*+\(", text(function)[:400]) if function is not None else None
    )
    return (owner[1],) if owner else ()


@lru_cache(maxsize=64)
def _types_by_name(function: Node) -> Mapping[str, frozenset[str]]:
    """Name -> the types that it is declared with in a function, which is read once; "?" for what is not plain."""
    code = text(function)
    types_by_name: dict[str, set[str]] = defaultdict(set)
    for match in DECLARED.finditer(code):
        if match[1] not in WORDS:
            types_by_name[match[3]].add(match[1] + (match[2] or "" if POINTER.match(match[1]) else ""))
    plain = {name: frozenset(word.partition("<")[0] for word in types) for name, types in types_by_name.items()}
    for name, first in _assignments(code):
        if first not in plain.get(name, ()) and first not in WORDS:
            types_by_name[name].add("?")
    return {name: frozenset(types) for name, types in types_by_name.items()}


def _assignments(code: str) -> Iterator[tuple[str, str]]:
    """(a name that is given something, the word that begins its statement or is not far before it)."""
    for part in STATEMENT.finditer(code):
        words = list(WORD.finditer(part[0]))
        starts, ends = [word.start() for word in words], [word.end() for word in words]
        behind: dict[str, int] = {}  # where the name was met last
        for match in SET.finditer(part[0]):
            first = max(bisect_left(ends, match.start() - FAR), bisect_left(starts, behind.get(match[1], 0)))
            if first < len(words) and ends[first] <= match.start():
                yield match[1], words[first][0]
            behind[match[1]] = match.end()


def _declared_type(function: Node, target: str) -> tuple[str, ...]:
    """The one type that a name is declared with in this function: `robj *o`, `struct dict d`, `const Box &box`."""
    class_names = set(_types_by_name(function).get(target, ()))
    return (class_names.pop(),) if len(class_names) == 1 and "?" not in class_names else ()


def _scope_name(node: Node) -> str:
    if node.type != "function_definition":
        return text(node.child_by_field_name("name")) if node.child_by_field_name("body") is not None else ""
    from bot.languages.cfamily.signature import declaration

    declarator = node.child_by_field_name("declarator")
    return declaration(declarator)[0] if declarator is not None else ""


def with_members(uses: Sequence[Use]) -> list[Use]:
    """The uses, and a second one for each name without a receiver inside a method: it may be a member, and proves nothing.

    Neither does a name that a using declaration takes from a namespace, which may be a library's.
    """
    import_names = {use.name for use in uses if use.form == "import"}
    defined_names = {use.name for use in uses if use.form == "definition"}
    all_uses = []
    for use in uses:
        all_uses.append(replace(use, is_guarded=True) if use.name in import_names else use)
        owner = use.function.rpartition(".")[0].rpartition(".")[2]
        if owner and use.form == "name" and not use.receiver and use.name not in defined_names | {owner}:
            all_uses.append(replace(use, form="member", receiver="this", is_guarded=True))
    return all_uses


def plain(use: Use, line: str) -> Use:
    """`ns::call()` names a thing of a namespace or of a class. Its first letter suggests which of the two, not with certainty.

    Such a use is in doubt until its definition turns out to be in that namespace.
    """
    if use.form != "member" or f"{use.receiver}::{use.name}" not in re.sub(r"(?<!\s)\s*+::\s*+", "::", line):
        return use
    if use.receiver[:1].isupper() or "<" in use.receiver:
        return use
    return replace(use, form="name", receiver="" if use.is_guarded else use.receiver, is_guarded=True)


SHAPE = Shape(
    identifiers=frozenset({"identifier", "field_identifier", "type_identifier", "namespace_identifier"}),
    members={"field_expression": ("argument", "field"), "qualified_identifier": ("scope", "name")},
    calls={"call_expression": ("function", "arguments")},
    imports=frozenset({"preproc_include"}),
    scopes=SCOPES,
    arguments=_arguments, is_guarded=_is_guarded, form=_form, types=_types, scope_name=_scope_name,
    own=lambda node: _own(node) if node.parent is not None and node.parent.type == "field_initializer" else (),
    wraps=frozenset({"template_function", "template_method", "template_type", "dependent_name"}),
)  # fmt: skip
