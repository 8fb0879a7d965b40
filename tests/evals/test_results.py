import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import waits

from bot.errors import UsageError
from deeprepo_evals.results import Run, carry_out, read

ITEMS = [{"task": "needle", "size": size} for size in (1, 2, 3, 4)]


def test_finished_item_is_not_repeated(tmp_path: Path) -> None:
    """A second run only does items without a result, even if their keys are in a different order."""
    path = tmp_path / "run.jsonl"
    with Run(path, "context") as run:
        run.keep(ITEMS[0], {"right": 1})
    with Run(path, "context") as run:
        assert run.left([dict(reversed(item.items())) for item in ITEMS]) == ITEMS[1:]
        assert [row.result for row in run.rows(ITEMS)] == [{"right": 1}]


def test_incomplete_line_is_repeated(tmp_path: Path) -> None:
    """After a kill during a write, the file stays readable and the incomplete item is done again."""
    path = tmp_path / "run.jsonl"
    with Run(path, "context") as run:
        run.keep(ITEMS[0], {})
        run.keep(ITEMS[1], {})
    path.write_bytes(path.read_bytes()[:-20])
    with Run(path, "context") as run:
        assert run.left(ITEMS[:2]) == [ITEMS[1]]
        run.keep(ITEMS[1], {"again": True})
    assert [row.result for row in read([path])] == [{}, {"again": True}]


def test_two_runs_cannot_write_to_one_file(tmp_path: Path) -> None:
    """The second run fails with a message before it does anything."""
    with Run(tmp_path / "run.jsonl", "context"), pytest.raises(UsageError, match="written by another run"):
        Run(tmp_path / "run.jsonl", "context")


async def test_cancellation_loses_only_unfinished_items(tmp_path: Path) -> None:
    """The finished item is in the file. The item that hung and those after it are missing."""
    hangs = asyncio.Event()

    async def do(item: Mapping[str, Any]) -> dict[str, Any]:
        if item["size"] == 2:
            hangs.set()
            await asyncio.Event().wait()
        return {}

    with Run(tmp_path / "run.jsonl", "context") as run:
        task = asyncio.create_task(carry_out(run, ITEMS, do))
        await waits.told(hangs, task)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert [row.item for row in read([tmp_path / "run.jsonl"])] == ITEMS[:1]
