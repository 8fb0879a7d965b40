"""Two hundred repositories in one installation: what the index of packages costs, and what a review pays for looking at consumers.

    PYTHONPATH=tests:tests/workflow python -m benchmarks.consumers [--repositories 200] [--reviews 20]

On a sandbox GitHub with a real server. Of the repositories a third takes the package of the reviewed one, of which a review looks at 40. One cannot be
fetched, one is larger than is fetched, one has a hostile manifest. The limits: 600 s of background work, 200 MB of database, 3 s more at p95.
"""

import argparse
import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import children
from whole import Whole, whole

from bot.workflow import clones, consumers
from deeprepo_sandbox import github as sandbox

MOST_INDEX, MOST_BYTES, MOST_MORE = 600.0, 200_000_000, 3.0
PATIENCE = 1_200.0  # seconds
HUGE = consumers.MOST_BYTES + (8 << 20)
LIBRARY = {
    "pyproject.toml": '[project]\nname = "shop-prices"\nversion = "1.4.0"\n',
    "shop_prices/__init__.py": "from shop_prices.total import total\n",
    "shop_prices/total.py": "def total(items, tax):\n    return sum(items) * (1 + tax)\n",
    **{
        f"shop_prices/part{number}.py": f"def part{number}(value):\n    return value + {number}\n"
        for number in range(20)
    },
}
BROKEN = "def total(items):\n    return sum(items)\n"
USES = "from shop_prices import total\n\n\ndef pay{number}(items):\n    return total(items, 0.{number})\n"
LINES = {".deeprepo.yml": "as_consumer: lines\n"}
GONE, LARGE, HOSTILE = "aa-gone", "aa-large", "aa-hostile"


def user(number: int) -> dict[str, str]:
    """A repository that takes the package, with some files that use it."""
    files = {f"app/use{at}.py": USES.format(number=at) for at in range(5)}
    files |= {f"app/other{at}.py": f"def other{at}(value):\n    return value * {number}\n" for at in range(15)}
    return {"requirements.txt": "shop-prices>=1.2,<2\nflask==3.0\n", **files, **LINES}


def other(number: int) -> dict[str, str]:
    """A repository that takes other packages and offers one of its own."""
    takes = ", ".join(f'"package-{at}>=1"' for at in range(20))
    text = f'[project]\nname = "own-{number}"\nversion = "1"\ndependencies = [{takes}]\n'
    return {"pyproject.toml": text, **{f"own/part{at}.py": f"x = {at}\n" for at in range(15)}}


def main() -> int:
    """Measure, print, and say what is above its limit: 1 if anything is."""
    parser = argparse.ArgumentParser(description="consumers in an installation of many repositories")
    parser.add_argument("--repositories", type=int, default=200)
    parser.add_argument("--reviews", type=int, default=20)
    given = parser.parse_args()
    os.environ["DEEPREPO_CONSUMERS_SHOWN"] = "lines"
    with tempfile.TemporaryDirectory(prefix="consumers-") as folder:
        return asyncio.run(_measured(Path(folder), given.repositories, given.reviews))


async def _measured(folder: Path, repositories: int, reviews: int) -> int:
    children.preload()
    without = await _alone(folder / "alone", reviews)
    async with _town(folder / "town", repositories) as (at, library):
        seconds, problems, size = await _indexed(at, repositories)
        print(f"index: {repositories} repositories in {seconds:.0f} s of background work ({MOST_INDEX:.0f} s at most)")
        print(f"database: {size / 1e6:.1f} MB ({MOST_BYTES / 1e6:.0f} MB at most)")
        print("not read: " + "; ".join(f"{name}: {problem}" for name, problem in sorted(problems.items())))
        times, _ = await _reviewed(at, library, reviews, "near")
        more = _p95(times) - _p95(without)
        print(f"review without consumers: p50 {statistics.median(without):.1f} s, p95 {_p95(without):.1f} s")
        print(f"review with 40 consumers at hand: p50 {statistics.median(times):.1f} s, p95 {_p95(times):.1f} s")
        print(f"longer at p95: {more:.1f} s ({MOST_MORE:.0f} s at most)")
        clones.forget(at.data, [_id(at, GONE)])
        at.gh.fail("GET", f"{GONE}.git", sandbox.Fault(status=500, times=10_000))
        late, line = await _reviewed(at, library, max(2, reviews // 4), "gone")
        print(f"one of them cannot be fetched: p50 {statistics.median(late):.1f} s; {line}")
    wrong = [
        name
        for name, is_wrong in (
            ("the index took too long", seconds > MOST_INDEX),
            ("the database is too large", size > MOST_BYTES),
            ("a review is too much longer", more > MOST_MORE),
            ("a repository that cannot be read is not told", problems.keys() != {f"acme/{LARGE}"}),
            ("the review does not tell that one was not looked at", "39 of 40" not in line and repositories >= 130),
        )
        if is_wrong
    ]
    print("; ".join(wrong) or "every limit holds")
    return int(bool(wrong))


async def _alone(folder: Path, reviews: int) -> list[float]:
    """Seconds of reviews while the operator has not switched consumers on."""
    os.environ.pop("DEEPREPO_CONSUMERS", None)
    async with whole(folder) as at:
        library = await at.gh.repository("acme", "prices", files=LIBRARY, private=True)
        times, _ = await _reviewed(at, library, reviews, "near")
    return times


@asynccontextmanager
async def _town(folder: Path, repositories: int) -> AsyncIterator[tuple[Whole, sandbox.Repo]]:
    """A server with consumers switched on, and an installation of so many repositories, of which nothing is known yet."""
    os.environ["DEEPREPO_CONSUMERS"] = "owner"
    async with whole(folder) as at:
        at.gh.subscribe("push")
        library = await at.gh.repository("acme", "prices", files=LIBRARY, private=True)
        await at.gh.repository("acme", GONE, files=user(0), private=True)
        hostile = {"package.json": "[" * 500_000, "pyproject.toml": "a = " + "[" * 200_000, "go.mod": "(" * 900_000}
        await at.gh.repository("acme", HOSTILE, files=user(0) | hostile, private=True)
        await at.gh.repository("acme", LARGE, from_git=_large(folder / "large"), private=True)
        for number in range(repositories - 5):  # with the library, the three and the one of the stage
            files = user(number) if number % 3 == 0 else other(number)
            await at.gh.repository("acme", f"part-{number:03}", files=files, private=True)
        yield at, library


def _large(folder: Path) -> Path:
    """A repository of more bytes than are fetched, which no compression makes fewer."""
    for path, text in user(0).items():
        Path(folder, path).parent.mkdir(parents=True, exist_ok=True)
        Path(folder, path).write_text(text)
    Path(folder, "noise.bin").write_bytes(os.urandom(HUGE))
    who = ("-c", "user.name=a", "-c", "user.email=a@example.invalid", "-c", "core.compression=0")
    for words in (
        ("init", "--quiet", "--initial-branch=main"),
        ("add", "."),
        ("commit", "--quiet", "--message", "First"),
    ):
        subprocess.run(["git", *who, *words], cwd=folder, check=True)
    return folder


async def _indexed(at: Whole, repositories: int) -> tuple[float, dict[str, str], int]:
    """How long it takes until the index has every repository, what could not be read, and the bytes of the database."""
    began = time.monotonic()
    await at.gh.install()
    packages = at.server.store.packages
    async with asyncio.timeout(PATIENCE):
        while len(await packages.homes(at.gh.installation)) < repositories:
            await asyncio.sleep(0.5)
    seconds = time.monotonic() - began
    await at.quiet()
    homes = (await packages.homes(at.gh.installation)).values()
    size = sum(path.stat().st_size for path in at.data.glob("deeprepo.db*"))
    return seconds, {home.name: home.problem for home in homes if home.problem}, size


async def _reviewed(at: Whole, library: sandbox.Repo, reviews: int, name: str) -> tuple[list[float], str]:
    """Seconds from each pull request to the end of its check run; and what the last review tells of consumers."""
    times, line = [], ""
    for number in range(reviews):
        branch = f"{name}-{number}"
        await library.commit(branch, {"shop_prices/total.py": f"{BROKEN}# {branch}\n"})
        began = time.monotonic()
        pull = await library.open_pull(branch, title="Prices")

        def is_done(pull: int = pull) -> bool:
            return any(check.status == "completed" for check in at.gh.pull(pull, "acme/prices").checks)

        await at.until(is_done)
        times.append(time.monotonic() - began)
        await at.quiet()
        bodies = [one.body for one in at.gh.pull(pull, "acme/prices").comments]
        line = next((row for body in bodies for row in body.split("\n") if "repositories that use this one" in row), "")
    return times, line.strip("- *>")


def _id(at: Whole, name: str) -> int:
    repository = at.gh.world.repository("acme", name)
    assert repository is not None
    return repository.id


def _p95(times: list[float]) -> float:
    return sorted(times)[max(0, round(0.95 * len(times)) - 1)]


if __name__ == "__main__":
    sys.exit(main())
