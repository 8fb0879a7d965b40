"""Find the members of named objects and of objects that functions return: hooks, composables, stores, factories."""

from collections import Counter
from collections.abc import Iterator, Mapping

from tree_sitter import Node

from deeprepo.impact.defaults import Member
from deeprepo.impact.reading.marks import CASTS, bare
from deeprepo.impact.reading.nodes import text

FUNCTIONS = frozenset({
    "arrow_function", "function_expression", "generator_function", "function_declaration", "generator_function_declaration",
    "method_definition",
})  # fmt: skip
KEYS = ("property_identifier", "private_property_identifier", "shorthand_property_identifier")
RESULT = "()"  # suffix of a function's name for the object that it returns
Functions = Mapping[str, tuple[Node, Node]]  # name -> the defining statement and the function


def members(owner: str, value: Node) -> Iterator[Member]:
    """Yield the members of a named value; for a function, also those of its result."""
    value = bare(value, CASTS)
    name = text(value.child_by_field_name("name")) or owner
    if value.type == "object":
        yield from (one for part in value.named_children for one in _member(part, owner))
    elif value.type in FUNCTIONS:
        yield from _returned(value, name + RESULT, with_values=True)
        yield from _given(value)
    elif value.type == "call_expression":
        callee = bare(value.child_by_field_name("function") or value, CASTS)
        is_called = callee.type in FUNCTIONS
        yield from _returned(callee if is_called else _handed(value), owner if is_called else owner + RESULT)


def _member(
    part: Node, owner: str, functions: Functions | None = None, *, with_values: bool = True
) -> Iterator[Member]:
    """Yield a member of an object; `functions`: those that the object's names may refer to."""
    key = next((one for name in ("key", "name", "property") if (one := part.child_by_field_name(name))), part)
    value = part.child_by_field_name("value") or part
    if part.type == "assignment_expression":
        key = (part.child_by_field_name("left") or part).child_by_field_name("property") or part
        value = part.child_by_field_name("right") or part
    if key.type == "string" and key.named_child_count == 1:
        key = key.named_children[0]
    elif key.type not in KEYS:
        return
    value = bare(value, CASTS)
    is_accessor = part.type == "method_definition" and part.children[0].type in ("get", "set")
    if value.type in FUNCTIONS and not is_accessor:
        yield Member(owner, key, part, value)
    elif functions and text(value) in functions:
        place, function = functions[text(value)]
        is_made = function.parent is not None and function.parent.type == "arguments"
        yield Member(owner, key, place, function, is_made)
    elif with_values:
        yield Member(owner, key, part, None)


def _returned(function: Node | None, owner: str, *, with_values: bool = False) -> Iterator[Member]:
    """Yield the members of the object that a function returns, written in place or bound to a name."""
    body = function.child_by_field_name("body") if function is not None else None
    if body is None:
        return
    rows = [row for row in body.named_children if row.type != "comment"] if body.type == "statement_block" else []
    given = rows[-1].named_children if rows and rows[-1].type == "return_statement" else []
    last = given[0] if given else body if body.type != "statement_block" else None
    value = bare(last, CASTS) if last is not None else None
    functions = _functions(rows)
    parts: list[Node] = []
    if value is not None and value.type == "identifier":
        named = [one for one in _declared(rows) if text(one.child_by_field_name("name")) == text(value)]
        parts = _assigned(rows, text(value))
        value = named[0].child_by_field_name("value") if len(named) == 1 else None
    made = _object(value)
    is_plain = made is not None and value is not None and made == bare(value, CASTS)
    for part in [*made.named_children, *parts] if made is not None else []:
        yield from _member(part, owner, functions, with_values=with_values and is_plain)


def _given(function: Node) -> Iterator[Member]:
    """Yield the functions that a function assigns to members of its parameters.

    Example: `module.exports = (Posts) => { Posts.load = ... }`.
    """
    body, parameters = function.child_by_field_name("body"), function.child_by_field_name("parameters")
    rows = body.named_children if body is not None and body.type == "statement_block" else []
    names = {text(one.child_by_field_name("pattern") or one) for one in parameters.named_children} if parameters else ()
    for name in names:
        for part in _assigned(rows, name):
            yield from _member(part, name, with_values=False)


def _handed(call: Node) -> Node | None:
    """Return the last argument of a call that is a function."""
    passed = call.child_by_field_name("arguments")
    return next((one for one in reversed(passed.named_children if passed else []) if one.type in FUNCTIONS), None)


def _declared(rows: list[Node]) -> list[Node]:
    return [part for row in rows for part in row.named_children if part.type == "variable_declarator"]


def _functions(rows: list[Node]) -> Functions:
    """Return the functions that statements name.

    A call with a function, such as `useCallback((x) => ...)`, counts as it.
    """
    found = [(text(row.child_by_field_name("name")), row, row) for row in rows if row.type in FUNCTIONS]
    for part in _declared(rows):
        value = bare(part.child_by_field_name("value") or part, CASTS)
        made = _handed(value) if value.type == "call_expression" else value
        if made is not None and made.type in FUNCTIONS and part.parent is not None:
            found.append((text(part.child_by_field_name("name")), part.parent, made))
    times = Counter(name for name, *_ in found)
    return {name: (place, function) for name, place, function in found if times[name] == 1}


def _assigned(rows: list[Node], name: str) -> list[Node]:
    """Return the assignments `name.member = ...` among statements."""
    parts = [part for row in rows for part in row.named_children if part.type == "assignment_expression"]
    lefts = [(part, part.child_by_field_name("left")) for part in parts]
    return [part for part, left in lefts if left is not None and text(left.child_by_field_name("object")) == name]


def _object(value: Node | None) -> Node | None:
    """Return the object that a value is, or that it passes to a call: `reactive({})`, `useMemo(() => ({}), [])`."""
    inner = bare(value, CASTS) if value is not None else None
    passed = inner.child_by_field_name("arguments") if inner is not None and inner.type == "call_expression" else None
    if passed is not None and passed.named_children:
        inner = bare(passed.named_children[0], CASTS)
        body = inner.child_by_field_name("body") if inner.type == "arrow_function" else None
        inner = bare(body, CASTS) if body is not None else inner
    return inner if inner is not None and inner.type == "object" else None
