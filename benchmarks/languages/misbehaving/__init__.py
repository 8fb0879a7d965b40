"""A language whose files cannot be parsed: *.hang never ends, *.grow takes all memory, and *.crash ends the process."""

import os
import re
import signal

from deeprepo.impact.language import Language

GROWTH = 64 << 20


def hang() -> None:
    """Keep the interpreter's lock forever."""
    re.match(r"(a|aa)+$", "a" * 200 + "b")


def grow() -> None:
    """Allocate memory until none is left."""
    blocks = []
    while True:
        blocks.append(bytearray(GROWTH))


def crash() -> None:
    """End the process like a library with a memory error."""
    os.kill(os.getpid(), signal.SIGSEGV)


class Misbehaving(Language, frozen=True):
    """A language that fails like a library, pattern or parser with a bug that we haven't found yet."""

    def code(self, source: bytes) -> bytes:
        """Misbehave, unless the file is empty."""
        if source:
            {"hang": hang, "grow": grow, "crash": crash}[self.name]()
        return source
