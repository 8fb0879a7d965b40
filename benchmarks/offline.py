"""Review real pull requests without a model: known defects that are found, and findings on clean changes.

    python -m benchmarks.offline --repos FOLDER [--cases FOLDER] [--kind omit --kind clean] [--language python ...]

FOLDER of --cases: one JSON file per case; without it those of this project. --repos: a clone
(bare or not) of each repository, as NAME, NAME.git, OWNER/NAME, OWNER+NAME or OWNER+NAME/repo. Cases without a clone are counted.
A finding, or a row of the list, hits a mined defect if it is in the forgotten user's file and names what is gone; it hits another `omit` defect within 10 lines
of the call. For other kinds a hit is the same about any span of the label, without a judgement of the words: an upper bound.
"""

import argparse
import asyncio
import re
import resource
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks import labels, places
from benchmarks.table import Row, report
from bot.errors import DeepRepoError
from bot.sections.overlooked import OVERLOOKED, ListedPlace
from bot.values import Finding, TypedChange
from bot.values.finding import MAY_BREAK
from bot.wiring.review import local_review
from deeprepo_evals import public
from deeprepo_evals.reviews import build
from deeprepo_evals.reviews.build import clone_of
from deeprepo_evals.reviews.case_files import read
from deeprepo_evals.reviews.cases import Case, Defect, near

MINED = public.CASES.parent / "mined"
OMIT_RECALL, CLEAN_NOISE = 0.85, 0.15


@dataclass(frozen=True, slots=True)
class Result:
    """One case reviewed."""

    id: str
    kind: str
    language: str
    change: str  # of a mined case: the class of what was changed
    hit: bool
    proven: bool  # whether a hit is proven: otherwise it is a model's, or a row of the list
    findings: int
    hints: int  # rows of the list about definitions
    seconds: float
    report_lines: tuple[str, ...]  # "path:line severity [collapsed] title" of each finding, then those rows
    processor: float = 0.0  # seconds of it, those of git and other programs included
    checkers: tuple[str, ...] = ()  # the type checkers that report a hit, alone or beside another check


def main() -> int:
    """Review every case for which there is a clone; the exit code says whether the promises hold."""
    asked = _arguments()
    asked.cases = MINED if asked.mined else asked.cases
    results, absent = [], []
    for case in read(asked.cases, asked.kind or ()):
        if case.variant or (asked.language and case.language not in asked.language):
            continue
        clone = clone_of(asked.repos, case.clone)
        result = _review(case, clone) if clone is not None else None
        if result is None:
            absent.append(case.id)
            continue
        results.append(result)
        print(
            f"{'hit ' if result.hit else '-   '} {result.findings:>2} findings  {result.seconds:5.1f} s  {result.id}",
            flush=True,
        )
        for line in result.report_lines if asked.verbose else ():
            print(f"         {line}")
    if not results:
        print(f"no case has a clone in {asked.repos}. Run `make fetch` to get them", file=sys.stderr)
        return 2
    print(f"\n{len(results)} cases. Not reviewed, because no clone contains them: {', '.join(absent) or 'none'}\n")
    return report("offline", list(_rows(results)), {"cases": [asdict(result) for result in results], "absent": absent})


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=Path, default=public.CASES, help="default: the cases of this project")
    parser.add_argument("--repos", type=places.clones, default=places.REPOS)
    parser.add_argument("--mined", action="store_true", help="use the cases that were mined from histories instead")
    parser.add_argument("--kind", action="append", help="natural, omit, clean, ordinary, martian (default: all)")
    parser.add_argument("--language", action="append", help="default: all")
    parser.add_argument("--verbose", action="store_true", help="print every finding")
    return parser.parse_args()


def _review(case: Case, clone: Path) -> Result | None:
    """Review a case as a user would, without a key; None if the clone lacks a part of it. A case with a recipe is built first."""
    with tempfile.TemporaryDirectory(prefix="case-") as scratch:
        try:
            repo = asyncio.run(build.build(case, clone, Path(scratch))) if case.kind != "ordinary" else clone
            ends = ("base", "head") if case.kind != "ordinary" else (case.base, case.head)
            request = TypedChange(str(repo), base=ends[0], head=ends[1])
            started, used = time.perf_counter(), _processor()
            review = asyncio.run(local_review(request, {"strategy": "offline"}, scratch))
        except DeepRepoError as error:
            print(f"{case.id}: {error}", file=sys.stderr)
            return None
    listed = [row for row in OVERLOOKED.of(review) if row.certainty == "definition"]
    named = [row for row in listed if any(_lists(row, defect) for defect in case.defects)]
    hits = [one.finding for one in review.reported if any(_hits(one.finding, defect) for defect in case.defects)]
    shown = [(one.finding, " collapsed" if one.place == "folded" else "") for one in review.reported]
    return Result(
        case.id,
        case.kind,
        case.language,
        next((defect.change for defect in case.defects), ""),
        bool(hits or named),
        any(finding.verdict == "proven" for finding in hits),
        len(shown),
        len(listed),
        round(time.perf_counter() - started, 2),
        (
            *(f"{f.path}:{f.start} {f.severity} {f.verdict}{how} {f.source}: {f.title}" for f, how in shown),
            *(f"{row.path}:{row.line} listed: {row.says}" for row in listed),
        ),
        round(_processor() - used, 2),
        tuple(sorted({source.name for one in hits for source in one.basis.sources} & {"ty", "tsc"})),
    )


def _processor() -> float:
    """The seconds that this process and those that it has waited for have computed."""
    whose = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(one.ru_utime + one.ru_stime for one in map(resource.getrusage, whose))


def _lists(row: ListedPlace, defect: Defect) -> bool:
    """Whether a row of the list is in the forgotten user's file and names what is gone."""
    is_named = re.search(rf"(?<!\w){re.escape(defect.symbol)}(?!\w)", row.says) is not None
    return bool(defect.symbol) and is_named and any(span.file == row.path for span in defect.spans)


def _hits(finding: Finding, defect: Defect) -> bool:
    """At the forgotten caller for `omit` (its span is outside the diff), at any span otherwise. A mined one is also named."""
    spans = [span for span in defect.spans if not span.in_diff] if defect.symbol else defect.spans
    if defect.change:
        told = (item.path for item in finding.evidence if item.is_broken or item.note == MAY_BREAK)
        paths = {finding.path, *told}
        quotes = " ".join(item.quote for item in finding.evidence if item.path in paths)
        said = f"{finding.title} {finding.why} {finding.quote} {quotes}"
        named = re.search(rf"(?<!\w){re.escape(defect.symbol)}(?!\w)", said) is not None
        return named and any(span.file in paths for span in spans)
    at = [(finding.path, finding.start, finding.end)]
    at += [
        (item.path, item.line, item.line) for item in finding.evidence if item.path == finding.path or item.is_broken
    ]
    return any(near(path, start, end, spans) for path, start, end in at)


def _grouped(results: Sequence[Result], by: str) -> dict[tuple[str, str], list[Result]]:
    groups: dict[tuple[str, str], list[Result]] = defaultdict(list)
    for result in results:
        groups[result.kind, getattr(result, by)].append(result)
    return groups


def _rows(results: Sequence[Result]) -> Iterator[Row]:
    for (kind, _), found in sorted(_grouped(results, "kind").items()):
        hits, count = sum(r.hit for r in found), len(found)
        if kind in ("clean", "ordinary"):
            noise = sum(r.findings for r in found) / count
            yield Row(f"{kind}: findings per case ({count} cases)", noise, CLEAN_NOISE)
            yield Row(f"{kind}: rows of the list about definitions", sum(r.hints for r in found) / count)
            continue
        promise = OMIT_RECALL if kind == "omit" else None
        yield Row(
            f"{kind}: reported ({hits} of {count})",
            hits / count,
            promise,
            beside="at the caller" if promise else "by place only",
            least=True,
        )
        yield Row(f"{kind}: of these proven, the others are hints", sum(r.proven for r in found))
        yield Row(f"{kind}: of these also by a type checker", sum(bool(r.checkers) for r in found))
        yield Row(f"{kind}: findings per case", sum(r.findings for r in found) / count)
    for (kind, language), found in sorted(_grouped(results, "language").items()):
        hits, said = sum(r.hit for r in found), sum(r.findings for r in found)
        proven = sum(r.proven for r in found)
        yield Row(f"  {kind}, {language}: reported of {len(found)}", hits, beside=f"{proven} proven, {said} findings")
    for (kind, change), found in sorted(_grouped(results, "change").items()):
        if change:
            hits, proven = sum(r.hit for r in found), sum(r.proven for r in found)
            yield Row(f"  {kind}, {change}: reported of {len(found)}", hits, beside=f"{proven} proven")
    seconds = sorted(r.seconds for r in results)
    yield Row("seconds per case, median", seconds[len(seconds) // 2], unit="s")
    yield Row("seconds per case, slowest", seconds[-1], unit="s")
    yield Row(f"seconds of the processors, {len(results)} cases", sum(r.processor for r in results), unit="s")


if __name__ == "__main__":
    raise SystemExit(labels.ended(main))
