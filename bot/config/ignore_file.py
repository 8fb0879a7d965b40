"""`.deeprepo/ignore.yml`: the entries that a repository's owner has written, and all that is wrong with them."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from bot.config import names, yaml_text
from bot.config.defaults import Pattern
from bot.config.repository import Problem
from bot.text import globs
from bot.values import Finding

FILE, OTHER_NAMES = names.IGNORE, names.OTHER_IGNORE
Scope = Literal["finding", "rule", "path"]
MOST_PLACES = 12  # digests of one entry
NEEDS: dict[Scope, Sequence[str]] = {"finding": ("fingerprint",), "rule": ("rule", "path"), "path": ("path",)}


class IgnoreEntry(BaseModel):
    """One entry of the file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    scope: Scope = "finding"
    reason: str
    fingerprint: str = ""
    digest: str = ""  # of each place that the finding is about, as `digest` makes it: a fingerprint is short enough to be met on purpose
    rule: str = ""
    path: Pattern = ""
    title: str = ""  # for people
    expires: date | None = None

    def covers(self, finding: Finding) -> bool:
        """Whether the finding is one of those meant."""
        if self.scope == "finding":
            by_fingerprint = bool(self.fingerprint) and self.fingerprint == finding.identity
            there = not self.path or bool(finding.cause) or globs.matches([self.path], finding.path)
            known_places = frozenset(self.digest.split())
            return by_fingerprint and there and (not known_places or known_places.issuperset(digest(finding).split()))
        inside = bool(self.path) and globs.matches([self.path], finding.path)
        return inside and (self.scope == "path" or (bool(self.rule) and self.rule == finding.kind))


def digest(finding: Finding) -> str:
    """What a finding is about, in a form that nobody can meet with another one: of each broken line its file, its code, the category.

    The digests of all lines, with spaces between them. Of a committed secret the secret itself, by the digest in its proof: its line is
    masked in whatever is stored.
    """
    if finding.category == "secret" and finding.proofs:
        return _digest(finding.path, "\0".join(sorted(finding.proofs)), finding.category)
    lines = [(finding.path, finding.quote), *((item.path, item.quote) for item in finding.evidence if item.is_broken)]
    if finding.cause:
        lines = []  # each break below has its line
    digests = list(dict.fromkeys(_digest(path, " ".join(quote.split()), finding.category) for path, quote in lines))
    breaks = dict.fromkeys(each for source in finding.sources for each in source.breaks)
    digests += [_digest(each, finding.category) for each in sorted(breaks)]
    if len(digests) > MOST_PLACES:  # more may be broken than the evidence holds: then every word of it counts
        digests = [digests[0], _digest(*digests[1:], finding.why)]
    return " ".join(digests)


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class IgnoreFile:
    """What the file says: its usable entries with their numbers, from 1, and its problems. A fatal one: nothing is ignored."""

    entries: tuple[tuple[int, IgnoreEntry], ...] = ()
    problems: tuple[Problem, ...] = ()


def check(text: bytes) -> IgnoreFile:
    """The file, entry by entry: one that cannot be used does not take the others along."""
    try:
        node, rows = yaml_text.load(text.decode())
    except (yaml.YAMLError, ValueError) as error:  # a date that no month has is a ValueError
        line, problem = yaml_text.fault(error)
        return IgnoreFile(problems=(Problem(line, f"{problem}; nothing is ignored"),))
    if rows is None:
        return IgnoreFile()
    if not isinstance(rows, list):
        return IgnoreFile(problems=(Problem(1, "must hold a list of entries: nothing is ignored"),))
    entries: list[tuple[int, IgnoreEntry]] = []
    problems = [Problem(line, problem, fatal=False) for line, problem in yaml_text.duplicates(node)]
    for number, row in enumerate(rows, 1):
        entry = _entry(row)
        if isinstance(entry, IgnoreEntry):
            entries.append((number, entry))
        else:
            problem, place = entry
            line = yaml_text.line_of(node, (number - 1, *place))
            problems.append(Problem(line, f"entry {number} is not used: {problem}", fatal=False))
    return IgnoreFile(tuple(entries), tuple(problems))


def _entry(row: object) -> IgnoreEntry | tuple[str, tuple[str | int, ...]]:
    """The entry, or what is wrong with it and the place of that inside the entry."""
    try:
        entry = IgnoreEntry.model_validate(row)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        return (f"{where}: {yaml_text.sentence(first)}" if where else yaml_text.sentence(first)), first["loc"]
    missing = [name for name in NEEDS[entry.scope] if not getattr(entry, name)]
    if missing or not entry.reason.strip():
        return f"scope {entry.scope} needs {' and '.join(missing or ['reason'])}", ()
    return entry
