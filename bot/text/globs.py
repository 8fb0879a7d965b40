"""Patterns of paths as in .gitignore, by the library `pathspec`.

A pattern that begins with EXACT is the path of one file, every character as it is. The form of .gitignore has none for that: it
drops blanks at the ends, and a name also means everything in a folder of that name.
"""

import re
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

EXACT = "="
KEPT = 4096  # lists of patterns
MOST = 64  # patterns that one with braces stands for
BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")


def check(pattern: str) -> None:
    """Raise a ValueError where this is not a pattern."""
    _spec((pattern,))


def matches(patterns: Iterable[str], path: str) -> bool:
    """Whether the patterns, the later ones first, take the path."""
    return _spec(tuple(patterns)).match_file(path)


def is_usable(pattern: str) -> bool:
    """Whether it is a pattern that takes paths, as in .gitignore: no comment, and nothing that only leaves paths out."""
    try:
        check(pattern)
    except ValueError:
        return False
    return bool(pattern) and not pattern.startswith(("!", "#"))


def braces(pattern: str) -> list[str]:
    """The patterns that one with braces stands for: `*.{ts,tsx}` are two. Git knows no braces; beyond MOST they stay as they are."""
    results, left = list[str](), [pattern]
    while left:
        one = left.pop(0)
        match = BRACES.search(one)
        if match is None or len(results) + len(left) >= MOST:
            results.append(one)
        else:
            left[:0] = [one[: match.start()] + part + one[match.end() :] for part in match[1].split(",")]
    return results


@lru_cache(KEPT)
def _spec(patterns: Sequence[str]) -> "GitIgnoreSpec":
    from pathspec import GitIgnoreSpec

    return GitIgnoreSpec.from_lines(patterns, _form(), backend="simple")


@cache
def _form() -> "type[GitIgnoreSpecPattern]":
    """A pattern as the library has it, or of one file. The library is imported with the first pattern: many reviews have none."""
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

    class Pattern(GitIgnoreSpecPattern):
        @classmethod
        def pattern_to_regex(cls, pattern):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN206 - the library's signature
            """The library's expression, or that of one path."""
            if isinstance(pattern, str) and pattern.startswith(EXACT):
                return rf"^{re.escape(pattern.removeprefix(EXACT))}\Z", True
            return super().pattern_to_regex(pattern)

    return Pattern
