"""Decide where each finding is shown, and whether in full or collapsed.

A finding is shown on lines of the diff, on the file, or outside the diff. No finding is lost. GitHub accepts
comments on added and unchanged lines of a hunk (RIGHT) and on removed ones (LEFT). A range must be in one
hunk and on one side. The attempts are: the finding's own lines, the part of them in a hunk, the file, and for
a finding outside the diff, the changed line or file that caused it. The finding's own lines never change. Findings are shown in full up to a quota. Proven
and reproduced findings come first, then those found by several model passes, and those above low severity
from one model pass that saw the code around the change. Minor findings follow if there is room. A critical
finding is always shown in full. A model's own confidence is ignored, since it doesn't predict whether a
finding is true (see docs/using.md). Pure functions.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from bot.values import (
    ChangedFile,
    CommentSpot,
    Evidence,
    Finding,
    Hunk,
    PlacedFinding,
    Side,
    Verdict,
    severity_rank,
)
from bot.values.finding import AGREED

# Lines of one file's diff; GitHub collapses a longer diff and rejects comments in it
MAX_ANCHORED_LINES = 20_000
MOST_COUNTED = 3  # more reports of a finding don't make it surer
LEAST_IN_FULL, MOST_IN_FULL = 4, 10  # findings shown in full for a small change, and for a large one
FILES_FOR_MOST, LINES_FOR_MOST = 100, 2_000  # changed files or lines of a large change
SECURITY = ("security", "secret")  # categories


def place(findings: Iterable[Finding], files: Sequence[ChangedFile]) -> tuple[PlacedFinding, ...]:
    """Return each finding with the closest position that GitHub's rules allow."""
    return tuple(_place(finding, files) for finding in findings)


def spot_of(place: Evidence, files: Sequence[ChangedFile]) -> CommentSpot | None:
    """Return the position for a comment on one line; None if the diff doesn't show the line."""
    file = _file(place, files)
    return _within(file, place.side, place.line, place.line) if file is not None and not _is_folded(file) else None


def _place(finding: Finding, files: Sequence[ChangedFile]) -> PlacedFinding:
    """Return the finding at its own lines.

    A finding from an earlier review is placed at a new location, if it has one. A finding outside the diff is placed
    where its evidence is in the diff.
    """
    file = _file(finding, files)
    new = (spot_of(item, files) for item in finding.places if item.location in finding.tracking.added)
    spot = next(filter(None, new), None)
    if spot is None and file is not None and not _is_folded(file):
        spot = _within(file, finding.side, finding.start, finding.end) or _clamp(finding, file)
    if spot is None and file is None:
        return PlacedFinding(finding, "outside", _cause(finding, files))
    return PlacedFinding(finding, "inline" if spot else "file", spot)


def _cause(finding: Finding, files: Sequence[ChangedFile]) -> CommentSpot | None:
    """Return the first line of the evidence that the diff shows, if possible on the head's side, or else its file."""
    own = sorted((item for item in finding.evidence if not item.repository), key=lambda item: item.side == "base")
    changed = [(item, file) for item in own if (file := _file(item, files)) is not None]
    spots = (spot_of(item, files) for item, _ in changed)
    whole = (CommentSpot(file.path, 0, 0, "RIGHT") for _, file in changed)
    return next(filter(None, (*spots, *whole)), None)


def _is_folded(file: ChangedFile) -> bool:
    return sum(len(hunk.lines) for hunk in file.hunks) > MAX_ANCHORED_LINES


def _file(place: Finding | Evidence, files: Sequence[ChangedFile]) -> ChangedFile | None:
    """A path can be one file's old name and another's new name."""
    namesakes = [file for file in files if file.path == place.path]
    before = [file for file in files if file.old_path == place.path]
    same_path = [file for file in before if file.path == place.path]
    candidates = [*same_path, *before, *namesakes] if place.side == "base" else [*namesakes, *before]
    return next(iter(candidates), None)


def _clamp(finding: Finding, file: ChangedFile) -> CommentSpot | None:
    """Return the largest part of the finding's lines that is in a hunk; of equal ones the first."""
    numbers = (_numbers(hunk, finding.side) for hunk in file.hunks)
    parts = [(max(finding.start, each.start), min(finding.end, each.stop - 1)) for each in numbers]
    for first, last in sorted(parts, key=lambda part: part[0] - part[1]):
        spot = _within(file, finding.side, first, last)
        if spot is not None:
            return spot
    return None


def _within(file: ChangedFile, side: Side, start: int, end: int) -> CommentSpot | None:
    """Return these lines as a position.

    Base lines that the head still has are shown on the head's side, where GitHub accepts them.
    """
    for hunk in file.hunks:
        numbers = _numbers(hunk, side)
        if start > end or start not in numbers or end not in numbers:
            continue
        if side == "head":
            return CommentSpot(file.path, start, end, "RIGHT")
        inside = [line for line in hunk.lines if start <= (line.old or 0) <= end]
        removed_lines = [line.old for line in inside if line.kind == "-" and line.old is not None]
        if removed_lines:
            return CommentSpot(file.path, removed_lines[0], removed_lines[-1], "LEFT")
        shared_lines = [line.new for line in inside if line.new is not None]
        return CommentSpot(file.path, shared_lines[0], shared_lines[-1], "RIGHT")
    return None


def _numbers(hunk: Hunk, side: Side) -> range:
    start, count = (hunk.new_start, hunk.new_lines) if side == "head" else (hunk.old_start, hunk.old_lines)
    return range(start, start + count)


def room(files: Collection[ChangedFile]) -> int:
    """Return how many findings are shown in full for a change to these files, if the owner sets no `quota`.

    Either many files or many added and removed lines make a change large. Lines of skipped files, such as lock files,
    don't count.
    """
    lines = sum(len(file.added_lines) + len(file.removed_lines) for file in files if file.skip is None)
    size = max(len(files) / FILES_FOR_MOST, lines / LINES_FOR_MOST)
    return min(MOST_IN_FULL, LEAST_IN_FULL + int(size * (MOST_IN_FULL - LEAST_IN_FULL)))


def rank(placed_findings: Iterable[PlacedFinding], quota: int, held: Collection[str] = ()) -> tuple[PlacedFinding, ...]:
    """Sort findings, best first, and collapse those that are not shown in full.

    Unsettled findings, challenged proofs, remarks and those in `held` (fingerprints) are always collapsed. So are unconfirmed ones
    that are low, come only from the diff, or come from one of several passes. One from the root's model, which
    sees the code around the change, is not, and may be low if it is outside the diff. Of the others, `quota`
    are shown in full, critical ones in any case. Minor findings take the places that are left.
    """
    ranked = sorted(placed_findings, key=_order)
    candidates = [at for at, item in enumerate(ranked) if not _is_always_collapsed(item)]
    critical = {at for at in candidates if ranked[at].finding.severity == "critical"}
    others = [at for at in candidates if at not in critical and ranked[at].finding.fingerprint not in held]
    others.sort(key=lambda at: _need(ranked[at]))  # stable, so the better finding comes first
    shown = critical.union(others[:quota])
    out = [item if at in shown else replace(item, place="folded") for at, item in enumerate(ranked)]
    return tuple(sorted(out, key=lambda placed: placed.place == "folded"))


def _is_forgotten(placed: PlacedFinding) -> bool:
    """Return whether the root reported a line outside the diff that the change should have updated."""
    return placed.place == "outside" and placed.finding.basis.has_root


def _is_always_collapsed(placed: PlacedFinding) -> bool:
    """Return whether a finding is never shown in full, however much room there is."""
    finding, basis = placed.finding, placed.finding.basis
    is_bare = basis.is_single and not basis.has_root
    is_low = finding.severity == "low" and not _is_forgotten(placed) and (basis.is_single or basis.votes >= AGREED)
    is_weak = is_bare or is_low or (basis.votes >= AGREED and basis.is_from_diff_only)
    is_doubted = bool(basis.unsettled) or finding.is_challenged
    return is_doubted or (finding.verdict.is_undecided and is_weak) or finding.is_remark


def _need(placed: PlacedFinding) -> int:
    """Return a finding's priority for the quota: minor ones last, security first among them."""
    is_minor = _is_minor(placed.finding) and not _is_forgotten(placed)
    return 0 if not is_minor else 1 if placed.finding.category in SECURITY else 2


def _order(placed: PlacedFinding) -> tuple[int, int, int, int, bool, bool, str, int]:
    """Return the sort key: severity, then proof, then the number of passes that reported it, then a confirmation.

    After that, findings from checks are sorted by path and line, and models' findings keep their order.
    """
    finding = placed.finding
    place = (finding.path, finding.start) if finding.rule else ("", 0)
    verdict = finding.verdict
    proof = verdict.rank if verdict in (Verdict.PROVEN, Verdict.REPRODUCED) else Verdict.CONFIRMED.rank
    is_here = all(item.path == finding.path for item in finding.evidence)
    found = -min(finding.basis.reports, MOST_COUNTED)
    return severity_rank(finding.severity), proof, found, verdict.rank, is_here, not finding.rule, *place


def _is_minor(finding: Finding) -> bool:
    """Return whether a finding is minor.

    That is a rule's unproven suspicion, a low finding reported once, or an unproven one that only a root's
    search reported.
    """
    if finding.rule and finding.verdict.is_undecided:
        return True
    if finding.severity == "low":
        return finding.basis.reports < AGREED
    return not finding.basis.reports and finding.verdict not in (Verdict.PROVEN, Verdict.REPRODUCED)
