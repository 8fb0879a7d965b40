"""What a method of Ruby hands back, and how many values it gives to its block. The last value of a method is its result."""

from tree_sitter import Node

from bot.languages.results import LONGEST, own_nodes, value_of, values
from bot.languages.syntax import text
from bot.values import END, Results

SEQUENCES = frozenset({"body_statement", "then", "else", "begin", "parenthesized_statements", "do", "program"})
CLAUSES = frozenset({"rescue", "else", "ensure"})
MODIFIERS = frozenset({"if_modifier", "unless_modifier"})
LOOPS = frozenset({"while", "until", "while_modifier", "until_modifier"})
FAILS = frozenset({"raise", "fail", "exit", "abort", "throw"})
UNASKED = frozenset({"initialize"})  # what a call of it comes to is another thing


def of_method(node: Node) -> Results:
    """The forms of the result of a method."""
    name, body = text(node.child_by_field_name("name")), node.child_by_field_name("body")
    own = list(own_nodes(body)) if body is not None else []
    returns = {form for part in own if part.type == "return" for form in values(value_of(part))}
    counts = [
        len(part.named_children[0].named_children) if part.named_children else 0 for part in own if part.type == "yield"
    ]
    is_asked = name not in UNASKED and not name.endswith("=")
    return Results(
        frozenset(returns | _last(body)) if is_asked else frozenset(),
        block_values=min(counts) if counts else None,
    )


def _last(node: Node | None) -> set[str]:  # noqa: PLR0911 - one line for each form
    """The forms of the last value of a piece of code."""
    if node is None:
        return {END}
    kind = node.type
    if kind in SEQUENCES:
        return _of_sequence(node)
    if kind in ("if", "unless", "elsif"):
        return _last(node.child_by_field_name("consequence")) | _last(node.child_by_field_name("alternative"))
    if kind in MODIFIERS:
        return _last(node.child_by_field_name("body")) | {END}
    if kind in ("case", "case_match"):
        return _of_case(node)
    if kind == "rescue_modifier":
        return _last(node.child_by_field_name("body")) | _last(node.child_by_field_name("handler"))
    if kind in LOOPS:
        return {END}
    if kind == "assignment":
        return _last(node.child_by_field_name("right"))
    if kind == "return" or _is_failure(node):
        return set()
    return values(node)


def _of_sequence(node: Node) -> set[str]:
    parts = [part for part in node.named_children if part.type != "comment"]
    statements = [part for part in parts if part.type not in CLAUSES]
    other = next((part for part in parts if part.type == "else"), None)
    forms = _last(other if other is not None else statements[-1] if statements else None)
    for clause in parts:
        forms |= _last(clause.child_by_field_name("body")) if clause.type == "rescue" else set()
    return forms


def _of_case(node: Node) -> set[str]:
    """What the branches of a `case` come to; one of `case ... in` that no branch takes is an error."""
    parts = [part for part in node.named_children if part.type in ("when", "in_clause", "else")]
    forms = {
        form for part in parts for form in _last(part if part.type == "else" else part.child_by_field_name("body"))
    }
    is_whole = node.type == "case_match" or any(part.type == "else" for part in parts)
    return forms if is_whole else forms | {END}


def _is_failure(node: Node) -> bool:
    method = node.child_by_field_name("method") if node.type == "call" else node if node.type == "identifier" else None
    return method is not None and node.child_by_field_name("receiver") is None and text(method)[:LONGEST] in FAILS
