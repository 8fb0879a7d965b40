"""A server whose language plug-ins misbehave on certain files.

`python hanging.py FOLDER` reviews pull requests with such files and prints the results as JSON. It is a
separate program because a server's child processes import its main module, and with it these plug-ins.
"""

import asyncio
import json
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import benchmarks.hostile_server  # noqa: F401 - it adds the language

if TYPE_CHECKING:
    from whole import Whole


async def reviewed(at: "Whole", number: int) -> dict[str, Any]:
    """Wait for the pull request's review; return its check's conclusion and summary and all comments."""
    await at.until(lambda: any(check.status == "completed" for check in at.gh.pull(number).checks))
    (check,) = at.gh.pull(number).checks
    comments = [c.body for c in at.gh.pull(number).comments]
    return {"conclusion": check.conclusion, "check": check.summary, "comment": "".join(comments)}


def family() -> list[int]:
    """Return the process IDs of all descendants of this process."""
    found = [os.getpid()]
    for pid in found:
        for task in Path(f"/proc/{pid}/task").iterdir():
            with suppress(FileNotFoundError):  # a thread ended in between
                found += map(int, (task / "children").read_text().split())
    return found[1:]


async def main(folder: Path) -> dict[str, Any]:
    """Review one pull request per kind of misbehavior, plus one with five crashing files."""
    from whole import BROKEN, whole  # imported here so that the child processes do not load it

    async with whole(folder, review_cpu_seconds=1, review_memory_mb=512) as at:
        changes = {name: {f"a.{name}": "one\n"} for name in ("hang", "grow", "crash")}
        changes["many"] = {f"{n}.crash": "one\n" for n in range(5)}
        numbers = [await at.opened(name, {**BROKEN, **files}) for name, files in changes.items()]
        done = await asyncio.gather(*(reviewed(at, number) for number in numbers))
        told: dict[str, Any] = dict(zip(changes, done, strict=True))
        told["processes"] = len(family())
        told["left"] = [str(path) for path in (at.data / "work").iterdir()]
    return told


if __name__ == "__main__":
    sys.stdout.write(json.dumps(asyncio.run(main(Path(sys.argv[1])))))
