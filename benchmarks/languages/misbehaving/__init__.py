"""A language whose files cannot be parsed: *.hang never ends, *.grow takes all memory, and *.crash ends the process."""

import os
import re
import signal

from deeprepo.impact.language import Language

GROWTH = 64 << 20


def hang() -> None:
    """Hold the interpreter's lock for ever."""
    re.match(r"(a|aa)+$", "a" * 200 + "b")


def grow() -> None:
    """Take all the memory that there is."""
    held = []
    while True:
        held.append(bytearray(GROWTH))


def crash() -> None:
    """End like a library that is broken."""
    os.kill(os.getpid(), signal.SIGSEGV)


class Misbehaving(Language, frozen=True):
    """It stands for the library, the pattern and the parser that nobody knows yet."""

    def code(self, source: bytes) -> bytes:
        """Misbehave, unless the file is empty."""
        if source:
            {"hang": hang, "grow": grow, "crash": crash}[self.name]()
        return source
