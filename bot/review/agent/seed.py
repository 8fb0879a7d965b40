"""Write the root's first message: findings, uses of changed code, and the change.

If workers have read the change and its diff is too long, it shows the code regions by rank. Pure functions.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from bot import render
from bot.diff import alike, file_diffs
from bot.diff.marks import marks
from bot.diff.render import FileDiff
from bot.features.overlooked.values import ListedPlace
from bot.features.own_checks import review as own_checks
from bot.file_kinds import irrelevant_kind
from bot.review.context import snippets
from bot.review.context.callers import distinct
from bot.review.session import Session
from bot.values import ChangedFile, Excerpt, Reference, Unit, severity_rank
from deeprepo.impact.text.paths import is_product
from deeprepo.rlm.values import tokens

MESSAGE_TOKENS = 14_000  # tokens of the whole message
# With more tokens, the root sees the diffs of the first product files and one line per other region
DIFF_TOKENS = 10_000
FIRST_FILES = 10
LINES_AROUND_CHANGE = 5  # unchanged lines around a change; fewer if only the first files are shown
FEWER_LINES_AROUND = 2
PART_LINES = 90  # lines that list code regions
WHY_CHARS = 400  # characters of a finding's reason
MAX_SITES = 60
MAX_TESTS = 2  # lines of tests that may use changed code, known only by name
SEED_FILES = 200
FEWER_FILES, FEWER_SITES = 60, 30  # limits if the diff does not fit
PULL_BODY_CHARS = 4_000


@dataclass(frozen=True, slots=True)
class PartLine:
    """A code region of the change in one line."""

    unit: Unit
    uses: int  # number of certain references from outside the change
    marks: tuple[str, ...]

    @property
    def rank(self) -> tuple[float, ...]:
        """Sort key: regions used by unchanged code first, then those marked as risky by static checks."""
        return (-bool(self.uses), -len(self.marks), -self.uses, -self.unit.risk)


def gather(
    session: Session,
    *,
    alone: bool,
    most: int = MESSAGE_TOKENS,
    users: Sequence[Excerpt] = (),
    places: Sequence[ListedPlace] = (),
) -> str:
    """Return the root's first message within its limits. What doesn't fit is cut by rank.

    - `alone`: the root reads the change itself, so the message shows everything that no earlier review has read.
      Otherwise, workers have read it.
    - `most`: maximum tokens if the diff does not fit.
    - `users`: code that uses what changed. Further uses are listed with one line each.
    - `places`: lines that the change may have forgotten.
    """
    survey, results = session.survey, session.results
    files, units = survey.files, survey.tracker.unread() if alone else survey.units
    reviewable = [file for file in files if not file.skip]
    whole_diffs = alike.collapse(file_diffs(units, reviewable, LINES_AROUND_CHANGE))
    size = sum(tokens(part.body) for part in whole_diffs)
    whole = alone or size <= DIFF_TOKENS * most // MESSAGE_TOKENS
    shown_lines = {(excerpt.path, row.number) for excerpt in users for row in excerpt.rows}
    sites = [one for one in _use_places(survey.dependents.references, files) if (one.path, one.line) not in shown_lines]
    parts = [] if whole else _rank(units, reviewable)
    most_files, most_sites = (SEED_FILES, MAX_SITES) if whole else (FEWER_FILES, FEWER_SITES)
    lines = parts[: PART_LINES * most // MESSAGE_TOKENS]
    left_out = list(_left_out(len(parts) - len(lines), len(sites) - most_sites))
    questions = own_checks.questions(survey, units) if alone and survey.brief.settings.requirements else None

    def compose(diffs: Sequence[FileDiff]) -> str:
        shown = f"{render.count(len(diffs), 'file')} of it are shown here; use diff(path)"
        cut = [] if whole else [f"the diff: about {size:,} tokens, {shown}"]
        return render.text(
            "prompts/seed.md.j2",
            pull=survey.pull,
            body=render.cut(survey.pull.body, PULL_BODY_CHARS),
            guidance=survey.guidance.of([file.path for file in reviewable]) if alone else (),
            files=_in_order(files)[:most_files],
            more_files=max(0, len(files) - most_files),
            diffs=diffs,
            parts=lines,
            unchanged=snippets.sections(users),
            places=places,
            sites=sites[:most_sites],
            findings=sorted(
                results.findings, key=lambda finding: (severity_rank(finding.severity), -finding.basis.votes)
            ),
            why_chars=WHY_CHARS,
            left_out=cut + left_out,
            questions=questions,
            issues=survey.pull.issues,
        )

    return compose(whole_diffs if whole else _first(lines, reviewable, units, most - tokens(compose(()))))


def _use_places(rows: Iterable[Reference], files: Sequence[ChangedFile]) -> list[Reference]:
    """Return the uses of changed code, one per line of code, calls first.

    A use found only by its name is left out if the symbol has certain uses. Files that decide nothing count
    only if the change contains such files.
    """
    kinds = {"", *(irrelevant_kind(file.path) for file in files)}
    references = [
        reference
        for reference in rows
        if reference.is_bound or reference.missing or irrelevant_kind(reference.path) in kinds
    ]
    known = {reference.symbol for reference in references if reference.is_bound}
    told = _telling(
        reference
        for reference in references
        if not reference.is_guessed and (reference.is_bound or reference.missing or reference.symbol not in known)
    )
    told.sort(key=lambda r: (r.path, r.line, not r.is_bound, not r.call))
    first = [*{(reference.path, reference.line): reference for reference in reversed(told)}.values()]
    idle = [reference for reference in first if reference.test or irrelevant_kind(reference.path)]
    left_out = {*idle} - {*distinct(idle)}  # examples and tests that use it in the same way as others
    return sorted(
        (reference for reference in first if reference not in left_out),
        key=lambda r: (r.test, bool(irrelevant_kind(r.path)), not r.is_bound, not r.call, r.path, r.line),
    )


def _in_order(files: Iterable[ChangedFile]) -> list[ChangedFile]:
    """Return the files, product code first. Tests, texts and renames without changes come last."""
    return sorted(
        files,
        key=lambda file: (bool(file.skip), not (file.added_lines or file.removed_lines), not is_product(file.path)),
    )


def _left_out(more_parts: int, more_sites: int) -> Iterator[str]:
    """Yield what the message's lists leave out."""
    if more_parts > 0:
        yield f"{more_parts} parts of the least rank: see `units`"
    if more_sites > 0:
        yield f"{more_sites} call sites: callers(name) has them"


def _rank(units: Sequence[Unit], files: Sequence[ChangedFile]) -> list[PartLine]:
    """Return the code regions, sorted by rank."""
    paths = {file.path for file in files}
    lines = [
        PartLine(
            unit,
            len(
                {
                    (reference.path, reference.line)
                    for reference in unit.references
                    if reference.is_bound and not reference.test and reference.path not in paths
                }
            ),
            marks(unit),
        )
        for unit in units
    ]
    return sorted(lines, key=lambda line: line.rank)


def _first(lines: Sequence[PartLine], files: Sequence[ChangedFile], units: Sequence[Unit], room: int) -> list[FileDiff]:
    """Return the diffs of the first product files that fit. Tests and texts only get one line per region."""
    diffs: list[FileDiff] = []
    paths = dict.fromkeys(line.unit.path for line in lines if is_product(line.unit.path))
    for path in list(paths)[: 3 * FIRST_FILES]:
        (part,) = file_diffs([unit for unit in units if unit.path == path], files, FEWER_LINES_AROUND)
        size = tokens(part.body + path)
        if size <= room and len(diffs) < FIRST_FILES:
            room -= size
            diffs.append(part)
    return diffs


def _telling(rows: Iterable[Reference]) -> list[Reference]:
    """Return the references without likely coincidences.

    If only the name matches, methods that every class has are left out, and only a few tests are kept.
    """
    rows_kept, tests = [], 0
    for reference in rows:
        unsure = not reference.is_bound and not reference.missing
        tests += unsure and reference.test
        if not unsure or not (reference.everyday or (reference.test and tests > MAX_TESTS)):
            rows_kept.append(reference)
    return rows_kept
