"""Parse a file of any type that has a grammar."""

from tree_sitter import Language as Grammar
from tree_sitter import Node

from deeprepo.impact.filetypes import FileType, filetype
from deeprepo.impact.parsing import grammar, root_of


def grammar_of(file_type: FileType) -> Grammar | None:
    """Return the grammar of a file type, loaded on first use; None if it is not installed."""
    return grammar(file_type.grammar[0], file_type.grammar[1]) if file_type.is_installed else None


def tree_of(path: str, source: bytes) -> Node | None:
    """Return the root of a file's syntax tree; None if it has no grammar or parsing takes too long."""
    language = grammar_of(filetype(path))
    return root_of(language, source) if language is not None else None
