"""Read, check and write `.deeprepo/ignore.yml`, the list of ignored findings."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from bot.config import FILE as SETTINGS
from bot.config import yaml_text
from bot.config.defaults import ALL, CLAIMS
from bot.config.owner_file import Problem
from bot.config.setting import Pattern
from bot.errors import ConfigError
from bot.features.teaching.names import FILE
from bot.findings.ignore_entry import IgnoreEntry, digest
from bot.findings.silencing import IgnoreList, only
from bot.values import Finding, OwnerRule
from bot.values.rule import IgnoreScope
from bot.values.shared_file import SettingsText, UnusableFile

HEADER = """\
# Findings that deeprepo ignores, in the same format as `ignore` in .deeprepo.yml. Written by `deeprepo ignore`; you can edit or remove entries.
# finding: one finding; kind: a rule or category in files that match `path`; kind: all: everything in those files.
# A path that begins with = is an exact file name; other paths are patterns as in .gitignore.
# An entry applies once it is on the base branch. `expires` (a date) is optional.
"""
NEW_NAMES_OF = {"finding": "fingerprint", "kind": "rule"}
OLD_NAMES_OF = {old: new for new, old in NEW_NAMES_OF.items()}
NEW_NAMES = NEW_NAMES_OF.keys()
KEY_ORDER = ("finding", "kind", "path", "title", "reason", "expires", "digest")  # order of the keys
REQUIRED_FIELDS: dict[IgnoreScope, Sequence[str]] = {
    "finding": ("fingerprint",),
    "rule": ("rule", "path"),
    "path": ("path",),
}


class WrittenEntry(BaseModel):
    """One entry of the file."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    scope: IgnoreScope = "finding"
    reason: str = ""
    fingerprint: str = ""
    # Made by `ignore_entry.digest` for each location of the finding, because a short fingerprint can be
    # forged.
    digest: str = ""
    rule: str = ""
    path: Pattern = ""
    title: str = ""  # for people to read
    expires: date | None = None

    @model_validator(mode="before")
    @classmethod
    def _from_settings_entry(cls, row: Any) -> Any:  # noqa: ANN401 - whatever the file contains
        """Rename the keys of an entry in today's format, which is that of `ignore` in the settings."""
        if not (isinstance(row, dict) and NEW_NAMES & row.keys()):
            return row
        kind = row.get("kind")
        if kind == CLAIMS:
            raise ValueError(f"`{CLAIMS}` entries belong in `ignore` in {SETTINGS}")
        entry = {NEW_NAMES_OF.get(name, name): value for name, value in row.items() if (name, value) != ("kind", ALL)}
        return {"scope": "finding" if kind is None else "path" if kind == ALL else "rule"} | entry


def written(entry: WrittenEntry) -> dict[str, Any]:
    """Return the entry's keys and values in today's format."""
    values = {name: value for name, value in entry.model_dump(mode="json").items() if value}
    renamed = {OLD_NAMES_OF.get(name, name): value for name, value in values.items() if name != "scope"}
    row = {"kind": ALL} | renamed if entry.scope == "path" else renamed
    return {name: row[name] for name in KEY_ORDER if name in row}


@dataclass(frozen=True, slots=True)
class IgnoreFile:
    """The usable entries, numbered from 1, and the problems. With a fatal problem, nothing is ignored."""

    entries: tuple[tuple[int, WrittenEntry], ...] = ()
    problems: tuple[Problem, ...] = ()


def check(text: bytes) -> IgnoreFile:
    """Parse the file entry by entry, so that an unusable entry does not affect the others."""
    try:
        node, rows = yaml_text.load(text.decode())
    except ValueError as error:
        line, problem = yaml_text.fault(error)
        return IgnoreFile(problems=(Problem(line, f"{problem}; the whole file is skipped"),))
    if rows is None:
        return IgnoreFile()
    if not isinstance(rows, list):
        return IgnoreFile(problems=(Problem(1, "must contain a list of entries; the whole file is skipped"),))
    entries: list[tuple[int, WrittenEntry]] = []
    problems = [Problem(line, problem, key, fatal=False) for line, key, problem in yaml_text.duplicates(node)]
    for number, row in enumerate(rows, 1):
        entry, unknown, what = _entry(row), _unknown(row), "is not used"
        place: tuple[str | int, ...]
        problem, place = (f"{unknown}: unknown key", (unknown,)) if unknown else ("", ())
        if not isinstance(entry, WrittenEntry):
            missing, inside = entry
            problem, place = (f"{problem}; {missing}", place) if unknown else (missing, inside)
        elif not unknown or entry.scope == "finding":
            entries.append((number, entry))
            what = "is used without one of its keys"
        if problem:
            line = yaml_text.line_of(node, (number - 1, *place))
            about = ".".join(str(step) for step in place)
            problems.append(Problem(line, f"entry {number} {what}: {problem}", about, fatal=False))
    return IgnoreFile(tuple(entries), tuple(problems))


def _unknown(row: object) -> str:
    """Return the first unknown key of an entry, or ""."""
    known = {*WrittenEntry.model_fields, *NEW_NAMES}
    return next((str(name) for name in row if name not in known), "") if isinstance(row, dict) else ""


def _entry(row: object) -> WrittenEntry | tuple[str, tuple[str | int, ...]]:
    """Return the entry, or the problem and the path to it within the entry."""
    try:
        entry = WrittenEntry.model_validate(row)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        return (f"{where}: {yaml_text.sentence(first)}" if where else yaml_text.sentence(first)), first["loc"]
    missing = [name for name in REQUIRED_FIELDS[entry.scope] if not getattr(entry, name)]
    if missing:
        return f"it needs {' and '.join(OLD_NAMES_OF.get(name, name) for name in missing)}", ()
    return entry


def read_ignore_file(text: SettingsText, today: date, name: str = FILE) -> IgnoreList:
    """Return the valid entries of a list, with a warning for each invalid or expired one.

    `text` is the file on the base branch, or a user's own file.
    """
    if text is None:
        return IgnoreList()
    if isinstance(text, UnusableFile):
        return IgnoreList(warnings=(f"{name}: {text.why}, so nothing in it applies",))
    ignore_document = check(text)
    entries, rules = list[IgnoreEntry](), list[OwnerRule]()
    warnings = [f"{yaml_text.place(name, problem.line)}: {problem.sentence}" for problem in ignore_document.problems]
    for number, entry in ignore_document.entries:
        if entry.expires is not None and entry.expires < today:
            what = entry.title or entry.fingerprint or entry.path
            warnings.append(f"{name}: entry {number} ({what}) expired on {entry.expires} and is skipped")
        elif entry.scope == "rule":
            rules.append(OwnerRule(entry.path, entry.rule, entry.reason, number, file=name))
        else:
            fingerprint, known_places = (entry.fingerprint, entry.digest) if entry.scope == "finding" else ("", "")
            entries.append(
                IgnoreEntry(
                    reason=entry.reason,
                    fingerprint=fingerprint,
                    digest=known_places,
                    path=entry.path,
                )
            )
    return IgnoreList(tuple(entries), tuple(warnings), tuple(rules))


def add_entry(before: bytes | None, entry: WrittenEntry) -> str:
    """Return the file's text with one more entry at the end. Raises ConfigError if the file is invalid."""
    for problem in check(before or b"").problems:
        if problem.fatal:
            raise ConfigError(f"{yaml_text.place(FILE, problem.line)}: {problem.sentence}. Correct it, then try again")
    text = before.decode() if before else HEADER
    return f"{text.rstrip()}\n{yaml_text.dump([written(entry)])}"


def entry_for(finding: Finding, scope: IgnoreScope, reason: str, expires: date | None = None) -> WrittenEntry:
    """Return the entry that silences a finding in this scope."""
    path, title = only(finding.path), " ".join(finding.title.split())
    if scope == "finding":
        return WrittenEntry(
            fingerprint=finding.identity,
            digest=digest(finding),
            path=path,
            title=title,
            reason=reason,
            expires=expires,
        )
    if scope == "rule":
        return WrittenEntry(scope="rule", rule=finding.kind, path=path, reason=reason, expires=expires)
    return WrittenEntry(scope="path", path=path, reason=reason, expires=expires)
