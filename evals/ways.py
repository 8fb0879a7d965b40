"""Print which files of `bot` a webhook and a local review run through, and how often control moves between them.

Run it as `PYTHONPATH=.:sandbox:tests:tests/workflow python evals/ways.py [-v]`. It counts functions that are really
called, not imports. A move is a call whose caller is in another file.
"""

# ruff: noqa: S101, T201

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

ROOT = Path(__file__).resolve().parent.parent
TRACE = "WAYS_FOLDER"  # the variable that names the folder of the traces, for child processes
FOLDER = os.environ.get(TRACE, "")
STARTS: dict[CodeType, int] = {}  # where the frames of each function begin; a coroutine that continues is elsewhere
NEW_CALLS = Counter[tuple[str, str]]()  # by the files of the caller and of the called function
FILES = set[str]()


def _place(frame: FrameType | None) -> str:
    """The file of a frame, relative to the repository, if it is the product's."""
    name = frame.f_code.co_filename if frame is not None else ""
    path = name.removeprefix(f"{ROOT}/")
    return path if path != name and path.startswith(("bot/", "deeprepo/")) and path.endswith(".py") else ""


def _profile(frame: FrameType, event: str, _: object) -> None:
    if event != "call" or frame.f_code.co_name == "<module>" or not (here := _place(frame)):
        return
    FILES.add(here)
    if (
        frame.f_lasti == STARTS.setdefault(frame.f_code, frame.f_lasti)
        and (above := _place(frame.f_back))
        and above != here
    ):
        NEW_CALLS[above, here] += 1
    if here == "bot/wiring/child.py" and frame.f_code.co_name == "send":  # also what a child sends last
        _write(f"child-{os.getpid()}")


def _write(name: str) -> None:
    trace = {"files": sorted(FILES), "moves": [[*pair, count] for pair, count in NEW_CALLS.most_common()]}
    Path(FOLDER, f"{name}.json").write_text(json.dumps(trace))


def _start() -> None:
    FILES.clear()
    NEW_CALLS.clear()
    threading.setprofile(_profile)
    sys.setprofile(_profile)


async def _webhook(folder: Path) -> None:
    """A server reviews a pull request that forgets a caller, from the delivery to the posted comment."""
    from whole import whole

    async with whole(folder) as at:
        _start()
        number = await at.reviewed()
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]
        assert at.ending(number) is not None
        _write("server")


def _local(folder: Path) -> None:
    """`deeprepo review` without a model, of a change of three lines."""
    from bot import cli

    os.chdir(folder)
    cli.run(["review", "--quiet"])  # imports everything
    for name in [name for name in os.environ if name.startswith("DEEPREPO_") or name.endswith("_API_KEY")]:
        del os.environ[name]
    _start()
    cli.run(["review", "--quiet"])
    sys.setprofile(None)
    _write("local")


def _change(folder: Path) -> Path:
    from whole import BASE, BROKEN

    def git(*words: str) -> None:
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=folder, check=True)

    folder.mkdir()
    git("init", "-q", "-b", "main")
    for branch, files in (("main", BASE), ("feature", BROKEN)):
        git("checkout", "-q", "-B", branch)
        for path, text in files.items():
            (folder / path).parent.mkdir(exist_ok=True)
            (folder / path).write_text(text)
        git("add", "-A")
        git("commit", "-qm", branch)
    return folder


def _show(trace: dict[str, list[object]], name: str) -> None:
    ours = [path for path in trace["files"] if str(path).startswith("bot/")]
    moves = sum(int(str(row[2])) for row in trace["moves"])  # type: ignore[index]
    print(f"{name}: {len(ours)} files of bot, {len(trace['files']) - len(ours)} of deeprepo; {moves} moves")
    if "-v" in sys.argv:
        print(*(f"  {path}" for path in ours), sep="\n")
        print(*(f"  {count:5} {above} -> {below}" for above, below, count in trace["moves"][:30]), sep="\n")  # type: ignore[misc]


def main() -> None:
    """Trace both ways, each in a process of its own, and print what they came to."""
    with tempfile.TemporaryDirectory(prefix="ways-") as scratch:
        place = os.environ | {TRACE: scratch}
        change = _change(Path(scratch, "change"))
        for way, subject in (("webhook", Path(scratch, "whole")), ("local", change)):
            subprocess.run([sys.executable, __file__, way, str(subject)], env=place, check=True, stdout=sys.stderr)
        traces = [(path.stem, json.loads(path.read_text())) for path in sorted(Path(scratch).glob("*.json"))]
        children = [(name, trace) for name, trace in traces if name.startswith("child")]
        _show(max((trace for _, trace in children), key=lambda trace: len(trace["files"])), "child")
        for name, trace in traces:
            if not name.startswith("child"):
                _show(trace, name)


if FOLDER and __name__ == "__mp_main__":  # in a child process, which loads this file too
    _start()
if __name__ == "__main__":
    match sys.argv[1:]:
        case ["webhook", folder]:
            asyncio.run(_webhook(Path(folder)))
        case ["local", folder]:
            _local(Path(folder))
        case _:
            main()
