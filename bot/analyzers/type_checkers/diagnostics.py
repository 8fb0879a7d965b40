"""Errors reported by type checkers, and the words for them."""

import re
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from bot.values import Severity

QUOTED_NAME = re.compile(r"'([^'\n]{1,200})'|`([^`\n]{1,200})`|\"([^\"\n]{1,200})\"")
PLACE = re.compile(r"\{(\d|message)\}")
MOST_MESSAGE = 300  # characters


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One error of a type checker. `line` is 1-based, and so are the columns in `span`."""

    path: str
    line: int
    code: str
    message: str
    counts: bool = True  # whether its rule is reported
    proves: bool = True  # whether no added line may define the name that it misses
    span: tuple[int, int, int] = (0, 0, 0)  # first column, last line and the column after it; 0 if unknown

    @property
    def names(self) -> tuple[str, ...]:
        """The names that the message quotes."""
        return tuple(next(filter(None, each)) for each in QUOTED_NAME.findall(self.message))

    @property
    def summary(self) -> str:
        """The first line of the message, without its period."""
        return " ".join(self.message.split("\n")[0].split())[:MOST_MESSAGE].rstrip(".")


@dataclass(frozen=True, slots=True)
class Rule:
    """The meaning of a code. `title` and `effect` can contain the quoted names of the message as {0}, {1}."""

    severity: Severity
    title: str
    effect: str
    unless: str = ""  # a pattern of messages that prove nothing
    lost: int = -1  # index of the quoted name that is reported as missing; -1 for none
    declared: bool = False  # whether the error depends on declared types
    proves: bool = True  # whether the program fails there; an annotation alone changes nothing at run time
    # whether the base is asked if it knew the type whose member is missing
    is_probed: bool = False
    of_call: bool = False  # whether the error counts only with the name of a definition whose contract changed

    def counts(self, message: str) -> bool:
        """Return whether such a message proves something."""
        return not (self.unless and re.search(self.unless, message))

    def lost_name(self, diagnostic: Diagnostic) -> str:
        """Return the name reported as missing; "" if the message is about something else."""
        names = diagnostic.names
        return names[self.lost] if 0 <= self.lost < len(names) else ""

    def words(self, diagnostic: Diagnostic) -> tuple[str, str]:
        """Return the title and the effect."""
        texts = {"message": diagnostic.summary, **{str(index): name for index, name in enumerate(diagnostic.names)}}
        title, effect = (PLACE.sub(lambda place: texts.get(place[1], "it"), text) for text in (self.title, self.effect))
        return title, effect


def by_cause(found: Sequence[Diagnostic]) -> Iterator[list[Diagnostic]]:
    """Yield errors with the same cause together: the same code and first quoted name, ordered by location."""
    groups: dict[tuple[str, ...], list[Diagnostic]] = {}
    for one in sorted(found, key=lambda each: (each.path, each.line, each.code)):
        groups.setdefault((one.code, *one.names[:1]), []).append(one)
    yield from groups.values()


@cache
def rules(table: str) -> Mapping[str, Rule]:
    """Return the rules of one checker, by their codes. `table` is a file in `checks`."""
    by_code: dict[str, Rule] = {}
    rows: list[dict[str, Any]] = tomllib.loads(
        (Path(__file__).parents[1] / "checks" / table).read_text(encoding="utf-8")
    )["rule"]
    for entry in rows:
        codes: Collection[str] = entry.pop("codes")
        by_code.update({code: Rule(**entry) for code in codes})
    return by_code
