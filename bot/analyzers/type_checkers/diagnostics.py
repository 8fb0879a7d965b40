"""Errors reported by type checkers, and the words for them."""

import re
import tomllib
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from bot.analyzers.type_checkers.layout import Contents
from bot.values import ChangedFile, Evidence, Severity

QUOTED_NAME = re.compile(r"'([^'\n]{1,200})'|`([^`\n]{1,200})`|\"([^\"\n]{1,200})\"")
PLACE = re.compile(r"\{(\d|message)\}")
MOST_MESSAGE = 300  # characters
MARK = "deeprepo{}x"
WORD = re.compile(r"[^\W\d][\w$]*")


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
    text: str = ""  # of the line

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
    # whether the base is asked if it knew the type whose member is missing
    is_probed: bool = False

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


def probes(
    found: Iterable[Diagnostic], contents: Contents, rules: Mapping[str, Rule]
) -> tuple[Contents, Mapping[Diagnostic, str]]:
    """Return the base's files with a mistake for each error to ask about, and what the answer about it contains.

    A module that did not resolve, or a function without annotations, makes a type unknown, and a checker accepts
    everything of an unknown type. If a change makes the type known, older mistakes become visible. So the base is
    checked once more with another name in place of the missing one. If that is no error, the type was unknown.
    """
    marks: dict[Diagnostic, str] = {}
    edits: dict[str, dict[int, str]] = defaultdict(dict)  # path -> end of a name -> what is added to it
    texts: dict[str, str] = {}
    for number, one in enumerate(found):
        if rules[one.code].is_probed and one.path in contents:
            mark = marks[one] = MARK.format(number)
            text = texts.setdefault(one.path, contents[one.path].decode("utf-8", "surrogateescape"))
            name = rules[one.code].lost_name(one)
            start = sum(len(line) + 1 for line in text.split("\n")[: one.line - 1]) + one.span[0] - 1
            match = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])").search(text, start)
            if match is not None and name:
                edits[one.path][match.end()] = mark
    return {path: _edited(texts[path], rows) for path, rows in edits.items()}, marks


def _edited(text: str, edits: Mapping[int, str]) -> bytes:
    for offset in sorted(edits, reverse=True):
        text = text[:offset] + edits[offset] + text[offset:]
    return text.encode("utf-8", "surrogateescape")


def removed_line(files: Iterable[ChangedFile], names: Sequence[str]) -> tuple[Evidence, ...]:
    """Return the first removed line with one of these names as evidence; the first name that is found counts."""
    found: dict[str, Evidence] = {}
    for file in files:
        for line in (line for hunk in file.hunks for line in hunk.lines if line.kind == "-"):
            for word in set(names).intersection(WORD.findall(line.text)):
                at = file.old_path or file.path
                found.setdefault(word, Evidence(at, line.text, line.old or 0, "base", "removed by this change"))
    return tuple([found[name] for name in names if name in found][:1])
