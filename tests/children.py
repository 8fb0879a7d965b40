"""The fork server of a process that runs tests, started as that of a server whose operator has named a model."""

from functools import cache

import pytest

from bot.machine.limits import ProcessLimits
from bot.wiring import child
from bot.wiring.child import ChildPipe


@cache
def preload() -> None:
    """Have it load the library behind the models once: else each child that asks one would load it again, which takes longer than a review."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DEEPREPO_WORKER", "compatible/worker")
        child.call(_nothing, caps=ProcessLimits())


async def _nothing(_: ChildPipe) -> None:
    """The first child waits until everything is loaded."""
