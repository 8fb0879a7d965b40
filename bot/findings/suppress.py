"""Findings that the repository's owner does not want to hear: `.deeprepo/ignore.yml`, a list that people can read and edit.

It is read at the tip of the base branch, so that a change cannot silence the findings about itself: an entry counts once it is
merged. What it silences is counted and listed with the reason, never dropped unseen.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from bot import globs
from bot.config import Pattern, written
from bot.values import Finding, Suppressed

FILE = ".deeprepo/ignore.yml"
HEAD = """\
# Findings that deeprepo does not repeat. Written by `deeprepo ignore`; edit or remove entries as you like.
# scope: finding = this one finding; rule = this rule or category in files that match `path`; path = everything there.
# An entry counts once it is on the base branch. `expires` (a date) is optional.
"""
Scope = Literal["finding", "rule", "path"]


class Entry(BaseModel):
    """One entry of the file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    scope: Scope = "finding"
    reason: str
    fingerprint: str = ""
    rule: str = ""
    path: Pattern = ""
    title: str = ""  # for people
    expires: date | None = None

    def covers(self, finding: Finding) -> bool:
        """Whether the finding is one of those meant."""
        if self.scope == "finding":
            return bool(self.fingerprint) and self.fingerprint == finding.fingerprint
        inside = bool(self.path) and globs.matches([self.path], finding.path)
        return inside and (self.scope == "path" or (bool(self.rule) and self.rule == rule(finding)))


@dataclass(frozen=True, slots=True)
class Ignored:
    """The whole file: the entries that count, and sentences about those that do not."""

    entries: tuple[Entry, ...] = ()
    warnings: tuple[str, ...] = ()

    def also(self, asked: Sequence[tuple[str, str]]) -> "Ignored":
        """With what people asked for elsewhere: fingerprint and reason of single findings."""
        more = (Entry(fingerprint=fingerprint, reason=reason) for fingerprint, reason in asked)
        return Ignored((*self.entries, *more), self.warnings)

    def split(self, findings: Iterable[Finding]) -> tuple[tuple[Finding, ...], tuple[Suppressed, ...]]:
        """The findings to go on with, and the silenced ones."""
        said: list[Finding] = []
        silenced: list[Suppressed] = []
        for finding in findings:
            entry = next((entry for entry in self.entries if entry.covers(finding)), None)
            if entry is None:
                said.append(finding)
            else:
                silenced.append(Suppressed(finding, entry.reason, entry.scope))
        return tuple(said), tuple(silenced)


def rule(finding: Finding) -> str:
    """What a finding is an instance of: the check's own code, else the category."""
    return finding.rule or finding.category


def read(text: bytes | None, today: date) -> Ignored:
    """The file as it is on the base branch. An entry that cannot be read or has expired is a warning, not a failure."""
    if text is None:
        return Ignored()
    try:
        node, rows = written.loaded(text.decode())
    except (yaml.YAMLError, ValueError) as error:  # a date that no month has is a ValueError
        line, said = written.fault(error)
        return Ignored(warnings=(f"{written.place(FILE, line)}: {said}; nothing is ignored",))
    if rows is None:
        return Ignored()
    if not isinstance(rows, list):
        return Ignored(warnings=(f"{FILE} must hold a list of entries: nothing is ignored",))
    entries: list[Entry] = []
    warnings = [f"{written.place(FILE, line)}: {said}" for line, said in written.duplicates(node)]
    for number, row in enumerate(rows, 1):
        entry = _entry(row)
        if isinstance(entry, str):
            warnings.append(f"{FILE}: entry {number} is not used: {entry}")
        elif entry.expires is not None and entry.expires < today:
            what = entry.title or entry.fingerprint or entry.path
            warnings.append(f"{FILE}: entry {number} ({what}) expired on {entry.expires} and is not used")
        else:
            entries.append(entry)
    return Ignored(tuple(entries), tuple(warnings))


def write(before: bytes | None, entry: Entry) -> str:
    """The file with one more entry; what people wrote in it stays as it is."""
    text = before.decode("utf-8", "replace") if before else HEAD
    data = {name: value for name, value in entry.model_dump(mode="json").items() if value not in ("", None)}
    added = yaml.safe_dump([data], sort_keys=False, allow_unicode=True, width=120)
    return f"{text.rstrip()}\n{added}"


def entry_for(finding: Finding, scope: Scope, reason: str, expires: date | None = None) -> Entry:
    """The entry that silences a finding in this scope."""
    path, title = _only(finding.path), " ".join(finding.title.split())
    if scope == "finding":
        return Entry(fingerprint=finding.fingerprint, path=path, title=title, reason=reason, expires=expires)
    if scope == "rule":
        return Entry(scope="rule", rule=rule(finding), path=path, reason=reason, expires=expires)
    return Entry(scope="path", path=path, reason=reason, expires=expires)


def _only(path: str) -> str:
    """The pattern that means this one path: `setup.py` alone would mean those of all folders, `[id].tsx` another file."""
    return "/" + re.sub(r"([\\*?\[\]!# ])", r"\\\1", path)


def _entry(row: object) -> Entry | str:
    try:
        entry = Entry.model_validate(row)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        return f"{where}: {written.sentence(first)}" if where else written.sentence(first)
    missing = [name for name in NEEDS[entry.scope] if not getattr(entry, name)]
    if missing or not entry.reason.strip():
        return f"scope {entry.scope} needs {' and '.join(missing or ['reason'])}"
    return entry


NEEDS: dict[Scope, Sequence[str]] = {"finding": ("fingerprint",), "rule": ("rule", "path"), "path": ("path",)}
