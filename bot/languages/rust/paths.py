"""The paths that a Rust file writes: `use` trees, `mod x;`, and qualified names in its code. From bytes alone."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from impact.languages.rust.texts import SILENT, bare, path_key

USE = re.compile(rb"use\s+(?=[\w:{])")
BEFORE = re.compile(rb"(?:^|[\n;{}\])])[ \t]*(pub(?:[ \t]*\([^()\n]*\))?\s+)?$")
TREE = re.compile(rb"[\w\s:{},*#]*")
MODULE = re.compile(rb"\bmod\s+(\w+)\s*;")
ELSEWHERE = re.compile(rb"#\[\s*path\s*=\s*\"([^\"\n]+)\"\s*\](?:\s|#\[[^\]]*\]|pub(?:\s*\([^()]*\))?)*$")
PATH = re.compile(rb"\bpath\s*=\s*$")
INLINE = re.compile(rb"mod\s+(\w+)\s*\{")
INDENTED = re.compile(rb"([ \t]*)(?:pub(?:\s*\([^()]*\))?\s+)?")
EXTERN = re.compile(rb"\bextern\s+crate\s+(\w+)(?:\s+as\s+(\w+))?\s*;")
QUALIFIED = re.compile(rb"(?<![\w:])(?<!\(in )\w+(?:::\w+)+")
LONGEST, DEEPEST, MOST = 20_000, 40, 200  # bytes of a statement; names of a path; inline modules of a file
Segments = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CodePath:
    """One path as it is in a file."""

    kind: str  # "use", "mod", "crate" or "name"
    parts: Segments  # a star at its end means everything
    here: str  # what it is called here; "" where it gets no name
    at: int  # byte
    public: bool = False
    file: str = ""  # of `mod`: where its attribute says it lies


@lru_cache(maxsize=8)  # each side of a change asks about the same text
def plain(source: bytes) -> bytes:
    """The source without comments and strings; every byte stays where it was. A macro's `$crate` is the crate that defines it."""
    return SILENT.sub(_blank, source).replace(b"$crate", b" crate")


def _blank(match: re.Match[bytes]) -> bytes:
    is_text = match[0][:1] == b'"'
    if is_text and path_key(match):
        return bare(match)
    if is_text and PATH.search(match.string, max(0, match.start() - 20), match.start()):
        return match[0]
    return b"\n".join(b" " * len(line) for line in match[0].split(b"\n"))


def inside(code: bytes) -> list[tuple[int, int, str]]:
    """The inline modules as (first byte, last byte, name), by the indentation of their brackets, outermost first."""
    blocks = []
    for match in INLINE.finditer(code):
        before = INDENTED.fullmatch(
            code, code.rfind(b"\n", max(0, match.start() - 200), match.start()) + 1, match.start()
        )
        if before is None:
            continue
        end = code.find(b"\n" + before[1] + b"}", match.end())
        line = code.find(b"\n", match.end())
        one_line = code[match.end() : line if line >= 0 else len(code)].rstrip().endswith(b"}")
        blocks.append((match.end(), line if one_line else end if end >= 0 else len(code), match[1].decode()))
        if len(blocks) == MOST:
            break
    return blocks


@lru_cache(maxsize=8)
def code_paths(code: bytes) -> tuple[CodePath, ...]:
    """Every path of a file that may lead to another one."""
    return tuple(_code_paths(code))


def _code_paths(code: bytes) -> Iterator[CodePath]:
    for match in MODULE.finditer(code):
        around = code[max(0, match.start() - 200) : match.start()]
        file = ELSEWHERE.search(around)
        name = match[1].decode()
        yield CodePath("mod", (name,), name, match.start(), file=file[1].decode("utf-8", "replace") if file else "")
    for match in EXTERN.finditer(code):
        yield CodePath("crate", (match[1].decode(),), (match[2] or match[1]).decode(), match.start())
    rest, end_of_last = [], 0
    for start, end, public in _statements(code):
        for parts, here, at in _leaves(code[start:end].decode("ascii", "replace")):
            yield CodePath("use", parts, here, start + at, public)
        rest.append((end_of_last, code[end_of_last:start]))
        end_of_last = end
    rest.append((end_of_last, code[end_of_last:]))
    for offset, text in rest:
        for match in QUALIFIED.finditer(text):
            parts = tuple(match[0][:LONGEST].decode("utf-8", "replace").split("::")[:DEEPEST])
            yield CodePath("name", parts, ".".join(parts), offset + match.start())


def _statements(code: bytes) -> Iterator[tuple[int, int, bool]]:
    """Each `use` statement: where its tree begins and ends, and whether it is public. Prose has other signs in it."""
    read = 0
    for match in USE.finditer(code):
        before = BEFORE.search(code, max(0, match.start() - 60), match.start())
        if before is None or match.start() < read:
            continue
        tree = TREE.match(code, match.end(), match.end() + LONGEST)
        end = read = tree.end() if tree else match.end()
        if code[end : end + 1] == b";":
            yield match.end(), end, before[1] is not None


def _leaves(tree: str) -> Iterator[tuple[Segments, str, int]]:
    """The paths of a `use` tree with the name that each gives here, and where it ends: `a::{b as c, d::*}` is a::b (c) and a::d::* (none)."""
    stack: list[Segments] = [()]
    prefix: Segments = ()
    name, at = "", 0
    for match in re.finditer(r"::|[{},*]|\bas\b|\w+", tree + ","):
        word = match[0]
        if word == "{":
            stack.append(prefix)
        elif word in ("}", ","):
            if prefix != stack[-1]:
                yield *_leaf(prefix, name), at
            if word == "}" and len(stack) > 1:
                stack.pop()
            prefix, name = stack[-1], ""
        elif word == "as":
            name = "as"
        elif name == "as":
            name = word
        elif word != "::" and len(prefix) < DEEPEST:
            prefix, at = (*prefix, word), match.start()


def _leaf(parts: Segments, name: str) -> tuple[Segments, str]:
    if len(parts) > 1 and parts[-1] == "self":
        parts = parts[:-1]
    local_name = name if name not in ("", "as") else parts[-1]
    return parts, "" if local_name in ("*", "_") else local_name
