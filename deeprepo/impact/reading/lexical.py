"""Limit the size of text before patterns are applied to it.

A pattern costs at least one step per character, and a careless one is quadratic. The patterns of this package
are linear; these limits also keep their input small.
"""

import re
from functools import lru_cache

from deeprepo.impact.text.lines import CONFIG

_CAMEL = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")


def config(source: bytes) -> bytes:
    """Return a configuration file, shortened for patterns and parsers."""
    return CONFIG.shorten(source)


def only_imports(source: bytes, parts: re.Pattern[bytes], last: bytes, before: bytes = b"") -> bytes:
    """Return the import statements of a file on their lines, and nothing else.

    `parts` matches a statement that follows a line break, as `code`, or something that has none inside. The
    last statement contains `last`. `before` is put before each.
    """
    code = b"\n" + source.removeprefix(b"\xef\xbb\xbf")
    pieces, end, latest = list[bytes](), 1, code.rfind(last)
    for match in parts.finditer(code):
        if match.start() > latest:
            break
        if match["code"] is not None:
            pieces += [b"\n" * code.count(b"\n", end, match.start("code")) or b";", before, match["code"]]
            end = match.end()
    return b"".join(pieces).lstrip(b";") + b"\n"


@lru_cache
def any_word(words: frozenset[str]) -> re.Pattern[bytes]:
    """Return a pattern that matches statements with one of the words; without words, any statement."""
    return re.compile(b"|".join(re.escape(word.encode()) for word in sorted(words)))


def camel(stem: str) -> str:
    """Return the constant for a file name: HtmlPage for `html_page`."""
    return "".join(part[:1].upper() + part[1:] for part in stem.split("_"))


def has_words(name: str, least: int) -> bool:
    """Return whether a member's name is specific, because it has at least this many words."""
    return len(_CAMEL.findall(name)) >= least
