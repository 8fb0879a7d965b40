"""What hangs on a condition: the statement around it, its block, and what happens otherwise."""

import re
from dataclasses import dataclass

from tree_sitter import Node

from bot.languages.syntax import text
from deeprepo_evals.plant.grammar import PYTHON, Family

THROUGH = {"boolean_operator", "not_operator", "parenthesized_expression", "binary_expression", "unary_expression"}
FILTERS = {"if_clause"}
LOOPS = {"while_statement", "for_statement", "for_clause"}
RAISES = {"raise_statement", "throw_statement"}


@dataclass(frozen=True, slots=True)
class Branch:
    """An if statement, as far as a mutation asks about it."""

    statement: Node
    condition: Node
    block: Node
    other: Node | None  # else or elif
    last: Node  # the last statement of the block
    exits: bool

    @property
    def raises(self) -> bool:
        """Whether the block ends by raising."""
        return self.last.type in RAISES


def branch(statement: Node, kind: Family) -> Branch | None:
    """The parts of an if statement, None if it is not a plain one."""
    condition, block = statement.child_by_field_name("condition"), statement.child_by_field_name("consequence")
    if statement.type != "if_statement" or condition is None or block is None:
        return None
    if condition.type == "parenthesized_expression" and kind is not PYTHON and condition.named_child_count == 1:
        condition = condition.named_children[0]
    rows = statements(block)
    if not rows:
        return None
    other = statement.child_by_field_name("alternative")
    return Branch(statement, condition, block, other, rows[-1], rows[-1].type in kind.exits)


def statements(block: Node) -> list[Node]:
    """The statements of a block, comments left out."""
    inner = next((child for child in block.named_children if child.type == "statement_list"), block)
    return [child for child in inner.named_children if child.type != "comment"]


def decides(node: Node) -> Node | None:
    """The statement that a comparison decides: an if, a loop, a filter or a return; None where it is only a part of a value."""
    at, above = node, node.parent
    while above is not None and above.type in THROUGH and not _arithmetic(above):
        at, above = above, above.parent
    if above is None:
        return None
    if above.type in {"if_statement", *LOOPS}:
        return above if above.child_by_field_name("condition") == at else None
    if above.type in FILTERS or above.type == "return_statement":
        return above
    if above.type == "expression_list" and above.parent is not None and above.parent.type == "return_statement":
        return above.parent if above.named_child_count == 1 else None
    return None


def after(statement: Node) -> Node | None:
    """The statement that follows, if any."""
    found = statement.next_named_sibling
    while found is not None and found.type == "comment":
        found = found.next_named_sibling
    return found


def words(node: Node) -> set[str]:
    """The names and numbers that are in a node."""
    return set(re.findall(r"[A-Za-z_$][\w$]*|\d+(?:\.\d+)?", text(node)))


def same(one: Node | None, two: Node | None) -> bool:
    """Whether two nodes are written alike, blanks apart."""
    return " ".join(text(one).split()) == " ".join(text(two).split())


def _arithmetic(node: Node) -> bool:
    operator = node.child_by_field_name("operator")
    return node.type == "binary_expression" and operator is not None and operator.type not in {"&&", "||"}
