"""Patterns of paths as in .gitignore, by the library `pathspec`, and what .gitattributes says by them.

A pattern that begins with EXACT is the path of one file, every character as it is. The form of .gitignore has none for that: it
drops blanks at the ends, and a name also means everything in a folder of that name.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from posixpath import dirname
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

EXACT = "="
KEPT = 4096  # lists of patterns
MOST = 64  # patterns that one with braces stands for
MOST_RULES = 2_000  # of .gitattributes, the last ones: each is held against each changed file
BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")


def check(pattern: str) -> None:
    """Raise a ValueError where this is not a pattern."""
    _spec((pattern,))


def matches(patterns: Iterable[str], path: str) -> bool:
    """Return whether the patterns, the later ones first, take the path."""
    return _spec(tuple(patterns)).match_file(path)


def is_usable(pattern: str) -> bool:
    """Return whether it is a pattern that takes paths, as in .gitignore: no comment, and nothing that only leaves paths out."""
    try:
        check(pattern)
    except ValueError:
        return False
    return bool(pattern) and not pattern.startswith(("!", "#"))


def braces(pattern: str) -> list[str]:
    """Return the patterns that one with braces stands for: `*.{ts,tsx}` are two. Git knows no braces; beyond MOST they stay as they are."""
    results, left = list[str](), [pattern]
    while left:
        one = left.pop(0)
        match = BRACES.search(one)
        if match is None or len(results) + len(left) >= MOST:
            results.append(one)
        else:
            left[:0] = [one[: match.start()] + part + one[match.end() :] for part in match[1].split(",")]
    return results


def generated_marks(files: Mapping[str, bytes]) -> Callable[[str], bool | None]:
    """Return what the .gitattributes files of the base say of a path: generated or vendored, explicitly not, or nothing.

    The base's, because a change must not be able to hide its own files from the review.
    """
    rules: list[tuple[str, str, bool]] = []
    for path in sorted(files, key=lambda name: name.count("/")):
        for line in files[path].decode("utf-8", "replace").splitlines():
            pattern, *words = line.split() or [""]
            attribute_words = [
                word for word in words if re.fullmatch(r"-?linguist-(generated|vendored)(=(true|false))?", word)
            ]
            if attribute_words and not pattern.startswith(("#", "[", "!")):
                on = not attribute_words[-1].startswith("-") and not attribute_words[-1].endswith("=false")
                rules.append((dirname(path), pattern, on))
    del rules[:-MOST_RULES]

    def is_marked(path: str) -> bool | None:
        is_on = None
        for folder, pattern, on in rules:
            inside = not folder or path.startswith(folder + "/")
            if inside and matches([pattern], path[len(folder) + 1 :] if folder else path):
                is_on = on  # git: the last matching line decides
        return is_on

    return is_marked


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
            """Return the library's expression, or that of one path."""
            if isinstance(pattern, str) and pattern.startswith(EXACT):
                return rf"^{re.escape(pattern.removeprefix(EXACT))}\Z", True
            return super().pattern_to_regex(pattern)

    return Pattern
