"""Where a text has the quoted words of a finding, whatever was written around them. Pure.

Blanks, breaks of lines, comments and what was put between the quoted lines do not edit them. A text is compared as it is and as its
code alone; either is enough, so that no mark of a comment inside a string hides a line.
"""

import re
from collections.abc import Iterable, Sequence
from functools import cached_property

from bot.findings.quotes import fold, locate
from bot.text.lines import code_of, is_comment

_TOKEN = re.compile(r"\w+|[^\w\s]")
_MASKED = re.compile(r"\w{0,4}\*{3}")  # what an output shows of a secret
_CONTINUED = re.compile(r"\\\r?\n")


class FileText:
    """One file in which words are looked for."""

    def __init__(self, path: str, blob: bytes) -> None:
        self.path = path
        # Some encodings put a NUL byte beside each letter.
        self.text = blob.decode("utf-8", "replace").replace("\0", "")

    def holds(self, words: str) -> bool:
        """Whether the text or its code has these tokens, one after the other."""
        return any(words in tokens for tokens in self._readings)

    def count(self, words: str) -> int:
        """How often it has these tokens, one after the other."""
        return max(tokens.count(words) for tokens in self._readings)

    def has_row(self, row: str) -> bool:
        """Whether this is a whole line of the code."""
        return row in self._code_rows

    def has_word(self, word: str) -> bool:
        """Whether the text holds a word at all: most texts are told apart by that."""
        return word in self.text

    @cached_property
    def _readings(self) -> Sequence[str]:
        """The tokens of the text, of the text without comments of a line, and without those of a block too: a string may look like either."""
        code = "\n".join(_code_rows(self.path, self.text))
        lines = "\n".join(_code_rows(self.path, self.text, blocks=True))
        return tuple(dict.fromkeys(map(_tokens, (self.text, lines, code))))

    @cached_property
    def _code_rows(self) -> frozenset[str]:
        return frozenset(map(fold, _code_rows(self.path, self.text)))


class QuotedWords:
    """The words of a quote: those of each of its lines without comments; of a comment all."""

    def __init__(self, path: str, quote: str) -> None:
        self.rows = tuple(row for row in map(fold, _code_rows(path, quote)) if row) or (fold(quote),)
        pieces = (piece for row in self.rows for piece in _MASKED.split(row))
        self._parts = frozenset(tokens for tokens in map(_tokens, pieces) if tokens.strip())
        self._longest = {part: max(part.split(), key=len) for part in self._parts}
        self._quote = quote

    def stand_in(self, files: Iterable[FileText]) -> FileText | None:
        """The file that has all the words, or of several that have them together the one with the longest line; None if some are gone."""
        left, longest = set(self._parts), ""
        holder: FileText | None = None
        for file in files:
            here = {part for part in self._parts if file.has_word(self._longest[part]) and file.holds(part)}
            if here == self._parts:  # of a quote that shows nothing but a secret, too: nobody can tell that it is gone
                return file
            best = max(here & left, key=len, default="")
            if len(best) > len(longest):
                longest, holder = best, file
            left -= here
        return None if left else holder

    def count_in(self, file: FileText) -> int:
        """How often a file has the longest line of the words."""
        longest = max(self._parts, key=len, default="")
        return file.count(longest) if longest and file.has_word(self._longest[longest]) else 0

    def stand_whole_in(self, files: Sequence[FileText]) -> bool:
        """Whether each line is a whole line of code of one of the files."""
        return all(any(file.has_row(row) for file in files) for row in self.rows)

    def lines_in(self, file: FileText, near: int) -> tuple[int, int]:
        """The first and last line of the words in a file that holds them; of words that were pulled apart those of the longest line."""
        for quote in (self._quote, max(self.rows, key=len)):
            at = locate(file.text, quote, near)
            if at is not None:
                return at
        line = max(1, min(near, file.text.count("\n") + 1))
        return line, line


def _code_rows(path: str, text: str, *, blocks: bool = False) -> list[str]:
    """The lines of a text without comments, or with those of a block; a line that goes on in the next one is one with it."""
    rows = _CONTINUED.sub(" ", text if blocks else _without_blocks(text)).split("\n")
    return [code_of(row, path) for row in rows if not is_comment(row, path)]


def _without_blocks(text: str) -> str:
    """A text without what stands between `/*` and `*/`, but for breaks of lines."""
    parts, at = list[str](), 0
    while (start := text.find("/*", at)) >= 0 and (end := text.find("*/", start + 2)) >= 0:
        parts += [text[at:start], "\n" * text.count("\n", start, end) or " "]
        at = end + 2
    return "".join([*parts, text[at:]])


def _tokens(text: str) -> str:
    """The tokens of a text, each between blanks."""
    return f" {' '.join(_TOKEN.findall(text))} "
