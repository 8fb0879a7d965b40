"""`.deeprepo/ignore.yml`: the entries that a repository's owner has written, and all that is wrong with them."""

import hashlib
from collections.abc import Sequence
from datetime import date
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from bot.config import names, yaml_text
from bot.config.defaults import ALL, CLAIMS
from bot.config.repository import Problem
from bot.config.setting import Pattern
from bot.values import Evidence, Finding
from bot.values.rule import IgnoreScope
from impact.lazy import dataclass
from impact.text import globs

FILE, OTHER_NAMES = names.IGNORE, names.OTHER_IGNORE
MOST_PLACES, MOST_OLD = 40, 12  # digests of one entry, and of an older one
DIGEST = 32  # characters of each; older entries have more
NEW_NAMES_OF = {"finding": "fingerprint", "kind": "rule"}
OLD_NAMES_OF = {old: new for new, old in NEW_NAMES_OF.items()}
NEW_NAMES = NEW_NAMES_OF.keys()
WRITTEN = ("finding", "kind", "path", "title", "reason", "expires", "digest")  # keys, as people look for them
NEEDS: dict[IgnoreScope, Sequence[str]] = {"finding": ("fingerprint",), "rule": ("rule", "path"), "path": ("path",)}


class IgnoreEntry(BaseModel):
    """One entry of the file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    scope: IgnoreScope = "finding"
    reason: str
    fingerprint: str = ""
    digest: str = ""  # of each place that the finding is about, as `digest` makes it: a fingerprint is short enough to be met on purpose
    rule: str = ""
    path: Pattern = ""
    title: str = ""  # for people
    expires: date | None = None

    @model_validator(mode="before")
    @classmethod
    def _of_the_settings(cls, row: Any) -> Any:  # noqa: ANN401 - whatever the file holds
        """Read an entry that is written like one of `ignore` in the settings; `scope`, `fingerprint` and `rule` are names of earlier versions."""
        if not (isinstance(row, dict) and NEW_NAMES & row.keys()):
            return row
        kind = row.get("kind")
        if kind == CLAIMS:
            raise ValueError(f"`{CLAIMS}` are answered by `ignore` of {names.FILE}")
        entry = {NEW_NAMES_OF.get(name, name): value for name, value in row.items() if (name, value) != ("kind", ALL)}
        return {"scope": "finding" if kind is None else "path" if kind == ALL else "rule"} | entry

    def written(self) -> dict[str, Any]:
        """Return the entry as people write it."""
        data = {name: value for name, value in self.model_dump(mode="json").items() if value not in ("", None)}
        renamed = {OLD_NAMES_OF.get(name, name): value for name, value in data.items() if name != "scope"}
        entry = {"kind": ALL} | renamed if self.scope == "path" else renamed
        return {name: entry[name] for name in WRITTEN if name in entry}

    def covers(self, finding: Finding, place: Evidence | None = None) -> bool:
        """Return whether the finding is one of those meant; with a place, whether it is at that one of its places."""
        if self.scope == "finding":
            by_fingerprint = bool(self.fingerprint) and self.fingerprint == finding.identity
            there = not self.path or bool(finding.cause) or globs.matches([self.path], finding.path)
            known = frozenset(self.digest.split())
            is_old = any(len(each) > DIGEST for each in known)
            asked = _whole(finding, is_old=is_old) if place is None else _digests(finding, place)
            asked = [each if is_old else each[:DIGEST] for each in asked]
            return by_fingerprint and there and known.issuperset(asked if known else ())
        path = finding.path if place is None else place.path
        inside = bool(self.path) and globs.matches([self.path], path)
        return inside and (self.scope == "path" or (bool(self.rule) and self.rule == finding.kind))


def digest(finding: Finding) -> str:
    """Return what a finding is about, in a form that nobody can meet with another one: of each broken line its file, its code, the category.

    The digests of all lines, with spaces between them. Of a committed secret the secret itself, by the digest in its proof: its line is
    masked in whatever is stored.
    """
    return " ".join(each[:DIGEST] for each in _whole(finding))


def _whole(finding: Finding, *, is_old: bool = False) -> list[str]:
    """The digests of all places. `is_old`: as older entries have them, which tell fewer places apart."""
    if finding.category == "secret" and finding.proofs:
        return _digests(finding, finding.places[0])
    lines = [each for place in finding.places for each in _lines(finding, place)[: 1 if is_old else None]]
    digests = [*dict.fromkeys(lines), *(_digest(each, finding.category) for each in sorted(finding.basis.breaks))]
    is_long = len(digests) > (MOST_OLD if is_old else MOST_PLACES)  # more may be broken than the evidence holds
    return [digests[0], _digest(*digests[1:], finding.why)] if is_long else digests  # then every word of it counts


def _digests(finding: Finding, place: Evidence) -> list[str]:
    """The digests of one place: of what is told by its breaks these, else the line, and what breaks it."""
    if finding.category == "secret" and finding.proofs:
        return [_digest(finding.path, "\0".join(sorted(finding.proofs)), finding.category)]
    breaks = place.breaks if finding.cause else finding.basis.breaks
    return [*_lines(finding, place), *(_digest(each, finding.category) for each in breaks)]


def _lines(finding: Finding, place: Evidence) -> list[str]:
    """The digest of a line; of one of several equal ones also a second, of which it is."""
    if finding.cause:
        return []
    number = finding.place_number(*place.location)
    line = place.path, place.words, finding.category
    return [_digest(*line), *([_digest(*line, str(number))] if number > 1 else [])]


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class IgnoreFile:
    """What the file says: its usable entries with their numbers, from 1, and its problems. A fatal one: nothing is ignored."""

    entries: tuple[tuple[int, IgnoreEntry], ...] = ()
    problems: tuple[Problem, ...] = ()


def check(text: bytes) -> IgnoreFile:
    """Return the file, entry by entry: one that cannot be used does not take the others along."""
    try:
        node, rows = yaml_text.load(text.decode())
    except ValueError as error:
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
        wanted = [OLD_NAMES_OF.get(name, name) for name in missing or ["reason"]]
        return f"it needs {' and '.join(wanted)}", ()
    return entry
