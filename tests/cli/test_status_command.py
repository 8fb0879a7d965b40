import asyncio
import time
from pathlib import Path

import pytest
from recorded import Ended, deeprepo

from bot import storage
from bot.storage import FinishedReview
from bot.values import PullRef


def status(folder: Path, *arguments: str) -> Ended:
    """Run the command while no server is running."""
    env = {"COLUMNS": "120", "DEEPREPO_DATA": str(folder / "data"), "DEEPREPO_PORT": "9"}
    return deeprepo("status", *arguments, cwd=folder, **env)


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    """Store four reviews in two repositories; one is old, and one used a model with an unknown price."""
    (tmp_path / "data").mkdir()
    now = time.time()

    async def keep() -> None:
        async with storage.open_store(f"sqlite:///{tmp_path / 'data' / 'deeprepo.db'}") as store:
            for number, name, age, conclusion, usd in (
                (1, "shop", 60.0, "success", 0.25),
                (2, "shop", 3 * 86_400.0, "neutral", 0.5),
                (3, "tools", 120.0, "success", None),
                (4, "tools", 20 * 86_400.0, "success", 9.0),
            ):
                pull = PullRef(7, 3 if name == "shop" else 4, "acme", name, number)
                ended = now - age
                done = FinishedReview(
                    f"job-{number}",
                    "h",
                    "opened",
                    1,
                    ended - 12,
                    ended,
                    conclusion,
                    "parts",
                    2,
                    1000,
                    usd,
                    pull,
                    b"{}",
                    state="clean" if conclusion == "success" else "findings",
                )
                await store.reviews.save(done)

    asyncio.run(keep())
    return tmp_path


def test_costs_are_listed_by_repository_with_the_highest_first(stored: Path) -> None:
    """No server is needed, but its absence is printed first and sets the exit code."""
    done = status(stored)
    lines = [line.split() for line in done.stdout.splitlines()]
    assert done.returncode == 3
    assert done.stdout.startswith("server   http://127.0.0.1:9: not ready: no server answers")
    assert ["24", "hours", "2", "reviews,", "$0.25", "and", "1", "of", "unknown", "price"] in lines
    rows = [line[:6] for line in lines if line and line[0].startswith("acme/") and "#" not in line[0]]
    assert rows == [["acme/shop", "2", "1", "4", "2,000", "$0.75"], ["acme/tools", "1", "1", "2", "1,000", "$0.00"]]
    assert [line[0] for line in lines if line and "#" in line[0]] == [
        "acme/shop#1",
        "acme/tools#3",
        "acme/shop#2",
        "acme/tools#4",
    ]
