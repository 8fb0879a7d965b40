"""What must are in a prompt so that a labelled defect can be seen there: its lines and, where it lies elsewhere, its proof."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from bot.checkout import git
from deeprepo_evals.reviews import build
from deeprepo_evals.reviews.cases import Case, Defect, Span


@dataclass(frozen=True, slots=True)
class Line:
    """One line that can be recognised."""

    path: str
    text: str
    number: int = 0


@dataclass(frozen=True, slots=True)
class Label:
    """A defect as an oracle knows it: any of `lines` and, where there is evidence, any of `proof` must are in one prompt."""

    lines: tuple[Line, ...]
    proof: tuple[Line, ...] = ()
    proof_files: tuple[str, ...] = ()  # where only the files of the proof are known
    # Of a twin: evidence that both trees hold, and what the good one alone holds in the same file. Who sees the one without the
    # other must take it for proof.
    doubtful: tuple[Line, ...] = ()
    excuse: tuple[Line, ...] = ()


async def of(case: Case, repos: Mapping[str, Path]) -> tuple[Label, ...]:
    """A label for each defect of a case. `repos`: by id, the built case and of a twin both variants."""
    if case.variant:
        bad, good = (repos[f"{case.twin}/{variant}"] for variant in ("bad", "good"))
        return (await _of_twin(case.defects[0], bad, good),)
    return tuple([await _of_case(defect, repos[case.id]) for defect in case.defects])


async def _of_case(defect: Defect, repo: Path) -> Label:
    """Lines of the label outside the diff are evidence, as are those that it names as such."""
    inside = [line for span in defect.spans if span.in_diff for line in await _texts(repo, span)]
    beyond = [*(s for s in defect.spans if not s.in_diff), *(Span(e.file, e.line, e.line) for e in defect.evidence)]
    proof = [line for span in beyond for line in await _texts(repo, span)]
    return Label(tuple(inside), tuple(proof), defect.evidence_files)


async def _of_twin(defect: Defect, bad: Path, good: Path) -> Label:
    """The changed lines, nearest to the defect first, and of the evidence the lines that only the bad tree holds."""
    at = defect.spans[0]
    diff = await git.output("diff", "-U0", "base", "head", "--", at.file, cwd=str(bad))
    added = _added_lines(at.file, diff.decode("utf-8", "replace"))
    changed = sorted(added, key=lambda line: abs(line.number - at.start))
    proof = [line for item in defect.evidence for line in await _texts(bad, Span(item.file, item.line, item.line))]
    theirs = {path: await _rows(good, path) for path in {line.path for line in proof}}
    excuse = [
        Line(path, row, number)
        for path, rows in theirs.items()
        for ours in [await _rows(bad, path)]
        for row, number in rows.items()
        if row not in ours and _speaks(row)
    ]
    excused = {line.path for line in excuse}
    telling = [line for line in proof if line.text not in theirs[line.path]]
    doubtful = [line for line in proof if line.text in theirs[line.path] and line.path in excused]
    return Label(tuple(changed), tuple(telling), doubtful=tuple(doubtful), excuse=tuple(excuse))


async def _texts(repo: Path, span: Span) -> list[Line]:
    """The lines that can be recognised: not the brackets. None where the tree does not hold the file."""
    content = await build.text(repo, span.file) or ""
    rows = content.split("\n")[span.start - 1 : span.end]
    return [Line(span.file, row.strip(), span.start + n) for n, row in enumerate(rows) if _speaks(row)]


async def _rows(repo: Path, path: str) -> dict[str, int]:
    """The lines of a file, stripped, with the number of the first that reads so."""
    rows = (await build.text(repo, path) or "").split("\n")
    return {row.strip(): number for number, row in reversed(list(enumerate(rows, 1)))}


def _added_lines(path: str, diff: str) -> Iterator[Line]:
    """The lines that the change adds to a file."""
    number = 0
    for row in diff.split("\n"):
        if hunk := re.match(r"@@ -\S+ \+(\d+)", row):
            number = int(hunk[1])
        elif row.startswith("+") and not row.startswith("+++"):
            if _speaks(row):
                yield Line(path, row[1:].strip(), number)
            number += 1


def _speaks(row: str) -> bool:
    return re.search(r"\w", row) is not None
