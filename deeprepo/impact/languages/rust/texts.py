"""Texts of Rust that hold code, and code that a parser has to be told of: paths in attributes, macros whose tokens are what they look like."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

# Comments, strings and characters: whatever they hold is no code. What is not closed goes on to the end.
SILENT = re.compile(
    rb"//[^\n]*|/\*(?:.*?\*/|.*)|\br(#+)\"(?:.*?\"\1|.*)|\br\"[^\"]*\"?|\"(?:\\.|[^\"\\])*+\"?|'(?:\\[^\n']+|[^\\\n'])'",
    re.DOTALL,
)
# A text of an attribute that is a path: `#[serde(default = "order::expand")]`. Of one word it may be a name for data.
TEXT = re.compile(rb"\"[A-Za-z_]\w*+(?:::[A-Za-z_]\w*+)*+\"")
QUOTING = re.compile(rb"#\[[^\[\]\"]*+\"")  # an attribute that holds a text
KEY = re.compile(rb"(?<!\w)(\w++)\s*+=\s*+\Z")
LABELS = re.compile(rb"feature|doc|path|target_\w+|rename\w*|alias|tag|content")
ATTRIBUTE = 400  # bytes of an attribute before its text
# The macros whose arguments are expressions; without its name, such a macro reads as `!(a, b)`, `![a, b]`.
STANDARD = re.compile(
    rb"(?<![\w:])(?:std::|core::)?(?:e?print(?:ln)?|format(?:_args)?|write(?:ln)?|panic|(?:debug_)?assert(?:_eq|_ne)?|vec|dbg|todo|unreachable|unimplemented)(?=!\s?[(\[])"
)
# A macro around items that makes them conditional, as large projects write `#[cfg]` for many items at once.
WRAPPER = re.compile(rb"^([ \t]*)cfg_\w+!\s*\{[ \t]*(?:#!?\[[^\n]*)?$", re.MULTILINE)
MOST = 200  # such macros of one file


@lru_cache(maxsize=4)
def readable(source: bytes) -> bytes:
    """Return the source as its parser is given it; every byte stays where it was."""
    code = bytearray(bare_paths(source))
    for match, end in _wrappers(source):
        code[match.start() : match.end()] = b" " * (match.end() - match.start())
        code[end + 1 : end + 2 + len(match[1])] = b" " * (len(match[1]) + 1)
    return STANDARD.sub(lambda match: b" " * len(match[0]), bytes(code))


def _wrappers(source: bytes) -> Iterator[tuple[re.Match[bytes], int]]:
    """The macros around conditional items, each with where it ends."""
    for match in islice(WRAPPER.finditer(source), MOST):
        end = source.find(b"\n" + match[1] + b"}", match.end())
        if end < 0:
            return
        yield match, end


def bare_paths(source: bytes) -> bytes:
    """Return the source, with paths that an attribute holds as texts written as code; every byte stays where it was."""
    if not QUOTING.search(source):
        return source
    return SILENT.sub(lambda match: bare(match) if path_key(match) else match[0], source)


def path_key(match: re.Match[bytes]) -> str:
    """Return the key of an attribute whose value is a text that is a path; "" for any other text."""
    if not TEXT.fullmatch(match[0]):
        return ""
    before = match.string[max(0, match.start() - ATTRIBUTE) : match.start()]
    _, mark, inner = before.rpartition(b"#[")
    key = KEY.search(inner) if mark and b"]" not in inner else None
    is_label = key is not None and b"::" not in match[0] and LABELS.fullmatch(key[1])
    return key[1].decode("ascii", "replace") if key is not None and not is_label else ""


def bare(match: re.Match[bytes]) -> bytes:
    """Return a text without its quotes, in as many bytes."""
    return b" " + match[0][1:-1] + b" "
