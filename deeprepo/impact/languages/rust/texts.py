"""Prepare Rust code for the parser: macros whose tokens are ordinary code."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

# Macros whose arguments are expressions; without its name, such a macro is parsed as `!(a, b)`, `![a, b]`.
STANDARD = re.compile(
    rb"(?<![\w:])(?:std::|core::)?(?:e?print(?:ln)?|format(?:_args)?|write(?:ln)?|panic|(?:debug_)?assert(?:_eq|_ne)?|vec|dbg|todo|unreachable|unimplemented)(?=!\s?[(\[])"
)
# A macro around conditional items, which replaces many `#[cfg]` attributes in large projects.
WRAPPER = re.compile(rb"^([ \t]*)cfg_\w+!\s*\{[ \t]*(?:#!?\[[^\n]*)?$", re.MULTILINE)
MOST = 200  # such macros per file


@lru_cache(maxsize=4)
def readable(source: bytes) -> bytes:
    """Return the source for the parser; all bytes keep their positions."""
    code = bytearray(source)
    for match, end in _wrappers(source):
        code[match.start() : match.end()] = b" " * (match.end() - match.start())
        code[end + 1 : end + 2 + len(match[1])] = b" " * (len(match[1]) + 1)
    return STANDARD.sub(lambda match: b" " * len(match[0]), bytes(code))


def _wrappers(source: bytes) -> Iterator[tuple[re.Match[bytes], int]]:
    for match in islice(WRAPPER.finditer(source), MOST):
        end = source.find(b"\n" + match[1] + b"}", match.end())
        if end < 0:
            return
        yield match, end
