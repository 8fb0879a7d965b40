"""What a name does where it is in a PHP file, and which class a receiver is known to be."""

import re
from collections.abc import Iterator
from functools import lru_cache, partial
from itertools import islice

from tree_sitter import Node

from bot.languages.constructions import Construction, nodes_of
from bot.languages.php.outline import CLASSES
from bot.languages.spots import Spot, SpotGrammar
from bot.languages.syntax import DEPTH, MOST_USES, UNKNOWN, Form, ancestors, arguments, outermost, text, words
from bot.values import Call
from impact.language import languages

OWNERS = frozenset({"class_declaration"})  # a trait does not tell whose `self` it is
FUNCTIONS = frozenset({"function_definition", "method_declaration"})
MEMBERS = frozenset({
    "member_call_expression", "nullsafe_member_call_expression", "member_access_expression", "nullsafe_member_access_expression",
    "scoped_call_expression",
})  # fmt: skip
NAMED = CLASSES | FUNCTIONS | {"enum_case"}
QUALIFIED = frozenset({"qualified_name", "namespace_name", "relative_name"})
ASKED = re.compile(r"\b(?:function|class|interface|trait|enum|method|property)_exists\b|\bdefined\b|\bis_callable\b")
ASKING = {"if_statement": "condition", "conditional_expression": "condition", "binary_expression": "left"}
TRIED = "try_statement"
CLASS = r"\\?[A-Z][\w\\]*"
EXISTS = re.compile(r"(?:class|function|interface|trait|enum)_exists\s*+\(([^)]{0,1000})")
CAUGHT = re.compile(r"catch\s*\([^)]*\b(Error|Throwable)\b")

passed = partial(arguments, languages()[".php"].calls)


def spot(node: Node) -> Spot | None:
    """What a name does; None inside a namespace's own name."""
    above = node.parent
    if above is None or above.type in ("namespace_name", "variable_name"):
        return None
    around = list(islice(ancestors(node), DEPTH))
    if any(item.type == "namespace_use_declaration" for item in around[:5]):
        return Spot("import", is_guarded=_is_asked_for(text(node), around))
    if above.type in ("qualified_name", "relative_name"):
        return _plain(above, text(above), around[1:])
    if _last(node, above):
        return _member(node, above, around)
    form = _form(node, above)
    return Spot(form) if form else _plain(node, "", around)


def _last(node: Node, above: Node) -> bool:
    """Whether the name stands behind an arrow or two colons."""
    if above.type == "class_constant_access_expression":
        return above.named_children[-1] == node
    return above.type in MEMBERS and above.child_by_field_name("name") == node


def _form(node: Node, above: Node) -> Form | None:
    """Whether a definition or a named argument gives the name its place."""
    is_name = above.child_by_field_name("name") == node
    if (above.type in NAMED and is_name) or (above.type == "const_element" and above.named_children[0] == node):
        return "definition"
    return "key" if above.type == "argument" and is_name else None


def _is_asked_for(name: str, around: list[Node]) -> bool:
    """Whether the file asks anywhere if an imported name exists: the import itself never fails."""
    return name in _asked_for(around[-1])


@lru_cache(maxsize=8)
def _asked_for(root: Node) -> frozenset[str]:
    return frozenset(word for match in EXISTS.finditer(text(root)) for word in re.findall(r"\w++", match[1]))


def _plain(node: Node, name: str, around: list[Node]) -> Spot:
    above = around[0] if around else None
    call: Call | None = None
    if above is not None and above.type == "function_call_expression" and above.child_by_field_name("function") == node:
        call = passed(above.child_by_field_name("arguments"))
    elif above is not None and above.type in ("object_creation_expression", "attribute"):
        call = passed(next((part for part in above.named_children if part.type == "arguments"), None))
    return Spot("name", name=name, call=call, is_guarded=_is_guarded(text(node), around))


def _member(node: Node, above: Node, around: list[Node]) -> Spot:
    owner = above.child_by_field_name("object") or above.child_by_field_name("scope") or above.named_children[0]
    argument_list = above.child_by_field_name("arguments")
    call = passed(argument_list) if argument_list is not None else None
    return Spot("member", receiver=owner, types=types(owner), call=call, is_guarded=_is_guarded(text(node), around))


def constructions(holder: Node) -> Iterator[Construction]:
    """The objects that a class makes without a name: `new self(1)`, `new static(1)`, `new parent(1)`."""
    clause = next((part for part in holder.named_children if part.type == "base_clause"), None)
    base = clause.named_children[0] if clause is not None and clause.named_children else None
    if base is not None and base.type in QUALIFIED:
        base = base.named_children[-1]
    for creation in nodes_of(holder, "object_creation_expression", CLASSES | {"anonymous_class"}):
        word = text(creation.named_children[0]).lower() if creation.named_children else ""
        call = passed(next((part for part in creation.named_children if part.type == "arguments"), None))
        if word in ("self", "static"):
            yield holder.child_by_field_name("name"), creation, call
        elif word == "parent":
            yield base, creation, call


def _is_guarded(name: str, around: list[Node]) -> bool:
    """Whether the code around it asks first if it exists, or catches the error that its absence brings."""
    short = name.rpartition("\\")[2]
    for above in around:
        asking = ASKING.get(above.type)
        condition = text(above.child_by_field_name(asking))[:500] if asking else ""
        if ASKED.search(condition) and (asking == "left" or short in condition):
            return True
        clauses = [part for part in above.named_children if part.type == "catch_clause"] if above.type == TRIED else []
        if any(CAUGHT.match(text(part)[:200]) for part in clauses):
            return True
    return False


def types(receiver: Node) -> tuple[str, ...]:
    """The class that a receiver is known to be, as written in this file."""
    receiver_text = text(receiver)
    if receiver.type in ("name", "qualified_name"):
        return (receiver_text,)
    if receiver_text in ("$this", "self", "static", "parent"):
        return _own(receiver, parent=receiver_text == "parent")
    if receiver.type == "parenthesized_expression" and receiver.named_children:
        receiver = receiver.named_children[0]
    if receiver.type == "object_creation_expression" and receiver.named_children:
        return (text(receiver.named_children[0]),)
    if re.fullmatch(r"\$\w+", receiver_text):
        return _class_of(outermost(receiver, FUNCTIONS), receiver_text) or UNKNOWN
    if re.fullmatch(r"\$this->\w+", receiver_text):
        return _class_of(outermost(receiver, CLASSES), receiver_text, f"${receiver_text[7:]}") or UNKNOWN
    return UNKNOWN


def _own(node: Node, *, parent: bool) -> tuple[str, ...]:
    """The class around a node, or what it extends. Inside a class without a name that is another one."""
    for above in islice(ancestors(node), DEPTH):
        if above.type in ("anonymous_class", "trait_declaration"):
            return UNKNOWN
        if above.type in CLASSES:
            bases = [
                text(part)
                for item in above.named_children
                if item.type == "base_clause"
                for part in item.named_children
            ]
            return tuple(bases[:1]) or UNKNOWN if parent else (text(above.child_by_field_name("name")),)
    return UNKNOWN


@lru_cache(maxsize=MOST_USES)
def _class_of(scope: Node, variable: str, declaration: str = "") -> tuple[str, ...]:
    """The one class that a variable is given in this stretch of code: a typed parameter or property, `= new User(...)`."""
    code = words(scope).near(re.sub(r"^\$(?:this->)?", "", variable))
    class_names: set[str] = set()
    for name in map(re.escape, (variable, declaration) if declaration else (variable,)):
        class_names.update(re.findall(rf"(?<![|&\w\\])\??({CLASS})\s++&?(?:\.\.\.)?{name}\b(?!\s*=[^=]\s*new)", code))
        class_names.update(
            "?"
            for _ in re.finditer(rf"[|&]\s*\\?\w+\s+{name}\b|\bas\s+(?:\$\w+\s*=>\s*)?{name}\b|\.\.\.{name}\b", code)
        )
        for value in re.findall(rf"{name}\s*+=(?![=>])\s*+([^\n]*+)", code):
            construction = re.match(rf"new\s+({CLASS})", value)
            parameter = bool(declaration) and re.match(r"\$(\w+)\s*;", value)
            if construction:
                class_names.add(construction[1])
            elif parameter:
                parameter_text = words(scope).near(parameter[1])
                class_names.update(
                    re.findall(rf"(?<![|&\w\\])\??({CLASS})\s++\${parameter[1]}\b", parameter_text) or ["?"]
                )
            else:
                class_names.add("?")
    return (class_names.pop(),) if len(class_names) == 1 and "?" not in class_names else ()


READING = SpotGrammar(
    identifiers=frozenset({"name"}),
    scopes=CLASSES | FUNCTIONS,
    spot=spot,
)
