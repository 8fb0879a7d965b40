"""Our hook in a real pre-commit, beside pre-commit's own empty hook and a bare interpreter, in turns in one run.

`make bench-hook` prints p50 and p90 in seconds, seconds of computing, and what the hook starts and loads.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import yaml

from benchmarks.table import environment

ROOT = Path(__file__).parents[1]
FILES = 5
HOOK = [
    sys.executable,
    "-m",
    "bot",
    *["review", "--staged", "--effort", "none", "--fail-on", "high"],
]  # as .pre-commit-hooks.yaml has it
IMPORTS = "import bot.cli.reviewing, bot.wiring.local"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=20)
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory(prefix="bench-hook-") as folder:
        repo = Path(folder, "repo")
        env = _repository(repo, Path(folder))
        commands = {
            "a bare interpreter": [sys.executable, "-c", "pass"],
            "pre-commit, an empty hook": _pre_commit(Path(folder), "empty", ["true"]),
            "pre-commit, our hook": _pre_commit(Path(folder), "ours", HOOK),
            "our hook alone": HOOK,
            "its imports alone": [sys.executable, "-c", IMPORTS],
        }
        times: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
        for turn in range(runs + 1):
            for name, command in commands.items():
                taken = _taken(command, repo, env)
                times[name] += [taken] if turn else []  # the first turn fills caches
        print(f"{FILES} changed files, {runs} runs in turns, seconds")
        print(f"{'':28}{'p50':>8}{'p90':>8}{'cpu p50':>9}")
        for name, pairs in times.items():
            walls, cpus = zip(*pairs, strict=True)
            rank = statistics.quantiles(walls, n=10)[8] if len(walls) > 1 else walls[0]
            print(f"{name:28}{statistics.median(walls):8.3f}{rank:8.3f}{statistics.median(cpus):9.3f}")
        _loaded(repo, env)


def _repository(repo: Path, folder: Path) -> Mapping[str, str]:
    """A package of forty modules that use each other; five of them are changed and staged."""
    repo.mkdir()
    own = {"PYTHONPATH": str(ROOT), "PRE_COMMIT_HOME": str(folder / "cache"), "GIT_CONFIG_GLOBAL": os.devnull}
    env = environment(own)
    for number in range(40):
        _write(repo, number, "total")
    who = ("-c", "user.name=bench", "-c", "user.email=bench@localhost")
    for arguments in (["init", "-q"], ["add", "--all"], [*who, "commit", "-q", "-m", "before"]):
        subprocess.run(["git", *arguments], cwd=repo, env=env, check=True)
    for number in range(FILES):
        _write(repo, number, "amount")
    subprocess.run(["git", "add", "--all"], cwd=repo, env=env, check=True)
    return env


def _write(repo: Path, number: int, name: str) -> None:
    near = f"from shop.part{number - 1} import step{number - 1}\n\n\n" if number else ""
    call = f"    {name} = step{number - 1}({name})\n" if number else ""
    text = f"{near}def step{number}(value):\n    {name} = value + {number}\n{call}    return {name}\n"
    path = repo / "shop" / f"part{number}.py"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)


def _pre_commit(folder: Path, name: str, entry: Sequence[str]) -> list[str]:
    hook = {"id": name, "name": name, "language": "system", "entry": " ".join(entry), "pass_filenames": False}
    config = folder / f"{name}.yaml"
    config.write_text(yaml.safe_dump({"repos": [{"repo": "local", "hooks": [{**hook, "always_run": True}]}]}))
    return [sys.executable, "-m", "pre_commit", "run", "--config", str(config), "--hook-stage", "pre-commit"]


def _taken(command: Sequence[str], repo: Path, env: Mapping[str, str]) -> tuple[float, float]:
    """Seconds on the wall, and of computing by the command and all that it has started."""
    before, began = os.times(), time.perf_counter()
    done = subprocess.run(command, cwd=repo, env=env, capture_output=True, text=True, check=False)
    wall, after = time.perf_counter() - began, os.times()
    if done.returncode:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}: {done.stdout}{done.stderr}")
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return wall, used


def _loaded(repo: Path, env: Mapping[str, str]) -> None:
    """What takes longest to load. The times are those of one run; their order is what they tell."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", *HOOK[1:]], cwd=repo, env=env, capture_output=True, text=True, check=True
    )
    rows = [row.removeprefix("import time:").split("|") for row in done.stderr.splitlines() if row.startswith("import")]
    own = sorted(((int(mine), name.strip()) for mine, _, name in rows[1:]), reverse=True)
    print(f"\n{len(own)} modules are loaded; the longest, in ms: ", end="")
    print(", ".join(f"{name} {mine / 1000:.0f}" for mine, name in own[:8]))


if __name__ == "__main__":
    main()
