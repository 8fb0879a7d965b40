"""Read `.deeprepo/ignore.yml`, the list of ignored findings that earlier versions wrote.

Entries now belong in `ignore` in the settings.
"""

from datetime import date

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from bot.config import FILE as SETTINGS
from bot.config import yaml_text
from bot.config.defaults import ALL, CLAIMS, Pattern
from bot.findings.ignore_entry import IgnoreEntry
from bot.findings.silencing import IgnoreList
from bot.values import OwnerRule
from bot.values.shared_file import UnusableFile

FILE = ".deeprepo/ignore.yml"
DEPRECATED = f"{FILE} still applies, but a later version will not read it: move its entries to `ignore` in {SETTINGS}"


class _Entry(BaseModel):
    """One entry. The digest limits it to the lines that the finding had."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    finding: str = ""
    kind: str = ""
    path: Pattern = ""
    digest: str = ""
    title: str = ""
    reason: str = ""
    expires: date | None = None

    @model_validator(mode="after")
    def _is_complete(self) -> "_Entry":
        if self.kind == CLAIMS:
            raise ValueError(f"`{CLAIMS}` entries belong in `ignore` in {SETTINGS}")
        if not self.finding and not (self.kind and self.path):
            raise ValueError("it needs `finding`, or `kind` and `path`")
        return self


def read(text: bytes | UnusableFile, today: date) -> IgnoreList:
    """Return the valid entries, with a warning that they should move, and one for each that isn't used."""
    if isinstance(text, UnusableFile):
        return IgnoreList(warnings=(f"{FILE}: {text.why}, so nothing in it applies",))
    try:
        _, rows = yaml_text.load(text.decode())
    except ValueError as error:
        line, problem = yaml_text.fault(error)
        return IgnoreList(warnings=(f"{yaml_text.place(FILE, line)}: {problem}, so nothing in it applies",))
    entries, rules, warnings = list[IgnoreEntry](), list[OwnerRule](), [DEPRECATED]
    for number, row in enumerate(rows if isinstance(rows, list) else [rows], 1):
        try:
            entry = _Entry.model_validate(row)
        except ValidationError as error:
            first = error.errors()[0]
            where = "".join(f"{step}: " for step in first["loc"])
            warnings.append(f"{FILE}: entry {number} is not used: {where}{yaml_text.sentence(first)}")
            continue
        if entry.expires is not None and entry.expires < today:
            warnings.append(f"{FILE}: entry {number} expired on {entry.expires} and is not used")
        elif entry.finding or entry.kind == ALL:
            found = IgnoreEntry(
                reason=entry.reason,
                fingerprint=entry.finding,
                digest=entry.digest,
                path=entry.path,
            )
            entries.append(found)
        else:
            rules.append(OwnerRule(entry.path, entry.kind, entry.reason, number, file=FILE))
    return IgnoreList(tuple(entries), tuple(warnings), tuple(rules))
