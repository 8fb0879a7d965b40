"""Determine the package of a receiver in a Go file from lines, without types."""

import re
from collections.abc import Iterator
from functools import lru_cache

from deeprepo.impact.language import Language
from deeprepo.impact.languages.go.names import likely_names
from deeprepo.impact.reading.unreadable import Unreadable
from deeprepo.impact.resolving.importers import statements

MOST_LINES, LONG_LINE = 400, 400  # lines above a use, and characters of each
_SCOPE = b"func "
_BEFORE = frozenset({"if", "for", "switch", "var", "case"})  # words that may precede a bound name
_WORDS = re.compile(r"[^\W\d]\w*+")
# `pkg.New(...)`, `New(...)`, `&pkg.Type{...}`: the right side of an assignment.
_SOURCE = re.compile(r"\s*+[&*]?(?:([^\W\d]\w*+)\.)?([^\W\d]\w*+)(?:\[[^\[\]]*+\])?[({]")
_DECLARED = re.compile(r"(?<!\w)([^\W\d]\w*+)[ \t]++(?:\[\]|\.\.\.|[*&])?+\*?+([^\W\d]\w*+)\.[A-Z]")


def package_of(go: Language, source: bytes, receiver: str, line: int) -> str:
    """Return the package of a receiver's last binding above a line in its function, or ""."""
    for row in _above(source, line) if receiver.isidentifier() else ():
        names, package = _binding(row)
        declared = [one for name, one in _DECLARED.findall(row) if name == receiver]
        if declared or receiver in names:
            package = package if receiver in names[:1] else declared[0] if declared else ""
            return package if _is_package(go, source, package) else ""
    return ""


def _is_package(go: Language, source: bytes, name: str) -> bool:
    """Return whether a file imports a package of this name; otherwise it is a value."""
    try:
        imports = statements(go, source)
    except Unreadable:
        return False
    return any(name in ((item.whole,) if item.whole else likely_names(item.spec)) for item in imports)


def _binding(row: str) -> tuple[list[str], str]:
    """Return the names that an assignment binds, and the package of the first one.

    The package is known if the value is a single call or literal.
    """
    left, equals, right = row.partition("=")
    if not equals or "." in left or left.endswith(("!", "<", ">")) or right.startswith("="):
        return [], ""
    names = [word for word in _WORDS.findall(left) if word not in _BEFORE]
    match = _SOURCE.match(right)
    if match is None or right[match.end() + _end_of_group(right[match.end() :]) :].startswith("."):
        return names, ""
    return names, match[1] or ""


def _end_of_group(text: str) -> int:
    """Return the position after the bracket that closes a group, or the end."""
    depth = 1
    for at, letter in enumerate(text):
        depth += (letter in "({") - (letter in ")}")
        if not depth:
            return at + 1
    return len(text)


def _above(source: bytes, line: int) -> Iterator[str]:
    lines = _lines(source)
    for at in range(min(line, len(lines)) - 1, max(line - MOST_LINES, 0) - 1, -1):
        yield lines[at][:LONG_LINE].decode("utf-8", "replace")
        if lines[at].startswith(_SCOPE):
            return


@lru_cache(maxsize=8)
def _lines(source: bytes) -> list[bytes]:
    return source.split(b"\n")
