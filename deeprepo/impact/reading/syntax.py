"""Choose the grammar of a file, and parse the file within limits."""

import re

from tree_sitter import Language as Grammar
from tree_sitter import Node

from deeprepo.impact.language import Language, language_of, load
from deeprepo.impact.parsing import has_open_angles, root_of, too_deep
from deeprepo.impact.reading.memo import memo
from deeprepo.impact.reading.unreadable import TOO_LONG, Unreadable

LARGEST_FILE = 1_500_000  # bytes; larger files are not parsed
BUNDLE = 20_000  # bytes; a longer line means that the file is generated or bundled
NOT_ASCII = re.compile(rb"[\x80-\xff]")


def is_readable(source: bytes) -> bool:
    """Return whether a file is worth parsing: not too long, not nested too deeply and not a bundle."""
    if len(source) > LARGEST_FILE:
        return False
    if len(source) > BUNDLE and max(map(len, source.split(b"\n"))) > BUNDLE:
        return False
    return not too_deep(source) and not has_open_angles(source)


def parse(language: Language, source: bytes) -> Node | None:
    """Return the root of a file's syntax tree; None if the file is unreadable or parsing takes too long."""
    if not is_readable(source):
        return None
    code = source.replace(b"\0", b" ")
    if not code.isascii() and code.decode("utf-8", "ignore").encode() != code:
        # Queries read UTF-8 only; offsets are in bytes, so each byte is replaced by one.
        code = NOT_ASCII.sub(b"_", code)
    return root_of(language.grammar, language.code(code))


def root(language: Language, source: bytes) -> Node:
    """Return the root of a file's syntax tree. Raises `Unreadable`."""
    found = parse(language, source)
    if found is None:
        raise Unreadable(TOO_LONG)
    return found


@memo
def has_errors(language: Language, source: bytes) -> bool | None:
    """Return whether a file has syntax errors; None if it cannot be read."""
    root = parse(language, source)
    return root.has_error if root is not None else None


def language_for(path: str, source: bytes) -> Language | None:
    """Return the language of a file.

    Two grammars may share a suffix: the second one is chosen if only it parses the file without an error, or
    if the language puts it first.
    """
    language = language_of(path)
    if language is None or not language.otherwise:
        return language
    is_first = language.may_be_other(source)
    if is_first is False:
        return language
    other = [one for one in load(language.folder) if one.name == language.otherwise][-1]
    if is_first:
        return other if _reads(other, source) or not _reads(language, source) else language
    return language if _reads(language, source) or not _reads(other, source) else other


def _reads(language: Language, source: bytes) -> bool:
    """Return whether a file parses without an error."""
    return has_errors(language, source) is False


def grammar_of(path: str) -> Grammar | None:
    """Return the grammar that decides whether a file has errors; None if none can, or it is not installed."""
    language = language_of(path)
    return language.checker if language is not None and not language.unchecked else None


def tree_of(path: str, source: bytes) -> Node | None:
    """Return the root of a file's syntax tree; None if it has no grammar or parsing takes too long."""
    grammar = grammar_of(path)
    return root_of(grammar, source) if grammar is not None else None
