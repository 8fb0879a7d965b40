"""Merge reports of one defect: in a run by location and cause, across runs by a stable fingerprint.

Two findings are one defect if they are on the same lines and report one problem, or if one quotes the other's
location and both refer to the same code and the same break. Anything less certain stays two findings: a
duplicate costs a minute, but a swallowed finding is lost. Type checkers' errors join other checks' findings on the
same lines.
"""

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from bot.findings.quotes import fold
from bot.values import Evidence, Finding, Source, Verdict, severity_rank
from bot.values.finding import ALSO_BROKEN, MAY_BREAK, proof_id

STRETCH = 32  # lines
MAX_LINES_APART = 3  # lines between two findings about the same defect in neighboring statements
NEARBY = 8  # lines between two passes' findings about the same defect
FEW_SHARED, HALF_SHARED, MOST_SHARED = 0.3, 0.5, 0.6  # share of the longer words in the shorter of two titles
_CODE = re.compile(
    r"`([\w$.]{2,80})(?:\(\))?`|\b([A-Za-z_$][\w$.]{1,80})\(\)|\b([A-Za-z$]\w{0,40}_\w{1,40}|[a-z]{1,40}[A-Z]\w{0,40})\b"
)
Location = tuple[str, str, int]  # path, side, line
PathAndLine = tuple[str, int]


def merge(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return findings without duplicates, each with its fingerprint.

    The stronger duplicate keeps its text, and the other adds its evidence and source.
    """
    distinct_findings: list[Finding] = []
    near: dict[tuple[str, int], set[int]] = defaultdict(set)
    for finding in findings:
        others = sorted({at for key in _around(finding) for at in near[key]})
        at = _add(distinct_findings, identify(finding), others)
        for key in _around(distinct_findings[at]):
            near[key].add(at)
    return tuple(_with_proof_fingerprints(distinct_findings))


def _around(finding: Finding) -> set[tuple[str, int]]:
    """Return the stretches of files that a finding is about or quotes.

    Findings with none in common are different defects.
    """
    stretches = {(finding.path, part) for part in range(finding.start // STRETCH, finding.end // STRETCH + 1)}
    return stretches | {(item.path, item.line // STRETCH) for item in finding.evidence}


def add(distinct_findings: list[Finding], finding: Finding) -> bool:
    """Add a finding to distinct findings. Returns False if it was merged into one of them."""
    count = len(distinct_findings)
    return _add(distinct_findings, identify(finding), range(count)) == count


def _add(distinct_findings: list[Finding], finding: Finding, others: Iterable[int]) -> int:
    """Merge the finding into one of these others, or append it. Returns its index."""
    at = next((at for at in others if same(finding, distinct_findings[at])), len(distinct_findings))
    if at == len(distinct_findings):
        distinct_findings.append(_with_unique_fingerprint(finding, distinct_findings))
    else:
        distinct_findings[at] = merge_findings(distinct_findings[at], finding)
    return at


def add_or_replace(distinct_findings: list[Finding], finding: Finding) -> tuple[Finding, Finding | None]:
    """Add a finding to distinct ones, or replace the one that it describes better.

    Returns the finding as stored, and the one before it. A proven or confirmed finding or a secret keeps its
    text, and only gains evidence.
    """
    identified_finding = identify(finding)
    at = next((i for i, other in enumerate(distinct_findings) if same(identified_finding, other)), None)
    if at is None:
        distinct_findings.append(_with_unique_fingerprint(identified_finding, distinct_findings))
        return distinct_findings[-1], None
    before = distinct_findings[at]
    keeps = before.verdict.is_shown or before.is_masked
    distinct_findings[at] = _combine(*((before, identified_finding) if keeps else (identified_finding, before)))
    return distinct_findings[at], before


def identify(finding: Finding) -> Finding:
    """Return the finding with its proof and its fingerprint."""
    return replace(add_proofs(finding), fingerprint=fingerprint(finding))


def add_proofs(finding: Finding) -> Finding:
    """Return the finding with its proof added to each static source, unless it already has proofs."""
    if not finding.proven or finding.proofs:
        return finding
    proof = proof_id(finding.kind, " ".join(sorted(code_names(finding.title))))
    sources = tuple(_proving(source, proof) for source in finding.basis.sources)
    return replace(finding, basis=replace(finding.basis, sources=sources))


def _proving(source: Source, proof: str) -> Source:
    return source if source.kind == "model" else replace(source, proof=proof)


def fingerprint(finding: Finding) -> str:
    """Return a hash that doesn't change if lines move.

    It covers the path and the quote with folded whitespace (or the cause, if there are several locations),
    the category, and the consumer that breaks.
    """
    place = [finding.cause] if finding.cause else [finding.path, fold(finding.quote)]
    return _digest(*place, finding.category, *filter(None, [finding.consumer]))


def fingerprint_of(cause: str, category: str) -> str:
    """Return the fingerprint of a finding with this cause."""
    return _digest(cause, category)


def masked_fingerprint(finding: Finding) -> str:
    """Return a hash of a masked finding, for models."""
    return _digest(finding.path, fold(finding.quote), finding.category, finding.title)


def copy_mark(fingerprint: str, number: int) -> str:
    """Return the fingerprint for the nth of several equal lines in a file."""
    return _digest(fingerprint, str(number))


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:16]


def _with_unique_fingerprint(finding: Finding, distinct_findings: Iterable[Finding]) -> Finding:
    """If another defect on the same line has its fingerprint, the names in its title are added to the fingerprint."""
    place = finding.fingerprint, finding.start
    others = [other for other in distinct_findings if place == (other.fingerprint, other.start)]
    if not others or (finding.proofs and all(other.proofs for other in others)):
        return finding
    return replace(finding, fingerprint=_digest(finding.fingerprint, *sorted(code_names(finding.title))))


def _with_proof_fingerprints(distinct_findings: Sequence[Finding]) -> Iterator[Finding]:
    """If several are proven on one line, each gets a fingerprint from its proof, whatever the order of the reports."""
    count = Counter((finding.fingerprint, finding.start) for finding in distinct_findings if finding.proofs)
    for finding in distinct_findings:
        is_shared = count[finding.fingerprint, finding.start] > 1 and finding.proofs
        mark = _digest(finding.fingerprint, *sorted(finding.proofs)) if is_shared else finding.fingerprint
        yield replace(finding, fingerprint=mark)


def same(finding: Finding, other: Finding) -> bool:
    """Return whether two findings are about the same defect."""
    if finding.consumer != other.consumer or _have_different_proofs(finding, other):
        return False
    titles, names, other_names = (finding.title, other.title), code_names(finding.title), code_names(other.title)
    is_apart = bool(names and other_names) and names.isdisjoint(other_names)
    by_readers = not (finding.rule or other.rule)
    shares_name = not names.isdisjoint(other_names)
    is_one_break = shares_name and alike(*titles, FEW_SHARED)
    shared_places = _shown_places(finding) & _shown_places(other)
    # If both have the same change and the same broken use, one shared word shows that the mechanism is the
    # same.
    is_mechanism = by_readers and alike(f"{finding.title} {finding.why}", f"{other.title} {other.why}", 0)
    if _within(finding, other, 0):
        is_use = is_mechanism and any(path != finding.path for path, _, _ in shared_places)
        is_other = is_apart and by_readers and not shared_places and not alike(*titles, FEW_SHARED)
        is_story = is_use or is_one_break or (shares_name and not by_readers)
        is_story |= alike(*titles, FEW_SHARED if shared_places else HALF_SHARED)
        is_guess = not (finding.proven or other.proven or finding.basis.has_check or other.basis.has_check)
        is_kindred = not is_guess or shares_name or alike(*titles, FEW_SHARED)
        is_kindred |= _are_from_different_passes(finding, other)
        return ((finding.category == other.category and is_kindred) or is_story) and not is_other
    shows_other, back = _shows(finding, other), _shows(other, finding)
    if not by_readers:  # the model shows what the check reports, but not the other way round
        return (back if finding.rule else shows_other) and is_one_break and not (finding.rule and other.rule)
    if shows_other and back:
        return is_mechanism or shares_name
    is_beside = bool(shared_places) and _within(finding, other, MAX_LINES_APART) and alike(*titles)
    is_beside |= _are_from_different_passes(finding, other) and _within(finding, other, NEARBY) and alike(*titles)
    is_story = is_one_break or alike(*titles, MOST_SHARED)
    return not is_apart and (is_beside or ((shows_other or back) and is_story))


def _are_from_different_passes(one: Finding, other: Finding) -> bool:
    """A pass that reports both considers them different, and so does a root, which sees the findings of other passes."""
    mine, theirs = ({(s.name, s.role, s.view) for s in finding.basis.sources} for finding in (one, other))
    is_by_root = one.basis.has_root or other.basis.has_root
    return bool(one.basis.votes and other.basis.votes) and mine.isdisjoint(theirs) and not is_by_root


def _have_different_proofs(one: Finding, other: Finding) -> bool:
    """A dismissal of one must not cover the other."""
    mine, theirs = ({(s.kind, s.name): s.proof for s in finding.basis.sources if s.proof} for finding in (one, other))
    common = mine.keys() & theirs.keys()
    return bool(common) and all(mine[name] != theirs[name] for name in common)


def _within(finding: Finding, other: Finding, lines: int) -> bool:
    is_same_side = finding.path == other.path and finding.side == other.side
    return is_same_side and finding.start <= other.end + lines and other.start <= finding.end + lines


def _own_places(finding: Finding) -> set[Location]:
    lines = {(finding.path, finding.side, line) for line in range(finding.start, finding.end + 1)}
    return lines | {_location(item) for item in finding.evidence if item.is_broken}


def _shown_places(finding: Finding) -> set[Location]:
    return {_location(item) for item in finding.evidence} - _own_places(finding)


def _shows(finding: Finding, other: Finding) -> bool:
    return not (_own_places(finding) | _shown_places(finding)).isdisjoint(_own_places(other))


def _location(item: Evidence) -> Location:
    return item.path, item.side, item.line


def code_names(title: str) -> set[str]:
    """Return the names that a title writes as code.

    They are in backticks, or have parentheses, an underscore or an inner capital.
    """
    return {word.rpartition(".")[2] for match in _CODE.finditer(title) for word in match.groups() if word}


def alike(one: str, other: str, share: float = HALF_SHARED) -> bool:
    """Return whether two titles are alike: they share this part of the longer words in the shorter one."""
    words, others = _long_words(one), _long_words(other)
    return len(words & others) >= max(1.0, share * min(len(words), len(others)))


def _long_words(title: str) -> set[str]:
    return set(re.findall(r"\w{4,}", title.lower()))


def merge_findings(finding: Finding, other: Finding) -> Finding:
    """Return the stronger finding with the other's evidence, and with the other's location if it differs."""
    strong, weak = sorted((finding, other), key=lambda f: (not f.is_masked, f.verdict.rank, severity_rank(f.severity)))
    apart = (weak.path, weak.side) != (strong.path, strong.side) or weak.end < strong.start or strong.end < weak.start
    place = (Evidence(weak.path, weak.quote, weak.start, weak.side),) if apart and weak.start else ()
    strong_place = (strong.path, strong.side, strong.start)
    evidence = [e for e in (*place, *weak.evidence) if (e.path, e.side, e.line) != strong_place]
    fix = None if apart else weak.suggestion  # it replaces lines in the other location
    return _combine(strong, replace(weak, evidence=tuple(evidence), suggestion=fix))


def _combine(strong: Finding, weak: Finding) -> Finding:
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
        why=strong.why or weak.why,
        consequence=strong.consequence or weak.consequence,
        trigger=strong.trigger or weak.trigger,
    )


def merge_checker_errors(found: Mapping[str, Sequence[Finding]], checkers: Collection[str]) -> dict[str, list[Finding]]:
    """Return the findings by analyzer name, with each line reported once.

    If a checker proves an error on the line of another check's finding, that finding is proven. It keeps its
    quote and fix. If it was only likely, it takes over the checker's text. On all other lines, checkers keep
    their own errors.
    """
    joined = {name: list(findings) for name, findings in found.items()}
    errors: dict[PathAndLine, Finding] = {}
    for name in sorted(checkers & joined.keys()):
        for finding in joined[name]:
            for item in finding.places:
                errors.setdefault((item.path, item.line), finding)
    joined_lines: set[PathAndLine] = set()
    for name in sorted(joined.keys() - checkers):
        for index, finding in enumerate(joined[name]):
            if finding.category == "broken-caller" and finding.side == "head" and errors:
                joined[name][index] = _confirmed(finding, errors, joined_lines)
    for name in checkers & joined.keys():
        joined[name] = [left for finding in joined[name] if (left := _without(finding, joined_lines)) is not None]
    return joined


def _confirmed(finding: Finding, errors: Mapping[PathAndLine, Finding], joined_lines: set[PathAndLine]) -> Finding:
    """Return the finding with the checkers that have an error on its lines, which are added to `joined_lines`."""
    own = errors.get((finding.path, finding.start))
    if own is None and not finding.proven:
        return finding
    evidence = tuple(_proven(item, errors) for item in finding.evidence)
    lines = {(finding.path, finding.start), *(item.location for item in evidence if item.is_place)} & errors.keys()
    joined_lines |= lines
    names = sorted({source.name for line in lines for source in errors[line].basis.sources})
    if finding.proven or own is None or not own.proven:
        sources = (*finding.basis.sources, *(Source("analyser", name) for name in names))
        return replace(finding, evidence=evidence, basis=replace(finding.basis, sources=sources))
    basis = replace(
        finding.basis,
        sources=(*own.basis.sources, *finding.basis.sources),
        verdict=Verdict.PROVEN,
        unconfirmed=False,
        unsettled="",
    )
    return replace(
        finding,
        title=own.title,
        why=own.why,
        consequence=own.consequence,
        severity=own.severity,
        evidence=evidence,
        basis=basis,
    )


def _proven(item: Evidence, errors: Mapping[PathAndLine, Finding]) -> Evidence:
    """Return a line that may break, marked as broken if a checker has an error there."""
    return replace(item, note=ALSO_BROKEN) if item.note == MAY_BREAK and item.location in errors else item


def _without(finding: Finding, joined_lines: Collection[PathAndLine]) -> Finding | None:
    """Return a checker's finding without the lines that another finding reports; None if no line is left."""
    left = [item for item in finding.places if item.location not in joined_lines]
    if not left:
        return None
    first, *others = left
    rest = tuple(item for item in finding.evidence if not item.is_place)
    return replace(
        finding,
        path=first.path,
        quote=first.quote,
        start=first.line,
        end=first.line,
        evidence=(*rest, *others),
    )
