"""Prepare Rust code for the parser: paths in attribute strings, and macros whose tokens are ordinary code."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

# Comments, strings and characters, which contain no code. An unclosed one runs to the end.
SILENT = re.compile(
    rb"//[^\n]*|/\*(?:.*?\*/|.*)|\br(#+)\"(?:.*?\"\1|.*)|\br\"[^\"]*\"?|\"(?:\\.|[^\"\\])*+\"?|'(?:\\[^\n']+|[^\\\n'])'",
    re.DOTALL,
)
# An attribute string that is a path: `#[serde(default = "order::expand")]`. A single word may be a name in
# data.
TEXT = re.compile(rb"\"[A-Za-z_]\w*+(?:::[A-Za-z_]\w*+)*+\"")
QUOTING = re.compile(rb"#\[[^\[\]\"]*+\"")  # an attribute with a string
KEY = re.compile(rb"(?<!\w)(\w++)\s*+=\s*+\Z")
LABELS = re.compile(rb"feature|doc|path|target_\w+|rename\w*|alias|tag|content")
ATTRIBUTE = 400  # bytes of an attribute before its string
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
    code = bytearray(bare_paths(source))
    for match, end in _wrappers(source):
        code[match.start() : match.end()] = b" " * (match.end() - match.start())
        code[end + 1 : end + 2 + len(match[1])] = b" " * (len(match[1]) + 1)
    return STANDARD.sub(lambda match: b" " * len(match[0]), bytes(code))


def _wrappers(source: bytes) -> Iterator[tuple[re.Match[bytes], int]]:
    """Yield the macros around conditional items, with their ends."""
    for match in islice(WRAPPER.finditer(source), MOST):
        end = source.find(b"\n" + match[1] + b"}", match.end())
        if end < 0:
            return
        yield match, end


def bare_paths(source: bytes) -> bytes:
    """Return the source with attribute paths in strings as code; all bytes keep their positions."""
    if not QUOTING.search(source):
        return source
    return SILENT.sub(lambda match: bare(match) if path_key(match) else match[0], source)


def path_key(match: re.Match[bytes]) -> str:
    """Return the key of an attribute whose value is a path in a string; "" for other strings."""
    if not TEXT.fullmatch(match[0]):
        return ""
    before = match.string[max(0, match.start() - ATTRIBUTE) : match.start()]
    _, mark, inner = before.rpartition(b"#[")
    key = KEY.search(inner) if mark and b"]" not in inner else None
    is_label = key is not None and b"::" not in match[0] and LABELS.fullmatch(key[1])
    return key[1].decode("ascii", "replace") if key is not None and not is_label else ""


def bare(match: re.Match[bytes]) -> bytes:
    """Return a string with its quotes blanked out."""
    return b" " + match[0][1:-1] + b" "
