"""Show the removed line that made a name disappear."""

import re
from collections.abc import Iterable, Sequence

from bot.values import ChangedFile, Evidence

WORD = re.compile(r"[^\W\d][\w$]*")


def removed_line(files: Iterable[ChangedFile], names: Sequence[str]) -> tuple[Evidence, ...]:
    """Return the first removed line with one of these names as evidence; the first name that is found counts."""
    found: dict[str, Evidence] = {}
    for file in files:
        for line in (line for hunk in file.hunks for line in hunk.lines if line.kind == "-"):
            for word in set(names).intersection(WORD.findall(line.text)):
                at = file.old_path or file.path
                found.setdefault(word, Evidence(at, line.text, line.old or 0, "base", "removed by this change"))
    return tuple([found[name] for name in names if name in found][:1])
