"""Define an ignore entry, for one finding or for everything in some files.

Kinds of findings are silenced by an `OwnerRule`.
"""

import hashlib
from dataclasses import dataclass

from bot import globs
from bot.values import Evidence, Finding

MOST_PLACES = 40  # digests in an entry
DIGEST = 32  # characters of each


@dataclass(frozen=True, slots=True, kw_only=True)
class IgnoreEntry:
    """Which findings are not reported, and why."""

    reason: str
    fingerprint: str = ""  # of one finding; empty if everything at `path` is ignored
    # Digest of each location (see `digest`). The fingerprint alone is so short that someone could forge it.
    digest: str = ""
    path: str = ""  # pattern, as in .gitignore

    @property
    def is_of_finding(self) -> bool:
        """Whether it is about one finding."""
        return bool(self.fingerprint)

    def covers(self, finding: Finding, place: Evidence | None = None) -> bool:
        """Return whether the entry covers the finding, or only its location `place` if given."""
        if self.is_of_finding:
            there = not self.path or bool(finding.cause) or globs.matches([self.path], finding.path)
            known = frozenset(self.digest.split())
            asked = _whole(finding) if place is None else _digests(finding, place)
            is_named = self.fingerprint == finding.identity
            return is_named and there and known.issuperset(asked if known else ())
        path = finding.path if place is None else place.path
        return bool(self.path) and globs.matches([self.path], path)


def digest(finding: Finding) -> str:
    """Return a collision-resistant digest for each broken line, separated by spaces.

    It covers the file, the code and the category. For a committed secret, this is a digest of the secret
    itself, taken from its proof, because its line is masked wherever it is stored.
    """
    return " ".join(_whole(finding))


def _whole(finding: Finding) -> list[str]:
    if finding.category == "secret" and finding.proofs:
        return _digests(finding, finding.places[0])
    lines = [each for place in finding.places for each in _lines(finding, place)]
    digests = [*dict.fromkeys(lines), *(_digest(each, finding.category) for each in sorted(finding.basis.breaks))]
    if len(digests) <= MOST_PLACES:
        return digests
    return [digests[0], _digest(*digests[1:], finding.why)]  # more may be broken than the evidence shows


def _digests(finding: Finding, place: Evidence) -> list[str]:
    """Return the digests of one location: of its breaks, and of its line unless there is a cause."""
    if finding.category == "secret" and finding.proofs:
        return [_digest(finding.path, "\0".join(sorted(finding.proofs)), finding.category)]
    breaks = place.breaks if finding.cause else finding.basis.breaks
    return [*_lines(finding, place), *(_digest(each, finding.category) for each in breaks)]


def _lines(finding: Finding, place: Evidence) -> list[str]:
    """Return the digest of a line. If the file has equal lines, a second digest says which one it is."""
    if finding.cause:
        return []
    number = finding.place_number(*place.location)
    line = place.path, place.words, finding.category
    return [_digest(*line), *([_digest(*line, str(number))] if number > 1 else [])]


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:DIGEST]
