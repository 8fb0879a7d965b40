"""The same defect once: within a run by place and cause, across runs by a fingerprint that survives moves. Pure."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from bot.findings.cause import alike, code_names, one_cause, two_causes
from bot.findings.quotes import fold
from bot.values import Evidence, Finding, Source, severity_rank
from bot.values.finding import proof_of

STRETCH = 32  # lines
BESIDE = 3  # lines at most from one finding to another that tells the same defect of the next statement
PART_TOLD = 0.3  # of the words of two titles that tell one failure, if line and evidence are the same


def merge(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings without duplicates, each with its fingerprint. The stronger one speaks; the other adds evidence and its source."""
    distinct_findings: list[Finding] = []
    near: dict[tuple[str, int], set[int]] = defaultdict(set)
    for finding in findings:
        identified_finding = identify(finding)
        others = sorted({at for key in _around(identified_finding) for at in near[key]})
        at = next((at for at in others if same(identified_finding, distinct_findings[at])), len(distinct_findings))
        distinct_findings[at : at + 1] = [
            _unite(distinct_findings[at], identified_finding)
            if at < len(distinct_findings)
            else _told_apart(identified_finding, distinct_findings)
        ]
        for key in _around(distinct_findings[at]):
            near[key].add(at)
    return tuple(_by_proof(distinct_findings))


def _around(finding: Finding) -> set[tuple[str, int]]:
    """The lines of files that a finding is about or quotes. Two findings with none in common are two defects."""
    own = {(finding.path, part) for part in range(finding.start // STRETCH, finding.end // STRETCH + 1)}
    return own | {(item.path, item.line // STRETCH) for item in finding.evidence}


def add(distinct_findings: list[Finding], finding: Finding) -> bool:
    """Put one more among distinct findings. False where it joins one of them."""
    identified_finding = identify(finding)
    at = next((i for i, other in enumerate(distinct_findings) if same(identified_finding, other)), None)
    if at is None:
        distinct_findings.append(_told_apart(identified_finding, distinct_findings))
        return True
    distinct_findings[at] = _unite(distinct_findings[at], identified_finding)
    return False


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
    distinct_findings[at] = (
        _combine(before, identified_finding)
        if before.verdict.is_shown or before.is_masked
        else _combine(identified_finding, before)
    )
    return distinct_findings[at], before


def identify(finding: Finding) -> Finding:
    """The finding with its proof and its fingerprint."""
    return replace(add_proofs(finding), fingerprint=fingerprint(finding))


def add_proofs(finding: Finding) -> Finding:
    """The finding, with what code has proven written beside each source that may have proven it, unless it is there already."""
    if not finding.proven or finding.proofs:
        return finding
    proof = proof_of(finding.kind, " ".join(sorted(code_names(finding.title))))
    return replace(finding, sources=tuple(_proving(source, proof) for source in finding.sources))


def _proving(source: Source, proof: str) -> Source:
    return source if source.kind == "model" else replace(source, proof=proof)


def fingerprint(finding: Finding) -> str:
    """Path, quote with whitespace folded, or the cause of several places; category, and the consumer that breaks: unchanged when lines move."""
    place = [finding.cause] if finding.cause else [finding.path, fold(finding.quote)]
    parts = [*place, finding.category, *filter(None, [finding.consumer])]
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:16]


def _told_apart(finding: Finding, distinct_findings: Iterable[Finding]) -> Finding:
    """The finding; if another defect of the same line has its fingerprint, with one that holds what its title names."""
    others = [
        other
        for other in distinct_findings
        if finding.fingerprint == other.fingerprint and finding.start == other.start
    ]
    if not others or (finding.proofs and all(other.proofs for other in others)):
        return finding
    return _also(finding, sorted(code_names(finding.title)))


def _by_proof(distinct_findings: Sequence[Finding]) -> Iterator[Finding]:
    """Give each of several things that are proven at one line a fingerprint of its own proof, whatever the order of the reports."""
    count = Counter((finding.fingerprint, finding.start) for finding in distinct_findings if finding.proofs)
    for finding in distinct_findings:
        is_shared = count[finding.fingerprint, finding.start] > 1 and finding.proofs
        yield _also(finding, sorted(finding.proofs)) if is_shared else finding


def _also(finding: Finding, words: Iterable[str]) -> Finding:
    """The finding with a fingerprint that holds these words too."""
    cause = "\0".join([finding.fingerprint, *words])
    return replace(finding, fingerprint=hashlib.sha256(cause.encode("utf-8", "replace")).hexdigest()[:16])


def same(one: Finding, other: Finding) -> bool:
    """Whether two findings are one defect: overlapping lines of one category or told as the same story, or one cause."""
    if one.consumer != other.consumer or two_causes(one, other) or _two_proofs(one, other):
        return False
    if _within(one, other, 0) and (one.category == other.category or alike(one.title, other.title)):
        return True
    return _one_proof(one, other) or _two_ends(one, other) or one_cause(one, other)


def _two_proofs(one: Finding, other: Finding) -> bool:
    """Whether one analyser has proven two different things: what a person says about one does not cover the other."""
    mine, theirs = ({(s.kind, s.name): s.proof for s in finding.sources if s.proof} for finding in (one, other))
    common = mine.keys() & theirs.keys()
    return bool(common) and all(mine[name] != theirs[name] for name in common)


def _within(one: Finding, other: Finding, lines: int) -> bool:
    """Whether two findings are about lines of one file with at most so many between them; 0: they overlap."""
    there = one.path == other.path and one.side == other.side
    return there and one.start <= other.end + lines and other.start <= one.end + lines


def _one_proof(one: Finding, other: Finding) -> bool:
    """Whether two findings prove one defect with the same code: at one line in other words, or, by readers, side by side in like words."""
    proof = _shown_places(one) & _shown_places(other)
    if not proof:
        return False
    if _within(one, other, 0) and fold(one.quote) == fold(other.quote):
        # Of one changed line and one use elsewhere that it breaks, a word in common says that the mechanism is one.
        is_use = any(path != one.path for path, _, _ in proof) and not (one.rule or other.rule)
        return _one_mechanism(one, other) if is_use else alike(one.title, other.title, PART_TOLD)
    names, others = code_names(one.title), code_names(other.title)
    apart = bool(one.rule or other.rule) or (bool(names and others) and names.isdisjoint(others))
    return not apart and _within(one, other, BESIDE) and alike(one.title, other.title)


def _two_ends(one: Finding, other: Finding) -> bool:
    """Whether two readers tell one defect from its two ends: the change with the use that it breaks, the use with the change."""
    if one.rule or other.rule or one.path == other.path:
        return False
    story = code_names(one.title) & code_names(other.title) or _one_mechanism(one, other)
    return bool(story) and _is_evidence(one, other) and _is_evidence(other, one)


def _one_mechanism(one: Finding, other: Finding) -> bool:
    """Whether title and reason of two findings have a word in common: of lines that are the same, that is enough."""
    return alike(f"{one.title} {one.why}", f"{other.title} {other.why}", 0.0)


def _is_evidence(one: Finding, other: Finding) -> bool:
    """Whether the lines of one finding prove the other one."""
    return any(
        (item.path, item.side) == (one.path, one.side) and one.start <= item.line <= one.end for item in other.evidence
    )


def _shown_places(finding: Finding) -> set[tuple[str, str, int]]:
    """The places that a finding shows beside its own lines."""
    own = range(finding.start, finding.end + 1)
    return {
        (item.path, item.side, item.line)
        for item in finding.evidence
        if (item.path, item.side) != (finding.path, finding.side) or item.line not in own
    }


def _unite(one: Finding, other: Finding) -> Finding:
    """One of the two with the other's evidence, and with the other's place if it is another one."""
    strong, weak = sorted((one, other), key=lambda f: (not f.is_masked, f.verdict.rank, severity_rank(f.severity)))
    apart = (weak.path, weak.side) != (strong.path, strong.side) or weak.end < strong.start or strong.end < weak.start
    place = (Evidence(weak.path, weak.quote, weak.start, weak.side),) if apart and weak.start else ()
    own = (strong.path, strong.side, strong.start)
    evidence = [e for e in (*place, *weak.evidence) if (e.path, e.side, e.line) != own]
    fix = None if apart else weak.suggestion  # it replaces the lines of the other place
    return _combine(strong, replace(weak, evidence=tuple(evidence), suggestion=fix))


def _combine(strong: Finding, weak: Finding) -> Finding:
    """Two findings of one defect in the words of the first."""
    evidence = {(e.path, e.side, e.line): e for e in (*weak.evidence, *strong.evidence)}
    return replace(
        strong,
        evidence=tuple(sorted(evidence.values(), key=lambda e: (e.path, e.line))),
        sources=tuple(dict.fromkeys([*strong.sources, *weak.sources])),
        suggestion=strong.suggestion or weak.suggestion,
        trigger=strong.trigger or weak.trigger,
    )
