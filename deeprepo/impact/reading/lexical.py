"""Limit the size of text before patterns are applied to it.

A pattern costs at least one step per character, and a careless one is quadratic. The patterns of this package
are linear; these limits also keep their input small.
"""

import re
from functools import lru_cache

from deeprepo.impact.text.lines import CONFIG

MOST_IMPORTS = 20_000  # statements and qualified names per file that are resolved
KEPT = re.compile(rb"[^\r\n]")
_CAMEL = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")


def config(source: bytes) -> bytes:
    """Return a configuration file, shortened for patterns and parsers."""
    return CONFIG.shorten(source)


def line_until(source: bytes, at: int) -> bytes:
    """Return the line up to a position; for a long line, only its last bytes."""
    start = max(0, at - CONFIG.line)
    return source[max(source.rfind(b"\n", start, at) + 1, start) : at]


@lru_cache(maxsize=32)
def mention(words: frozenset[str]) -> re.Pattern[bytes]:
    """Return a pattern that matches statements with one of the words; without words, any statement."""
    return re.compile(b"|".join(re.escape(word.encode()) for word in sorted(words)))


def camel(stem: str) -> str:
    """Return the constant for a file name: HtmlPage for `html_page`."""
    return "".join(part[:1].upper() + part[1:] for part in stem.split("_"))


def has_words(name: str, least: int) -> bool:
    """Return whether a member's name is specific, because it has at least this many words."""
    return len(_CAMEL.findall(name)) >= least
