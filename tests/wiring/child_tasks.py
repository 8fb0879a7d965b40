"""Tasks for child processes. Run as a program, it starts a child that never ends and prints its PIDs."""

import asyncio
import gc
import os
import re
import subprocess
import sys
import time
from pathlib import Path

from bot.errors import StorageError
from bot.machine.processes import ProcessLimits
from bot.wiring import child
from bot.wiring.child import ChildPipe
from deeprepo.impact.in_hand import reading

CAPS = ProcessLimits(memory=512 << 20, cpu=1, wall=120.0)


async def echo(line: ChildPipe, *given: object) -> tuple[object, ...]:
    """Return the arguments."""
    line.say("one")
    return given


async def variables(_: ChildPipe) -> set[str]:
    """Return the names of the child's environment variables."""
    return set(os.environ)


async def loaded(_: ChildPipe, module: str) -> bool:
    """Return whether the module is loaded."""
    return module in sys.modules


async def collections(_: ChildPipe) -> int:
    """Return the garbage collector's first threshold."""
    return gc.get_threshold()[0]


async def raises(_: ChildPipe, error: Exception) -> None:
    """Raise this error."""
    raise error


async def hang(_: ChildPipe, path: str) -> None:
    """Compute forever while holding the interpreter's lock."""
    reading(path)
    re.match(r"(a|aa)+$", "a" * 200 + "b")


async def steady(_: ChildPipe, seconds: float) -> float:
    """Compute for longer than the limit, but yield to the event loop regularly."""
    while (used := time.process_time()) < seconds:  # noqa: ASYNC110 - it computes
        await asyncio.sleep(0)
    return used


async def swell(_: ChildPipe) -> None:
    """Start a program that exceeds the memory limit."""
    code = "x=[]\nwhile True: x.append(b'y'*(32<<20))"
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", code)
    await process.wait()
    await asyncio.Event().wait()


async def waits(line: ChildPipe, folder: Path) -> str:
    """Wait until cancelled, and then close what is open."""
    (folder / "begun").write_text(str(os.getpid()))
    line.say("begun")
    try:
        await asyncio.Event().wait()
    finally:
        (folder / "closed").touch()
    return ""


async def keeps(line: ChildPipe) -> str:
    """Put lines and wait until they are stored. Retry after a failure and return its message."""
    line.put("one")
    line.put("two")
    try:
        await line.wait_stored()
    except StorageError as error:
        await line.wait_stored()
        return str(error)
    return ""


async def forever(line: ChildPipe) -> None:
    """Start a program and never end."""
    held = subprocess.Popen(["sleep", "1000"])  # noqa: ASYNC220 - nobody waits
    line.say(f"{os.getpid()} {held.pid}")
    await asyncio.Event().wait()


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(child.run(forever, caps=ProcessLimits(cpu=1000), say=_say))
