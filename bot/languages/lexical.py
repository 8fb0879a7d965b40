"""What every language needs to look at text that somebody else wrote: caps before patterns.

A pattern costs at least one step a character, and a careless one costs the square. The patterns of this package are linear; the
caps keep what they are given small where nobody writes more: a configuration file, a line, a word.
"""

import re
from collections import defaultdict
from collections.abc import Mapping
from functools import cached_property, lru_cache

from bot.text.caps import CONFIG, MANIFEST

MOST_IMPORTS = 20_000  # statements and qualified names of one file that are resolved
AROUND = 400  # bytes beside a name that tell what it is given
APART = b"\n;\n"  # between stretches of code that do not touch
_WORD = re.compile(rb"[\w\x80-\xff]++")
_CAMEL = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")
TELLING = 3  # words


def manifest_text(source: bytes) -> str:
    """Return a manifest as patterns and parsers may see it."""
    return MANIFEST.shorten(source).decode("utf-8", "replace")


def config(source: bytes) -> bytes:
    """Return a configuration file as patterns and parsers may see it."""
    return CONFIG.shorten(source)


def line_until(source: bytes, at: int) -> bytes:
    """The line up to a position; of a long one only its last bytes before it."""
    start = max(0, at - CONFIG.line)
    return source[max(source.rfind(b"\n", start, at) + 1, start) : at]


@lru_cache(maxsize=32)
def mention(words: frozenset[str]) -> re.Pattern[bytes]:
    """Match a statement that holds one of the words; any statement if there are none."""
    return re.compile(b"|".join(re.escape(word.encode()) for word in sorted(words)))


def underscore(name: str) -> str:
    """Return the file's name for a constant: admin/html_page for `Admin::HTMLPage`."""
    parts = re.sub(r"(?<![A-Z\d])([A-Z\d]+)([A-Z][a-z])", r"\1_\2", name.strip(":").replace("::", "/"))
    return re.sub(r"([a-z\d])([A-Z])", r"\1_\2", parts).lower()


def camel(stem: str) -> str:
    """Return the constant for a file's name: HtmlPage for `html_page`."""
    return "".join(part[:1].upper() + part[1:] for part in stem.split("_"))


def is_telling(name: str, least: int = TELLING) -> bool:
    """Whether a member's name can speak for itself: it is of so many words or more."""
    return len(_CAMEL.findall(name)) >= least


class Words:
    """The places of each word of a text, found once: a lookup of a name costs its places and not the whole text."""

    def __init__(self, code: bytes) -> None:
        self._code = code

    @cached_property
    def _starts(self) -> Mapping[bytes, list[int]]:
        starts: dict[bytes, list[int]] = defaultdict(list)
        for match in _WORD.finditer(self._code):
            starts[match[0]].append(match.start())
        return starts

    def places(self, word: bytes, behind: bytes = b"") -> list[int]:
        """Where a word begins, unless it is behind one of these bytes."""
        return [at for at in self._starts.get(word, ()) if not at or self._code[at - 1] not in behind]

    def near(self, word: str, most: int = 1 << 30) -> str:
        """The text around each place of a word among the first bytes: one stretch where places are close."""
        parts, end = list[bytes](), -1
        for at in self.places(word.encode()):
            if at > most:
                break
            start = max(at - AROUND, 0)
            if start > end >= 0:
                parts.append(APART)
            start, end = max(start, end), at + AROUND
            parts.append(self._code[start:end])
        return b"".join(parts).decode("utf-8", "replace")
