"""Prepare Rust code for the parser: macros whose tokens are ordinary code."""

import re
from functools import lru_cache

# Macros whose arguments are expressions; without its name, such a macro is parsed as `!(a, b)`, `![a, b]`.
STANDARD = re.compile(
    rb"(?<![\w:])(?:std::|core::)?(?:e?print(?:ln)?|format(?:_args)?|write(?:ln)?|panic|(?:debug_)?assert(?:_eq|_ne)?|vec|dbg|todo|unreachable|unimplemented)(?=!\s?[(\[])"
)


@lru_cache(maxsize=4)
def readable(source: bytes) -> bytes:
    """Return the source for the parser; all bytes keep their positions."""
    return STANDARD.sub(lambda match: b" " * len(match[0]), source)
