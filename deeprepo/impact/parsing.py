"""Load grammars and parse files, with caches and a time limit."""

import re
import time
from functools import lru_cache
from importlib import import_module
from itertools import accumulate, count

from tree_sitter import Language, Node, Parser, Tree

from deeprepo.impact.kept import Kept

PARSING = 2.0  # seconds of computing per file; usual code takes a second for 5 MB
AT_ONCE = 8_000  # bytes; shorter code cannot take long
PIECE = 65_536  # bytes
STEPS = 64  # parser steps between two checks of the time, since a check costs as much as a step
KEPT = 8_000_000  # bytes of code whose trees are cached; a tree takes about twenty times its text's memory
DEEPEST = 300  # levels of brackets
USUAL = 32  # levels
OTHERS = bytes(byte for byte in range(256) if byte not in b"([{)]}")
ALIKE = bytes.maketrans(b"[{]}", b"(())")  # all kinds of brackets count as one
STEP = {ord("("): 1, ord(")"): -1}
STRINGS = re.compile(rb"""\"(?:[^"\\]|\\.)*+\"|`(?:[^`\\]|\\.)*+`|'(?:[^'\\\n]|\\.)*+'""", re.DOTALL)
# If none of them is closed, a parser tries each as the start of type arguments, and may use gigabytes.
MOST_ANGLES = 100
ANGLES = re.compile(rb"(?:<[^<>;(){}]{0,200}+){%d}" % MOST_ANGLES)


@lru_cache
def grammar(module: str, function: str) -> Language:
    """Return a grammar, loaded on first use."""
    return Language(getattr(import_module(module), function)())


_TREES = Kept[tuple[Language, bytes], tuple[Tree | None]](KEPT)  # several steps of a review need the same files


def root_of(language: Language, source: bytes) -> Node | None:
    """Return the root of a file's syntax tree; None if parsing takes too long."""
    key = language, source
    kept = _TREES.get(key)
    if kept is None:
        kept = (in_time(language, source),)
        _TREES.put(key, kept, len(source))
    return kept[0].root_node if kept[0] is not None else None


def refuse(language: Language, source: bytes) -> None:
    """Make `root_of` return None for a file whose tree takes too long to query."""
    _TREES.put((language, source), (None,), len(source))


def in_time(language: Language, source: bytes) -> Tree | None:
    """Return the syntax tree; None if it takes too long.

    Some grammars need quadratic time for some texts. Only a parser that is fed in pieces can be stopped, and
    a tree without its text is useless. So longer code is parsed on trial first, and then again based on that
    tree, which takes a fraction of the time.
    """
    if len(source) <= AT_ONCE:
        return Parser(language).parse(source)
    end, steps = time.thread_time() + PARSING, count(1)

    def piece(at: int, _: object) -> bytes:
        return source[at : at + PIECE]

    def is_late(_: int, __: bool) -> bool:
        return next(steps) % STEPS == 0 and time.thread_time() > end

    try:
        trial = Parser(language).parse(piece, progress_callback=is_late)
    except ValueError:  # stopped
        return None
    return Parser(language).parse(source, trial)


def has_open_angles(source: bytes) -> bool:
    """Return whether a source seems to open many type arguments that it does not close."""
    return source.count(b"<") >= MOST_ANGLES and ANGLES.search(source) is not None


def too_deep(source: bytes) -> bool:
    """Return whether the brackets of a source are nested too deeply, outside of strings."""
    return _is_deep(source) and _is_deep(STRINGS.sub(b"", source))


def _is_deep(source: bytes) -> bool:
    brackets = source.translate(ALIKE, OTHERS)
    left = brackets
    for _ in range(USUAL):  # usual code is finished quickly: each turn removes the innermost level
        if len(left) <= DEEPEST - USUAL:
            return False
        left = left.replace(b"()", b"")
    level, lowest = 0, 0
    for level in accumulate(STEP[byte] for byte in brackets):
        lowest = min(lowest, level)
        if level - lowest > DEEPEST:
            return True
    return False
