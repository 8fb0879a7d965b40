"""What one review hands to the next one of the same change, so that a push is read in its difference only."""

from dataclasses import dataclass, field

from bot.values.finding import Finding
from bot.values.review import IssueReport, ReadUnit
from bot.values.rule import CheckReport
from bot.values.walkthrough import ReaderNotes


@dataclass(frozen=True, slots=True)
class Earlier:
    """The last review of the same change."""

    number: int  # of its round
    base: str
    head: str
    units: tuple[ReadUnit, ...] = ()  # that were judged
    dependents: tuple[str, ...] = ()  # unchanged files that were read
    # (changed definition, path): uses that a model read, all of them in that file.
    uses: tuple[tuple[str, str], ...] = ()
    findings: tuple[Finding, ...] = ()  # as far as known not fixed: said, kept back, silenced
    silenced_marks: frozenset[str] = frozenset()  # of these, the fingerprints of those that nobody was told of
    files: tuple[str, ...] = ()  # changed at that time
    summary: str = ""
    reader_notes: ReaderNotes = field(default_factory=ReaderNotes)  # what models said the change does
    issues: tuple[IssueReport, ...] = ()
    checks: tuple[CheckReport, ...] = ()  # what the team's own checks came to
    numbers: tuple[tuple[int, str], ...] = ()  # every number given so far, and the fingerprint of its finding
    unsaid_numbers: frozenset[int] = frozenset()  # of findings that could not be posted
