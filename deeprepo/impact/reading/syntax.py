"""Parse a file of any type that has a grammar."""

from tree_sitter import Language as Grammar
from tree_sitter import Node

from deeprepo.impact.language import language_of
from deeprepo.impact.parsing import root_of


def grammar_of(path: str) -> Grammar | None:
    """Return the grammar that decides whether a file has errors; None if none can, or it is not installed."""
    language = language_of(path)
    return language.checker if language is not None and not language.unchecked else None


def tree_of(path: str, source: bytes) -> Node | None:
    """Return the root of a file's syntax tree; None if it has no grammar or parsing takes too long."""
    grammar = grammar_of(path)
    return root_of(grammar, source) if grammar is not None else None
