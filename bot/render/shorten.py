"""Shorten text and report how much is missing."""

import re

TITLE_CHARS = 90
# The end of a sentence before whitespace and a new start. An empty line also ends one.
_END = re.compile(
    r"""(?<!\be\.g)(?<!\bi\.e)(?<!\bvs)[.!?]["')\]]*(?=\s+[^\sa-z]|\s*\Z)"""
    r"""|(?<=[^\s.!?"')\]])(?=\n\s*\n)|[\u3002\uff01\uff1f]"""  # the last ones are Chinese and Japanese
)


def cut(value: str, length: int, missing: str = "{:,} more characters") -> str:
    """Return at most `length` characters and how many are missing."""
    if len(value) <= length:
        return value
    return f"{value[:length].rstrip()}… ({missing.format(len(value) - length)})"


def title(value: str) -> str:
    """Return one line of at most `TITLE_CHARS`, cut between words and outside code spans."""
    one_line = " ".join(value.split())
    if len(one_line) <= TITLE_CHARS:
        return one_line
    head = one_line[: TITLE_CHARS - 1]
    if head.count("`") % 2:
        head = head[: head.rindex("`")]
    words, space, _ = head.rpartition(" ")  # not every language has spaces
    return (words if space and len(words) > TITLE_CHARS // 2 else head).rstrip(" ,;:(") + "…"


def rows(value: str, most: int, missing: str = "{:,} more lines", ends: str = "\n") -> str:
    """Return at most `most` lines and how many are missing."""
    lines = value.strip(ends).split("\n")
    return "\n".join(lines if len(lines) <= most else [*lines[:most], f"… ({missing.format(len(lines) - most)})"])


def count(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun: "1 file", "2 files"."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def brief(value: str, length: int) -> str:
    """Return `cut` in a form for any language."""
    return cut(value, length, "+{}")


def top(value: str, most: int) -> str:
    """Return `rows` in a form for any language."""
    return rows(value, most, "+{}", "\r\n")


def sentences(value: str, most: int) -> tuple[str, str]:
    """Return the first sentences and the rest. Dots inside `code`, numbers and names do not count."""
    within = {index for match in re.finditer(r"`[^`\n]*`", value) for index in range(*match.span())}
    ends = [match.end() for match in _END.finditer(value) if match.start() not in within]
    if len(ends) < most or not value[ends[most - 1] :].strip():
        return value.strip(), ""
    return value[: ends[most - 1]].strip(), value[ends[most - 1] :].strip()
