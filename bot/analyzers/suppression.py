"""Comments that switch a linter off. One that the base has at the same path counts; one that the change writes leaves the report open.

The comment is not removed: the words that make it one are overwritten with as many other letters, so no line and no column moves.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from bot.values import ChangedFile

ENABLES = re.compile(r"\benable\b", re.IGNORECASE)  # ends what an earlier comment has switched off


@dataclass(frozen=True, slots=True)
class Directives:
    """How a linter's comments are recognised. `words` count from the first `opening` of a line on, if there is one."""

    words: re.Pattern[bytes]
    opening: bytes = b""

    def of(self, line: bytes) -> bytes:
        """What a line says to the linter: from its first word on; empty if it says nothing."""
        begin = line.find(self.opening)
        word = self.words.search(line, begin) if begin >= 0 else None
        return line[word.start() :].strip() if word else b""

    def without_words(self, line: bytes) -> bytes:
        """The line without its words."""
        begin = line.find(self.opening)
        return line[:begin] + self.words.sub(lambda word: b"x" * len(word[0]), line[begin:]) if begin >= 0 else line


@dataclass(frozen=True, slots=True)
class Variants:
    """One text as the linter is shown it: as it is, with the comments that the base has, and without any."""

    own: bytes
    base_comments: bytes
    bare: bytes


def variants(comments: Directives, file: ChangedFile, text: bytes) -> Variants:
    """The variants of the text that a file has after the change."""
    if not comments.words.search(text):
        return Variants(text, text, text)
    lines = text.split(b"\n")
    says = {number: comments.of(line) for number, line in enumerate(lines, 1)}
    kept_lines = _kept_lines(comments, file, says)
    base_lines = [
        line if not says[n] or n in kept_lines else comments.without_words(line) for n, line in enumerate(lines, 1)
    ]
    return Variants(text, b"\n".join(base_lines), bare(comments, text))


def bare(comments: Directives, text: bytes) -> bytes:
    """A text without the comments that switch the linter off."""
    if not comments.words.search(text):
        return text
    return b"\n".join(comments.without_words(line) for line in text.split(b"\n"))


def _kept_lines(comments: Directives, file: ChangedFile, says: Mapping[int, bytes]) -> frozenset[int]:
    """The lines whose comments the base has: unchanged ones, and those that take the place of a line with the same comment."""
    rows = [row for hunk in file.hunks for row in hunk.lines]
    has_enabled = any(row.kind == "-" and comments.of(_raw(row.text)) and ENABLES.search(row.text) for row in rows)
    if file.old_path != file.path or has_enabled:
        return frozenset()
    kept_lines = {number for number in says if number not in file.added_lines}
    removed_comments: list[bytes] = []
    for row in rows:
        if row.kind == "-":
            removed_comments.append(comments.of(_raw(row.text)))
        elif row.kind == "+":
            former = removed_comments.pop(0) if removed_comments else b""
            if former and former == says.get(row.new or 0):
                kept_lines.add(row.new or 0)
        else:
            removed_comments.clear()
    return frozenset(kept_lines)


def _raw(text: str) -> bytes:
    return text.encode("utf-8", "replace")
