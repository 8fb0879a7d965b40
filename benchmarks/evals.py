"""What the evaluation promises, each figure with its limit: long texts here, pull requests and training where their cases are.

    python -m benchmarks.evals [--quick] [--cases FOLDER --repos FOLDER]

`--quick` leaves out the texts of 10 million characters.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

from benchmarks import evals_context, evals_roots, evals_train, oracle
from benchmarks.table import Row, report


def main() -> int:
    """Every figure; the exit code says whether the promises hold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="texts up to 1 million characters")
    parser.add_argument("--cases", help="folder of case files")
    parser.add_argument("--repos", help="folder of clones")
    return report("evals", list(_rows(parser.parse_args())))


def _rows(asked: argparse.Namespace) -> Iterator[Row]:
    yield from evals_context.rows(quick=asked.quick)
    yield from evals_roots.rows()
    yield from evals_train.rows()
    if asked.cases and asked.repos:
        yield from oracle.rows(oracle.measured(Path(asked.cases), Path(asked.repos)))


if __name__ == "__main__":
    raise SystemExit(main())
