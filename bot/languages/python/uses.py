"""What an identifier does where it is in a Python file, and which class a receiver is known to be."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial

from tree_sitter import Node

from bot.languages.constructions import Construction, nodes_of
from bot.languages.syntax import Form, Shape, ancestors, arguments, text
from impact.language import languages

CLASSES = frozenset({"class_definition"})
LONGEST = 200  # characters of what is called
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
# Settings for which Django itself has a value, by how their names begin.
DJANGO_DEFAULTS = re.compile(
    "ABSOLUTE_URL|ADMINS|ALLOWED_HOSTS|APPEND_SLASH|AUTH|CACHE|CSRF_|DATA_UPLOAD|DATABASE|DATE|DEBUG|DECIMAL_|DEFAULT_|DISALLOWED_"
    "|EMAIL_|FILE_UPLOAD|FIRST_DAY|FIXTURE_|FORCE_SCRIPT|FORM|IGNORABLE_|INSTALLED_APPS|INTERNAL_IPS|LANGUAGE|LOCALE_|LOGGING|LOGIN_"
    "|LOGOUT_|MANAGERS|MEDIA_|MESSAGE_|MIDDLEWARE|MIGRATION_|MONTH_DAY|NUMBER_|PASSWORD_|PREPEND_|SECRET_KEY|SECURE_|SERVER_EMAIL"
    "|SESSION_|SHORT_DATE|SIGN|SILENCED_|STATIC|STORAGES|TEMPLATES|TEST_|THOUSAND_|TIME_|USE_|WSGI_|X_FRAME|YEAR_MONTH"
)
NAME = r"\w++(?:\.\w++)*+"
CLASS = r"(?:\w++\.)*+_*+[A-Z]\w*+"
# What is given to a name. One line may give several: what stands behind is looked at and not consumed.
ASSIGNED = re.compile(rf"(?<![\w.])({NAME})\s*+=(?!=)\s*+(?=([^\n]{{1,200}}))")
ANNOTATED = re.compile(
    rf"(?:(^[ \t]*+)|(?<![\w.]))({NAME})\s*+:(?=\s*+(?:Optional\[)?[\"']?({CLASS})(?!\[))", re.MULTILINE
)
BOUND = re.compile(rf"\b(?:for|as)\s++({NAME})")
BUILT = re.compile(rf"(?:await\s++)?({CLASS})\(")
PASSED = re.compile(r"(\w++)\s*+(?:#.*)?$")
CLASS_LIKE = re.compile(CLASS)

passed = partial(arguments, languages()[".py"].calls)


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


def _is_guarded(node: Node, around: list[Node]) -> bool:
    """Whether a `try`, `suppress` or `raises` around it foresees exactly the failure that its absence brings, or Django has a default."""
    if DJANGO_DEFAULTS.match(text(node)) and around and text(around[0].child_by_field_name("object")) == "settings":
        return True
    is_import = any(above.type in ("import_statement", "import_from_statement") for above in around[:5])
    foreseen = FORESEEN_IMPORT if is_import else FORESEEN_USE
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
        function_text = text(receiver.child_by_field_name("function"))
        if function_text == "super":
            return _own(receiver)[1:]
        return (function_text,) if CLASS_LIKE.fullmatch(function_text) else ()
    receiver_text = text(receiver)
    if receiver_text in ("self", "cls"):
        return _own(receiver)
    if receiver.type == "identifier":
        function = next((above for above in ancestors(receiver) if above.type == "function_definition"), None)
        return _class_of(function if function is not None else _root(receiver), receiver_text)
    if re.fullmatch(r"self\.\w+", receiver_text):
        holder = next((above for above in ancestors(receiver) if above.type == "class_definition"), None)
        return _class_of(holder, receiver_text, receiver_text[5:]) if holder is not None else ()
    return ()


def _root(node: Node) -> Node:
    return list(ancestors(node))[-1]


def _own(node: Node) -> tuple[str, ...]:
    """The class around a node and the classes it inherits from."""
    holder = next((above for above in ancestors(node) if above.type == "class_definition"), None)
    if holder is None:
        return ()
    superclasses = holder.child_by_field_name("superclasses")
    bases = [text(base) for base in superclasses.named_children] if superclasses is not None else []
    return (text(holder.child_by_field_name("name")), *bases)


@dataclass(frozen=True, slots=True)
class NameClasses:
    """What the names of a stretch of code are given, told by reading it once."""

    values: Mapping[str, list[str]]  # what stands behind `=`, as far as it tells a class
    classes: Mapping[str, list[str]]  # annotations
    fields: Mapping[str, list[str]]  # those of names that begin a line, as fields of a class do
    others: frozenset[str]  # names behind `for` and `as`


@lru_cache(maxsize=64)
def _name_classes(scope: Node) -> NameClasses:
    code = text(scope)
    values: dict[str, list[str]] = defaultdict(list)
    classes: dict[str, list[str]] = defaultdict(list)
    fields: dict[str, list[str]] = defaultdict(list)
    for match in ASSIGNED.finditer(code):
        values[match[1]].append(match[2])
    for match in ANNOTATED.finditer(code):
        if match[3] not in ("Any", "Optional", "Union"):
            classes[match[2]].append(match[3])
            if match[1] is not None:
                fields[match[2]].append(match[3])
    return NameClasses(values, classes, fields, frozenset(BOUND.findall(code)))


def _class_of(scope: Node, target: str, attribute: str = "") -> tuple[str, ...]:
    """The one class that a name is given in this stretch of code: `x = Class(...)`, `x: Class`, or a parameter so annotated."""
    name_classes = _name_classes(scope)
    class_names = {*name_classes.classes.get(target, ()), *name_classes.fields.get(attribute, ())}
    for value in name_classes.values.get(target, ()):  # an annotated one has told already
        construction, parameter = BUILT.match(value), PASSED.match(value)
        if construction:
            class_names.add(construction[1])
        elif parameter and parameter[1] != "None":
            class_names.update(name_classes.classes.get(parameter[1]) or {"?"})
        elif not parameter:
            class_names.add("?")
        if len(class_names) > 1:
            return ()
    if not class_names and target in name_classes.others:
        class_names.add("?")
    return (class_names.pop(),) if len(class_names) == 1 and "?" not in class_names else ()


def constructions(holder: Node) -> Iterator[Construction]:
    """The calls of a class in its own methods that write no name: `cls(1)`, `self.__class__(1)`, `type(self)(1)`."""
    body, superclasses = holder.child_by_field_name("body"), holder.child_by_field_name("superclasses")
    members = [part.child_by_field_name("definition") or part for part in body.named_children] if body else []
    methods = [part for part in members if part.type == "function_definition"]
    if superclasses is not None and any(text(base) == "type" for base in superclasses.named_children):
        return  # a class of classes: its `cls` is another one
    for method in methods:
        parameters = method.child_by_field_name("parameters")
        first = text(parameters.named_children[0]) if parameters is not None and parameters.named_children else ""
        for call in nodes_of(method, "call", CLASSES) if first else ():
            argument_list = call.child_by_field_name("arguments")
            if argument_list is not None and _is_own_class(call.child_by_field_name("function"), first):
                yield holder.child_by_field_name("name"), call, passed(argument_list)


def _is_own_class(callee: Node | None, first: str) -> bool:
    """Whether what is called is the class around a method. `first`: its first parameter."""
    if callee is not None and callee.type == "subscript":
        callee = callee.child_by_field_name("value")  # `cls[int](1)`
    plain = "".join(text(callee)[:LONGEST].split())
    return plain in {f"{first}.__class__", f"type({first})"} or plain == first == "cls"


SHAPE = Shape(
    identifiers=frozenset({"identifier"}),
    members={"attribute": ("object", "attribute")},
    calls={"call": ("function", "arguments")},
    imports=frozenset({"import_statement", "import_from_statement"}),
    scopes=SCOPES,
    arguments=passed,
    is_guarded=_is_guarded,
    form=_form,
    types=_types,
    assignments={"assignment": ("left", "right")},
)
