"""Recognize documentation strings, and tests next to the code that they test."""

import re

from tree_sitter import Node

from deeprepo.impact.reading.nodes import ancestors
from deeprepo.impact.reading.syntax import tree_of

# Attributes, annotations or decorators that mark a test: `#[cfg(test)]`, `@ParameterizedTest`,
# `[TestMethod]`.
TESTS = re.compile(r"(?<![a-zA-Z])(?:py|unit|rs)?[Tt]est|[a-z]Test")
TESTS_NOT = re.compile(r"\bnot\s*\(\s*test")
MARK = re.compile(r"attribute|annotation|decorator|modifiers")
DOCUMENTS = re.compile(r"@(?:\w*doc)\b")  # an attribute that contains documentation
STATEMENTS = ("expression_statement", "module", "block")


def is_example(path: str, source: bytes, line: int) -> bool:
    """Return whether a line (1-based) is in a documentation string or in marked test code.

    Return False for a file without a grammar.
    """
    root = tree_of(path, source)
    if root is None:
        return False
    text = source.split(b"\n")[line - 1] if line <= source.count(b"\n") + 1 else b""
    column = len(text) - len(text.lstrip())
    node = root.descendant_for_point_range((line - 1, column), (line - 1, len(text.rstrip())))
    return node is not None and any(_is_documentation(one) or _is_test(one) for one in (node, *ancestors(node)))


def _is_documentation(node: Node) -> bool:
    """Return whether a node is an unused string, or the string of a documentation attribute."""
    if node.type == "unary_operator":
        return DOCUMENTS.match(_text(node)) is not None
    is_alone = node.parent is not None and node.parent.type in STATEMENTS and node.parent.named_child_count == 1
    return node.type == "string" and is_alone


def _is_test(node: Node) -> bool:
    """Return whether a mark above or inside a definition makes it a test."""
    marks = [one for one in node.children if MARK.search(one.type)]
    above = node.prev_named_sibling
    while above is not None and MARK.search(above.type):
        marks.append(above)
        above = above.prev_named_sibling
    return any(TESTS.search(text) and not TESTS_NOT.search(text) for text in map(_text, marks))


def _text(node: Node) -> str:
    return (node.text or b"")[:400].decode("utf-8", "replace")
