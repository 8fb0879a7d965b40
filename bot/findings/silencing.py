"""Silence findings by ignore entries, rules, learnings and dismissals.

Lists are read at the tip of the base branch, so an entry only counts once it is merged, and a change cannot
silence findings about itself. A rule silences exactly the findings of its kind in matching files. Serious
proven findings, such as a leaked secret or a broken caller, need a rule that names the check itself. Silenced
findings are counted and listed with the reason, so they never vanish silently.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from bot import globs
from bot.findings import places
from bot.findings.ignore_entry import IgnoreEntry, digest
from bot.findings.merge import identify
from bot.sections import sections
from bot.values import Dismissal, Evidence, Finding, OwnerRule, PlacedFinding, Review, Silencing, Unit
from bot.values.finding import CODE_CATEGORIES, MOST_BROKEN, SAME_VALUE

if TYPE_CHECKING:
    from bot.config.defaults import IgnoreItem


@dataclass(frozen=True, slots=True)
class IgnoreList:
    """The valid entries, and warnings about invalid ones."""

    entries: tuple[IgnoreEntry, ...] = ()
    warnings: tuple[str, ...] = ()
    rules: tuple[OwnerRule, ...] = ()  # from lists and settings, then those learned by a server
    dismissals: tuple[Dismissal, ...] = ()  # of single findings; those that silence are entries too

    @property
    def learnings(self) -> tuple[OwnerRule, ...]:
        """The sentences that a confirmation may use to answer a claim."""
        return tuple(rule for rule in self.rules if rule.is_learning)

    def reason_of(self, finding: Finding) -> str | None:
        """Return why a person dismissed this finding itself; None if nobody did."""
        entries = (entry for entry in self.entries if entry.is_of_finding and entry.covers(finding))
        entry = next(entries, None)
        if entry is not None:
            return entry.reason
        return next(
            (
                dismissal.reason
                for dismissal in self.dismissals
                if dismissal.mark == finding.identity and not dismissal.is_silent
            ),
            None,
        )

    def also(self, dismissals: Sequence[Dismissal], rules: Sequence[OwnerRule] = ()) -> "IgnoreList":
        """Return the list with these dismissals and rules added."""
        return replace(
            self,
            entries=(*self.entries, *_entries(dismissals)),
            rules=(*self.rules, *rules),
            dismissals=(*self.dismissals, *dismissals),
        )

    def join(self, other: "IgnoreList") -> "IgnoreList":
        """Return the list combined with another one."""
        return IgnoreList(
            (*self.entries, *other.entries),
            (*self.warnings, *other.warnings),
            (*self.rules, *other.rules),
            (*self.dismissals, *other.dismissals),
        )

    def split(self, findings: Iterable[Finding]) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
        """Return the findings to continue with, and the silenced ones."""
        judged = [self.judge(finding) for finding in findings]
        return (
            tuple(finding for finding in judged if finding.tracking.silencing is None),
            tuple(finding for finding in judged if finding.tracking.silencing is not None),
        )

    def judge(self, finding: Finding) -> Finding:
        """Return the finding with those locations that nothing silences, or the silenced finding."""
        if finding.category == "secret":
            return self._judge_secret(finding)
        whole = self._silencing(finding)
        if whole is not None and (not finding.cause or whole.scope in ("finding", "withdrawn")):
            return silenced(finding, whole)
        rows = [(place, self._silencing(finding, place)) for place in finding.places]
        left = [place for place, why in rows if why is None]
        if len(left) == len(rows):
            return finding
        if not left:
            # Locations that are not shown may not be silenced
            is_cut = bool(finding.cause) and len(rows) > MOST_BROKEN
            return finding if is_cut else silenced(finding, next(why for _, why in rows if why is not None))
        first = next((place for place in left if places.is_movable(finding, place)), finding.places[0])
        at_first = places.with_main_location(finding, first, left)
        quiet = {place.location for place, why in rows if why is not None}
        rewrites = tuple(rewrite for rewrite in at_first.rewrites if (rewrite.path, rewrite.line) not in quiet)
        return replace(at_first, rewrites=rewrites)

    def _judge_secret(self, finding: Finding) -> Finding:
        """A revocation counts for all lines, since the value is the same."""
        lines = [(line, self._silencing(line)) for line in _lines(finding)]
        quiet = [silenced(line, why) for line, why in lines if why is not None]
        revoked = next((one for one in quiet if one.is_revoked), None)
        return revoked or next((line for line, why in lines if why is None), None) or quiet[0]

    def _silencing(self, finding: Finding, place: Evidence | None = None) -> Silencing | None:
        is_elsewhere = place is not None and not finding.cause
        entries = (entry for entry in self.entries if entry.is_of_finding or not is_elsewhere)
        entry = next((entry for entry in entries if entry.covers(finding, place)), None)
        if entry is not None:
            marks = [dismissal.mark for dismissal in self.dismissals if dismissal.how == "withdrawn"]
            is_withdrawn = not finding.proven and finding.fingerprint in marks
            return Silencing(
                entry.reason, "withdrawn" if is_withdrawn else "finding" if entry.is_of_finding else "path"
            )
        at_place = finding if place is None else replace(finding, path=place.path)
        rules = () if is_elsewhere else self.rules
        rule = next((rule for rule in rules if covers_finding(rule, at_place)), None)
        return Silencing(rule.text, "rule", replace(rule, text="")) if rule is not None else None


def silenced(finding: Finding, silencing: Silencing) -> Finding:
    """Return the finding with the status "silenced"."""
    return finding.with_status("silenced", silencing=silencing)


def _lines(finding: Finding) -> list[Finding]:
    return [finding, *(_at(finding, item) for item in finding.evidence if item.note == SAME_VALUE)]


def _at(finding: Finding, place: Evidence) -> Finding:
    first_place = Evidence(finding.path, finding.quote, finding.start, finding.side, note=place.note)
    rest = (item for item in finding.evidence if item is not place)
    return identify(
        replace(
            finding,
            path=place.path,
            quote=place.quote,
            start=place.line,
            end=place.line,
            side=place.side,
            evidence=(first_place, *rest),
        )
    )


def mark_of(finding: Finding) -> str:
    """Return what a dismissal refers to.

    That is the finding's identity, and for a static check also the digest of each broken line. So a dismissal
    covers only the lines that its author saw.
    """
    if finding.category == "secret" or (finding.basis.has_model and not finding.proven):
        return finding.identity
    return f"{finding.identity} {digest(finding)}"


def _entries(dismissals: Iterable[Dismissal]) -> list[IgnoreEntry]:
    silent = [dismissal for dismissal in dismissals if dismissal.is_silent]
    if not silent:
        return []
    return [
        IgnoreEntry(
            fingerprint=dismissal.identity,
            digest=dismissal.mark.partition(" ")[2],
            reason=dismissal.reason or f"@{dismissal.who} asked for it",
        )
        for dismissal in silent
    ]


def only(path: str) -> str:
    """Return the pattern that matches only this file, whatever characters its name contains."""
    return globs.EXACT + path


def is_grave(finding: Finding) -> bool:
    """Return whether the finding is proven and serious."""
    return finding.proven and finding.serious


def covers_finding(rule: OwnerRule, finding: Finding) -> bool:
    """Return whether the rule silences the finding."""
    if rule.kind not in (finding.rule, finding.category) or not rule.kind:
        return False
    if finding.proven and rule.kind != finding.kind and rule.kind not in CODE_CATEGORIES:
        return False
    if is_grave(finding) and rule.learned and not rule.grave:
        return False
    return globs.matches([rule.path], finding.path)


def applies_to_finding(learning: OwnerRule, finding: Finding, units: Iterable[Unit]) -> bool:
    """Return whether a learning applies to a model's unproven finding.

    It must match the file, and the definition if the learning names one.
    """
    if (
        not learning.is_learning
        or not learning.text
        or finding.proofs
        or finding.is_masked
        or not globs.matches([learning.path], finding.path)
    ):
        return False
    if not learning.symbol:
        return True
    around = (unit.name for unit in units if unit.path == finding.path and unit.start <= finding.start <= unit.end)
    return any(name == learning.symbol or name.endswith(f".{learning.symbol}") for name in around)


def owner_learnings(entries: Iterable["IgnoreItem"]) -> tuple[OwnerRule, ...]:
    """Return the learnings in the settings."""
    return tuple(
        OwnerRule(each.path, "", each.reason, number, symbol=each.symbol) for number, each in enumerate(entries, 1)
    )


def owner_entries(entries: Iterable["IgnoreItem"]) -> IgnoreList:
    """Return the single findings and the files that the settings ignore."""
    return IgnoreList(
        tuple(IgnoreEntry(fingerprint=each.finding, path=each.path, reason=each.reason) for each in entries)
    )


def owner_rules(entries: Iterable["IgnoreItem"]) -> tuple[OwnerRule, ...]:
    """Return the rules in the settings."""
    return tuple(OwnerRule(each.path, each.kind, each.reason, number) for number, each in enumerate(entries, 1))


def reapply_silencing(review: Review, dismissals: Sequence[Dismissal], rules: Sequence[OwnerRule]) -> Review:
    """Return a stored review as it would be reported now, with these dismissals and learned rules.

    What the repository's own file silenced stays silenced until the next review. A finding whose rule was
    removed is new again. The stored review doesn't change, so repeating this has no further effect.
    """
    words = IgnoreList().also(dismissals, rules)
    rows = tuple(_judge(placed_finding, words) for placed_finding in review.findings)
    returning = [
        placed_finding.finding
        for placed_finding, before in zip(rows, review.findings, strict=True)
        if placed_finding.place and not before.place
    ]
    numbers = _numbers(returning, review)
    rows = tuple(_numbered(placed_finding, numbers) for placed_finding in rows)
    known_numbers = {number for number, _ in review.round.numbers}
    silenced_places = {
        (placed_finding.finding.path, placed_finding.finding.start)
        for placed_finding in rows
        if placed_finding.finding.tracking.silencing is not None
    }
    quiet = ({*_open_places(review.findings)} - {*_open_places(rows)}) | silenced_places
    return replace(
        review,
        findings=rows,
        parts={**review.parts, **{section.key: section.without(section.of(review), quiet) for section in sections()}},
        round=replace(
            review.round,
            numbers=tuple(
                sorted((*review.round.numbers, *((n, mark) for mark, n in numbers.items() if n not in known_numbers)))
            ),
        ),
    )


def new_numbers(before: Review, after: Review) -> Mapping[str, int]:
    """Return the numbers that only the later review has, by fingerprint."""
    return MappingProxyType({mark: number for number, mark in {*after.round.numbers} - {*before.round.numbers}})


def _judge(placed_finding: PlacedFinding, words: IgnoreList) -> PlacedFinding:
    """Return the row under these entries and rules.

    A secret that is silenced at its first location is reported at the next.
    """
    finding = placed_finding.finding
    if finding.status in ("new", "still"):
        judged = words.judge(finding)
        if judged is finding:
            return placed_finding
        return PlacedFinding(judged, "outside" if placed_finding.place and judged.tracking.silencing is None else "")
    silencing = finding.tracking.silencing
    rule = silencing.rule if silencing is not None else None
    if silencing is None or rule is None or not rule.learned:
        return placed_finding
    if rule.is_learning and any(
        learning.learned and (learning.number, learning.text) == (rule.number, silencing.reason)
        for learning in words.learnings
    ):
        return placed_finding  # a confirmation has decided
    judged = words.judge(finding.with_status("new"))
    return PlacedFinding(judged, "outside" if judged.tracking.silencing is None else "")


def _open_places(rows: Sequence[PlacedFinding]) -> Iterator[tuple[str, int]]:
    return (
        (placed_finding.finding.path, placed_finding.finding.start)
        for placed_finding in rows
        if placed_finding.finding.status in ("new", "still")
    )


def _numbered(placed_finding: PlacedFinding, numbers: Mapping[str, int]) -> PlacedFinding:
    if placed_finding.place and not placed_finding.finding.number and placed_finding.finding.fingerprint in numbers:
        return replace(
            placed_finding, finding=placed_finding.finding.with_number(numbers[placed_finding.finding.fingerprint])
        )
    return placed_finding


def _numbers(again: Sequence[Finding], review: Review) -> dict[str, int]:
    """Return the number of each finding that is back: its own, or the next free one."""
    had = {mark: number for number, mark in review.round.numbers}
    highest, numbers = max((0, *had.values())), dict[str, int]()
    for finding in again:
        number = finding.number or had.get(finding.fingerprint) or highest + 1
        highest, numbers[finding.fingerprint] = max(highest, number), number
    return numbers
