"""A review on the machine of whoever waits for it, in a child process: a file that never ends is left out there too."""

import asyncio
import sys
import threading
from collections.abc import Callable, Mapping
from typing import Any

from bot import pipeline
from bot.limits import Caps
from bot.values import Review, ReviewRequest
from bot.wiring import child, review, tasks
from bot.wiring.child import Watching

LOCAL = Caps(memory=4 << 30, cpu=60, nice=0)  # of a machine that has one thing to do


def reviewed(
    request: ReviewRequest, flags: Mapping[str, Any], scratch: str, watching: Callable[[], Watching]
) -> Review:
    """The review for the command line. `watching` shows progress.

    A process that has threads cannot be forked, and elsewhere than on Linux one should not be: there it computes itself.
    """
    if sys.platform == "linux" and threading.active_count() == 1:
        return child.alone(tasks.local, request, flags, scratch, caps=LOCAL, watching=watching)
    with watching() as say:
        return asyncio.run(pipeline.review(request, review.deps(flags, scratch, say)))


async def reviewed_aside(request: ReviewRequest, flags: Mapping[str, Any], scratch: str) -> Review:
    """The review for a process that answers others meanwhile."""

    async def attempt(left_out: Mapping[str, str]) -> Review:
        return await child.run(tasks.local, request, flags, scratch, left_out, caps=LOCAL)

    return await child.leaving_out(attempt)
