"""A night of kills keeps what is done in a file: from there on it adds up, and goes on."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def lot(seed: int, kills: int, twice: int, slowest: float) -> dict[str, object]:
    """A finished lot as the file has it."""
    rows = [
        {
            "what": "sqlite: kill -9",
            "ours": kills,
            "limit": kills,
            "unit": "",
            "beside": "30 jobs, 60 s",
            "least": True,
        },
        {"what": "  posted twice", "ours": twice, "limit": 0, "unit": "", "beside": "of 40", "least": False},
        {"what": "  a takeover", "ours": slowest, "limit": 2.0, "unit": "s", "beside": "", "least": False},
    ]
    return {
        "bench": "chaos_server",
        "store": "sqlite",
        "seed": seed,
        "commit": "abc",
        "seconds": 60.0,
        "rows": rows,
        "broken": "",
    }


def night(state: Path, kills: int) -> subprocess.CompletedProcess[str]:
    """What the bench prints if the file holds enough kills already."""
    command = [sys.executable, "-m", "benchmarks.chaos_night", "--kills", str(kills), "--state", str(state)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_finished_lots_are_added_up_and_not_run_again(tmp_path: Path) -> None:
    """Counts are sums, of times the longest is shown; a slow one breaks no promise."""
    state = tmp_path / "state.json"
    state.write_text(json.dumps([lot(1, 20, 0, 1.5), lot(5, 15, 0, 9.25)]))
    done = night(state, 35)
    assert done.returncode == 0, done.stderr
    assert "35 of 35 kills in 2 lots" in done.stdout
    rows = {line[:20].strip(): line.split() for line in done.stdout.splitlines()}
    assert "35" in rows["sqlite: kill -9"]
    assert {"0", "80"} <= set(rows["posted twice"])
    assert "9.25" in rows["a takeover"]


def test_a_broken_promise_of_one_lot_is_one_of_the_night(tmp_path: Path) -> None:
    """Its seed is named, so that it can be run again."""
    state = tmp_path / "state.json"
    state.write_text(json.dumps([lot(1, 20, 0, 1.0), lot(7, 20, 2, 1.0)]))
    done = night(state, 40)
    assert done.returncode == 1
    assert "broken promises: 1 chaos_server/sqlite/7" in done.stdout
    assert "FALLS SHORT" in done.stdout
