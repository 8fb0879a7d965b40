"""Print which files of `bot` a webhook and a local review run through, and how often control moves between them.

Run `PYTHONPATH=.:sandbox:tests python tests/workflow/ways.py`. Only calls count, not imports. A move is a call
whose caller is in another file.
"""

# ruff: noqa: T201

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from pathlib import Path
from types import CodeType, FrameType

from whole import BASE, BROKEN, whole

from benchmarks.around import committed
from bot import cli

ROOT = Path(__file__).resolve().parents[2]
FOLDER = os.environ.get("WAYS_FOLDER", "")  # where traced processes leave what they find
STARTS: dict[CodeType, int] = {}  # where the frames of each function begin; a coroutine that continues is elsewhere
MOVES = Counter[str]()
FILES = set[str]()


def _place(frame: FrameType | None) -> str:
    name = frame.f_code.co_filename.removeprefix(f"{ROOT}/") if frame is not None else ""
    return name if name.startswith(("bot/", "deeprepo/")) and name.endswith(".py") else ""


def _profile(frame: FrameType, event: str, _: object) -> None:
    if event != "call" or frame.f_code.co_name == "<module>" or not (here := _place(frame)):
        return
    FILES.add(here)
    is_new = frame.f_lasti == STARTS.setdefault(frame.f_code, frame.f_lasti)
    if is_new and (above := _place(frame.f_back)) not in ("", here):
        MOVES[f"{above} -> {here}"] += 1
    if here == "bot/wiring/child.py" and frame.f_code.co_name == "send":  # also what a child sends last
        _write(f"child {os.getpid()}")


def _write(name: str) -> None:
    Path(FOLDER, f"{name}.json").write_text(json.dumps([sorted(FILES), len(STARTS), MOVES]))


def _start() -> None:
    threading.setprofile(_profile)
    sys.setprofile(_profile)


async def _webhook() -> None:
    """A server reviews a pull request that forgets a caller, from the delivery to the posted comment."""
    async with whole(Path(FOLDER, "whole")) as at:
        _start()
        number = await at.opened()
        await at.until(lambda: at.ending(number) is not None)
        sys.setprofile(None)
        _write("server")


def _local() -> None:
    """`deeprepo review` of three changed lines, without a model, in a process that has run nothing before."""
    os.chdir(committed(Path(FOLDER, "local"), {"main": BASE, "feature": BROKEN}))
    _start()
    cli.main(["review", "--quiet"])
    sys.setprofile(None)
    _write("local")


def main() -> None:
    """Trace both ways, each in its own process, and print the results."""
    with tempfile.TemporaryDirectory(prefix="ways-") as scratch:
        for way in ("webhook", "local"):
            subprocess.run([sys.executable, __file__, way], env=os.environ | {"WAYS_FOLDER": scratch}, check=True)
        for path in sorted(Path(scratch).glob("*.json")):
            files, functions, moves = json.loads(path.read_text())
            ours = [file for file in files if file.startswith("bot/")]
            print(
                f"{path.stem}: {len(ours)} files of bot, {len(files) - len(ours)} of deeprepo; "
                f"{functions} functions, {sum(moves.values())} moves"
            )
            print(
                *(f"  {file}" for file in ours),
                *(f"  {count:5} {pair}" for pair, count in Counter(moves).most_common(20)),
                sep="\n",
            )


if FOLDER and __name__ == "__mp_main__":  # in a child process, which loads this file too
    _start()
if __name__ == "__main__":
    {"webhook": lambda: asyncio.run(_webhook()), "local": _local}.get(" ".join(sys.argv[1:]), main)()
