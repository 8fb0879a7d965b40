"""What 100, 10,000 and 1,000,000 pull requests a day need, and which limit is reached first.

    python -m benchmarks.scale [--quick]

Measured is what one real review costs (`benchmarks.scale_review`); the rest is computed (`benchmarks.scale_model`). `--quick` takes the cost of
a review from the last whole run.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict

from benchmarks.scale_model import SIZES, Need, need, reached
from benchmarks.scale_review import RECORDED, measured, rows
from benchmarks.table import report


def main() -> int:
    """Measure, compute, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    cost = RECORDED if parser.parse_args().quick else measured()
    needs = [need(size, cost) for size in SIZES]
    status = report("scale", rows(cost), {"cost": asdict(cost), "sizes": [asdict(each) for each in needs]})
    print(f"\n{_table(needs)}\n\nPull requests a day at which each limit is reached:")
    for pulls, limit in reached(cost):
        print(f"{pulls:>12,}  {limit.what}. What raises it: {limit.remedy}")
    return status


def _table(needs: Sequence[Need]) -> str:
    """The sizes as a table in Markdown."""
    lines: list[tuple[str, Callable[[Need], str]]] = [
        ("installations; share of the largest", lambda one: f"{one.installations:,}; {100 * one.share:.0f} %"),
        ("reviews a second in the busiest hour", lambda one: _short(one.rate)),
        ("places; processes of 8 places", lambda one: f"{one.places:,}; {one.processes:,}"),
        ("machines for reviews, 8 cores and 32 GB", lambda one: f"{one.machines:,}"),
        ("rows written to the database a second, mean", lambda one: _short(one.rows)),
        (
            "commits a second to look for work; cores of the database",
            lambda one: f"{_short(one.polls)}; {_short(one.database)}",
        ),
        ("database after 30 days", lambda one: f"{_short(one.stored)} GB"),
        ("GitHub: requests of the largest installation an hour (5,000)", lambda one: _short(one.requests)),
        ("GitHub: content that it creates an hour (500)", lambda one: _short(one.content)),
        ("git a day", lambda one: f"{_short(one.git)} GB"),
        ("models a day", lambda one: f"${_short(one.dollars)}"),
    ]
    head = ["pull requests a day", *(f"{one.pulls:,}" for one in needs)]
    body = [[name, *map(shown, needs)] for name, shown in lines]
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *body])


def _short(value: float) -> str:
    """Two digits."""
    return f"{float(f'{value:.2g}'):,g}"


if __name__ == "__main__":
    sys.exit(main())
