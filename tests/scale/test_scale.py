import subprocess
import sys
from pathlib import Path

from waits import patience

from benchmarks.scale import SIZES, late, need, placed, reached

ROOT = Path(__file__).parents[2]


def test_limit_usage_grows_with_the_number_of_pull_requests() -> None:
    """The use of each limit grows with the size, and reaches 1 at the size that is reported for it."""
    small, middle, large = (need(size) for size in SIZES)
    for one, two, three in zip(small.limits, middle.limits, large.limits, strict=True):
        assert one.used <= two.used <= three.used
    first = reached()
    assert [pulls for pulls, _ in first] == sorted(pulls for pulls, _ in first)
    for pulls, limit in first:
        used = {each.what: each.used for each in need(pulls).limits}
        assert used[limit.what] >= 1


def test_slot_count_is_the_minimum_for_the_target_wait() -> None:
    """With the computed slots, 95 % of reviews wait less than 5 seconds; with one fewer, they don't."""
    assert all(late(placed(load), load) <= 0.05 < late(placed(load) - 1, load) for load in (0.9, 20.8, 2083.0))


def test_benchmark_prints_the_table_and_the_first_limit() -> None:
    """The benchmark prints the table and the limit that is reached first."""
    command = [sys.executable, "-m", "benchmarks.scale"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=patience(300))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "| pull requests a day | 100 | 10,000 | 1,000,000 |" in done.stdout
    assert "DEEPREPO_CAP_USD_PER_DAY" in done.stdout
