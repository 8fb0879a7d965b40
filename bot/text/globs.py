"""Patterns of paths as in .gitignore, in time that grows with the path and not with its powers.

`pathspec` knows the form and makes a regular expression of each pattern. In those a pattern of many stars tries every way to
share a path out among its stars. Only the last star between two slashes has a choice that matters, and only the last `**`:
what stands before it may take the first place that it finds and never looks back.

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

STAR, ANYWHERE, DEEPER = "[^/]*", "^(?:.+/)?", "(?:/.+)?/"  # as pathspec writes `*`, a leading `**/`, and `/**/`
ANY, NO_SLASH = "[^/]", "(?!/)"
SETS = re.compile(
    r"\\.|\[\^?\]?(?:[^\]\\]|\\.){0,200}+\]", re.DOTALL
)  # in an expression of pathspec, and what is escaped
EXACT = "="
KEPT = 4096  # lists of patterns
MOST = 64  # patterns that one with braces stands for
# The named sets of characters in a bracket expression, as ranges without a slash, which none of them matches in git.
CLASSES = {
    "alnum": "a-zA-Z0-9",
    "alpha": "a-zA-Z",
    "blank": " \t",
    "cntrl": "\0-\x1f\x7f",
    "digit": "0-9",
    "graph": '"-.0-~!',
    "lower": "a-z",
    "print": " -.0-~",
    "punct": '"-.!:-@[-`{-~',
    "space": " \t\n\r",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}
NAMED = re.compile(rf"(?<=.)\[:({'|'.join(CLASSES)}):\]")
BRACKET = re.compile(r"\[[!^]?\]?(?:\[:\w+:\]|\\.|[^\]\\]){0,200}\]")
BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")


def check(pattern: str) -> None:
    """Raise a ValueError where this is not a pattern."""
    _compiled([pattern])


def matches(patterns: Iterable[str], path: str) -> bool:
    """Whether the patterns, the later ones first, take the path."""
    return _spec(tuple(patterns)).match_file(path)


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
    return _compiled(patterns)


def _compiled(patterns: Sequence[str]) -> "GitIgnoreSpec":
    from pathspec import GitIgnoreSpec

    return GitIgnoreSpec.from_lines(patterns, _linear(), backend="simple")


@cache
def _linear() -> "type[GitIgnoreSpecPattern]":
    """A pattern as the library has it, with our expression. The library is imported with the first pattern: many reviews have none."""
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

    class Linear(GitIgnoreSpecPattern):
        @classmethod
        def pattern_to_regex(cls, pattern):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN206 - the library's signature
            """The library's expression, in which early choices are final."""
            if isinstance(pattern, str) and pattern.startswith(EXACT):
                return rf"^{re.escape(pattern.removeprefix(EXACT))}\Z", True
            regex, include = super().pattern_to_regex(_spell_out(pattern) if isinstance(pattern, str) else pattern)
            return (_final(_without_slash(regex)) if isinstance(regex, str) else regex), include

    return Linear


def _spell_out(pattern: str) -> str:
    """Replace the named classes of a bracket expression by their ranges: `[[:digit:]_]` is `[0-9_]`."""
    return BRACKET.sub(lambda match: NAMED.sub(lambda name: CLASSES[name[1]], match[0]), pattern)


def _without_slash(regex: str) -> str:
    """The expression whose sets take no slash, as in git: neither one of what is not in a set, nor a range across it."""
    return SETS.sub(
        lambda match: match[0] if match[0] == ANY or match[0][0] == "\\" else f"{NO_SLASH}{match[0]}", regex
    )


def _final(regex: str) -> str:
    anywhere = regex.startswith(ANYWHERE)
    first, *others = _stars(regex.removeprefix(ANYWHERE)).split(DEEPER)
    if not others:
        return (ANYWHERE if anywhere else "") + first
    middle = "".join(f"(?>(?:/.+?)??/{part}(?=/))" for part in others[:-1])
    return (f"^(?>(?:.+?/)??{first}(?=/))" if anywhere else first) + middle + DEEPER + others[-1]


def _stars(regex: str) -> str:
    first, *others = regex.split(STAR)
    inner = (
        f"(?>[^/]*?{part})" if "/" not in part.replace(ANY, "").replace(NO_SLASH, "") else STAR + part
        for part in others[:-1]
    )
    return "".join([first, *inner, *(STAR + part for part in others[-1:])])


def is_usable(pattern: str) -> bool:
    """Whether it is a pattern that takes paths, as in .gitignore: no comment, and nothing that only leaves paths out."""
    try:
        check(pattern)
    except ValueError:
        return False
    return bool(pattern) and not pattern.startswith(("!", "#"))
