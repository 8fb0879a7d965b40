"""Refactor generated packages, and compare our findings with compilers and type checkers.

    python -m benchmarks.compilers [--language Rust ...] [--changes 1000] [--seed 1] [--whole 5] [--verbose]

Each change is made from its seed: a small package with several modules, and one refactoring of it, complete or with a user left out.
The judges are rustc, javac, go, g++, tsc, and for Python both ty and a run of every user. Nothing may be proven where the
judge accepts the result. Where it does not, the change counts by the best that we say: proven, likely, or listed among the uses.
Where a judge names every file that it refuses, proven places in other files are printed, to be read.
`--whole`: so many changes of each language are also reviewed from end to end, and must be told the same way.
"""

import argparse
import importlib
import re
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.refactorings import judges, operations, static
from benchmarks.refactorings.operations import Change, Language
from benchmarks.refactorings.static import Said
from benchmarks.table import Row, report

LANGUAGES = {"Rust": "rust", "Java": "java", "Go": "go", "C++": "cpp", "TypeScript": "typescript", "Python": "python"}
BASES = 10  # one of so many bases is judged, too: the generator writes them all in the same way
BATCH = 250  # changes in one repository and one run of a judge
NAMES_FILES = ("TypeScript", "Java", "C++")  # these judges name every file that they refuse
LEVELS = ("proven", "likely", "listed", "silent")


@dataclass(frozen=True)
class Result:
    """One change: what the judge says of it, and what we say."""

    language: str
    seed: int
    kind: str
    choices: tuple[str, ...]
    builds: bool
    level: str  # the best that we say
    beside: tuple[str, ...]  # proven places in files that the judge accepts
    said: tuple[str, ...]


def main() -> int:
    """Judge so many changes in each language; the exit code says whether nothing was proven where the result builds."""
    asked = _arguments()
    languages = [name for name in LANGUAGES if not asked.language or name in asked.language]
    missing = {tool for name in languages for tool in judges.JUDGES[name][1] if judges.program(tool) is None}
    for tool in sorted(missing):
        print(f"{tool} was not found: install it with `{judges.INSTALL[tool]}`", file=sys.stderr)
    if missing:
        return 2
    results: list[Result] = []
    whole = 0
    for name in languages:
        started = time.perf_counter()
        language: Language = importlib.import_module(f"benchmarks.refactorings.{LANGUAGES[name]}")
        mine: list[Result] = []
        for first in range(asked.seed, asked.seed + asked.changes, BATCH):
            seeds = range(first, min(first + BATCH, asked.seed + asked.changes))
            batch, differing = _judged(language, [operations.change(language, seed) for seed in seeds], asked.whole)
            mine += batch
            whole += differing
        _print(name, mine, verbose=asked.verbose)
        print(f"{name}: {time.perf_counter() - started:.0f} s\n", flush=True)
        results += mine
    details = {"results": [asdict(result) for result in results]}
    return report("compilers", [*_rows(results), Row("whole reviews that prove something else", whole, 0)], details)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--language", action="append", choices=LANGUAGES, help="default: all six")
    parser.add_argument("--changes", type=int, default=1000, help="number of changes per language")
    parser.add_argument("--seed", type=int, default=1, help="first seed")
    parser.add_argument("--whole", type=int, default=5, help="changes per batch that are also reviewed end to end")
    parser.add_argument("--verbose", action="store_true", help="print each refused change without a finding")
    return parser.parse_args()


def _judged(language: Language, changes: Sequence[Change], whole: int) -> tuple[list[Result], int]:
    judge = judges.JUDGES[language.NAME][0]
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        bases = [change.base | change.programs[0] for change in changes[::BASES]]
        for number, lines in judge(_made(folder, "base"), bases).items():
            print(f"the base of seed {changes[number * BASES].seed} does not build: {lines[0]}", file=sys.stderr)
        refused = judge(_made(folder, "head"), [change.head | change.programs[1] for change in changes])
        repository = static.Repository(_made(folder, "git"), changes)
        said = static.said_of(changes, repository)
        differing = sum(_differs(repository, number, said[number]) for number in range(min(whole, len(changes))))
    pairs = enumerate(zip(changes, said, strict=True))
    return [_result(change, rows, refused.get(number, [])) for number, (change, rows) in pairs], differing


def _made(folder: str, name: str) -> Path:
    path = Path(folder, name)
    path.mkdir()
    return path


def _differs(repository: static.Repository, number: int, said: Sequence[Said]) -> bool:
    """Whether a review from end to end proves something else."""
    proven = {(one.path, _without_count(one.title)) for one in said if one.how == "proven"}
    real = {(path, _without_count(title)) for path, _, title in static.reviewed(repository, number)}
    if real <= proven and bool(real) == bool(proven):
        return False
    print(f"a whole review of change {number} proves {sorted(real)}, not {sorted(proven)}", file=sys.stderr)
    return True


def _without_count(title: str) -> str:
    """Return a title without the number of further files, to which a type checker may add."""
    return re.sub(r" \(and \d+ more files?\)$", "", title)


def _result(change: Change, said: Sequence[Said], refused: Sequence[str]) -> Result:
    levels = {one.how for one in said}
    level = next((one for one in LEVELS if one in levels), "silent")
    proven = [one for one in said if one.how == "proven"]
    texts = tuple(f"{one.how} {one.path}:{one.line} {one.rule} {one.title}" for one in said)
    beside = [
        f"{one.path}:{one.line} {one.title}"
        for one in proven
        if refused and change.language in NAMES_FILES and not any(one.path in line for line in refused)
    ]
    return Result(change.language, change.seed, change.kind, change.choices, not refused, level, tuple(beside), texts)


def _print(name: str, results: Sequence[Result], *, verbose: bool) -> None:
    kinds: dict[str, list[Result]] = defaultdict(list)
    for result in results:
        kinds[result.kind].append(result)
    head = ("builds", "proven", "refused", *LEVELS)
    print(f"{name:<58}" + "".join(f"{word:>9}" for word in head))
    for kind, mine in sorted(kinds.items()):
        print(f"  {kind:<56}" + "".join(f"{count or '':>9}" for count in _counts(mine)))
    print(f"  {'all':<56}" + "".join(f"{count:>9}" for count in _counts(results)))
    for result in results:
        what = f"{name} seed {result.seed}: {result.kind} ({', '.join(result.choices)})"
        if result.builds and result.level == "proven":
            print(
                f"FALSE PROOF, {what}", *(f"    {text}" for text in result.said if text.startswith("proven")), sep="\n"
            )
        elif result.beside:
            print(f"proven in an accepted file, {what}", *(f"    {text}" for text in result.beside), sep="\n")
        elif verbose and not result.builds and result.level in ("silent", "listed"):
            print(f"{result.level}, {what}")


def _counts(results: Sequence[Result]) -> tuple[int, ...]:
    """Changes that build and those of them with a false proof; changes that do not build, by what we say."""
    built = [result for result in results if result.builds]
    levels = Counter(result.level for result in results if not result.builds)
    false = sum(result.level == "proven" for result in built)
    return (len(built), false, len(results) - len(built), *(levels[level] for level in LEVELS))


def _rows(results: Sequence[Result]) -> Iterator[Row]:
    languages: Mapping[str, list[Result]] = defaultdict(list)
    for result in results:
        languages[result.language].append(result)
    for name, mine in languages.items():
        built, false, refused, proven, likely, listed, _ = _counts(mine)
        yield Row(f"{name}: proven where it builds", false, 0, beside=f"of {built}")
        named = (proven + likely) / refused if refused else 0.0
        beside = f"judge 1; {proven} proven, {likely} likely, {listed} listed of {refused}"
        yield Row(f"{name}: named where it does not build", named, beside=beside)
        odd = sum(bool(result.beside) for result in mine)
        if name in NAMES_FILES:
            yield Row(f"{name}: refused changes with a proven place in a file that the judge accepts", odd)


if __name__ == "__main__":
    raise SystemExit(main())
