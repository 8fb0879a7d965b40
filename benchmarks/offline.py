"""The offline review over real pull requests with known defects: what the contract checks find, and how quiet clean changes stay.

    python -m benchmarks.offline --cases FOLDER --repos FOLDER [--kind omit --kind clean] [--language python ...]

FOLDER of --cases: one JSON file per case. --repos: a clone (bare or not) of each repository, as NAME, NAME.git, OWNER/NAME,
OWNER+NAME or OWNER+NAME/repo, from which the pull request is rebuilt. Cases without a clone are counted.
A finding hits an `omit` defect where it names the forgotten caller's file within 10 lines of the call. For other kinds a hit is
the same about any span of the label, without a judgement of the words: an upper bound.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.table import Row, report
from deeprepo_evals.reviews import build
from deeprepo_evals.reviews.build import clone_of
from deeprepo_evals.reviews.cases import Case, Defect, near, read

SCRIPTED = ("python", "javascript", "typescript", "go", "java", "kotlin", "csharp", "rust", "c", "c++", "ruby", "php")
OMIT_RECALL, CLEAN_NOISE = 0.85, 0.15


@dataclass(frozen=True, slots=True)
class Result:
    """One case reviewed."""

    id: str
    kind: str
    language: str
    hit: bool
    findings: int
    seconds: float
    told: tuple[str, ...]  # "path:line title" of each finding


def main() -> int:
    """Review every case for which there is a clone; the exit code says whether the promises hold."""
    asked = _arguments()
    results, absent = [], []
    for case in _cases(asked.cases, asked.kind, asked.language):
        clone = clone_of(asked.repos, case.clone)
        if clone is None:
            absent.append(case.id)
            continue
        result = _review(case, clone)
        results.append(result)
        print(
            f"{'hit ' if result.hit else '-   '} {result.findings:>2} findings  {result.seconds:5.1f} s  {result.id}",
            flush=True,
        )
        for line in result.told if asked.verbose else ():
            print(f"         {line}")
    if not results:
        print("no case has a clone in --repos", file=sys.stderr)
        return 2
    print(f"\n{len(results)} cases; without a clone: {', '.join(absent) or 'none'}\n")
    details = {"cases": [{name: getattr(r, name) for name in r.__slots__} for r in results], "absent": absent}
    return report("offline", list(_rows(results)), details)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=Path, required=True)
    parser.add_argument("--repos", type=Path, required=True)
    parser.add_argument("--kind", action="append", help="natural, omit, clean, martian (default: all)")
    parser.add_argument("--language", action="append", help=f"default: {', '.join(SCRIPTED)}")
    parser.add_argument("--verbose", action="store_true", help="print every finding")
    return parser.parse_args()


def _cases(folder: Path, kinds: Sequence[str] | None, languages: Sequence[str] | None) -> Iterator[Case]:
    for case in read(folder, kinds or ()):
        if not case.variant and case.language in (languages or SCRIPTED):
            yield case


def _review(case: Case, clone: Path) -> Result:
    """Build the pull request in a scratch folder and review it as a user would, without a key."""
    with tempfile.TemporaryDirectory(prefix="case-") as scratch:
        repo = asyncio.run(build.made(case, clone, Path(scratch)))
        command = [sys.executable, "-m", "bot", "review", "base..head", "--repo", str(repo), "--strategy", "offline"]
        started = time.perf_counter()
        done = subprocess.run(
            [*command, "--format", "json"],
            check=False,
            capture_output=True,
            text=True,
            env={**os.environ, "NO_COLOR": "1"},
        )
        seconds = time.perf_counter() - started
    if done.returncode:
        raise SystemExit(f"{case.id}: exit {done.returncode}: {done.stderr[-1000:]}")
    findings = json.loads(done.stdout)["findings"]
    return Result(
        case.id,
        case.kind,
        case.language,
        any(_hits(finding, defect) for finding in findings for defect in case.defects),
        len(findings),
        round(seconds, 2),
        tuple(f"{f['path']}:{f['start']} {f['severity']} {f['title']}" for f in findings),
    )


def _hits(finding: Mapping[str, Any], defect: Defect) -> bool:
    """At the forgotten caller for `omit` (its span is outside the diff), at any span otherwise."""
    spans = [span for span in defect.spans if not span.in_diff] if defect.symbol else defect.spans
    at = [(finding["path"], finding["start"], finding["end"])]
    at += [
        (item["path"], item["line"], item["line"]) for item in finding["evidence"] if item["path"] == finding["path"]
    ]
    return any(near(path, start, end, spans) for path, start, end in at)


def _by_language(results: Sequence[Result]) -> dict[tuple[str, str], list[Result]]:
    groups: dict[tuple[str, str], list[Result]] = defaultdict(list)
    for result in results:
        groups[result.kind, result.language].append(result)
    return groups


def _rows(results: Sequence[Result]) -> Iterator[Row]:
    groups: dict[str, list[Result]] = defaultdict(list)
    for result in results:
        groups[result.kind].append(result)
    for kind, found in sorted(groups.items()):
        hits, count = sum(r.hit for r in found), len(found)
        if kind == "clean":
            noise = sum(r.findings for r in found) / count
            yield Row(f"clean: findings per case ({count} cases)", noise, CLEAN_NOISE)
            continue
        promise = OMIT_RECALL if kind == "omit" else None
        yield Row(
            f"{kind}: reported ({hits} of {count})",
            hits / count,
            promise,
            beside="at the caller" if promise else "by place only",
            least=True,
        )
        yield Row(f"{kind}: findings per case", sum(r.findings for r in found) / count)
    for (kind, language), found in sorted(_by_language(results).items()):
        hits, said = sum(r.hit for r in found), sum(r.findings for r in found)
        yield Row(f"  {kind}, {language}: reported of {len(found)}", hits, beside=f"{said} findings")
    seconds = sorted(r.seconds for r in results)
    yield Row("seconds per case, median", seconds[len(seconds) // 2], unit="s")
    yield Row("seconds per case, slowest", seconds[-1], unit="s")


if __name__ == "__main__":
    raise SystemExit(main())
