"""Parse the output of `git log -p` into the hunks of each commit, with the lines before and after."""

import re
from collections.abc import Iterator

from bot.values import CommitLines

COMMIT = re.compile(rb"^\0([0-9a-f]+)$", re.MULTILINE)  # the format that `tree.commit_lines` requests


def commits(out: bytes) -> list[tuple[str, bytes]]:
    """Return the ID and the patch of each commit."""
    _, *parts = COMMIT.split(out)
    return [(name.decode(), patch) for name, patch in zip(parts[::2], parts[1::2], strict=True)]


def lines_of(commit: str, patch: bytes) -> Iterator[CommitLines]:
    """Yield the hunks of a commit's patch."""
    path, rows, is_hunk = "", list[str](), False
    for row in (*patch.decode("utf-8", "replace").split("\n"), "diff --"):
        if is_hunk and row[:1] in {" ", "+", "-"}:
            rows.append(row)
        elif row.startswith(("@@", "diff --")):
            if rows:
                after, before = ([one for one in rows if one[0] != sign] for sign in "-+")
                signs = "".join(one[0] for one in after)
                yield CommitLines(commit, path, [one[1:] for one in after], signs, [one[1:] for one in before])
            rows, is_hunk = [], row.startswith("@@")
        elif not is_hunk and row.startswith("+++ "):
            path = row[4:].removesuffix("\t").strip('"').removeprefix("b/")
