"""What every language needs to look at text that somebody else wrote: caps before patterns, and lines without counting twice.

A pattern costs at least one step a character, and a careless one costs the square. The patterns of this package are linear; the
caps keep what they are given small where nobody writes more: a configuration file, a line, a word.
"""

import re
from bisect import bisect_left
from functools import cached_property

CONFIG_BYTES = 64 << 10  # of a configuration file; a larger one is not read
CONFIGS_BYTES = 16 << 20  # of all configuration files of a language together
LINE_BYTES = 2_000  # a longer line was written by a program
MOST_IMPORTS = 20_000  # statements and qualified names of one file that are resolved
SCOPE_BYTES = 200_000  # of a definition in which the class of a name is looked for
_BREAK = re.compile(rb"\n")


def config(source: bytes) -> bytes:
    """A configuration file as patterns and parsers may see it: nothing of one above the cap, and long lines left empty."""
    if len(source) > CONFIG_BYTES:
        return b""
    return b"\n".join([line if len(line) <= LINE_BYTES else b"" for line in source.split(b"\n")])


def line_until(source: bytes, at: int) -> bytes:
    """The line up to a position; of a long one only its last bytes before it."""
    start = max(0, at - LINE_BYTES)
    return source[max(source.rfind(b"\n", start, at) + 1, start) : at]


class Lines:
    """The 1-based line of a position: counted once, however many positions are asked for."""

    def __init__(self, code: bytes) -> None:
        self._code = code

    @cached_property
    def _breaks(self) -> list[int]:
        return [match.start() for match in _BREAK.finditer(self._code)]

    def at(self, position: int) -> int:
        """The line on which a position lies."""
        return bisect_left(self._breaks, position) + 1
