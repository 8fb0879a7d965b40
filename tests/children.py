"""Prepare the test process's fork server like that of a server with a configured model."""

from functools import cache

import pytest

from bot.machine.limits import ProcessLimits
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
