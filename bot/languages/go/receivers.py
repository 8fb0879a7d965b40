"""What a receiver of a Go file comes from, and the types that a file takes over from other packages. Told by lines, without types."""

import re
from collections.abc import Iterator
from functools import lru_cache

from bot.languages.go.modules import likely_names, specs
from bot.values import Origin

MOST_LINES, LONG_LINE = 400, 400  # above a use, and the characters of each that are read
_SCOPE = b"func "
_BEFORE = frozenset({"if", "for", "switch", "var", "case"})  # what may stand before a name that is bound
_WORDS = re.compile(r"[^\W\d]\w*+")
# `pkg.New(...)`, `New(...)`, `&pkg.Type{...}`: what stands to the right of an assignment.
_SOURCE = re.compile(r"\s*+[&*]?(?:([^\W\d]\w*+)\.)?([^\W\d]\w*+)(?:\[[^\[\]]*+\])?[({]")
_DECLARED = re.compile(r"(?<!\w)([^\W\d]\w*+)[ \t]++(?:\[\]|\.\.\.|[*&])?+\*?+([^\W\d]\w*+)\.[A-Z]")
# A type of another package that a type has for its own: a line of a struct or of an interface that is nothing else, or the right side of a declaration.
_TAKEN_OVER = re.compile(
    rb"^[ \t]++\*?([A-Za-z_]\w*+)\.[A-Z]\w*+(?:\[[^\[\]\n]*+\])?[ \t]*+(?:`[^`\n]*+`[ \t]*+)?(?://[^\n]*+)?$"
    rb"|^(?:type)?[ \t]*+[A-Z_a-z]\w*+[ \t]*+(?:=[ \t]*+\*?|(?:struct|interface)[ \t]*+\{[ \t]*+\*?)([A-Za-z_]\w*+)\.[A-Z]\w*+(?:\[[^\[\]\n]*+\])?[ \t]*+[};]?[ \t]*+$",
    re.MULTILINE,
)
_RESULT = re.compile(rb"^func ([A-Za-z_]\w*+)(?:\[[^\n]{0,120}?\])?\(([^\n]{0,400})", re.MULTILINE)
_RESULT_TYPE = re.compile(r"\A\s*+\(?+(?:[^\W\d]\w*+\s++)?[*\[\]]*+(?:([^\W\d]\w*+)\.)?([^\W\d]\w*+)")


def taken_over(source: bytes) -> frozenset[str]:
    """The import paths of the types of other packages whose methods the types of a file have."""
    names = {(line or declaration).decode("ascii", "replace") for line, declaration in _TAKEN_OVER.findall(source)}
    imports = specs(source) if names else ()
    return frozenset(path for own, path, _ in imports if not names.isdisjoint((own,) if own else likely_names(path)))


def origin_of(source: bytes, receiver: str, line: int) -> Origin | None:
    """What the last line above a use binds its receiver to, within the function; None if no line tells it."""
    if not receiver.isidentifier():
        return None
    for row in _above(source, line):
        names, origin_of_first = _binding(row)
        declarations = (Origin(package) for name, package in _DECLARED.findall(row) if name == receiver)
        origin = origin_of_first if receiver in names[:1] else next(declarations, None)
        if origin is not None or receiver in names:
            return origin if origin is not None and _is_package(source, origin.package) else None
    return None


def _is_package(source: bytes, name: str) -> bool:
    """Whether a file imports a package of this name: what stands before a dot may be a value as well."""
    return not name or any(name in ((own,) if own else likely_names(path)) for own, path, _ in specs(source))


def _binding(row: str) -> tuple[list[str], Origin | None]:
    """The names that an assignment binds, and what the first one comes from if a single call or literal says it."""
    left, equals, right = row.partition("=")
    if not equals or "." in left or left.endswith(("!", "<", ">")) or right.startswith("="):
        return [], None
    names = [word for word in _WORDS.findall(left) if word not in _BEFORE]
    match = _SOURCE.match(right)
    if match is None or right[match.end() + _end_of_group(right[match.end() :]) :].startswith("."):
        return names, None
    return names, Origin(match[1] or "", match[2])


def result_of(source: bytes, function: str) -> Origin | None:
    """The package of the first result of a function that a file declares; None if it declares none, or one without a result."""
    for name, signature in _RESULT.findall(source):
        if name.decode() == function:
            text = signature.decode("utf-8", "replace")
            match = _RESULT_TYPE.match(text[_end_of_group(text) :])
            return Origin(match[1] or "") if match else None
    return None


def _end_of_group(text: str) -> int:
    """Where the bracket closes that was opened before a text; its end if it does not."""
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
