"""Where a finding is shown: inline in a hunk, on the file, or outside the diff. No finding is lost here. Pure."""

from collections.abc import Iterable, Sequence
from typing import Literal

from bot.values import ChangedFile, Finding, Placed

Place = Literal["inline", "file", "outside", "folded"]


def place(findings: Iterable[Finding], files: Sequence[ChangedFile]) -> tuple[Placed, ...]:
    """Each finding with the closest place that GitHub's rules allow."""
    by_path = {file.path: file for file in files} | {file.old_path: file for file in files if file.old_path}
    return tuple(Placed(finding, _place(finding, by_path.get(finding.path))) for finding in findings)


def _place(finding: Finding, file: ChangedFile | None) -> Place:
    if file is None:
        return "outside"
    for hunk in file.hunks:
        first, size = (hunk.new_start, hunk.new_lines) if finding.side == "head" else (hunk.old_start, hunk.old_lines)
        if first <= finding.start and finding.end < first + size:
            return "inline"
    return "file"
