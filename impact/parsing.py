"""Syntax trees: a grammar is loaded once, a file is parsed once, and no parser takes more than its share of time."""

import time
from functools import lru_cache
from importlib import import_module

from tree_sitter import Language, Node, Parser, Tree

PARSING = 2.0  # seconds of computing for one file; usual code takes a second for 5 MB
AT_ONCE = 8_000  # bytes of code that cannot take long
PIECE = 65_536  # bytes


@lru_cache(maxsize=32)
def grammar(module: str, function: str) -> Language:
    """A grammar, loaded when the first file asks for it."""
    return Language(getattr(import_module(module), function)())


@lru_cache(maxsize=6)
def root_of(language: Language, source: bytes) -> Node | None:
    """The root of a file's syntax tree, None if its parser takes too long.

    The last trees are kept, and few: they take many times the memory of their texts, and hardly one is asked for again later.
    """
    tree = in_time(language, source)
    return tree.root_node if tree is not None else None


def in_time(language: Language, source: bytes) -> Tree | None:
    """The syntax tree, None if it takes too long. Some grammars take the square of the length of some texts; which, nobody knows.

    Only a parser that is fed in pieces can be stopped, and a tree without its text is of no use: so longer code is parsed
    on trial, and a second time with the parts of that first tree, which takes a fraction of the time.
    """
    if len(source) <= AT_ONCE:
        return Parser(language).parse(source)
    end = time.thread_time() + PARSING

    def piece(at: int, _: object) -> bytes:
        return source[at : at + PIECE]

    try:
        trial = Parser(language).parse(piece, progress_callback=lambda _, __: time.thread_time() > end)
    except ValueError:  # stopped
        return None
    return Parser(language).parse(source, trial)
