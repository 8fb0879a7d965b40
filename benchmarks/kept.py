"""What DEEPREPO_CACHE is worth: CPU seconds of the dependents of real commits, git's included, and that the answers are the same.

    python -m benchmarks.kept CLONE --suffixes .py .pyi [--commits 10]

Four passes over the newest commits, each in a process of its own: without a cache, filling an empty one, with the filled one, and
over the commits before them with what these have left, beside the same without.
"""

import argparse
import asyncio
import multiprocessing
import tempfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from benchmarks.dependents_time import commits, used
from bot import dependents, diff
from bot.checkout import Checkout
from bot.dependents.kept import kept
from bot.languages import LANGUAGES
from bot.values import Dependents, PullRequest


def main() -> None:
    """Print a line per pass."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clone", type=Path)
    parser.add_argument("--suffixes", nargs="+", default=[".py"])
    parser.add_argument("--commits", type=int, default=10)
    asked = parser.parse_args()
    every = [commit for commit, _ in commits(asked.clone, tuple(asked.suffixes))]
    newest, before = every[: asked.commits], every[asked.commits : 2 * asked.commits]
    with tempfile.TemporaryDirectory() as folder:
        plain, expected = _pass("without", asked.clone, newest, None)
        for title in ("filling", "filled"):
            seconds, found = _pass(title, asked.clone, newest, folder)
            assert found == expected, "the cache changed an answer"
            print(f"   {seconds / plain - 1:+.0%}")
        plain, expected = _pass("the commits before, without", asked.clone, before, None)
        seconds, found = _pass("the commits before, with what is kept", asked.clone, before, folder)
        assert found == expected, "the cache changed an answer"
        print(f"   {seconds / plain - 1:+.0%}")


def _pass(title: str, clone: Path, chosen: list[str], folder: str | None) -> tuple[float, list[Dependents]]:
    """One pass in a fresh process: what a process remembers of its own must not count."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        own, git, found = pool.submit(_timed, clone, chosen, folder).result()
    print(f"{title}: {own + git:.2f} CPU seconds ({own:.2f} ours, {git:.2f} git's), {len(found)} commits", flush=True)
    return own + git, found


def _timed(clone: Path, chosen: list[str], folder: str | None) -> tuple[float, float, list[Dependents]]:
    found, own, git = [], 0.0, 0.0
    for commit in chosen:
        seconds, kids, said = asyncio.run(_found(PullRequest("", "", f"{commit}^", commit, "", "", str(clone)), folder))
        own, git = own + seconds, git + kids
        found.append(said)
    return own, git, found


async def _found(pull: PullRequest, folder: str | None) -> tuple[float, float, Dependents]:
    async with Checkout(pull) as tree:
        files = diff.read(await tree.change())
    began = used()
    async with Checkout(pull) as tree:
        said = await dependents.find(tree, files, kept(LANGUAGES, folder, print) if folder else LANGUAGES)
    now = used()
    return now[0] - began[0], now[1] - began[1], said


if __name__ == "__main__":
    main()
