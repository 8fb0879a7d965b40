"""Syntax trees: a grammar is loaded once, a file is parsed once, and no parser takes more than its share of time."""

import re
import time
from bisect import bisect_right
from functools import cached_property, lru_cache
from importlib import import_module
from itertools import accumulate, count

from tree_sitter import Language, Node, Parser, Tree

from deeprepo.impact.kept import Kept

PARSING = 2.0  # seconds of computing for one file; usual code takes a second for 5 MB
AT_ONCE = 8_000  # bytes of code that cannot take long
PIECE = 65_536  # bytes
STEPS = 64  # of a parser, between two looks at the clock: a look costs as much as a step
KEPT = 8_000_000  # bytes of code whose trees are kept: a tree takes some twenty times the memory of its text
DEEPEST = 300  # levels of brackets
USUAL = 32  # levels
OTHERS = bytes(byte for byte in range(256) if byte not in b"([{)]}")
ALIKE = bytes.maketrans(b"[{]}", b"(())")  # of which kind a bracket is does not matter
STEP = {ord("("): 1, ord(")"): -1}
# None of them closed: a parser would try each as the beginning of type arguments, to the end of the file, and take gigabytes.
MOST_ANGLES = 100
ANGLES = re.compile(rb"(?:<[^<>;(){}]{0,200}+){%d}" % MOST_ANGLES)


@lru_cache(maxsize=32)
def grammar(module: str, function: str) -> Language:
    """Return a grammar, loaded when the first file asks for it."""
    return Language(getattr(import_module(module), function)())


_TREES = Kept[tuple[Language, bytes], tuple[Tree | None]](
    KEPT
)  # several steps of a review ask for those of the same files


def root_of(language: Language, source: bytes) -> Node | None:
    """Return the root of a file's syntax tree, None if its parser takes too long."""
    key = language, source
    kept = _TREES.get(key)
    if kept is None:
        kept = (in_time(language, source),)
        _TREES.put(key, kept, len(source))
    return kept[0].root_node if kept[0] is not None else None


def refuse(language: Language, source: bytes) -> None:
    """Have `root_of` return None for a file whose tree takes too long to query."""
    _TREES.put((language, source), (None,), len(source))


def in_time(language: Language, source: bytes) -> Tree | None:
    """Return the syntax tree, None if it takes too long. Some grammars take the square of the length of some texts; which, nobody knows.

    Only a parser that is fed in pieces can be stopped, and a tree without its text is of no use: so longer code is parsed
    on trial, and a second time with the parts of that first tree, which takes a fraction of the time.
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
    """Return whether a source opens more type arguments than it closes, or seems to."""
    return source.count(b"<") >= MOST_ANGLES and ANGLES.search(source) is not None


def too_deep(source: bytes) -> bool:
    """Return whether the brackets of a source are nested more deeply than people write them; strings count, too."""
    brackets = source.translate(ALIKE, OTHERS)
    left = brackets
    for _ in range(USUAL):  # what people write is soon used up: each turn takes the innermost level away
        if len(left) <= DEEPEST - USUAL:
            return False
        left = left.replace(b"()", b"")
    level, lowest = 0, 0
    for level in accumulate(STEP[byte] for byte in brackets):
        lowest = min(lowest, level)
        if level - lowest > DEEPEST:
            return True
    return False


class Lines:
    """The 1-based line of a position: counted once, however many positions are asked for."""

    def __init__(self, code: bytes) -> None:
        self._code = code

    @cached_property
    def _starts(self) -> list[int]:
        return [*accumulate(map((1).__add__, map(len, self._code.split(b"\n")[:-1])), initial=0)]

    def at(self, position: int) -> int:
        """Return the line on which a position lies."""
        return bisect_right(self._starts, position)

    def span(self, line: int) -> tuple[int, int]:
        """Return where a line begins and ends, its line break included; nothing behind the last line."""
        starts = [*self._starts[line - 1 : line + 1], len(self._code), len(self._code)]
        return starts[0], starts[1]
