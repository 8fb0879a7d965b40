"""Findings: what they quote, who reported them, how certain they are, and their state across reviews."""

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Literal, Self, get_args

from bot.levels import SEVERITIES, Severity
from bot.values.rule import Silencing
from deeprepo.impact.values import Side
from deeprepo.rlm.values import Exact

Category = Literal[  # for models' findings; an analyzer may use another one
    "logic", "broken-caller", "contract", "crash", "concurrency", "resource", "security", "data-loss", "performance", "test", "other",
]  # fmt: skip
CATEGORIES: tuple[Category, ...] = get_args(Category)
CODE_CATEGORIES = ("secret", "settings")  # used only by static checks
# The status of a finding at the end of a review. "new": reported for the first time. "still": reported before
# and not fixed. "fixed": reported before and fixed now. "silenced": dismissed by a person or rule. "refuted":
# the confirming model call found it wrong. "unproven": that call could not decide, so the finding is only
# shown on demand. "below": open, but below the minimum severity.
LastStatus = Literal["new", "still", "fixed", "silenced", "refuted", "unproven", "below"]
# "doubtful", before confirmation: it was reported before, and something about it has changed.
Status = Literal[LastStatus, "doubtful"]
# Why no earlier review reported it: the last push introduced it, or earlier reviews missed it.
Origin = Literal["", "push", "missed"]
# Details of the status. "back": new, but fixed before. "moved": still open, on another line. "accepted":
# fixed as suggested.
How = Literal["", "back", "moved", "accepted"]
SourceKind = Literal["model", "analyser", "tool"]
# What it means if an analyzer no longer reports a finding. "fixed": it checked everything again. "unseen": it
# did not check that location this time. "unchecked": this build has no such check. "lasting": the problem
# remains although its lines were removed, such as a secret in the history.
Absence = Literal["fixed", "unseen", "lasting", "unchecked"]
Role = Literal["", "root", "worker", "verify"]
# What a model saw. "": the changed code and the code around it. "diff": only the diff. "search": the earlier
# findings, and whatever it searched for.
View = Literal["", "diff", "search"]


class Verdict(StrEnum):
    """How certain a finding is, most certain first. The displayed words are in templates/words.toml."""

    is_shown: bool  # whether the finding is reported without a confirmation
    is_plausible: bool  # whether the finding may be true
    is_answer: bool  # whether a confirmation can return this verdict
    state: str  # a description for the root model

    PROVEN = "proven", True, True, False, "proven by a static check"
    REPRODUCED = "reproduced", True, True, False, "reproduced by a test that was run"
    CONFIRMED = "confirmed", True, True, True, "confirmed"
    UNPROVEN = "unproven", False, True, True, "not confirmed"
    REFUTED = "refuted", False, False, True, "refuted"

    def __new__(cls, text: str, *facts: bool | str) -> Self:
        """Create a member with `text` as its value and `facts` as its attributes."""
        member = str.__new__(cls, text)
        member._value_ = text
        member.is_shown, member.is_plausible, member.is_answer, member.state = facts  # type: ignore[assignment]
        return member

    @property
    def is_undecided(self) -> bool:
        """Whether it can still be confirmed or refuted."""
        return self.is_plausible and not self.is_shown

    @property
    def rank(self) -> int:
        """The position in the order of certainty; 0 is the most certain."""
        return list(type(self)).index(self)


def severity_rank(severity: Severity) -> int:
    """Return the position in the order of severity; 0 is the most severe."""
    return SEVERITIES.index(severity)


def at_least(severity: Severity, threshold: Severity) -> bool:
    """Return whether a severity is as high as the threshold or higher."""
    return severity_rank(severity) <= severity_rank(threshold)


def less_severe(severity: Severity, steps: int) -> Severity:
    """Return the severity that is `steps` levels lower, or the lowest."""
    return SEVERITIES[min(len(SEVERITIES) - 1, severity_rank(severity) + steps)]


@dataclass(frozen=True, slots=True)
class Source:
    """A model, an analyzer, or another tool that reported a finding."""

    kind: SourceKind
    name: Exact[str]  # "provider/model", "ruff", or the name of the tool
    role: Role = ""  # the model's role
    # For a proven finding, the check's ID and a digest of the names that it is about, because a name may be a
    # secret. Empty for an unproven finding.
    proof: Exact[str] = ""
    # If a static check reports several breaks in one finding, a digest of each. Dismissing the finding does
    # not dismiss breaks that are added later.
    breaks: Exact[tuple[str, ...]] = ()
    view: View = ""  # what the model saw

    @property
    def label(self) -> str:
        """What readers call its role: a model that saw only the diff is a reader, whatever else it does."""
        return "reader" if self.view == "diff" else self.role

    def __str__(self) -> str:
        return f"{self.role} {self.name}".strip()


MASK = "***"  # replaces all but the first characters of a secret
PLACEHOLDER = re.compile(r"MASKED_SECRET_[0-9a-f]{5}(?:_\d+)?")  # what models see instead of a secret
SAME_VALUE = "the same value"  # the note on another line with the same secret


# Notes on lines that a static check reports as broken.
ALSO_BROKEN, USES_IT, NAMES_IT, BREAKS = "also broken", "uses it", "names it", "breaks"
MAY_BREAK = "may use it too"  # the note on a line that may break
AGREED = 2  # number of independent model passes whose reports count as agreement
AGAINST = "speaks against it"  # the note on a line with which models challenge a proof; the proof stays
MOST_BROKEN = 40  # broken lines that a finding quotes


@dataclass(frozen=True, slots=True)
class FindingTexts:
    """A finding's texts for one of its broken lines, in case that line becomes the main location."""

    title: str
    why: str
    consequence: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """A verbatim quote from the tree. `line` is 0 until the quote is found there."""

    path: Exact[str]
    quote: str
    line: int = 0
    side: Side = "head"
    note: str = ""
    # For a line in another repository: that repository's name, with which `path` begins, and the commit.
    repository: Exact[str] = ""
    commit: Exact[str] = ""
    # For a broken line: the finding's texts about it, if known, and the digests of its breaks.
    telling: FindingTexts | None = None
    breaks: Exact[tuple[str, ...]] = ()

    @property
    def location(self) -> tuple[str, int]:
        """Path and line."""
        return self.path, self.line

    @property
    def words(self) -> str:
        """The quote with every run of whitespace as one space."""
        return " ".join(self.quote.split())

    @property
    def is_broken(self) -> bool:
        """Whether a static check reports this line as broken, in addition to the finding's own line."""
        return self.note in (ALSO_BROKEN, USES_IT, NAMES_IT, BREAKS)

    @property
    def is_place(self) -> bool:
        """Whether the finding is also about this line, because it breaks or contains the same secret."""
        return self.is_broken or self.note == SAME_VALUE


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A part of a fix that replaces whole lines: from `line` on, `old` becomes `new`."""

    path: Exact[str]
    line: int
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Basis:
    """Who reported a finding, and how certain it is. Field names are part of the stored format."""

    sources: Exact[tuple[Source, ...]]  # for a proven finding, at least one of them has a proof
    verdict: Verdict = Verdict.UNPROVEN
    unconfirmed: bool = False  # whether the confirming model call failed to return a verdict
    # If several passes reported it but the confirming call could not decide: why, and what would decide it.
    unsettled: str = ""
    cause: Exact[str] = ""  # a digest of the common cause of all its locations, if there is one
    readings: int = 0  # number of model passes over the change; 0 if unknown

    @property
    def source(self) -> str:
        """The sources' names, for display."""
        return " + ".join(dict.fromkeys(map(str, self.sources)))

    @property
    def reports(self) -> int:
        """How many sources reported it independently.

        A root model that searched doesn't count, because it had seen the earlier findings.
        """
        return len({replace(source, proof="", breaks=()) for source in self.sources if source.view != "search"})

    @property
    def votes(self) -> int:
        """How many model passes reported it. A root that supports a finding of another pass counts as one."""
        return len(
            {
                (source.name, source.role, source.view)
                for source in self.sources
                if source.kind == "model" and source.view != "search"
            }
        )

    @property
    def is_single(self) -> bool:
        """Whether only one of several passes reported it, and it was neither confirmed nor refuted."""
        return self.verdict.is_undecided and self.votes == 1 < self.readings

    @property
    def is_from_diff_only(self) -> bool:
        """Whether all sources saw only the diff, and the finding was neither confirmed nor refuted.

        Two such passes often agree on a wrong guess about code that neither of them has seen.
        """
        return self.verdict.is_undecided and all(
            source.kind == "model" and source.view == "diff" for source in self.sources
        )

    @property
    def is_agreed(self) -> bool:
        """Whether several passes reported it, one of which saw the code around the change."""
        return self.votes >= AGREED and not self.is_from_diff_only

    @property
    def has_root(self) -> bool:
        """Whether the root model reported it, with the code around the change in its prompt."""
        return any(source.role == "root" and not source.view for source in self.sources)

    @property
    def has_model(self) -> bool:
        """Whether a model is among the sources."""
        return any(source.kind == "model" for source in self.sources)

    @property
    def has_check(self) -> bool:
        """Whether a static check is among the sources."""
        return any(source.kind != "model" for source in self.sources)

    @property
    def breaks(self) -> tuple[str, ...]:
        """The digests of all breaks that the sources report."""
        return tuple(dict.fromkeys(each for source in self.sources for each in source.breaks))

    @property
    def proofs(self) -> frozenset[str]:
        """The IDs of the proofs; empty for an unproven finding."""
        return frozenset(digested_proof(source.proof) for source in self.sources if source.proof)

    @property
    def certainty(self) -> str:
        """The key of the phrase for its certainty."""
        if self.verdict.is_undecided:
            agreement = "agreed" if self.votes >= AGREED else "single" if self.is_single else self.verdict.value
            return "unsettled" if self.unsettled else "unconfirmed" if self.unconfirmed else agreement
        return self.verdict.value

    @property
    def is_shown(self) -> bool:
        """Whether it is reported: it was proven or confirmed, or the confirming call had no result."""
        return self.verdict.is_shown or self.unconfirmed or bool(self.unsettled)


@dataclass(frozen=True, slots=True)
class Tracking:
    """The state of a finding across reviews. Field names are part of the stored format."""

    number: int = 0  # the displayed number, which never changes in a pull request; 0 if it has none yet
    status: Status = "new"
    how: How = ""
    silencing: Silencing | None = None  # set if it is silenced
    added: Exact[tuple[tuple[str, int], ...]] = ()  # path and line of each location that this review added
    origin: Origin = ""  # set if it is not the first review that reports it
    fix_of: int = 0  # number of the finding whose fix introduced it; 0 if there is none


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem that the change introduces.

    `start`, `end` and `side` say where the quote was found; 0 if nowhere.
    """

    path: Exact[str]
    quote: str
    title: str
    why: str
    consequence: str
    severity: Severity
    category: Exact[str]
    basis: Basis
    rule: Exact[str] = ""  # the check's own ID, such as "F821" or "removed-symbol"
    start: int = 0
    end: int = 0
    side: Side = "head"
    evidence: tuple[Evidence, ...] = ()
    suggestion: str | None = None
    trigger: str = ""
    # A digest of the path, the quote's words (or the cause) and the category, so it survives moved lines.
    fingerprint: Exact[str] = ""
    tracking: Tracking = Tracking()
    # What features add, by section key.
    parts: Mapping[str, object] = field(default_factory=dict, hash=False)
    consumer: Exact[str] = ""  # the name of the repository that breaks, if it is another one
    rewrites: tuple[Rewrite, ...] = ()  # the fix, if static analysis knows the new code

    def with_status(self, status: Status, how: How = "", silencing: Silencing | None = None) -> Self:
        """Return the finding with this status, and without the details of the previous status."""
        return replace(self, tracking=replace(self.tracking, status=status, how=how, silencing=silencing))

    def with_number(self, number: int) -> Self:
        """Return the finding with this number."""
        return replace(self, tracking=replace(self.tracking, number=number))

    def with_verdict(self, verdict: Verdict, *, unconfirmed: bool = False, unsettled: str = "") -> Self:
        """Return the finding with another verdict."""
        basis = replace(self.basis, verdict=verdict, unconfirmed=unconfirmed, unsettled=unsettled)
        return replace(self, basis=basis)

    @property
    def status(self) -> Status:
        """The status."""
        return self.tracking.status

    @property
    def number(self) -> int:
        """The displayed number; 0 if it has none yet."""
        return self.tracking.number

    @property
    def verdict(self) -> Verdict:
        """How certain it is."""
        return self.basis.verdict

    @property
    def is_remark(self) -> bool:
        """Whether a model reported it as a title without an explanation."""
        return not self.rule and not self.why

    @property
    def cause(self) -> str:
        """A digest of the common cause of all its locations; empty if there is none."""
        return self.basis.cause

    @property
    def places(self) -> tuple[Evidence, ...]:
        """All locations that it is about, its main location first."""
        others = tuple(item for item in self.evidence if item.is_place)
        breaks_of_others = {each for item in others for each in item.breaks}
        breaks = tuple(each for each in self.basis.breaks if each not in breaks_of_others)
        texts = FindingTexts(self.title, self.why, self.consequence)
        note = SAME_VALUE if self.category == "secret" else ALSO_BROKEN
        main = Evidence(self.path, self.quote, self.start, self.side, note, telling=texts, breaks=breaks)
        return main, *others

    def place_number(self, path: str, line: int) -> int:
        """Return the position of a location among the finding's equal lines in the file, from 1.

        Locations from earlier reviews are counted first. Returns 0 if the finding doesn't have this location.
        """
        in_file = [item for item in self.places if item.path == path]
        words = next((item.words for item in in_file if item.line == line), None)
        equal = sorted((item.location in self.tracking.added, item.line) for item in in_file if item.words == words)
        return next((number for number, row in enumerate(equal, 1) if row[1] == line), 0)

    def place_mark(self, path: str, line: int) -> str:
        """Return an ID for a location that stays the same if lines move.

        It is a digest of the path, the line's words and its position among equal lines.
        """
        words = next((item.words for item in self.places if item.location == (path, line)), "")
        parts = path, words, str(self.place_number(path, line))
        return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:16]

    def rewritten(self, path: str, line: int, side: Side = "head") -> str:
        """Return the single line with which the fix replaces this line, or "" if there is no such line."""
        rows = (rewrite for rewrite in self.rewrites if (rewrite.path, rewrite.line) == (path, line) and side == "head")
        return next((rewrite.new for rewrite in rows if "\n" not in rewrite.old + rewrite.new), "")

    @property
    def place_marks(self) -> frozenset[str]:
        """The IDs of all its locations."""
        return frozenset(self.place_mark(*item.location) for item in self.places)

    @property
    def unfixed_lines(self) -> tuple["Evidence", ...]:
        """The first broken line in each file that the fix doesn't change; empty without a fix."""
        if not (self.rewrites and self.cause):
            return ()
        fixed_paths = {rewrite.path for rewrite in self.rewrites}
        places = {item.path: item for item in reversed(self.places)}
        return tuple(places[path] for path in sorted(places.keys() - fixed_paths))

    @property
    def is_new(self) -> bool:
        """Whether no earlier review reported it, or it was fixed in between."""
        return self.status == "new"

    @property
    def is_revoked(self) -> bool:
        """Whether a person has dismissed this finding itself, for example after revoking a secret."""
        return self.tracking.silencing is not None and self.tracking.silencing.scope == "finding"

    @property
    def source(self) -> str:
        """The sources' names, for display."""
        return self.basis.source

    @property
    def proven(self) -> bool:
        """Whether a static check has proven it. No model's answer changes that, and no learning silences it."""
        return self.verdict is Verdict.PROVEN

    @property
    def is_challenged(self) -> bool:
        """Whether models quote a line against its proof. That only collapses it and holds back its fix."""
        return self.proven and any(item.note == AGAINST for item in self.evidence)

    def without_challenge(self) -> Self:
        """Return the finding without the lines that models quote against it."""
        return replace(self, evidence=tuple(item for item in self.evidence if item.note != AGAINST))

    @property
    def is_masked(self) -> bool:
        """Whether a static check reported it as a secret.

        Models only see a placeholder for it, so they cannot review, repeat or withdraw the finding.
        """
        return self.category == "secret" and self.basis.has_check

    @property
    def is_sure(self) -> bool:
        """Whether its fix may be applied: it was proven or confirmed, or several passes agree and nothing doubts it."""
        is_doubted = self.basis.unconfirmed or self.basis.unsettled
        return not self.is_challenged and (self.verdict.is_shown or (self.basis.is_agreed and not is_doubted))

    @property
    def serious(self) -> bool:
        """Whether its severity is critical or high."""
        return at_least(self.severity, "high")

    @property
    def is_shown(self) -> bool:
        """Whether it is reported: it was proven or confirmed, or the confirming call had no result."""
        return self.basis.is_shown

    @property
    def identity(self) -> str:
        """The ID that a dismissal refers to.

        For an unproven finding, it is the fingerprint. For a proven one, it is a longer ID that depends on
        all proofs. So dismissing an unproven finding never dismisses a proven one that is found there later.
        """
        if not self.proven:
            return self.fingerprint
        return _identity(self, self.proofs)

    @property
    def proofs(self) -> frozenset[str]:
        """The IDs of the proofs; empty for an unproven finding."""
        return self.basis.proofs

    @property
    def kind(self) -> str:
        """What rules and settings call it: the check's own ID, or else the category."""
        return self.rule or self.category


_PROOF_WITH_NAMES = re.compile(r"(\S+) (?![0-9a-f]{32,}\Z)(.+)")  # a proof with names instead of their digest


def proof_id(kind: str, names: str) -> str:
    """Return the ID of a proof: the check's own ID (`kind`), and a digest of the names that it is about."""
    return f"{kind} {hashlib.sha256(names.encode('utf-8', 'replace')).hexdigest()[:32]}" if names else kind


def break_digest(*parts: str) -> str:
    """Return the digest of one break in a finding."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:32]


def digested_proof(proof: str) -> str:
    """Return a proof with its names replaced by a digest. Proofs about consumers contain the names."""
    named = _PROOF_WITH_NAMES.fullmatch(proof)
    return proof_id(named[1], named[2]) if named else proof


def _identity(finding: Finding, proofs: Iterable[str]) -> str:
    parts = [finding.cause or finding.path, finding.fingerprint, *sorted({*proofs} - {""})]
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:32]
