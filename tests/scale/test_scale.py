import json
import math
import random
import statistics
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.scale_model import SIZES, late, need, placed, reached, waiting, waits
from benchmarks.scale_queue import Arrival, Queue, Rule, by_tenant, percentile, shares, simulate, traffic
from benchmarks.scale_review import RECORDED

ROOT = Path(__file__).parents[2]
SHARED = Queue(workers=4, places=8, lead=0.06, tail=0.01)


@pytest.mark.parametrize(("places", "load"), [(1, 0.6), (8, 6.0), (32, 26.0)])
def test_the_simulation_waits_as_erlang_computed(places: int, load: float) -> None:
    """With random arrivals, exponential times, mean waits are those of the closed form, within three standard errors."""
    chance, seconds, now, asked = random.Random(places), 2.0, 0.0, []  # noqa: S311 - a sample
    for _ in range(30_000):
        now += chance.expovariate(load / seconds)
        asked.append(Arrival(now, 0, chance.expovariate(1 / seconds)))
    found = simulate(asked, Queue(1, places))[1_000:]
    batches = [statistics.fmean(found[start : start + 1_000]) for start in range(0, len(found), 1_000)]
    error = statistics.stdev(batches) / math.sqrt(len(batches))
    assert statistics.fmean(found) == pytest.approx(waiting(places, load) * seconds / (places - load), abs=3 * error)


def test_the_same_seed_gives_the_same_run() -> None:
    """Traffic and simulation depend on their seed and nothing else."""
    asked = traffic(200, 30, 9.0, 4.0)
    assert asked == traffic(200, 30, 9.0, 4.0) != traffic(200, 30, 9.0, 4.0, seed=2)
    assert (
        simulate(asked, SHARED, "random") == simulate(asked, SHARED, "random") != simulate(asked, SHARED, "random", 2)
    )


def test_places_are_given_in_turns() -> None:
    """One place: an installation that asked for six has two reviews before those that came while its first was running, as in bot/jobs."""
    asked = [Arrival(number / 100, 0, 1.0) for number in range(6)] + [
        Arrival(0.8, 1 + other, 1.0) for other in range(4)
    ]
    found = simulate(asked, Queue(1, 1))
    order = sorted(range(len(asked)), key=lambda review: asked[review].at + found[review])
    assert [asked[review].tenant for review in order] == [0, 0, 1, 2, 3, 4, 0, 0, 0, 0]


def test_turns_are_fair_and_random_order_is_not() -> None:
    """Under load no installation waits more than three times its fair share at p95 in turns; some do in random order."""
    asked = traffic(200, 75, 5.6, 4.0, uneven=0.8, burst=2.0)

    def worst(rule: Rule) -> float:
        waits = simulate(asked, SHARED, rule)
        fair = by_tenant(asked, [max(1.0, share) for share in shares(asked, waits)])
        return max(
            percentile(mine, 95) / percentile(fair[tenant], 95) for tenant, mine in by_tenant(asked, waits).items()
        )

    assert worst("line") <= 3.0 < worst("random")


def test_a_fair_run_is_its_own_fair_share() -> None:
    """If a run gave its places in turns, one by one and at once, the fair shares are its waits."""
    asked = traffic(50, 60, 1.0, 4.0, burst=2.0)
    waits = simulate(asked, Queue(1, 3), "turns")
    assert shares(asked, waits) == pytest.approx(waits)


def test_more_pull_requests_need_no_less() -> None:
    """Every limit is used more at a larger size, and is reached at the size at which it first exceeds 1."""
    small, middle, large = (need(size, RECORDED) for size in SIZES)
    for one, two, three in zip(small.limits, middle.limits, large.limits, strict=True):
        assert one.used <= two.used <= three.used
    first = reached(RECORDED)
    assert [pulls for pulls, _ in first] == sorted(pulls for pulls, _ in first)
    for pulls, limit in first:
        used = {each.what: each.used for each in need(pulls, RECORDED).limits}
        assert used[limit.what] >= 1


def test_places_are_as_few_as_the_wait_allows() -> None:
    """95 of 100 reviews wait less than 5 seconds with the places of a size, by the closed form and simulated; with one fewer they do not."""
    assert all(late(placed(load), load) <= 0.05 < late(placed(load) - 1, load) for load in (0.9, 20.8, 2083.0))
    assert waits(need(10_000, RECORDED), SHARED) <= 5.0


@pytest.mark.slow
def test_the_quick_bench_prints_everything() -> None:
    """Its short form measures the real queue, simulates the same reviews, and prints the table and what gives way first."""
    command = [sys.executable, "-m", "benchmarks.scale", "--quick"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "| pull requests a day | 100 | 10,000 | 1,000,000 |" in done.stdout
    assert "DEEPREPO_CAP_USD_PER_DAY" in done.stdout
    found = {
        row["what"].strip(): row for row in json.loads((ROOT / "benchmarks/results/scale.json").read_text())["rows"]
    }
    assert found["waiting for a place, p95, measured"]["ours"] > 0
    assert found["simulated"]["ours"] > 0
