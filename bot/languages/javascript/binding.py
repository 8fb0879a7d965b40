"""What takes a method of a class away, or another export, below where it was written."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from bot.languages.conditions import ALL, Binding

EXPORTS = re.compile(rb"\bexports\b")
REPLACED = re.compile(rb"(?<![\w.$])(?:module\.)?exports[ \t]*=(?![=>])[^\n]*")  # the last one counts
UNKNOWN = re.compile(rb"\bdelete[ \t]+(?:module\.)?exports\[(?![\"'])[^\n]*")
MEMBERS = (
    re.compile(rb"\b(\w{1,100})\.prototype\[[\"'](\w{1,100})[\"']\][ \t]*=(?!=)[^\n]*"),
    re.compile(rb"\bdelete[ \t]+(\w{1,100})(?:\.prototype)?\.(\w{1,100})"),
    re.compile(rb"\b(\w{1,100})\.prototype\.(\w{1,100})[ \t]*=(?!=)[^\n]*"),
    re.compile(
        rb"\b(?:Object\.defineProperty|Reflect\.(?:deleteProperty|defineProperty))\([ \t]*(\w{1,100})(?:\.prototype)?[ \t]*,[ \t]*[\"'](\w{1,100})"
    ),
)
SET = re.compile(rb"^[ \t]*(\w{1,100})[ \t]*=(?!=|>)[^\n]*", re.MULTILINE)


def bindings(root: Node, source: bytes) -> Iterator[Binding]:
    """The statements that set or delete what is defined above them."""
    del root
    first = EXPORTS.search(source)
    for match in REPLACED.finditer(source):
        if first is not None and first.start() < match.start(0) + len(match[0]) - len(match[0].lstrip()):
            yield _binding(ALL, source, match)
    for match in UNKNOWN.finditer(source):
        yield _binding(ALL, source, match)
    for pattern in MEMBERS:
        for match in pattern.finditer(source):
            yield _binding(".".join(one.decode("utf-8", "replace") for one in match.groups()), source, match)
    for match in SET.finditer(source):
        yield _binding(match[1].decode("utf-8", "replace"), source, match)


def _binding(name: str, source: bytes, match: re.Match[bytes]) -> Binding:
    return Binding(name, source.count(b"\n", 0, match.start()) + 1, match[0].decode("utf-8", "replace"))
