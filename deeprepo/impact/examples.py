"""Which code of a file only shows or tests the product: a documentation string, or a test that stands beside what it tests."""

import re

from tree_sitter import Node

from deeprepo.impact.nodes import ancestors
from deeprepo.impact.syntax import tree_of

# How an attribute, an annotation or a decorator says that what bears it is a test: `#[cfg(test)]`, `@ParameterizedTest`, `[TestMethod]`.
TESTS = re.compile(r"(?<![a-zA-Z])(?:py|unit|rs)?[Tt]est|[a-z]Test")
TESTS_NOT = re.compile(r"\bnot\s*\(\s*test")
MARK = re.compile(r"attribute|annotation|decorator|modifiers")
DOCUMENTS = re.compile(r"@(?:\w*doc)\b")  # an attribute that holds documentation
STATEMENTS = ("expression_statement", "module", "block")


def is_example(path: str, source: bytes, line: int) -> bool:
    """Return whether a line (the first is 1) is part of a documentation string or of code that is marked as a test; False for a file without a grammar."""
    root = tree_of(path, source)
    if root is None:
        return False
    text = source.split(b"\n")[line - 1] if line <= source.count(b"\n") + 1 else b""
    column = len(text) - len(text.lstrip())
    node = root.descendant_for_point_range((line - 1, column), (line - 1, len(text.rstrip())))
    return node is not None and any(_is_documentation(one) or _is_test(one) for one in (node, *ancestors(node)))


def _is_documentation(node: Node) -> bool:
    """Whether a node is a string that nothing takes, or one that an attribute for documentation has."""
    if node.type == "unary_operator":
        return DOCUMENTS.match(_text(node)) is not None
    is_alone = node.parent is not None and node.parent.type in STATEMENTS and node.parent.named_child_count == 1
    return node.type == "string" and is_alone


def _is_test(node: Node) -> bool:
    """Whether a mark above a definition, or in its head, makes a test of it."""
    marks = [one for one in node.children if MARK.search(one.type)]
    above = node.prev_named_sibling
    while above is not None and MARK.search(above.type):
        marks.append(above)
        above = above.prev_named_sibling
    return any(TESTS.search(text) and not TESTS_NOT.search(text) for text in map(_text, marks))


def _text(node: Node) -> str:
    return (node.text or b"")[:400].decode("utf-8", "replace")
