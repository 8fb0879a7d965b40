"""Merge reports of one defect: in a run by location and cause, across runs by a stable fingerprint.

Two findings are one defect if they are on the same lines and report one problem, or if one quotes the other's
location and both refer to the same code and the same break. Anything less certain stays two findings: a
duplicate costs a minute, but a swallowed finding is lost.
"""

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from bot.findings.quotes import fold
from bot.values import Evidence, Finding, Source, severity_rank
from bot.values.finding import proof_of

STRETCH = 32  # lines
MAX_LINES_APART = 3  # lines at most from one finding to another that tells the same defect of the next statement
NEARBY = 8  # lines between what two readings tell
TWO_READINGS = 3  # words that the titles of two readings have in common, or half of the shorter one's
FEW_SHARED, HALF_SHARED, MOST_SHARED = 0.3, 0.5, 0.6  # of the telling words of the shorter of two titles
SEVERAL = 4  # words that two titles have in common where one retells the other


def _any_of(words: str) -> re.Pattern[str]:
    """The words that speak of one subject, however they go on."""
    return re.compile(rf"\b(?:{words})", re.IGNORECASE)


_GONE = _any_of(
    r"renam|remov|delet|moved|gone|forg[eo]t|undefined|old name|not (?:defined|updated)|no longer (?:exist|defin|import|there|available)"
    r"|still (?:call|use|import|refer|name)|(?:does|do) not exist"
)
_UNFIT = _any_of(
    r"(?:arguments?|parameters?|signature|keywords?|arity|takes|requir(?:e|es|ed)|pass(?:es|ing)|leaves out|omits|without)\b"
)
# What a definition does is another story than that it is gone or called otherwise.
_DOES = _any_of(r"return|result|none\b|null\b|nil\b|empty|default|type|order|unit|value|await|async|raise|throw")
_SAME = {"null": "none", "nil": "none", "await": "async", "throw": "raise"}
_CODE = re.compile(
    r"`([\w$.]{2,80})(?:\(\))?`|\b([A-Za-z_$][\w$.]{1,80})\(\)|\b([A-Za-z$]\w{0,40}_\w{1,40}|[a-z]{1,40}[A-Z]\w{0,40})\b"
)
Location = tuple[str, str, int]  # path, side, line


def merge(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return findings without duplicates, each with its fingerprint. The stronger one speaks; the other adds evidence and its source."""
    distinct_findings: list[Finding] = []
    near: dict[tuple[str, int], set[int]] = defaultdict(set)
    for finding in findings:
        others = sorted({at for key in _around(finding) for at in near[key]})
        at = _add(distinct_findings, identify(finding), others)
        for key in _around(distinct_findings[at]):
            near[key].add(at)
    return tuple(_by_proof(distinct_findings))


def _around(finding: Finding) -> set[tuple[str, int]]:
    """The lines of files that a finding is about or quotes. Two findings with none in common are two defects."""
    stretches = {(finding.path, part) for part in range(finding.start // STRETCH, finding.end // STRETCH + 1)}
    return stretches | {(item.path, item.line // STRETCH) for item in finding.evidence}


def add(distinct_findings: list[Finding], finding: Finding) -> bool:
    """Put one more among distinct findings. False where it joins one of them."""
    count = len(distinct_findings)
    return _add(distinct_findings, identify(finding), range(count)) == count


def _add(distinct_findings: list[Finding], finding: Finding, others: Iterable[int]) -> int:
    """Where the finding stands now: united with one of these others, or at the end."""
    at = next((at for at in others if same(finding, distinct_findings[at])), len(distinct_findings))
    if at == len(distinct_findings):
        distinct_findings.append(_told_apart(finding, distinct_findings))
    else:
        distinct_findings[at] = unite(distinct_findings[at], finding)
    return at


def tell_anew(distinct_findings: list[Finding], finding: Finding) -> tuple[Finding, Finding | None]:
    """Put a finding among distinct ones: alone, or in the place of the one that it tells better.

    Returns it as it is kept, and the one before it. What is proven or confirmed, or a secret, keeps its words and takes the evidence.
    """
    identified_finding = identify(finding)
    at = next((i for i, other in enumerate(distinct_findings) if same(identified_finding, other)), None)
    if at is None:
        distinct_findings.append(_told_apart(identified_finding, distinct_findings))
        return distinct_findings[-1], None
    before = distinct_findings[at]
    keeps = before.verdict.is_shown or before.is_masked
    distinct_findings[at] = _combine(*((before, identified_finding) if keeps else (identified_finding, before)))
    return distinct_findings[at], before


def identify(finding: Finding) -> Finding:
    """Return the finding with its proof and its fingerprint."""
    return replace(add_proofs(finding), fingerprint=fingerprint(finding))


def add_proofs(finding: Finding) -> Finding:
    """Return the finding, with what code has proven written beside each source that may have proven it, unless it is there already."""
    if not finding.proven or finding.proofs:
        return finding
    proof = proof_of(finding.kind, " ".join(sorted(code_names(finding.title))))
    sources = tuple(_proving(source, proof) for source in finding.basis.sources)
    return replace(finding, basis=replace(finding.basis, sources=sources))


def _proving(source: Source, proof: str) -> Source:
    return source if source.kind == "model" else replace(source, proof=proof)


def fingerprint(finding: Finding) -> str:
    """Return path, quote with whitespace folded, or the cause of several places; category, and the consumer that breaks: unchanged when lines move."""
    place = [finding.cause] if finding.cause else [finding.path, fold(finding.quote)]
    return _digest(*place, finding.category, *filter(None, [finding.consumer]))


def copy_mark(fingerprint: str, number: int) -> str:
    """Return the fingerprint of a finding on the so-manyth of several equal lines of a file."""
    return _digest(fingerprint, str(number))


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:16]


def _told_apart(finding: Finding, distinct_findings: Iterable[Finding]) -> Finding:
    """The finding; if another defect of the same line has its fingerprint, with one that holds what its title names."""
    place = finding.fingerprint, finding.start
    others = [other for other in distinct_findings if place == (other.fingerprint, other.start)]
    if not others or (finding.proofs and all(other.proofs for other in others)):
        return finding
    return replace(finding, fingerprint=_digest(finding.fingerprint, *sorted(code_names(finding.title))))


def _by_proof(distinct_findings: Sequence[Finding]) -> Iterator[Finding]:
    """Give each of several things that are proven at one line a fingerprint of its own proof, whatever the order of the reports."""
    count = Counter((finding.fingerprint, finding.start) for finding in distinct_findings if finding.proofs)
    for finding in distinct_findings:
        is_shared = count[finding.fingerprint, finding.start] > 1 and finding.proofs
        mark = _digest(finding.fingerprint, *sorted(finding.proofs)) if is_shared else finding.fingerprint
        yield replace(finding, fingerprint=mark)


def same(finding: Finding, other: Finding) -> bool:
    """Return whether two findings are one defect."""
    if finding.consumer != other.consumer or _two_proofs(finding, other):
        return False
    titles, names, other_names = (finding.title, other.title), code_names(finding.title), code_names(other.title)
    is_apart = bool(names and other_names) and names.isdisjoint(other_names)
    by_readers = not (finding.rule or other.rule)
    is_one_break = (
        not is_apart and bool(names & other_names) and not _breaks(finding.title).isdisjoint(_breaks(other.title))
    )
    shared_places = _shown_places(finding) & _shown_places(other)
    # Of one change and one use elsewhere that it breaks, a word in common says that the mechanism is one.
    is_mechanism = by_readers and alike(f"{finding.title} {finding.why}", f"{other.title} {other.why}", 0)
    if _within(finding, other, 0):
        is_use = is_mechanism and any(path != finding.path for path, _, _ in shared_places)
        is_other = is_apart and by_readers and not shared_places and not alike(*titles, FEW_SHARED)
        is_story = is_use or is_one_break or alike(*titles, FEW_SHARED if shared_places else HALF_SHARED)
        are_guesses = not (finding.proven or other.proven) and all(
            source.kind == "model" for source in (*finding.basis.sources, *other.basis.sources)
        )
        is_kindred = not are_guesses or _are_of_two_readings(finding, other) or alike(*titles, FEW_SHARED)
        is_kindred |= bool(names & other_names)
        return ((finding.category == other.category and is_kindred) or is_story) and not is_other
    shows_other, back = _shows(finding, other), _shows(other, finding)
    if not by_readers:  # the reader shows what the check reports; not the other way
        return (back if finding.rule else shows_other) and is_one_break and not (finding.rule and other.rule)
    if shows_other and back:
        return is_mechanism or not names.isdisjoint(other_names)
    is_beside = bool(shared_places) and _within(finding, other, MAX_LINES_APART) and alike(*titles)
    is_beside |= (
        _are_of_two_readings(finding, other) and _within(finding, other, NEARBY) and _tells(*titles, TWO_READINGS)
    )
    is_story = is_one_break or (bool(names & other_names) and alike(*titles)) or _retells(*titles)
    return not is_apart and (is_beside or ((shows_other or back) and is_story))


def _are_of_two_readings(one: Finding, other: Finding) -> bool:
    """Whether each comes from readings that do not have the other: who tells two things apart has both."""
    mine, theirs = ({(s.name, s.role, s.view) for s in finding.basis.sources} for finding in (one, other))
    return bool(one.basis.votes and other.basis.votes) and mine.isdisjoint(theirs)


def _two_proofs(one: Finding, other: Finding) -> bool:
    """Whether one analyser has proven two different things: what a person says about one does not cover the other."""
    mine, theirs = ({(s.kind, s.name): s.proof for s in finding.basis.sources if s.proof} for finding in (one, other))
    common = mine.keys() & theirs.keys()
    return bool(common) and all(mine[name] != theirs[name] for name in common)


def _within(finding: Finding, other: Finding, lines: int) -> bool:
    """Whether two findings are about lines of one file with at most so many between them; 0: they overlap."""
    is_same_side = finding.path == other.path and finding.side == other.side
    return is_same_side and finding.start <= other.end + lines and other.start <= finding.end + lines


def _own_places(finding: Finding) -> set[Location]:
    lines = {(finding.path, finding.side, line) for line in range(finding.start, finding.end + 1)}
    return lines | {_location(item) for item in finding.evidence if item.is_broken}


def _shown_places(finding: Finding) -> set[Location]:
    """The places that a finding shows beside its own lines."""
    return {_location(item) for item in finding.evidence} - _own_places(finding)


def _shows(finding: Finding, other: Finding) -> bool:
    """Whether a finding stands at, or shows, a place of another one."""
    return not (_own_places(finding) | _shown_places(finding)).isdisjoint(_own_places(other))


def _location(item: Evidence) -> Location:
    return item.path, item.side, item.line


def _retells(title: str, other: str) -> bool:
    """Whether two titles have most of their telling words in common, and several."""
    return alike(title, other, MOST_SHARED) and len(_telling_words(title) & _telling_words(other)) >= SEVERAL


def _tells(title: str, other: str, least: int) -> bool:
    """Whether two titles have so many telling words in common, or half of the shorter one's."""
    return alike(title, other) or len(_telling_words(title) & _telling_words(other)) >= least


def _breaks(title: str) -> set[str]:
    """What goes wrong by a title: the very thing that something does otherwise; else that it is gone, or that what it is given does not fit."""
    does = {_SAME.get(word, word) for word in map(str.lower, _DOES.findall(title))} - {"return", "result", "value"}
    return does or {name for name, look in (("gone", _GONE), ("unfit", _UNFIT)) if look.search(title)}


def code_names(title: str) -> set[str]:
    """Return what a title writes as code: in backticks, with parentheses, with an underscore or a capital inside."""
    return {word.rpartition(".")[2] for match in _CODE.finditer(title) for word in match.groups() if word}


def alike(one: str, other: str, share: float = HALF_SHARED) -> bool:
    """Return whether two titles tell the same story: they share this part of the telling words of the shorter one, by default half."""
    words, others = _telling_words(one), _telling_words(other)
    return len(words & others) >= max(1.0, share * min(len(words), len(others)))


def _telling_words(title: str) -> set[str]:
    return set(re.findall(r"\w{4,}", title.lower()))


def unite(finding: Finding, other: Finding) -> Finding:
    """Return one of the two with the other's evidence, and with the other's place if it is another one."""
    strong, weak = sorted((finding, other), key=lambda f: (not f.is_masked, f.verdict.rank, severity_rank(f.severity)))
    apart = (weak.path, weak.side) != (strong.path, strong.side) or weak.end < strong.start or strong.end < weak.start
    place = (Evidence(weak.path, weak.quote, weak.start, weak.side),) if apart and weak.start else ()
    strong_place = (strong.path, strong.side, strong.start)
    evidence = [e for e in (*place, *weak.evidence) if (e.path, e.side, e.line) != strong_place]
    fix = None if apart else weak.suggestion  # it replaces the lines of the other place
    return _combine(strong, replace(weak, evidence=tuple(evidence), suggestion=fix))


def _combine(strong: Finding, weak: Finding) -> Finding:
    """Two findings of one defect in the words of the first."""
    evidence = {(e.path, e.side, e.line): e for e in (*weak.evidence, *strong.evidence)}
    return replace(
        strong,
        evidence=tuple(sorted(evidence.values(), key=lambda e: (e.path, e.line))),
        basis=replace(
            strong.basis,
            sources=tuple(dict.fromkeys([*strong.basis.sources, *weak.basis.sources])),
            readings=max(strong.basis.readings, weak.basis.readings),
        ),
        suggestion=strong.suggestion or weak.suggestion,
        trigger=strong.trigger or weak.trigger,
    )
