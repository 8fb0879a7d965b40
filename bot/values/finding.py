"""A finding: what it quotes, who reported it, how sure it is."""

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

Category = Literal[  # of what models report; an analyser may have another
    "logic", "broken-caller", "contract", "crash", "concurrency", "resource", "security", "data-loss", "performance", "test", "other",
]  # fmt: skip
CATEGORIES: tuple[Category, ...] = get_args(Category)
CODE_CATEGORIES = ("secret", "settings")  # that no model reports: they name the check
Existence = Literal[  # what a finding may say of a name in the whole tree
    "undefined", "unused", "unpassed", "unset", "not-overridden", "only-caller", "unsent", "no-file",
]  # fmt: skip
# What has become of a finding by the end of a review. "new": said for the first time. "still": said before, and there. "fixed": said
# before, and gone. "silenced": a person's word keeps it from being said. "refuted": a second opinion says that it is wrong. "unproven":
# a second opinion could not tell; shown on demand. "below": open, and less severe than what is said.
LastStatus = Literal["new", "still", "fixed", "silenced", "refuted", "unproven", "below"]
Status = Literal[LastStatus, "doubtful"]  # until a second opinion: said before, and something about it has changed
# More about the same: a new one was fixed and is back, one that is still there stands elsewhere, a fixed one reads as suggested.
How = Literal["", "back", "moved", "accepted"]
SourceKind = Literal["model", "analyser", "tool"]
# What it means that an analyser no longer reports a finding of its own. "fixed": it has judged everything again. "unseen": it has
# not looked there this time. "lasting": the problem outlives its lines, as a secret in the history does.
Absence = Literal["fixed", "unseen", "lasting"]
Role = Literal["", "root", "worker", "verify"]
# What a model was shown: the changed code with what stands around it; the diff alone, from its first file on or from its last; altered
# definitions beside their uses; what it searched for itself, beside what others had found.
View = Literal["", "diff", "backwards", "pairs", "search"]
READINGS: frozenset[View] = frozenset({"", "diff", "backwards"})  # of all of the change, each by itself


class Verdict(StrEnum):
    """How sure a finding is, surest first, with everything that follows from it. Its words are in templates/words.toml."""

    is_shown: bool  # reported, without a second opinion that is still due
    stands: bool  # not refuted
    opinion: bool  # a second opinion may give it
    state: str  # for the root

    PROVEN = "proven", True, True, False, "proven by a static check"
    REPRODUCED = "reproduced", True, True, False, "reproduced by a test that was run"
    CONFIRMED = "confirmed", True, True, True, "confirmed by a second model call"
    UNPROVEN = "unproven", False, True, True, "not confirmed yet: a second model call follows automatically"
    REFUTED = "refuted", False, False, True, "refuted by a second model call"

    def __new__(cls, text: str, *facts: bool | str) -> Self:
        """Make a member that is its text, with its facts."""
        member = str.__new__(cls, text)
        member._value_ = text
        member.is_shown, member.stands, member.opinion, member.state = facts  # type: ignore[assignment]
        return member

    @property
    def is_undecided(self) -> bool:
        """Whether it may yet be confirmed or refuted."""
        return self.stands and not self.is_shown

    @property
    def rank(self) -> int:
        """The place in the order: 0 is the surest."""
        return list(type(self)).index(self)


def severity_rank(severity: Severity) -> int:
    """Return the place of a severity in the order: 0 is the worst."""
    return SEVERITIES.index(severity)


def at_least(severity: Severity, bar: Severity) -> bool:
    """Return whether a finding of this severity reaches the threshold."""
    return severity_rank(severity) <= severity_rank(bar)


def less_severe(severity: Severity, steps: int) -> Severity:
    """Return the severity that is `steps` levels lower, or the lowest."""
    return SEVERITIES[min(len(SEVERITIES) - 1, severity_rank(severity) + steps)]


@dataclass(frozen=True, slots=True)
class Source:
    """Who reports a finding: a model, one of our analysers, or another tool whose report was handed in."""

    kind: SourceKind
    name: Exact[str]  # "provider/model", "ruff", the tool's own name
    role: Role = ""  # of a model
    # What code has proven: the check's own code and a digest of the names in its words, of which one may be a secret; empty for a guess.
    proof: Exact[str] = ""
    # Of code that tells several breaks in one finding: a digest of each. What a person says of the finding is about these and no later one.
    breaks: Exact[tuple[str, ...]] = ()
    view: View = ""  # of a model

    def __str__(self) -> str:
        return f"{self.role} {self.name}".strip()


MASK = "***"  # what stands for the rest of a secret
SAME_VALUE = "the same value"  # the note of a line that holds the secret too


# What code notes beside a line that breaks.
ALSO_BROKEN, USES_IT, NAMES_IT, BREAKS = "also broken", "uses it", "names it", "breaks"
MAY_BREAK = "may use it too"  # the note of a line that was not proven to
MOST_BROKEN = 40  # such lines of one cause


@dataclass(frozen=True, slots=True)
class Telling:
    """What a finding says if one of its lines is the first that it names."""

    title: str
    why: str
    consequence: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """A verbatim quote from the tree. `line` is 0 until the quote has been found there."""

    path: Exact[str]
    quote: str
    line: int = 0
    side: Side = "head"
    note: str = ""
    # Of a line of another repository: its name, with which `path` begins, and the commit that was read.
    repository: Exact[str] = ""
    commit: Exact[str] = ""
    # Of a line that breaks: what the finding says there, if that is known, and the digests of its breaks.
    telling: Telling | None = None
    breaks: Exact[tuple[str, ...]] = ()

    @property
    def location(self) -> tuple[str, int]:
        """Path and line."""
        return self.path, self.line

    @property
    def words(self) -> str:
        """The quote with its blanks folded."""
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
    """Something that a finding says of the whole tree, to be looked up there."""

    says: Existence
    name: str
    of: str = ""  # the function that takes what is not passed, the class that does not override, the only caller


@dataclass(frozen=True, slots=True)
class Rewrite:
    """Whole lines of a file that code can rewrite: those from `line` on that read `old` become `new`."""

    path: Exact[str]
    line: int
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Basis:
    """What a finding rests on: who reports it, what they say of the whole tree, and how sure it is by now."""

    sources: Exact[tuple[Source, ...]]  # what code has proven names the proof in its source
    verdict: Verdict = Verdict.UNPROVEN
    unconfirmed: bool = False  # of an open verdict: a second call was due, and gave no verdict
    unsettled: str = (
        ""  # why a second call could not decide on a finding that several passes reported, and what would decide it
    )
    claims: tuple[Claim, ...] = ()  # of existence and absence, as the finder declares them
    cause: Exact[str] = ""  # a digest of what breaks all of its places, where that is one thing
    readings: int = 0  # how often models have read the change, each by itself; 0: nobody counted

    @property
    def source(self) -> str:
        """Who reported it, for people."""
        return " + ".join(dict.fromkeys(map(str, self.sources)))

    @property
    def reports(self) -> int:
        """How many sources reported it independently.

        A root that searched knew the findings so far, so it doesn't count.
        """
        return len({replace(source, proof="", breaks=()) for source in self.sources if source.view != "search"})

    @property
    def votes(self) -> int:
        """How many model passes have found it."""
        return len(
            {
                (source.name, source.role, source.view)
                for source in self.sources
                if source.kind == "model" and source.view in READINGS
            }
        )

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
        """What code has proven; empty for a guess."""
        return frozenset(digested_proof(source.proof) for source in self.sources if source.proof)

    @property
    def certainty(self) -> str:
        """How sure it is: the key of the words for it."""
        if self.verdict.is_undecided:
            return "unsettled" if self.unsettled else "unconfirmed" if self.unconfirmed else self.verdict.value
        return self.verdict.value

    @property
    def is_shown(self) -> bool:
        """Whether the finding is reported: it was decided, or a second call was due and decided nothing."""
        return self.verdict.is_shown or self.unconfirmed or bool(self.unsettled)


@dataclass(frozen=True, slots=True)
class Tracking:
    """The state of a finding across reviews."""

    number: int = 0  # what people call it by; given once and kept while the pull request lives, 0: none yet
    status: Status = "new"
    how: How = ""
    silencing: Silencing | None = None  # of a silenced one
    added: Exact[
        tuple[tuple[str, int], ...]
    ] = ()  # of one that is still there: path and line of each place that is new


@dataclass(frozen=True, slots=True)
class Finding:
    """One problem that the change brings. The model (or an analyser) quotes; code finds the lines."""

    path: Exact[str]
    quote: str
    title: str
    why: str
    consequence: str
    severity: Severity
    category: Exact[str]
    basis: Basis
    rule: Exact[str] = ""  # the check's own code: "F821", "removed-symbol"
    start: int = 0
    end: int = 0
    side: Side = "head"
    evidence: tuple[Evidence, ...] = ()
    suggestion: str | None = None
    trigger: str = ""
    fingerprint: Exact[str] = ""  # path, normalised quote (or cause) and category; survives moves
    tracking: Tracking = Tracking()
    # What features add, by the keys of their sections.
    parts: Mapping[str, object] = field(default_factory=dict, hash=False)
    consumer: Exact[str] = ""  # the repository that breaks, where it is another one
    rewrites: tuple[Rewrite, ...] = ()  # that mend it, where code knows the old and the new form

    def with_status(self, status: Status, how: How = "", silencing: Silencing | None = None) -> Self:
        """Return the finding with another status, without the details of the previous one."""
        return replace(self, tracking=replace(self.tracking, status=status, how=how, silencing=silencing))

    def with_number(self, number: int) -> Self:
        """Return the finding by a number."""
        return replace(self, tracking=replace(self.tracking, number=number))

    def with_verdict(self, verdict: Verdict, *, unconfirmed: bool = False, unsettled: str = "") -> Self:
        """Return the finding with another verdict."""
        basis = replace(self.basis, verdict=verdict, unconfirmed=unconfirmed, unsettled=unsettled)
        return replace(self, basis=basis)

    @property
    def status(self) -> Status:
        """What has become of it."""
        return self.tracking.status

    @property
    def number(self) -> int:
        """What people call it by; 0: it has no number yet."""
        return self.tracking.number

    @property
    def verdict(self) -> Verdict:
        """How sure it is."""
        return self.basis.verdict

    @property
    def cause(self) -> str:
        """What breaks all of its places, as a digest; "" if that is not one thing."""
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
        """Return which of the equal lines of its file a place is, from 1: those that are known first; 0 if it is no place of it."""
        in_file = [item for item in self.places if item.path == path]
        words = next((item.words for item in in_file if item.line == line), None)
        equal = sorted((item.location in self.tracking.added, item.line) for item in in_file if item.words == words)
        return next((number for number, row in enumerate(equal, 1) if row[1] == line), 0)

    def place_mark(self, path: str, line: int) -> str:
        """Return the name of one of its places, wherever its line moves: the words, and which of several equal lines it is."""
        words = next((item.words for item in self.places if item.location == (path, line)), "")
        parts = path, words, str(self.place_number(path, line))
        return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:16]

    def rewritten(self, path: str, line: int, side: Side = "head") -> str:
        """Return the line that a fix writes instead of this one, or "" if it writes none or several."""
        rows = (rewrite for rewrite in self.rewrites if (rewrite.path, rewrite.line) == (path, line) and side == "head")
        return next((rewrite.new for rewrite in rows if "\n" not in rewrite.old + rewrite.new), "")

    @property
    def place_marks(self) -> frozenset[str]:
        """The names of all of its places."""
        return frozenset(self.place_mark(*item.location) for item in self.places)

    @property
    def unmended(self) -> tuple["Evidence", ...]:
        """The first broken line of each file that its rewrites leave as it is; empty if it has none."""
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
        """Who reported it, for people."""
        return self.basis.source

    @property
    def proven(self) -> bool:
        """Whether a static check has proven it. Then no doubt and no learning can silence it."""
        return self.verdict is Verdict.PROVEN

    @property
    def is_masked(self) -> bool:
        """Whether code has found a secret there: a model is shown a placeholder, so none judges it, retells it or takes it back."""
        return self.category == "secret" and any(source.kind != "model" for source in self.basis.sources)

    @property
    def serious(self) -> bool:
        """Whether it is critical or high."""
        return at_least(self.severity, "high")

    @property
    def is_shown(self) -> bool:
        """Whether it is reported: decided, or without the verdict that was due, so that it does not vanish without a word."""
        return self.basis.is_shown

    @property
    def identity(self) -> str:
        """What a person's word about it is bound to: of a guess its fingerprint, of a proof also everything that is proven.

        A proof's is longer, so a word about a guess at the same place never means a proof that is found there later.
        """
        if not self.proven:
            return self.fingerprint
        return _identity(self, self.proofs)

    @property
    def proofs(self) -> frozenset[str]:
        """What code has proven; empty for a guess."""
        return self.basis.proofs

    @property
    def kind(self) -> str:
        """What it is an instance of: the check's own code, else the category."""
        return self.rule or self.category


_PROOF_WITH_NAMES = re.compile(r"(\S+) (?![0-9a-f]{32,}\Z)(.+)")  # a proof with its names as they are


def proof_of(kind: str, names: str) -> str:
    """Return what identifies a proof: the check's own code, and a digest of the names that it is about."""
    return f"{kind} {hashlib.sha256(names.encode('utf-8', 'replace')).hexdigest()[:32]}" if names else kind


def break_of(*parts: str) -> str:
    """Return the digest of one break among those that a finding reports."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:32]


def digested_proof(proof: str) -> str:
    """Return a proof with its names as a digest: those of consumers have them as they are."""
    named = _PROOF_WITH_NAMES.fullmatch(proof)
    return proof_of(named[1], named[2]) if named else proof


def _identity(finding: Finding, proofs: Iterable[str]) -> str:
    parts = [finding.cause or finding.path, finding.fingerprint, *sorted({*proofs} - {""})]
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:32]
