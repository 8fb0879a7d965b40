"""Work for child processes, and a parent of one: `python child_tasks.py` starts a child that never ends and says its numbers."""

import asyncio
import gc
import os
import re
import subprocess
import sys
import time
from pathlib import Path

from bot.errors import StorageError
from bot.machine.limits import ProcessLimits
from bot.wiring import child
from bot.wiring.child import ChildPipe
from deeprepo.impact.in_hand import reading

CAPS = ProcessLimits(memory=512 << 20, cpu=1, wall=120.0)


async def echo(line: ChildPipe, *given: object) -> tuple[object, ...]:
    """What was given."""
    line.say("one")
    return given


async def variables(_: ChildPipe) -> set[str]:
    """The names in the child's environment."""
    return set(os.environ)


async def loaded(_: ChildPipe, module: str) -> bool:
    """Whether a module was there before the child began."""
    return module in sys.modules


async def collections(_: ChildPipe) -> int:
    """After how many new objects they are looked through."""
    return gc.get_threshold()[0]


async def raises(_: ChildPipe, error: Exception) -> None:
    """Fail."""
    raise error


async def hang(_: ChildPipe, path: str) -> None:
    """Compute for ever with the interpreter's lock held."""
    reading(path)
    re.match(r"(a|aa)+$", "a" * 200 + "b")


async def steady(_: ChildPipe, seconds: float) -> float:
    """Compute for longer than the limit, and let the event loop turn in between."""
    while (used := time.process_time()) < seconds:  # noqa: ASYNC110 - it computes
        await asyncio.sleep(0)
    return used


async def swell(_: ChildPipe) -> None:
    """A program that the child starts takes more memory than both may."""
    code = "x=[]\nwhile True: x.append(b'y'*(32<<20))"
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", code)
    await process.wait()
    await asyncio.Event().wait()


async def waits(line: ChildPipe, folder: Path) -> str:
    """Wait until told to leave, and close what is open."""
    (folder / "begun").write_text(str(os.getpid()))
    line.say("begun")
    try:
        await asyncio.Event().wait()
    finally:
        (folder / "closed").touch()
    return ""


async def keeps(line: ChildPipe) -> str:
    """Put lines and wait until they are stored; what failed once is tried again."""
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
