"""Match paths against .gitignore patterns, using `pathspec`, and read .gitattributes.

A pattern that begins with EXACT is the exact path of one file. A .gitignore pattern cannot express that,
because it drops blanks at the ends and also matches everything in a folder of that name.
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
MOST_EXPANDED = 64  # patterns that one with braces expands to
MOST_RULES = 2_000  # the last rules of .gitattributes; each is compared with each changed file
GROUP = re.compile(r"([!@?*+])\(([^()]*)\)")  # in minimatch's patterns; .gitignore has none
BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")


def check(pattern: str) -> None:
    """Raise ValueError for an invalid pattern."""
    _spec((pattern,))


def matches(patterns: Iterable[str], path: str) -> bool:
    """Return whether the patterns match the path; later patterns take precedence."""
    return _spec(tuple(patterns)).match_file(path)


def is_usable(pattern: str) -> bool:
    """Return whether a pattern includes paths: not a comment and not an exclusion."""
    try:
        check(pattern)
    except ValueError:
        return False
    return bool(pattern) and not pattern.startswith(("!", "#"))


def braces(pattern: str) -> list[str]:
    """Expand braces, which git does not support: `*.{ts,tsx}` becomes two patterns.

    Beyond MOST_EXPANDED they stay unexpanded, and so does an exact path.
    """
    if pattern.startswith(EXACT):
        return [pattern]
    results, left = list[str](), [pattern]
    while left:
        one = left.pop(0)
        match = BRACES.search(one)
        if match is None or len(results) + len(left) >= MOST_EXPANDED:
            results.append(one)
        else:
            left[:0] = [one[: match.start()] + part + one[match.end() :] for part in match[1].split(",")]
    return results


def generated_marks(files: Mapping[str, bytes]) -> Callable[[str], bool | None]:
    """Return a function that looks a path up in the base's .gitattributes.

    It returns True for generated or vendored, False for explicitly not, or None. The base is used because a
    change must not hide its own files from the review.
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
                is_on = on  # in git, the last matching line decides
        return is_on

    return is_marked


@lru_cache(KEPT)
def _spec(patterns: Sequence[str]) -> "GitIgnoreSpec":
    from pathspec import GitIgnoreSpec

    return GitIgnoreSpec.from_lines(patterns, _form(), backend="simple")


@cache
def _form() -> "type[GitIgnoreSpecPattern]":
    """Return the pattern class with support for EXACT.

    The library is imported on first use, since many reviews have no patterns.
    """
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

    class Pattern(GitIgnoreSpecPattern):
        @classmethod
        def pattern_to_regex(cls, pattern):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN206 - the library's signature
            if isinstance(pattern, str) and pattern.startswith(EXACT):
                return rf"^{re.escape(pattern.removeprefix(EXACT))}\Z", True
            return super().pattern_to_regex(pattern)

    return Pattern
