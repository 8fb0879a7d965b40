"""What becomes of findings: where they are placed, what hostile input does to them, how they look.

python -m benchmarks.findings [--changes 400] [--findings 25]
"""

import argparse
import asyncio
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import yaml

from benchmarks import placing
from benchmarks.table import Row, measured, report
from bot import diff
from bot.checkout import Checkout
from bot.values import ChangedFile, PullRequest, RawChange

TESTS = Path(__file__).parents[1] / "tests"
SEEDS = 10  # repositories, each with a tenth of the made-up files


def main() -> int:
    """Every figure; the exit code says whether the promises hold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--changes", type=int, default=400, help="made-up files")
    parser.add_argument("--findings", type=int, default=25, help="findings for each of them")
    asked = parser.parse_args()
    return report("findings", [*_table(), *_generated(asked.changes, asked.findings), *_hostile(), *_pages()])


def _table() -> Iterator[Row]:
    cases = list(placing.table())
    wrong = [c for c in cases if placing.said(placing.place([c.finding], placing.change(c.patch))[0]) != c.expected]
    judged = [placing.faults([case.finding], placing.change(case.patch), case.patch) for case in cases]
    yield Row("placement: hand-made cases", len(cases), 60, least=True)
    yield Row("  not where they belong", len(wrong), 0)
    yield Row("  refused by GitHub's rules", sum(row[0] for row in judged), 0)
    yield Row("  lost", sum(row[1] for row in judged), 0)


def _generated(files: int, each: int) -> Iterator[Row]:
    """Real git makes the diffs; a judge that knows only GitHub's rules reads them."""
    total = invalid = lost = 0
    for seed in range(SEEDS):
        before, after = placing.made_up(seed, files // SEEDS)
        found = placing.findings(seed, each * files // SEEDS, before, after)
        with tempfile.TemporaryDirectory(prefix="bench-") as folder:
            raw, changed = _diffed(Path(folder), before, after)
        bad, gone, words = placing.faults(found, changed, raw.patch.decode())
        total, invalid, lost = total + len(found), invalid + bad, lost + gone
        for said in words:
            print(said)
    yield Row("placement: made-up findings", total, 10_000, least=True)
    yield Row("  refused by GitHub's rules", invalid, 0)
    yield Row("  lost, or not counted", lost, 0)


def _hostile() -> Iterator[Row]:
    """The corpus, through the whole line with a model that obeys it; each of its facts is a test."""
    corpus = yaml.safe_load((TESTS / "hostile/corpus.yml").read_text(encoding="utf-8"))
    yield Row("hostile texts", len(corpus), 50, least=True)
    yield from _tested("tests/hostile", "  facts about them")


def _pages() -> Iterator[Row]:
    names = {path.name.split(".")[0] for path in (TESTS / "outputs/golden").iterdir()}
    yield Row("pages as approved: reviews", len(names), 25, least=True)
    yield from _tested("tests/outputs/test_golden_pages.py", "  compared")


def _tested(path: str, what: str) -> Iterator[Row]:
    """Tests that hold, and those that do not."""
    run = measured([sys.executable, "-m", "pytest", "--no-header", path], cwd=str(TESTS.parent))
    counted = {word: int(number) for number, word in re.findall(r"(\d+) (passed|failed|error)", run.out)}
    yield Row(what, counted.get("passed", 0), 1, least=True)
    yield Row("  of these not so", counted.get("failed", 0) + counted.get("error", 0), 0)


def _diffed(
    folder: Path, before: dict[str, str | None], after: dict[str, str | None]
) -> tuple[RawChange, tuple[ChangedFile, ...]]:
    def git(*arguments: str) -> str:
        who = [part for key in ("name", "email") for part in ("-c", f"user.{key}=bench@example.invalid")]
        done = subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def commit(files: dict[str, str | None]) -> str:
        for name, text in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.unlink(missing_ok=True)
            if text is not None:
                path.write_bytes(text.encode())
        git("add", "--all")
        git("commit", "--quiet", "--allow-empty", "--message", "x")
        return git("rev-parse", "HEAD")

    git("init", "--quiet")
    git("config", "core.autocrlf", "false")
    pull = PullRequest("x", "", commit(before), commit(after), "base", "head", str(folder / ".git"))

    async def read() -> RawChange:
        async with Checkout(pull) as tree:
            return await tree.change()

    raw = asyncio.run(read())
    return raw, diff.read(raw)


if __name__ == "__main__":
    raise SystemExit(main())
