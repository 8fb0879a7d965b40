"""Find the lines of the head that the change may have forgotten."""

import hashlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from bot import globs
from bot.findings.ignore_entry import IgnoreEntry
from bot.findings.merge import fingerprint_of
from bot.render import count
from bot.review.coverage import ObligedUse
from bot.review.session import Session
from bot.sections.overlooked import OVERLOOKED, ListedPlace
from bot.values import Finding
from bot.values.finding import break_digest
from deeprepo.impact.forgotten.find import find
from deeprepo.impact.forgotten.values import ForgottenPlace


def listed(place: ForgottenPlace) -> ListedPlace:
    """Return a place with its fingerprint, which survives moved lines."""
    text = "\0".join(("forgotten", place.path, place.name, " ".join(place.text.split())))
    return ListedPlace(
        place.path,
        place.line,
        place.name,
        place.certainty,
        place.source,
        place.source_line,
        place.was_given,
        place.new_path,
        hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16],
        more_files=place.more_files,
    )


async def overlooked(session: Session, findings: Sequence[Finding]) -> tuple[ListedPlace, ...]:
    """Return the lines that are neither ignored nor part of a finding. Those that an earlier review listed are known.

    Code that may use a definition comes first, one row for each definition. `findings`: the open ones.
    """
    subject, past = session.survey, session.survey.past
    base = await subject.tree.entries("base")
    rules = await subject.tree.read_many([path for path in base if path.endswith(".gitattributes")], "base")
    is_marked = globs.generated_marks(rules)
    found = {item.location for finding in findings for item in (*finding.places, *finding.evidence)}
    entries = subject.ignore_list.entries
    every = [*_definitions(session, found)]
    silenced = {one.fingerprint for one in subject.ignore_list.split(session.results.hints)[1]}
    definitions = [row for row in every if row.fingerprint not in silenced and _is_open(row, found, entries)]
    places = await find(subject.tree, subject.files, lambda path: bool(is_marked(path)))
    found |= {(row.path, row.line) for row in definitions}
    names = {(row.source, _short(row.name)) for row in every}
    others = [listed(place) for place in places if (place.source, _short(place.name)) not in names]
    known = past.known.parts.get(OVERLOOKED.key) if past.known is not None and not past.round.full else None
    return tuple(
        replace(row, is_known=isinstance(known, frozenset) and row.fingerprint in known)
        for row in (*definitions, *(row for row in others if _is_open(row, found, entries)))
    )


def _is_open(row: ListedPlace, found: Collection[tuple[str, int]], entries: Iterable[IgnoreEntry]) -> bool:
    """Return whether the line is neither in a finding nor ignored."""
    return (row.path, row.line) not in found and not any(
        entry.fingerprint == row.fingerprint if entry.is_of_finding else globs.matches([entry.path], row.path)
        for entry in entries
    )


def _definitions(session: Session, found: Collection[tuple[str, int]]) -> Iterator[ListedPlace]:
    """Yield what contracts can't prove, then the uses of removed names that something else may define.

    `found`: the lines of findings, which are left out.
    """
    seen, listed_marks = {*found}, {hint.fingerprint for hint in session.results.hints}
    for hint in sorted(session.results.hints, key=lambda hint: (hint.path, hint.start)):
        source = next((item.path for item in hint.evidence if item.side == "base"), "")
        seen |= {item.location for item in hint.places}
        yield _row((hint.path, hint.start), hint.title.partition(" ")[0], source, hint.title, hint.fingerprint)
    by_symbol = dict[str, list[ObligedUse]]()
    for use in session.tracker.named_uses():
        if (use.path, use.line) not in seen:
            by_symbol.setdefault(use.symbol, []).append(use)
    for symbol, (use, *others) in by_symbol.items():
        more = len({other.path for other in others} - {use.path})
        says = f"{use.says}, and {use.path} may still use it" + (f" (and {count(more, 'more file')})" if more else "")
        mark = fingerprint_of(break_digest("likely", symbol), "broken-caller")
        source, _, name = symbol.rpartition(":")
        if mark not in listed_marks:
            yield _row((use.path, use.line), name, source, says, mark)


def _short(name: str) -> str:
    """Return the last part of a definition's name."""
    return name.rstrip(",()").rpartition(".")[2]


def _row(at: tuple[str, int], name: str, source: str, says: str, fingerprint: str) -> ListedPlace:
    place = ForgottenPlace(*at, "", name, "definition", source, 0)
    return replace(listed(place), fingerprint=fingerprint, says=says)
