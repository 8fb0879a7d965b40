"""Broken callers of real changes: how many code rewrites so that the next review reports nothing.

A finding is mechanical where the change itself says what the caller has to become: another name, another file, another keyword, or one
argument less and no new parameter. Others need a value or a decision that no change tells.
"""

import asyncio
import json
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from bot import checkout, pipeline, wiring
from bot.errors import DeepRepoError
from bot.values import Finding, PlacedFinding, ReviewRequest
from bot.wiring.fixing import mend
from deeprepo_evals.mine.run import half
from deeprepo_evals.reviews import build
from deeprepo_evals.reviews.build import clone_of
from deeprepo_evals.reviews.case_files import read
from deeprepo_evals.reviews.cases import Case

MECHANICAL = ("renamed", "moved", "keyword", "argument dropped")
SIGNATURES = re.compile(r"was `([^`]{0,2000})` and is now `([^`]{0,2000})`")


@dataclass(frozen=True, slots=True)
class Row:
    """One proven broken caller, and what became of it."""

    case: str
    path: str
    line: int
    title: str
    kind: str
    language: str
    outcome: str  # "fixed", "new findings", "still reported", "refused", "no rewrite"


def kind(finding: Finding) -> str:
    """What a caller would have to become; told by the finding's own words, not by whether there is a rewrite."""
    if " renamed to " in finding.title:
        return "renamed"
    if " moved to " in finding.title:
        return "moved"
    if finding.rule == "keyword":
        return "keyword" if len(_parameters(finding)[1]) else "needs a decision"
    was, now = _parameters(finding)
    if finding.rule == "arity" and "still passes" in finding.title and was and now < was:
        return "argument dropped"
    return "needs a decision"


def _parameters(finding: Finding) -> tuple[frozenset[str], frozenset[str]]:
    """The words of both signatures, in brackets."""
    match = SIGNATURES.search(finding.why)
    texts = (text.partition("(")[2] for text in match.groups()) if match else ("", "")
    was, now = (frozenset(re.findall(r"[A-Za-z_$][\w$]*", text)) for text in texts)
    return was, now


async def measure(
    repos: Path, cases: Iterable[Case], out: Path | None, say: Callable[[str], None] = lambda _: None
) -> tuple[list[Row], list[str]]:
    """The rows of every case that has a clone, and the cases that have none. `out`: rows that are there are not measured again."""
    done = _known(out)
    rows: list[Row] = []
    absent: list[str] = []
    for case in cases:
        clone = clone_of(repos, case.clone)
        if clone is None:
            absent.append(case.id)
            continue
        say(case.id)
        if case.id not in done:
            done[case.id] = list(await _measure(case, clone))
            if out is not None:
                with out.open("a", encoding="utf-8") as file:
                    file.write(json.dumps({"case": case.id, "rows": [asdict(row) for row in done[case.id]]}) + "\n")
        rows += done[case.id]
    return rows, absent


def _known(out: Path | None) -> dict[str, list[Row]]:
    lines = out.read_text().splitlines() if out is not None and out.exists() else []
    return {(row := json.loads(line))["case"]: [Row(**each) for each in row["rows"]] for line in lines}


async def _measure(case: Case, clone: Path) -> Iterator[Row]:
    with tempfile.TemporaryDirectory(prefix="case-") as scratch:
        try:
            repo = await build.build(case, clone, Path(scratch))
            request = ReviewRequest(str(repo), base="base", head="head")
            deps = wiring.deps({"strategy": "offline"}, scratch, lambda _: None)
            done = await pipeline.review(request, deps)
        except DeepRepoError:
            return iter(())
        broken = [row for row in done.findings if row.finding.category == "broken-caller" and row.finding.proven]
        pull = await checkout.pull(request, scratch)
        fix, check = await mend(pull, [row for row in broken if row.finding.rewrites], deps)
    still = {finding.identity for finding in check.still}
    mended_marks = {finding.identity for finding in fix.findings}
    return iter([_row(case, each, mended_marks, still, adds=bool(check.new)) for each in broken])


def _row(case: Case, row: PlacedFinding, mended_marks: set[str], still: set[str], *, adds: bool) -> Row:
    finding = row.finding
    outcome = (
        "no rewrite" if not finding.rewrites
        else "refused" if finding.identity not in mended_marks
        else "still reported" if finding.identity in still
        else "new findings" if adds
        else "fixed"
    )  # fmt: skip
    return Row(case.id, finding.path, finding.start, finding.title, kind(finding), case.language, outcome)


def cases_of(folder: Path, half_name: str) -> list[Case]:
    """The cases of a folder with a user left out; of a half, those of its repositories alone."""
    cases = [case for case in read(folder, ["omit"]) if not case.variant]
    return [case for case in cases if not half_name or half(case.clone) == half_name]


def table(rows: Sequence[Row], absent: Sequence[str]) -> str:
    """The figures: of the mechanical ones, by kind and by language, and what the others are."""
    mechanical = [row for row in rows if row.kind in MECHANICAL]
    lines = [
        f"{len(rows)} proven broken callers in {len({row.case for row in rows})} cases; {len(absent)} cases have no clone",
        "",
    ]
    lines.append(_line("mechanical, fixed and nothing new", mechanical))
    lines += [_line(f"  {name}", [row for row in mechanical if row.kind == name]) for name in MECHANICAL]
    lines += [
        _line(f"  {language}", [row for row in mechanical if row.language == language])
        for language in sorted({row.language for row in mechanical})
    ]
    lines.append(_line("needs a decision (none is written)", [row for row in rows if row.kind not in MECHANICAL]))
    misses = [row for row in rows if row.outcome != "fixed" and (row.kind in MECHANICAL or row.outcome != "no rewrite")]
    return "\n".join([*lines, "", *(f"{row.outcome}: {row.case} {row.path}:{row.line} {row.title}" for row in misses)])


def _line(label: str, rows: Sequence[Row]) -> str:
    fixed = sum(row.outcome == "fixed" for row in rows)
    return f"{label:<40} {fixed:>4} of {len(rows):>4}" + (f"  {fixed / len(rows):.0%}" if rows else "")


def main(repos: Path, cases: Path, out: Path | None, half_name: str, say: Callable[[str], None]) -> tuple[str, bool]:
    """Measure and print; whether at least nine of ten mechanical ones are fixed."""
    rows, absent = asyncio.run(measure(repos, cases_of(cases, half_name), out, say))
    mechanical = [row for row in rows if row.kind in MECHANICAL]
    reached = sum(row.outcome == "fixed" for row in mechanical) >= 0.9 * len(mechanical)
    return table(rows, absent), reached
