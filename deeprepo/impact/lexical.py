"""What every language needs to look at text that somebody else wrote: caps before patterns.

A pattern costs at least one step a character, and a careless one costs the square. The patterns of this package are linear; the
caps keep what they are given small where nobody writes more: a configuration file, a line, a word.
"""

import re
from functools import lru_cache

from deeprepo.impact.text.lines import CONFIG

MOST_IMPORTS = 20_000  # statements and qualified names of one file that are resolved
KEPT = re.compile(rb"[^\r\n]")
_CAMEL = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")
TELLING = 3  # words


def config(source: bytes) -> bytes:
    """Return a configuration file as patterns and parsers may see it."""
    return CONFIG.shorten(source)


def line_until(source: bytes, at: int) -> bytes:
    """Return the line up to a position; of a long one only its last bytes before it."""
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
    """Return whether a member's name can speak for itself: it is of so many words or more."""
    return len(_CAMEL.findall(name)) >= least
