"""The small things that are written into large pull requests, as files of text. Read and checked here.

A piece is TOML between two lines `+++`, and then a section for each of its files:

    #~ producer                 what is appended to a file of the pull request; below it the old text, `#~ after`, the new one
    #~ producer PATH            the same as a file of its own
    #~ user PATH                the file that breaks; below it the bad text, `#~ good`, the one that takes both
    #~ file PATH                a file that both trees have and nobody changes
    #~ file end LANGUAGE        the same, appended to an unchanged file of that language; also for a user

Lines that end on `<<defect`, `<<proof` or `<<trap` are marked so. `@word@` is a word of the place (`mate.words`) or of `[words]`, a
table of choices.
"""

import re
import tomllib
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal

from bot.errors import UsageError

FOLDER = Path(__file__).with_name("pieces")
SECTION = re.compile(r"^#~ (producer|user|file)(?: (.+))?$")
MARK = re.compile(r"(?: #)?\s*<<(defect|proof|trap)$")
Role = Literal["producer", "user", "file"]


@dataclass(frozen=True, slots=True)
class Part:
    """One file of a piece. `path` is empty for a producer that is appended."""

    role: Role
    path: str
    text: str
    other: str = ""  # of a producer the new text, of a user the good one

    @property
    def end(self) -> str:
        """The language of the file that it is appended to, if it is."""
        return self.path.removeprefix("end ") if self.path.startswith("end ") else ""


@dataclass(frozen=True, slots=True)
class Piece:
    """One small thing."""

    name: str
    language: str  # of the file of the pull request
    scope: str  # "one hop", "two hops"
    mechanism: str
    body: str  # what the pull request's text says about it
    description: str
    consequence: str
    why: str  # of the line that proves it
    good_reason: str
    trap_reason: str
    parts: tuple[Part, ...]
    words: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def part(self, role: Role) -> Part:
        """The one part of this role."""
        return next(part for part in self.parts if part.role == role)


def names() -> tuple[str, ...]:
    """What there is."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.txt")))


@cache
def read(name: str) -> Piece:
    """A piece. Raises UsageError if no piece has that name."""
    path = FOLDER / f"{name}.txt"
    if name not in names():
        raise UsageError(f"there is no piece {name!r}: known are {', '.join(names())}")
    _, head, text = path.read_text("utf-8").split("+++\n", 2)
    told: dict[str, Any] = tomllib.loads(head)
    words = {word: tuple(choices) for word, choices in told.pop("words", {}).items()}
    return Piece(name, **told, parts=tuple(_parts(text)), words=words)


def _parts(text: str) -> list[Part]:
    found: list[Part] = []
    for block in re.split(r"^(?=#~ (?:producer|user|file)\b)", text, flags=re.MULTILINE)[1:]:
        first, _, rest = block.partition("\n")
        at = SECTION.match(first)
        if at is None:
            raise ValueError(f"not a section of a piece: {first}")
        one, _, other = re.sub(r"^#~ (?:after|good)$", "#~", rest, flags=re.MULTILINE).partition("#~\n")
        role: Any = at[1]
        found.append(Part(role, at[2] or "", one.strip("\n"), other.strip("\n")))
    return found


def without_marks(text: str) -> list[str]:
    """The lines without their marks."""
    return [MARK.sub("", line) for line in text.split("\n")]


def lines_with_mark(text: str, mark: str) -> list[int]:
    """The numbers of the lines with this mark, 1-based."""
    return [
        number for number, line in enumerate(text.split("\n"), 1) if (found := MARK.search(line)) and found[1] == mark
    ]
