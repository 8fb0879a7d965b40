"""What the evaluation promises, each figure with its limit: long texts here, pull requests and training where their cases are.

    python -m benchmarks.evals [--quick] [--cases FOLDER --repos FOLDER]

`--quick` leaves out the texts of 10 million characters.
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks import evals_context, evals_roots, evals_train, labels, oracle
from benchmarks.table import Row, report
from deeprepo_evals import public


def main() -> int:
    """Every figure; the exit code says whether the promises hold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="texts up to 1 million characters")
    parser.add_argument("--cases", type=Path, default=public.CASES, help="default: the cases of this project")
    parser.add_argument(
        "--repos", type=Path, default=public.REPOS, help="a clone of each repository; `make fetch` brings them"
    )
    return report("evals", list(_rows(parser.parse_args())))


def _rows(asked: argparse.Namespace) -> Iterator[Row]:
    yield from evals_context.rows(quick=asked.quick)
    yield from evals_roots.rows()
    yield from evals_train.rows()
    if asked.repos.is_dir() and any(asked.repos.iterdir()):
        yield from oracle.rows(oracle.measured(asked.cases, asked.repos))
    else:
        print(
            f"pull requests are left out: {asked.repos} holds no clones; `make fetch` brings their commits",
            file=sys.stderr,
        )


if __name__ == "__main__":
    raise SystemExit(labels.ended(main))
