"""Text in which a parser and its language may see different code: an end of a line, an encoding or an escape that one of them does not follow.

What a parser says of such a file proves nothing: a definition that it sees may be a comment or a string, or the other way round.
"""

import re
import unicodedata
from collections.abc import Iterable

from bot.languages.unreadable import Unreadable
from bot.text.lines import without_mark

LONE = re.compile(rb"\r(?!\n)")
OTHER_BREAKS = re.compile(rb"\xc2\x85|\xe2\x80[\xa8\xa9]")
COOKIE = re.compile(rb"^[ \t\f]*#[^\n]*?coding[:=][ \t]*([-\w.]+)")
# Encodings in which every ASCII byte is itself and no other character has one.
PLAIN = re.compile(
    rb"u8|utf-?8(-(sig|unix|dos|mac))?|(us-)?ascii|l1|latin-?\d+|iso-?8859-?\d+|(cp|windows-?)125\d|koi8-?[ru]|binary"
)
HEAD = 2  # lines in which an encoding is declared
# An escape that Java reads before anything else, of a character that ends a line, a string, or a comment.
ESCAPE = re.compile(rb"(?<!\\)(?:\\\\)*\\u+00(?:0[aAdD]|22|27|5[cC]|2[aAfF])")
ESCAPED = re.compile(rb"\\u+[0-9a-fA-F]{4}")


def check(source: bytes) -> None:
    """Raise Unreadable if a line ends with a carriage return alone: half of all parsers go on with the line, and half begin a new one."""
    lone = LONE.search(source)
    if lone is not None:
        raise Unreadable(
            f"line {_line(source, lone.start())} has a carriage return without a line feed, which may end the line"
        )


def check_breaks(source: bytes) -> None:
    """Raise Unreadable if the source has one of the line ends of Unicode, in a language whose lines they end."""
    match = OTHER_BREAKS.search(source)
    if match is not None:
        raise Unreadable(f"line {_line(source, match.start())} has a line end of Unicode, which may end a comment")


def check_encoding(source: bytes) -> None:
    """Raise Unreadable if a comment at the top declares an encoding in which bytes can mean other code than they show."""
    for line in without_mark(source).split(b"\n", HEAD)[:HEAD]:
        cookie = COOKIE.match(line)
        if cookie is not None and not PLAIN.fullmatch(cookie[1].lower().replace(b"_", b"-")):
            raise Unreadable(
                f"it declares the encoding {cookie[1].decode('ascii', 'replace')}, in which its bytes may mean other code"
            )


def check_escapes(source: bytes, code: bytes) -> None:
    """Raise Unreadable if escapes may write code. `code`: the source without its comments and strings."""
    match = ESCAPE.search(source) or ESCAPED.search(code)
    if match is not None:
        raise Unreadable(f"line {_line(source, match.end() - 1)} writes code as an escape (`\\u`)")


def check_names(names: Iterable[str]) -> None:
    """Raise Unreadable if a name is spelt with letters that the language takes for others."""
    odd = next((name for name in names if not name.isascii() and unicodedata.normalize("NFKC", name) != name), None)
    if odd is not None:
        raise Unreadable(f"it spells the name {unicodedata.normalize('NFKC', odd)} with other letters")


def _line(source: bytes, at: int) -> int:
    return source.count(b"\n", 0, at) + 1
