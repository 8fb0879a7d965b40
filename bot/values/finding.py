"""Define findings: what they quote, who reported them, how certain they are."""

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
Existence = Literal[  # claims that a finding can make about a name in the whole tree
    "undefined", "unused", "unpassed", "unset", "not-overridden", "only-caller", "unsent", "no-file",
]  # fmt: skip
# The status of a finding at the end of a review. "new": reported for the first time. "still": reported before
# and still there. "fixed": reported before and gone. "silenced": dismissed by a person or rule. "refuted": a
# confirmation found it wrong. "unproven": a confirmation could not decide, so it is only shown on demand.
# "below": open, but below the minimum severity.
LastStatus = Literal["new", "still", "fixed", "silenced", "refuted", "unproven", "below"]
# Until it is confirmed: reported before, and something about it has changed
Status = Literal[LastStatus, "doubtful"]
# Why a later review reports a finding first: the last push introduced it, or earlier reviews missed it
Origin = Literal["", "push", "missed"]
# Detail of the status. "back": new, but fixed before. "moved": still there, elsewhere. "accepted": fixed as
# suggested.
How = Literal["", "back", "moved", "accepted"]
SourceKind = Literal["model", "analyser", "tool"]
# What it means that an analyzer no longer reports its finding. "fixed": it judged everything again. "unseen":
# it did not check that location this time. "lasting": the problem outlives its lines, such as a secret in the
# history.
Absence = Literal["fixed", "unseen", "lasting"]
Role = Literal["", "root", "worker", "verify"]
# What a model was shown. "": the changed code with its surroundings. "diff" and "backwards": only the diff,
# from its first or last file. "pairs": altered definitions with their uses. "search": what it searched for
# itself, in addition to earlier findings.
View = Literal["", "diff", "backwards", "pairs", "search"]
READINGS: frozenset[View] = frozenset({"", "diff", "backwards"})  # independent passes over the whole change
DIFF_ONLY: frozenset[View] = frozenset({"diff", "backwards"})  # those that see no code around the change


class Verdict(StrEnum):
    """How certain a finding is, most certain first. The displayed words are in templates/words.toml."""

    is_shown: bool  # reported without waiting for a confirmation
    stands: bool  # not refuted
    opinion: bool  # possible result of a confirmation
    state: str  # for the root

    PROVEN = "proven", True, True, False, "proven by a static check"
    REPRODUCED = "reproduced", True, True, False, "reproduced by a test that was run"
    CONFIRMED = "confirmed", True, True, True, "confirmed by a second model call"
    UNPROVEN = "unproven", False, True, True, "not confirmed yet: a second model call follows automatically"
    REFUTED = "refuted", False, False, True, "refuted by a second model call"

    def __new__(cls, text: str, *facts: bool | str) -> Self:
        """Create a member whose value is its text, with its attributes."""
        member = str.__new__(cls, text)
        member._value_ = text
        member.is_shown, member.stands, member.opinion, member.state = facts  # type: ignore[assignment]
        return member

    @property
    def is_undecided(self) -> bool:
        """Whether it can still be confirmed or refuted."""
        return self.stands and not self.is_shown

    @property
    def rank(self) -> int:
        """The position in the order; 0 is the most certain."""
        return list(type(self)).index(self)


def severity_rank(severity: Severity) -> int:
    """Return the position of a severity in the order; 0 is the worst."""
    return SEVERITIES.index(severity)


def at_least(severity: Severity, bar: Severity) -> bool:
    """Return whether a finding of this severity reaches the threshold."""
    return severity_rank(severity) <= severity_rank(bar)


def less_severe(severity: Severity, steps: int) -> Severity:
    """Return the severity that is `steps` levels lower, or the lowest."""
    return SEVERITIES[min(len(SEVERITIES) - 1, severity_rank(severity) + steps)]


@dataclass(frozen=True, slots=True)
class Source:
    """The source of a finding: a model, one of our analyzers, or another tool whose report was passed in."""

    kind: SourceKind
    name: Exact[str]  # "provider/model", "ruff", or the tool's own name
    role: Role = ""  # of a model
    # What is proven: the check's ID and a digest of the names in its text, since a name may be a secret.
    # Empty for a guess.
    proof: Exact[str] = ""
    # If a static check reports several breaks in one finding, a digest of each. A dismissal covers these, and
    # no later ones.
    breaks: Exact[tuple[str, ...]] = ()
    view: View = ""  # of a model

    def __str__(self) -> str:
        return f"{self.role} {self.name}".strip()


MASK = "***"  # replaces the rest of a secret
SAME_VALUE = "the same value"  # the note on another line with the same secret


# Notes on lines that a static check reports as broken.
ALSO_BROKEN, USES_IT, NAMES_IT, BREAKS = "also broken", "uses it", "names it", "breaks"
MAY_BREAK = "may use it too"  # the note on a line that was not proven to break
AGREED = 2  # model passes whose independent reports count as agreement
AGAINST = "speaks against it"  # the note on a line with which a model challenged a proof
MOST_BROKEN = 40  # maximum of such lines per cause


@dataclass(frozen=True, slots=True)
class Telling:
    """A finding's texts, for use if one of its other lines becomes the main one."""

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
    # For a line in another repository: its name, with which `path` begins, and the commit that was read.
    repository: Exact[str] = ""
    commit: Exact[str] = ""
    # For a broken line: the finding's texts there, if known, and the digests of its breaks.
    telling: Telling | None = None
    breaks: Exact[tuple[str, ...]] = ()

    @property
    def location(self) -> tuple[str, int]:
        """Path and line."""
        return self.path, self.line

    @property
    def words(self) -> str:
        """The quote with folded whitespace."""
        return " ".join(self.quote.split())

    @property
    def is_broken(self) -> bool:
        """Whether a static check has quoted this line as broken, in addition to the finding's own line."""
        return self.note in (ALSO_BROKEN, USES_IT, NAMES_IT, BREAKS)

    @property
    def is_place(self) -> bool:
        """Whether the finding covers this line too, because it breaks or contains the secret."""
        return self.is_broken or self.note == SAME_VALUE


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim about the whole tree, which can be checked there."""

    says: Existence
    name: str
    of: str = ""  # the function without the argument, the class without the override, or the only caller


@dataclass(frozen=True, slots=True)
class Rewrite:
    """Whole lines of a file that a fix rewrites: from `line` on, `old` becomes `new`."""

    path: Exact[str]
    line: int
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Basis:
    """What a finding is based on: its sources, its claims about the whole tree, and its verdict."""

    sources: Exact[tuple[Source, ...]]  # the source of a proven finding contains the proof
    verdict: Verdict = Verdict.UNPROVEN
    unconfirmed: bool = False  # a confirmation was due, but gave no verdict
    # Why a confirmation could not decide on a finding that several passes reported, and what would decide it
    unsettled: str = ""
    claims: tuple[Claim, ...] = ()  # claims about the whole tree, as reported
    cause: Exact[str] = ""  # a digest of the common cause of all its locations, if there is one
    readings: int = 0  # number of model passes over the change; 0 if unknown
    # Whether the pass that saw the code around the change was asked about it, and did not confirm it. Not stored.
    is_declined: bool = False

    @property
    def source(self) -> str:
        """The sources, for display."""
        return " + ".join(dict.fromkeys(map(str, self.sources)))

    @property
    def reports(self) -> int:
        """How many sources reported it independently.

        A root that searched knew the findings so far, so it doesn't count.
        """
        return len({replace(source, proof="", breaks=()) for source in self.sources if source.view != "search"})

    @property
    def votes(self) -> int:
        """How many model passes reported it."""
        return len(
            {
                (source.name, source.role, source.view)
                for source in self.sources
                if source.kind == "model" and source.view in READINGS
            }
        )

    @property
    def is_single(self) -> bool:
        """Whether several passes read the change, only one of them reported it, and nothing has decided it."""
        return self.verdict.is_undecided and self.votes == 1 < self.readings

    @property
    def is_from_diff_only(self) -> bool:
        """Whether each source saw only the diff, and nothing has decided the finding.

        Two such passes often agree on a guess about code that neither has seen.
        """
        return self.verdict.is_undecided and all(
            source.kind == "model" and source.view in DIFF_ONLY for source in self.sources
        )

    @property
    def has_root(self) -> bool:
        """Whether the root's model reported it from a prompt with the code around the change."""
        return any(source.role == "root" and not source.view for source in self.sources)

    @property
    def has_model(self) -> bool:
        """Whether a model is among the sources."""
        return any(source.kind == "model" for source in self.sources)

    @property
    def breaks(self) -> tuple[str, ...]:
        """The digests of all breaks that the sources report."""
        return tuple(dict.fromkeys(each for source in self.sources for each in source.breaks))

    @property
    def proofs(self) -> frozenset[str]:
        """The proofs; empty for a guess."""
        return frozenset(digested_proof(source.proof) for source in self.sources if source.proof)

    @property
    def certainty(self) -> str:
        """The key of the displayed certainty."""
        if self.verdict.is_undecided:
            agreement = "agreed" if self.votes >= AGREED else "single" if self.is_single else self.verdict.value
            return "unsettled" if self.unsettled else "unconfirmed" if self.unconfirmed else agreement
        return self.verdict.value

    @property
    def is_shown(self) -> bool:
        """Whether the finding is reported: it was decided, or its confirmation decided nothing."""
        return self.verdict.is_shown or self.unconfirmed or bool(self.unsettled)


@dataclass(frozen=True, slots=True)
class Tracking:
    """The state of a finding across reviews."""

    number: int = 0  # the displayed number, fixed for the life of the pull request; 0 if none yet
    status: Status = "new"
    how: How = ""
    silencing: Silencing | None = None  # set if it is silenced
    added: Exact[tuple[tuple[str, int], ...]] = ()  # path and line of each new location
    origin: Origin = ""  # if a later review reports it first
    fix_of: int = 0  # number of the finding whose fix introduced it, 0: none


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem that the change introduces. A model or analyzer quotes a line, and code finds it."""

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
    fingerprint: Exact[str] = ""  # from path, folded quote (or cause) and category; survives moved lines
    tracking: Tracking = Tracking()
    # What features add, by section key.
    parts: Mapping[str, object] = field(default_factory=dict, hash=False)
    consumer: Exact[str] = ""  # the repository that breaks, if it is another one
    rewrites: tuple[Rewrite, ...] = ()  # rewrites that fix it, if static analysis knows the new code

    def with_status(self, status: Status, how: How = "", silencing: Silencing | None = None) -> Self:
        """Return the finding with another status, without the details of the previous one."""
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
        """Whether a model reported it in one line, without a reason."""
        return not self.rule and not self.why

    @property
    def cause(self) -> str:
        """A digest of the common cause of all its locations; empty if there is none."""
        return self.basis.cause

    @property
    def places(self) -> tuple[Evidence, ...]:
        """The lines that it is about: its own, then the others."""
        others = tuple(item for item in self.evidence if item.is_place)
        told = {each for item in others for each in item.breaks}
        mine = (each for each in self.basis.breaks if each not in told)
        telling = Telling(self.title, self.why, self.consequence)
        note = SAME_VALUE if self.category == "secret" else ALSO_BROKEN
        first_place = Evidence(self.path, self.quote, self.start, self.side, note, telling=telling, breaks=tuple(mine))
        return first_place, *others

    def place_number(self, path: str, line: int) -> int:
        """Return the position of a location among equal lines of its file, from 1.

        It is 0 if the finding doesn't have this location. Already known lines come first.
        """
        in_file = [item for item in self.places if item.path == path]
        words = next((item.words for item in in_file if item.line == line), None)
        equal = sorted((item.location in self.tracking.added, item.line) for item in in_file if item.words == words)
        return next((number for number, row in enumerate(equal, 1) if row[1] == line), 0)

    def place_mark(self, path: str, line: int) -> str:
        """Return an ID of a location that survives moved lines.

        It covers the text and the position among equal lines.
        """
        words = next((item.words for item in self.places if item.location == (path, line)), "")
        parts = path, words, str(self.place_number(path, line))
        return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:16]

    def rewritten(self, path: str, line: int, side: Side = "head") -> str:
        """Return the line that a fix writes instead of this one, or "" if it writes none or several."""
        rows = (rewrite for rewrite in self.rewrites if (rewrite.path, rewrite.line) == (path, line) and side == "head")
        return next((rewrite.new for rewrite in rows if "\n" not in rewrite.old + rewrite.new), "")

    @property
    def place_marks(self) -> frozenset[str]:
        """The IDs of all its locations."""
        return frozenset(self.place_mark(*item.location) for item in self.places)

    @property
    def unfixed_lines(self) -> tuple["Evidence", ...]:
        """The first broken line in each file that its fix doesn't change; empty without a fix."""
        mended_paths = {rewrite.path for rewrite in self.rewrites}
        places = {item.path: item for item in reversed(self.places)}
        return (
            tuple(places[path] for path in sorted(places.keys() - mended_paths)) if self.rewrites and self.cause else ()
        )

    @property
    def is_new(self) -> bool:
        """Whether the previous review didn't have it."""
        return self.status == "new"

    @property
    def is_revoked(self) -> bool:
        """Whether a person has handled this finding everywhere, such as by revoking a secret."""
        return self.tracking.silencing is not None and self.tracking.silencing.scope == "finding"

    @property
    def source(self) -> str:
        """The sources, for display."""
        return self.basis.source

    @property
    def proven(self) -> bool:
        """Whether a static check has proven it. Then no doubt and no learning can silence it."""
        return self.verdict is Verdict.PROVEN

    @property
    def is_challenged(self) -> bool:
        """Whether a model named a line that speaks against its proof."""
        return self.verdict.is_undecided and any(item.note == AGAINST for item in self.evidence)

    @property
    def is_masked(self) -> bool:
        """Whether a static check found a secret there.

        Models only see a placeholder, so they cannot judge, repeat or withdraw it.
        """
        return self.category == "secret" and any(source.kind != "model" for source in self.basis.sources)

    @property
    def serious(self) -> bool:
        """Whether its severity is critical or high."""
        return at_least(self.severity, "high")

    @property
    def is_shown(self) -> bool:
        """Whether the finding is reported: it was decided, or its confirmation decided nothing."""
        return self.basis.is_shown

    @property
    def identity(self) -> str:
        """What a dismissal refers to.

        For a guess, this is its fingerprint. For a proof, it is a longer ID that covers all proofs. So the
        dismissal of a guess never covers a proof that is found later in the same location.
        """
        if not self.proven:
            return self.fingerprint
        return _identity(self, self.proofs)

    @property
    def older_identity(self) -> str:
        """The identity that builds gave it whose proofs did not say what they were about; ignore lists may have it."""
        return _identity(self, (proof.partition(" ")[0] for proof in self.proofs)) if self.proven else self.fingerprint

    @property
    def proofs(self) -> frozenset[str]:
        """The proofs; empty for a guess."""
        return self.basis.proofs

    @property
    def kind(self) -> str:
        """What it is an instance of: the check's own ID, else the category."""
        return self.rule or self.category


_PROOF_WITH_NAMES = re.compile(r"(\S+) (?![0-9a-f]{32,}\Z)(.+)")  # a proof with readable names


def proof_id(kind: str, names: str) -> str:
    """Return the ID of a proof: the check's own ID, and a digest of the names that it is about."""
    return f"{kind} {hashlib.sha256(names.encode('utf-8', 'replace')).hexdigest()[:32]}" if names else kind


def is_without_names(proof: str) -> bool:
    """Return whether a proof doesn't say what it is about, as a few from older builds."""
    return " " not in proof


def break_digest(*parts: str) -> str:
    """Return the digest of one of the breaks in a finding."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:32]


def digested_proof(proof: str) -> str:
    """Return a proof with its names as a digest, because consumers' proofs have readable names."""
    named = _PROOF_WITH_NAMES.fullmatch(proof)
    return proof_id(named[1], named[2]) if named else proof


def _identity(finding: Finding, proofs: Iterable[str]) -> str:
    parts = [finding.cause or finding.path, finding.fingerprint, *sorted({*proofs} - {""})]
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:32]
