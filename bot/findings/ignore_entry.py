"""An entry of what is not reported: one finding, or everything in some files. Findings of a kind are silenced by an `OwnerRule`."""

import hashlib
from dataclasses import dataclass

from bot.values import Evidence, Finding
from deeprepo.impact.text import globs

MOST_PLACES, MOST_OLD = 40, 12  # digests of one entry, and of an older one
DIGEST = 32  # characters of each; older entries have more


@dataclass(frozen=True, slots=True, kw_only=True)
class IgnoreEntry:
    """Say which findings are meant, and why they are not reported."""

    reason: str
    fingerprint: str = ""  # of one finding; "": everything at `path` is meant
    digest: str = ""  # of each place that the finding is about, as `digest` makes it: a fingerprint is short enough to be met on purpose
    path: str = ""  # as in .gitignore
    before_release: str = ""  # where it is written, if a build from before 0.2.0 wrote it: identities may be others now

    @property
    def is_of_finding(self) -> bool:
        """Whether it means one finding."""
        return bool(self.fingerprint)

    def covers(self, finding: Finding, place: Evidence | None = None) -> bool:
        """Return whether the finding is one of those meant; with a place, whether it is at that one of its places."""
        if self.is_of_finding:
            there = not self.path or bool(finding.cause) or globs.matches([self.path], finding.path)
            known = frozenset(self.digest.split())
            is_old = any(len(each) > DIGEST for each in known)
            asked = _whole(finding, is_old=is_old) if place is None else _digests(finding, place)
            asked = [each if is_old else each[:DIGEST] for each in asked]
            return self.fingerprint == finding.identity and there and known.issuperset(asked if known else ())
        path = finding.path if place is None else place.path
        return bool(self.path) and globs.matches([self.path], path)


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
