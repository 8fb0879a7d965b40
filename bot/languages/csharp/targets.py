"""Objects of C# whose class their place tells: `Cart cart = new(1)`, `Cart Own { get; } = new(1)`, `Cart Make() => new(1)`."""

from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

from tree_sitter import Node, Query, QueryCursor

from bot.languages.constructions import Construction
from bot.languages.csharp.uses import passed
from bot.languages.syntax import DEPTH, ancestors, grammar_of, text
from bot.text.filetypes import CSHARP

# What a value passes as it is on the way to its declaration; what it returns passes statements too.
THROUGH = frozenset({
    "parenthesized_expression", "conditional_expression", "binary_expression", "switch_expression_arm", "switch_expression",
    "arrow_expression_clause", "variable_declarator", "equals_value_clause", "accessor_declaration", "accessor_list", "return_statement",
})  # fmt: skip
STATEMENTS = frozenset({
    "block", "if_statement", "else_clause", "for_statement", "foreach_statement", "while_statement", "try_statement", "catch_clause",
    "using_statement", "lock_statement", "switch_statement", "switch_body", "switch_section",
})  # fmt: skip
ASKS = frozenset({"variable_declaration", "property_declaration", "method_declaration", "local_function_statement"})
TASKS = frozenset({"Task", "ValueTask"})


def targets(root: Node) -> Iterator[Construction]:
    """The objects that are made without the name of their class, each with the name in the declaration that asks for it."""
    for creation in QueryCursor(_query()).captures(root).get("made", ()):
        argument_list = next((part for part in creation.named_children if part.type == "argument_list"), None)
        yield _asked(creation), creation, passed(argument_list)


@lru_cache(maxsize=1)
def _query() -> Query:
    grammar = grammar_of(CSHARP)
    if grammar is None:
        raise RuntimeError("a file of C# was parsed without its grammar")
    return Query(grammar, "(implicit_object_creation_expression) @made")


def _asked(creation: Node) -> Node | None:
    """The name of the class that the place of a new object asks for; None if it is an argument, an item, or is assigned."""
    is_returned = False
    for above in islice(ancestors(creation), DEPTH):
        if above.type in ASKS:
            return _name(above.child_by_field_name("type") or above.child_by_field_name("returns"))
        is_returned |= above.type == "return_statement"
        if above.type not in THROUGH and not (is_returned and above.type in STATEMENTS):
            return None
    return None


def _name(node: Node | None) -> Node | None:
    """The name of a type, or of what a task gives."""
    while node is not None and node.type != "identifier":
        if node.type == "generic_name" and text(node.named_children[0]) in TASKS:
            node = next(iter(node.named_children[-1].named_children), None)
        elif node.type == "generic_name":
            node = node.named_children[0]
        else:
            node = node.child_by_field_name("type" if node.type == "nullable_type" else "name")
    return node
