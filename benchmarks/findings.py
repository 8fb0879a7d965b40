"""What becomes of findings: where they are placed, what hostile input does to them, how they look.

python -m benchmarks.findings [--placements 10000]
"""

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import yaml

from benchmarks import placing
from benchmarks.table import Row, measured, report

TESTS = Path(__file__).parents[1] / "tests"


def main() -> int:
    """Every figure; the exit code says whether the promises hold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--placements", type=int, default=10_000, help="made-up findings")
    asked = parser.parse_args()
    return report("findings", [*_table(), *placing.generated(asked.placements), *_hostile(), *_pages()])


def _table() -> Iterator[Row]:
    cases = list(placing.table())
    wrong = [c for c in cases if placing.phrase(placing.place([c.finding], placing.change(c.patch))[0]) != c.expected]
    judged = [placing.faults([case.finding], placing.change(case.patch), case.patch) for case in cases]
    yield Row("placement: hand-made cases", len(cases), 60, least=True)
    yield Row("  not where they belong", len(wrong), 0)
    yield Row("  refused by GitHub's rules", sum(row[0] for row in judged), 0)
    yield Row("  lost", sum(row[1] for row in judged), 0)


def _hostile() -> Iterator[Row]:
    """The corpus, through the whole line with a model that obeys it; each of its facts is a test."""
    corpus = yaml.safe_load((TESTS / "hostile/corpus.yml").read_text(encoding="utf-8"))
    yield Row("hostile texts", len(corpus), 50, least=True)
    yield from _tested("tests/hostile/test_hostile_corpus.py", "  facts about them")


def _pages() -> Iterator[Row]:
    names = {path.name.split(".")[0] for path in (TESTS / "outputs/golden").iterdir()}
    yield Row("pages as approved: reviews", len(names), 25, least=True)
    yield from _tested("tests/outputs/test_golden_pages.py", "  compared")


def _tested(path: str, what: str) -> Iterator[Row]:
    """Tests that hold, and those that do not, which are named."""
    run = measured([sys.executable, "-m", "pytest", "--no-header", path], cwd=str(TESTS.parent))
    for line in re.findall(r"^(?:FAILED|ERROR) .*", run.out, re.MULTILINE):
        print(line, file=sys.stderr)
    counted = {word: int(number) for number, word in re.findall(r"(\d+) (passed|failed|error)", run.out)}
    yield Row(what, counted.get("passed", 0), 1, least=True)
    yield Row("  of these not so", counted.get("failed", 0) + counted.get("error", 0), 0)


if __name__ == "__main__":
    raise SystemExit(main())
