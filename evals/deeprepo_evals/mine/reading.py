"""One file as the miner reads it: what it defines, and what each place of a name does there."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from tree_sitter import Node

from bot.languages.syntax import text
from deeprepo_evals.mine.grammar import MOST_BYTES, NodeNames, node_names, root

FAR = 40  # levels around a place that are looked at
SPREAD = frozenset({
    "spread_element", "list_splat", "dictionary_splat", "keyword_argument", "variadic_argument", "variadic_unpacking",
    "splat_argument", "hash_splat_argument", "pair", "block_argument", "spread_argument", "hash_key_symbol",
    "generator_expression", "named_argument", "parenthesized_list_splat",
})  # fmt: skip
RECEIVERS = frozenset({"self_parameter", "self"})
OPTIONAL = re.compile(r"optional|default|[^=!<>]=[^=>]", re.DOTALL)
VARIADIC = re.compile(
    r"variadic|splat|rest|spread|params_array|block_parameter|hash_splat|keyword|attribute|ERROR|separator"
)
BINDERS = frozenset({
    "formal_parameters", "parameters", "lambda_parameters", "method_parameters", "block_parameters", "required_parameter",
    "pattern_list", "tuple_pattern", "as_pattern_target", "parameter_declaration", "typed_parameter", "lambda_function_parameters",
    "parameter", "formal_parameter", "closure_parameters", "captured_pattern", "identifier_list", "class_parameter", "variable_declaration",
    "simple_parameter", "array_pattern", "object_pattern", "pair_pattern", "catch_clause", "inferred_parameters", "rest_pattern",
    "property_element", "type_parameter", "type_parameters", "implicit_parameter", "pattern", "value_binding_pattern", "enumerator",
    "typed_pattern", "case_class_pattern", "lambda_expression", "type_lambda", "bindings", "binding",
})  # fmt: skip
DEFINING = re.compile(
    r"_definition$|_declaration$|_item$|declarator$|_spec$|parameter$|_element$|_entry$|_constant$|^(class|module|method|singleton_method|"
    r"enumerator|enum_variant|preproc_def|preproc_function_def|type_alias|property_signature|method_signature|range_clause)$|_specifier$"
)
ASSIGNING = frozenset({
    "assignment", "assignment_expression", "short_var_declaration", "for_statement", "for_in_clause", "augmented_assignment",
})  # fmt: skip
LISTED = frozenset({"short_var_declaration", "range_clause", "assignment_statement"})
DECLARATORS = frozenset({
    "pointer_declarator", "function_declarator", "array_declarator", "reference_declarator", "init_declarator",
})  # fmt: skip
GUARDS = re.compile(
    r"ImportError|ModuleNotFound|AttributeError|NameError|TypeError|NoMethodError|LoadError|hasattr|respond_to"
)


@dataclass(frozen=True, slots=True)
class Definition:
    """A named thing of a file. `least` and `most`: positional arguments that a call gives it; -1 where unknown."""

    name: str
    kind: str
    owner: str
    line: int
    head: str
    least: int = -1
    most: int = -1


@dataclass(frozen=True, slots=True)
class Place:
    """What an identifier does where it stands."""

    line: int
    form: str  # name, member, import, definition, key
    receiver: str
    call: bool
    argument_count: int  # positional arguments of the call; -1 where unknown
    is_guarded: bool
    node: Node


@lru_cache(maxsize=256)
def definitions(path: str, source: bytes) -> tuple[Definition, ...]:
    """Everything that a file defines outside its functions."""
    language = node_names(path)
    if language is None or len(source) > MOST_BYTES:
        return ()
    walk = _OWN_WALKS.get(language.name, _walk)
    return tuple(walk(root(path, source), language))


def _walk(top: Node, language: NodeNames) -> Iterator[Definition]:
    stack = [(top, "", 0)]
    while stack:
        node, owner, depth = stack.pop()
        kind = language.definitions.get(node.type)
        inner = owner
        if kind is not None:
            name = defined_name(node)
            is_prototype = (
                language.name in ("c", "c++")
                and node.type.endswith("specifier")
                and node.child_by_field_name("body") is None
            )
            if name and not is_prototype and text(node.child_by_field_name("declaration_kind")) != "extension":
                held = _receiver(node) or owner
                told = "method" if held and kind == "function" else kind
                yield Definition(
                    name, told, held, node.start_point[0] + 1, _head(node), *_arguments(node, language, bool(held))
                )
        if node.type in language.owners:
            inner = _owner_name(node) or owner
        body = kind in ("function", "method", "macro")
        if not body and depth < FAR:
            stack += [(part, inner, depth + 1) for part in reversed(node.named_children)]


def _elixir(top: Node, language: NodeNames) -> Iterator[Definition]:
    """The functions and macros of modules, which own them by their whole names."""
    del language
    stack: list[tuple[Node, str]] = [(top, "")]
    while stack:
        node, owner = stack.pop()
        word = text(node.child_by_field_name("target")) if node.type == "call" else ""
        inner = next((part for part in node.named_children if part.type == "arguments"), None)
        first = inner.named_children[0] if inner is not None and inner.named_children else None
        if word == "defmodule" and first is not None:
            module = f"{owner}.{text(first)}" if owner else text(first)
            stack += [(part, module) for part in reversed(node.named_children) if part.type == "do_block"]
        elif word in ("def", "defmacro", "defdelegate") and first is not None and owner:
            head = first.child_by_field_name("left") if first.type == "binary_operator" else first
            name = text(head.child_by_field_name("target") if head is not None and head.type == "call" else head)
            if head is not None and re.fullmatch(r"[a-z_]\w*[?!]?", name):
                listed = next((part for part in head.named_children if part.type == "arguments"), None)
                parts = listed.named_children if listed is not None else []
                least = sum("\\\\" not in text(part) for part in parts)
                kind = "macro" if word == "defmacro" else "function"
                yield Definition(name, kind, owner, node.start_point[0] + 1, _head(first), least, len(parts))
        elif word == "" or node.type != "call":
            stack += [(part, owner) for part in reversed(node.named_children)]


def _lua(top: Node, language: NodeNames) -> Iterator[Definition]:
    """The functions and values that a file gives a table at its outermost level, and its global functions."""
    del language
    for node in top.named_children:
        named, is_function = node.child_by_field_name("name"), node.type == "function_declaration"
        if node.type == "assignment_statement":
            names = next((part for part in node.named_children if part.type == "variable_list"), None)
            named = names.named_children[0] if names is not None and names.named_child_count == 1 else None
            is_function = "function_definition" in [
                part.type for rows in node.named_children for part in rows.named_children
            ]
        if (
            named is None
            or node.type not in ("function_declaration", "assignment_statement")
            or text(node).startswith("local")
        ):
            continue
        field = named.child_by_field_name("field") or named.child_by_field_name("method")
        if field is not None or (named.type == "identifier" and node.type == "function_declaration"):
            is_method = named.type == "method_index_expression"
            owner = text(named.child_by_field_name("table")) if is_method else ""
            kind = "method" if is_method else "function" if is_function else "constant"
            yield Definition(text(field or named), kind, owner, node.start_point[0] + 1, _head(node))


_OWN_WALKS: Mapping[str, Callable[[Node, NodeNames], Iterator[Definition]]] = {"elixir": _elixir, "lua": _lua}


def _owner_name(node: Node) -> str:
    if node.type == "impl_item":
        return _bare(text(node.child_by_field_name("type")))
    return defined_name(node)


def _receiver(node: Node) -> str:
    """The type of a method of Go; the class of a method that C++ defines outside of it."""
    receiver = node.child_by_field_name("receiver")
    if receiver is not None and node.type == "method_declaration":
        words = re.findall(r"\w+", text(receiver))
        return words[-1] if words else ""
    declared = node.child_by_field_name("declarator")
    while declared is not None and declared.type != "qualified_identifier":
        declared = declared.child_by_field_name("declarator")
    return text(declared.child_by_field_name("scope")).rpartition("::")[2] if declared is not None else ""


def defined_name(node: Node) -> str:
    """The name that a node defines; empty if it defines more than one."""
    found = node.child_by_field_name("name")
    if found is None and node.type == "assignment":
        found = node.child_by_field_name("left")
    if found is None:
        found = node.child_by_field_name("declarator")
        while (
            found is not None
            and (
                below := found.child_by_field_name("declarator")
                or (found.child_by_field_name("name") if found.type == "qualified_identifier" else None)
            )
            is not None
        ):
            found = below
    if found is None and node.type in (
        "property_declaration",
        "class_declaration",
        "object_declaration",
        "enum_entry",
        "type_alias",
    ):
        parts = [
            part
            for part in node.named_children
            if part.type in ("identifier", "type_identifier", "variable_declaration")
        ]
        found = parts[0] if parts else None
        if found is not None and found.type == "variable_declaration":
            found = found.named_children[0] if found.named_children else None
    if found is None and node.type.startswith(("val_", "var_")):
        found = node.child_by_field_name("pattern")
    if found is not None and found.type in ("pattern", "user_type") and found.named_child_count:
        found = found.child_by_field_name("bound_identifier") or found.named_children[-1]
    said = text(found)
    return said if re.fullmatch(r"[A-Za-z_$][\w$]*", said) else ""


def _head(node: Node) -> str:
    body = node.child_by_field_name("body")
    end = body.start_byte if body is not None else node.end_byte
    return " ".join((node.text or b"")[: end - node.start_byte].decode("utf-8", "replace").split())[:400]


def _arguments(node: Node, language: NodeNames, member: bool) -> tuple[int, int]:
    """The least and the most positional arguments; of Swift those with a label, too."""
    if language.name == "swift":
        return _swift_arity(node)
    first = text(next((part for part in node.children_by_field_name("parameters") if part.type == "parameters"), None))
    if language.name == "scala" and (not first or re.match(r"\(\s*(?:implicit|using)\b|\([^()]*\*", first)):
        return -1, -1
    return _arity(node, language, member)


def _arity(node: Node, language: NodeNames, member: bool) -> tuple[int, int]:
    listed = next((part for part in node.children_by_field_name("parameters") if part.type != "type_parameters"), None)
    declared = node.child_by_field_name("declarator")
    while listed is None and declared is not None:
        listed, declared = declared.child_by_field_name("parameters"), declared.child_by_field_name("declarator")
    if listed is None:
        listed = next((part for part in node.named_children if part.type == "function_value_parameters"), None)
    above = node.parent
    if (
        listed is None
        or (above is not None and above.type in ("decorated_definition", "template_declaration"))
        or "..." in text(listed)
    ):
        return -1, -1
    least = most = 0
    for part in listed.named_children:
        if "comment" in part.type or part.type in RECEIVERS:
            continue
        said = text(part)
        if (
            VARIADIC.search(part.type)
            or said.startswith(("*", "&block"))
            or language.name == "kotlin"
            or "params " in said
        ):
            return -1, -1
        if said == "void" and language.name in ("c", "c++"):
            continue
        count = max(1, len(part.children_by_field_name("name"))) if language.name == "go" else 1
        most += count
        least += 0 if "optional" in part.type or "default" in part.type or re.search(r"[^=!<>]=[^=>]", said) else count
    if language.name == "python" and member:
        if "staticmethod" in text(above):
            return -1, -1
        least, most = least - 1, most - 1
    return least, most


def _swift_arity(node: Node) -> tuple[int, int]:
    """Arguments with labels count, since a call writes them in the order of the parameters."""
    kinds = [part.type for part in node.children]
    if not node.type.endswith("function_declaration") or "..." in _head(node):
        return -1, -1
    most = kinds.count("parameter")
    return most - sum(before == "=" for before in kinds[: kinds.index(")") if ")" in kinds else 0]), most


def places(path: str, source: bytes, name: str) -> tuple[Place, ...]:
    """Every identifier of a file that is spelt so; never in strings or comments."""
    language = node_names(path)
    if language is None or len(source) > MOST_BYTES:
        return ()
    found, top = [], root(path, source)
    for match in re.finditer(rb"(?<![\w$])" + re.escape(name.encode()) + rb"(?![\w$])", source):
        node = top.descendant_for_byte_range(match.start(), match.end())
        if node is not None and node.type in language.words and node.end_byte - node.start_byte == len(match[0]):
            found.append(_place(node, language))
    return tuple(found)


def _place(node: Node, language: NodeNames) -> Place:
    around: list[Node] = []
    above = node.parent
    while above is not None and len(around) < FAR:
        around.append(above)
        above = above.parent
    form, receiver, callee = _form(node, around, language)
    call, given = _call(node, callee, language)
    return Place(node.start_point[0] + 1, form, receiver, call, given, _is_guarded(around), node)


def _form(node: Node, around: list[Node], language: NodeNames) -> tuple[str, str, Node]:
    if any(above.type in language.imports for above in around[:7]):
        return "import", "", node
    above = around[0] if around else None
    if above is None:
        return "name", "", node
    if above.type in language.members:
        owner, name = language.members[above.type]
        held = above.child_by_field_name(owner) if owner else above.named_children[0]
        if above.type == "navigation_suffix" and above.parent is not None:
            return "member", " ".join(text(above.parent.child_by_field_name("target")).split())[:200], above.parent
        own = above.child_by_field_name(name) == node if name else above.named_children[-1] == node
        if own and held is not None and held != node:
            outer = above.parent
            assigned = (
                outer is not None and re.search("assignment", outer.type) and outer.child_by_field_name("left") == above
            ) or (
                language.name == "lua" and outer is not None and outer.type in ("variable_list", "function_declaration")
            )
            return ("definition" if assigned else "member"), " ".join(text(held).split())[:200], above
    if (
        above.type in ("pair", "keyword_argument", "named_argument")
        and above.named_children
        and above.named_children[0] == node
    ):
        return "key", "", node
    return ("definition" if _defines(node, around) else "name"), "", node


def _defines(node: Node, around: list[Node]) -> bool:
    """Whether an identifier gets its meaning here."""
    above = around[0]
    if _named_here(node, above):
        return True
    if above.type == "assignment_pattern" or node.type == "shorthand_property_identifier_pattern":
        return above.child_by_field_name("right") != node
    if above.type in ASSIGNING:
        return above.child_by_field_name("left") == node
    if above.type == "expression_list" and len(around) > 1:
        return around[1].child_by_field_name("left") == above and around[1].type in LISTED
    return above.type in DECLARATORS


def _named_here(node: Node, above: Node) -> bool:
    fields = [above.child_by_field_name(name) for name in ("name", "pattern", "declarator")]
    values = [above.child_by_field_name(name) for name in ("type", "value", "default_value")]
    if DEFINING.search(above.type) and node in fields:
        return True
    if above.type in BINDERS and node not in values:
        return True
    plain = above.type in ("class_declaration", "object_declaration", "enum_entry", "type_alias")
    return plain and node.type.endswith("identifier") and above.named_children[0] == node


def _call(node: Node, callee: Node, language: NodeNames) -> tuple[bool, int]:
    holder = callee if callee.type in language.named_calls else None
    above = callee.parent
    if (
        holder is None
        and node.parent is not None
        and node.parent.type in language.named_calls
        and callee == node
        and node.parent.child_by_field_name("name") == node
    ):
        holder = node.parent
    if (
        holder is None
        and node.parent is not None
        and node.parent.type == "call"
        and language.name == "ruby"
        and node.parent.child_by_field_name("method") == node
    ):
        holder = node.parent
    if holder is None and above is not None and above.type in language.calls:
        first = (
            above.child_by_field_name("function")
            or above.child_by_field_name("constructor")
            or above.child_by_field_name("type")
            or above.named_children[0]
        )
        holder = above if first == callee else None
    if holder is None:
        return False, -1
    listed = holder.child_by_field_name("arguments") or next(
        (part for part in holder.named_children if part.type in ("value_arguments", "arguments", "argument_list")), None
    )
    if listed is None and language.name == "swift":
        return _swift_arguments(holder)
    is_curried = language.name == "scala" and holder.parent is not None and holder.parent.type == "call_expression"
    if (
        is_curried
        or listed is None
        or any(part.type in SPREAD for part in listed.named_children)
        or "..." in text(listed)
    ):
        return True, -1
    if any(
        part.type in ("value_argument", "argument")
        and (part.child_by_field_name("name") is not None or re.match(r"\w+\s*[:=][^=:]", text(part)))
        for part in listed.named_children
    ):
        return True, -1
    if any(part.type in ("annotated_lambda", "lambda_literal", "block", "do_block") for part in holder.named_children):
        return True, -1
    above = holder.parent
    is_piped = language.name == "elixir" and above is not None and text(above.child_by_field_name("operator")) == "|>"
    extra = int(is_piped and above is not None and above.child_by_field_name("right") == holder)
    return True, extra + sum("comment" not in part.type for part in listed.named_children)


def _swift_arguments(holder: Node) -> tuple[bool, int]:
    """The arguments of a call with their labels; unknown if a closure follows them."""
    found = next((part for part in holder.named_children if part.type.endswith("_suffix")), None)
    listed = found.named_children if found is not None else []
    if [part.type for part in listed] != ["value_arguments"] or not text(listed[0]).startswith("("):
        return bool(listed), -1
    return True, sum(part.type == "value_argument" for part in listed[0].named_children)


def _is_guarded(around: list[Node]) -> bool:
    for above in around:
        if above.type in ("try_statement", "with_statement", "begin", "rescue", "if_statement") and GUARDS.search(
            text(above)[:4000] if above.type != "if_statement" else text(above.child_by_field_name("condition"))
        ):
            return True
        if above.type in ("preproc_ifdef", "optional_chain", "preproc_if") and above.type == "optional_chain":
            return True
        if above.type == "unary_expression" and text(above).startswith("typeof"):
            return True
    return (
        "?." in text(around[0])[: len(text(around[0]))] if around and around[0].type == "member_expression" else False
    )


def _bare(text: str) -> str:
    return re.sub(r"<.*", "", text, flags=re.DOTALL).strip("&*? ").rpartition("::")[2]
