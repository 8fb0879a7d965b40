"""Say things in a few words: phrases, numbers with their nouns, and shortened texts."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

TITLE_CHARS = 90
# The end of a sentence, before whitespace and the start of another one. An empty line also ends a sentence.
_END = re.compile(
    r"""(?<!\be\.g)(?<!\bi\.e)(?<!\bvs)[.!?]["')\]]*(?=\s+[^\sa-z]|\s*\Z)"""
    r"""|(?<=[^\s.!?"')\]])(?=\n\s*\n)|[\u3002\uff01\uff1f]"""  # the last ones are Chinese and Japanese
)


@dataclass(frozen=True, slots=True)
class Phrases:
    """The phrases by key. A phrase with a number is a pair of the singular and the plural."""

    texts: Mapping[str, str | list[str]]

    def say(self, key: str, number: int | None = None, **values: object) -> str:
        """Return a phrase with its values filled in; {n} is the number.

        Raises KeyError for an unknown key.
        """
        form = self.texts[key]
        if isinstance(form, list):
            form = form[0 if number == 1 else 1]
        return form.format(n=self.number(number or 0), **values)

    def number(self, value: int) -> str:
        """Return a number with thousands separators."""
        return f"{value:,}"


@cache
def load() -> Phrases:
    """Load the phrases of comments and pages, from an installed package or a checkout."""
    package = Path(__file__).parents[1]
    folder = next(f for f in (package / "templates", package.parent / "templates") if f.is_dir())
    return Phrases(tomllib.loads((folder / "words.toml").read_text(encoding="utf-8")))


def cut(value: str, length: int, missing: str = "{:,} more characters") -> str:
    """Return at most `length` characters, followed by how many were left out.

    `missing` is the format of that.
    """
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
    """Return at most `most` lines, followed by how many were left out. `ends` are stripped from both ends."""
    lines = value.strip(ends).split("\n")
    return "\n".join(lines if len(lines) <= most else [*lines[:most], f"… ({missing.format(len(lines) - most)})"])


def count(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun: "1 file", "2 files"."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def brief(value: str, length: int) -> str:
    """Return the same as `cut`, but with a number instead of an English phrase."""
    return cut(value, length, "+{}")


def top(value: str, most: int) -> str:
    """Return the same as `rows`, but with a number instead of an English phrase."""
    return rows(value, most, "+{}", "\r\n")


def sentences(value: str, most: int) -> tuple[str, str]:
    """Return the first `most` sentences, and the rest.

    Dots in code spans, numbers and names end no sentence.
    """
    within = {index for match in re.finditer(r"`[^`\n]*`", value) for index in range(*match.span())}
    ends = [match.end() for match in _END.finditer(value) if match.start() not in within]
    if len(ends) < most or not value[ends[most - 1] :].strip():
        return value.strip(), ""
    return value[: ends[most - 1]].strip(), value[ends[most - 1] :].strip()
