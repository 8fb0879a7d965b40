"""How long the GitHub Action's own steps take: its scripts are run as they are in action.yml, against the sandbox GitHub.

    python -m benchmarks.action [--rounds 3] [--cold]

--cold also measures the first run on a repository, which downloads everything; the others find pip's downloads in the cache. What
the actions take that it uses (actions/setup-python, actions/cache) is GitHub's own and not in these figures.
"""

import argparse
import asyncio
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import Any

import yaml

from benchmarks.table import Row, Run, measured, report
from deeprepo_sandbox import github as sandbox

ROOT = Path(__file__).parents[1]
WARM_SECONDS, START_SECONDS = 15.0, 3.0
BASE = {
    "shop.py": "def total(items, tax):\n    return sum(items)\n",
    "cart.py": "from shop import total\n\ntotal([1], 2)\n",
}
CHANGED = {"shop.py": "def total(items):\n    return sum(items)\n"}
SCRIPTS: Mapping[str, str] = {
    step["id"]: step["run"]
    for step in yaml.safe_load((ROOT / "action.yml").read_text())["runs"]["steps"]
    if "run" in step
}


def main() -> int:
    """Run every measurement; the exit code says whether the promises hold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--cold", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-") as scratch:
        folder = Path(scratch)
        cold = [_installed(folder)] if asked.cold else []
        if not asked.cold:
            _installed(folder)  # fills the cache
        warm = [_installed(folder) for _ in range(asked.rounds)]
        reviews = asyncio.run(_reviews(folder, asked.rounds))
    rows = [_row("install, nothing in the cache", cold, None)] if cold else []
    rows += [
        _row("install, downloads in the cache", warm, WARM_SECONDS),
        _row("a review offline, posted", reviews, START_SECONDS),
    ]
    return report("action", rows)


def _row(what: str, runs: list[Run], limit: float | None) -> Row:
    """Computing is promised: how long one waits for it depends on the disk and on who else is there."""
    return Row(
        what,
        median(run.cpu for run in runs),
        limit,
        "s of computing",
        f"{median(run.wall for run in runs):.1f} s in all",
    )


def _step(name: str, env: Mapping[str, str]) -> Run:
    done = measured(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", SCRIPTS[name]], env)
    if done.status:
        raise SystemExit(f"the step {name} failed:\n{done.out}")
    return done


def _installed(folder: Path) -> Run:
    """An environment of its own, as every job makes one."""
    place = folder / "home"
    shutil.rmtree(place, ignore_errors=True)
    env = {"BASE_PYTHON": sys.executable, "PLACE": str(place), "WHEELS": str(folder / "wheels")}
    return _step("install", {**env, "PIP_NO_CACHE_DIR": "1", "GITHUB_ACTION_PATH": str(ROOT)})


async def _reviews(folder: Path, rounds: int) -> list[Run]:
    """The step that reviews, each time on a pull request of its own; the first one also compiles what it imports."""
    runs = []
    async with sandbox.github(folder / "github") as gh:
        repo = await gh.repository("acme", "shop", files=BASE)
        for n in range(rounds + 1):
            await repo.commit(f"feature-{n}", CHANGED)
            with gh.holding() as held:
                await repo.open_pull(f"feature-{n}")
            env = _environment(gh, repo, folder, held[0].payload)
            runs.append(await asyncio.to_thread(_step, "review", env))
    return runs[:1] if rounds < 1 else runs[1:]


def _environment(gh: sandbox.GitHub, repo: sandbox.Repo, folder: Path, payload: Any) -> dict[str, str]:  # noqa: ANN401 - JSON
    (folder / "event.json").write_text(json.dumps(payload))
    keys = {name: "" for name in os.environ if name.endswith("_API_KEY")}
    token = gh.actions_token(repo, {"contents": "read", "pull_requests": "write"})
    return {
        **keys,
        "PLACE": str(folder / "home"),
        "DEEPREPO_ACTION_GITHUB_TOKEN": token,
        "DEEPREPO_WRITE_PAUSE": "0",
        "GITHUB_API_URL": gh.api,
        "GITHUB_EVENT_NAME": "pull_request",
        "GITHUB_EVENT_PATH": str(folder / "event.json"),
        "GITHUB_REPOSITORY": "acme/shop",
        "GITHUB_STEP_SUMMARY": str(folder / "summary"),
        "GITHUB_WORKSPACE": str(folder),
    }


if __name__ == "__main__":
    raise SystemExit(main())
