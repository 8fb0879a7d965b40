"""Prepare the test process's fork server like that of a server with a configured model."""

from functools import cache

import pytest

from bot.machine.processes import ProcessLimits
from bot.wiring import child
from bot.wiring.child import ChildPipe


@cache
def preload() -> None:
    """Load the model library into the fork server once, so that not every child has to load it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DEEPREPO_WORKER", "compatible/worker")
        child.call(_nothing, caps=ProcessLimits())


async def _nothing(_: ChildPipe) -> None:
    """Do nothing: the first child only waits until everything is loaded."""


# A kernel filter that makes `prctl` claim success without installing another filter, as in some containers.
UNLOCKED = """
import ctypes, platform, struct
number = {"x86_64": 157, "aarch64": 167}[platform.machine()]
rows = [(0x20, 0, 0, 0), (0x15, 0, 3, number), (0x20, 0, 0, 16), (0x15, 0, 1, 22), (6, 0, 0, 0x50000), (6, 0, 0, 0x7FFF0000)]
code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *row) for row in rows))
library = ctypes.CDLL(None)
assert not library.prctl(38, *map(ctypes.c_ulong, (1, 0, 0, 0)))
assert not library.prctl(22, ctypes.c_ulong(2), struct.pack("@HP", len(rows), ctypes.addressof(code)))
"""
