"""GitHub's rules for review comments, written from its documentation and not from our code: reads the patch text on its own.

A comment hangs on `line` of a file of the diff, on one side: RIGHT for added and unchanged lines, LEFT for removed ones. A range
adds `start_line` < `line` on the same side, in the same hunk. A comment on the file needs the file in the diff, and no line.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

_HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")
Anchor = Mapping[str, object]  # path, subject_type, line, side, start_line, start_side


@dataclass
class Patched:
    """One file of a diff: for each side, the numbers of the lines that take comments, hunk by hunk."""

    right: list[set[int]] = field(default_factory=list)
    left: list[set[int]] = field(default_factory=list)


def files(patch: str) -> dict[str, Patched]:
    """The files of a diff by the name that comments use: the new one, or the old one of a deleted file."""
    found: dict[str, Patched] = {}
    current, old, new = Patched(), 0, 0
    left_old = left_new = 0
    for row in patch.split("\n"):
        if left_old or left_new:  # inside a hunk: the header has said how many lines follow
            if row.startswith("+"):
                current.right[-1].add(new)
                new, left_new = new + 1, left_new - 1
            elif row.startswith("-"):
                current.left[-1].add(old)
                old, left_old = old + 1, left_old - 1
            elif not row.startswith("\\"):
                current.right[-1].add(new)
                old, new, left_old, left_new = old + 1, new + 1, left_old - 1, left_new - 1
        elif row.startswith("diff --git "):
            current = found.setdefault(_named(row), Patched())
        elif header := _HUNK.match(row):
            old, new = int(header[1]), int(header[2])
            sizes = re.findall(r"[-+]\d+(?:,(\d+))?", row.split("@@")[1])
            left_old, left_new = (int(size or 1) if size != "0" else 0 for size in sizes)
            current.right.append(set())
            current.left.append(set())
    return found


def refused(anchor: Anchor, diff: Mapping[str, Patched]) -> str:  # noqa: PLR0911 - one rule a line
    """Why GitHub would answer 422, empty where it takes the comment."""
    path, line, start = anchor["path"], anchor["line"], anchor["start_line"]
    if path not in diff:
        return "the file is not in the diff"
    if anchor["subject_type"] == "file":
        return "a comment on the file has no line" if line is not None or start is not None else ""
    if anchor["side"] not in ("RIGHT", "LEFT") or not isinstance(line, int):
        return "a line needs a number and a side"
    hunks = diff[str(path)].right if anchor["side"] == "RIGHT" else diff[str(path)].left
    if not any(line in hunk for hunk in hunks):
        return "the line is not in the diff"
    if start is None:
        return "" if anchor["start_side"] is None else "a side of a start that is not there"
    if not isinstance(start, int) or start >= line:
        return "the range does not end after its start"
    if anchor["start_side"] != anchor["side"]:
        return "the range changes sides"
    return "" if any(line in hunk and start in hunk for hunk in hunks) else "the range leaves its hunk"


def _named(row: str) -> str:
    """The new name of `diff --git a/OLD b/NEW`; the made names of tests hold no ` b/`, and a deleted file has one name."""
    return row.rpartition(" b/")[2]
