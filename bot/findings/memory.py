"""Memory across rounds: which units need no second reading, and what became of each finding that was reported before.

A finding keeps its identity by its fingerprint, and where its line was edited a little, by likeness near the old place. What
a push did not touch is not asked again; what it touched and nobody reported again is `doubtful` until somebody has looked. Silence fixes
nothing: `_outcome` has the order in which it is decided, and `round_change.py` what a change shows of it.
"""

import hashlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from types import MappingProxyType
from typing import Literal

from bot.findings import suggest
from bot.findings.cause import alike
from bot.findings.quotes import locate
from bot.findings.round_change import RoundChange, new_path
from bot.ports import Tree
from bot.values import (
    ArchivedFinding,
    ChangedFile,
    Earlier,
    Finding,
    Mark,
    Reference,
    Silence,
    Source,
    Unit,
    Verdict,
    severity_rank,
)

_WORST: tuple[Silence, ...] = ("lasting", "unseen", "fixed")
LASTING = "removed, still in"
REWRITTEN = "The branch was rewritten."
SHORT = 10  # characters of a commit id in a sentence
LIKE = 0.6  # of two quotes, for one to be an edit of the other
NEAR = 60  # lines between the old place and the edited one
MOST_ARCHIVED, MOST_PLACES = 200, 100  # findings, the worst first, and the places of each, the newest


Outcome = Literal["still", "doubtful", "fixed"]


@dataclass(frozen=True, slots=True)
class Recollection:
    """What the earlier findings have become, and which of this round's are new."""

    new: tuple[Finding, ...]
    still: tuple[Finding, ...]
    doubtful: tuple[Finding, ...]  # open, and something about them has changed without their being reported again
    fixed_findings: tuple[Finding, ...]


def digest(unit: Unit) -> str:
    """What was judged of a unit, without line numbers: moved code is the same code."""
    removed_texts = [row.text for row in unit.removed_rows]
    uses = sorted(f"{row.path}\1{row.function}\1{row.text.strip()}" for row in unit.references)
    parts = "\0".join(
        [unit.path, unit.name if "lines " not in unit.name else "", unit.side, unit.text, *removed_texts, *uses]
    )
    return hashlib.sha256(parts.encode("utf-8", "replace")).hexdigest()[:20]


def unchanged_units(
    earlier: Earlier, units: Sequence[Unit], references: Sequence[Reference], *, by_model: bool
) -> dict[str, Mark]:
    """The units that need no second reading, and who read them: the same text, and nothing that they use has changed."""
    marks_by_digest = {mark.digest: mark for mark in earlier.marks if mark.model or not by_model}
    same = {unit.id: marks_by_digest[unit_digest] for unit in units if (unit_digest := digest(unit)) in marks_by_digest}
    changed_keys = {f"{unit.path}:{unit.name}" for unit in units if unit.id not in same}
    touched_places = {(row.path, row.line) for row in references if row.symbol in changed_keys}
    return {
        unit.id: same[unit.id]
        for unit in units
        if unit.id in same
        and not any(path == unit.path and unit.start <= line <= unit.end for path, line in touched_places)
    }


def reused_dependents(earlier: Earlier, references: Sequence[Reference], fresh: Collection[str]) -> frozenset[str]:
    """Unchanged files that were read before and that no unit which is read again depends on."""
    again = {row.path for row in references if row.symbol in fresh}
    return frozenset(earlier.dependents) - again


async def recall(
    earlier: Earlier,
    findings: Sequence[Finding],
    tree: Tree,
    files: Sequence[ChangedFile],
    reread: Collection[tuple[str, int, int]],
    before: Mapping[str, str] = MappingProxyType({}),
    silence: Callable[[Source, Finding], Silence | None] = lambda _source, _finding: "unseen",
    is_other: Callable[[Finding, Finding], bool] = lambda _finding, _past: False,
) -> Recollection:
    """Each earlier finding as still there (open or moved), doubtful or fixed.

    `reread`: path and lines of what was read again. `before`: the texts of changed files at the head of the round before, by path.
    `silence`: what it means that a check by code no longer reports a finding; None if the owner has switched that check off.
    `is_other`: whether a finding at an earlier one's place tells something else for certain.
    """
    left, repeats, silent_findings = _repeated(earlier, findings, files, is_other)
    change = RoundChange(earlier, tree, files, reread, before)
    outcomes: dict[Outcome, list[Finding]] = {"still": [], "doubtful": [], "fixed": []}
    outcomes["still"] += repeats
    for past in silent_findings:
        outcome, now = await _outcome(past, change, _silence(past, silence))
        moved_there = (
            one
            for one in left
            if now.path != past.path and not past.proven and _same(now, one, files) and not is_other(one, past)
        )
        again = next(moved_there, None)
        if again is not None:  # it was reported again where its lines have gone
            left.remove(again)
            outcome, now = "still", _renew(past, again, is_attested=earlier.is_attested)
        outcomes[outcome].append(now)
    return Recollection(tuple(left), *(tuple(outcomes[each]) for each in ("still", "doubtful", "fixed")))


def _repeated(
    earlier: Earlier,
    findings: Sequence[Finding],
    files: Sequence[ChangedFile],
    is_other: Callable[[Finding, Finding], bool] = lambda _finding, _past: False,
) -> tuple[list[Finding], list[Finding], list[Finding]]:
    """This round's findings that are new; the earlier ones that were reported again, and those that were not."""
    left, repeats, silent_findings = list(findings), list[Finding](), list[Finding]()
    for past in earlier.findings:
        nearest = sorted(left, key=lambda finding: finding.fingerprint != past.fingerprint)
        there = (finding for finding in nearest if _same(past, finding, files))
        again = next((finding for finding in there if not is_other(finding, past)), None)
        if again is None:
            silent_findings.append(past)
        elif again.proven and not past.proven:  # a guess came true: it is said anew, by its number
            left[left.index(again)] = replace(again, number=past.number)
        else:
            left.remove(again)
            repeats.append(_renew(past, again, is_attested=earlier.is_attested))
    return left, repeats, silent_findings


async def _outcome(past: Finding, change: RoundChange, means: Silence | None) -> tuple[Outcome, Finding]:
    """What became of a finding that nobody has reported again, in this order.

    What code has found, code takes back; where it could not look, its place has to be gone, or to be as before the change. What a model
    has found is fixed if its words are gone from the change; if anything else about it has changed, somebody has to look again.
    """
    if means == "lasting":
        return "still", lasting(past, change.before_head)
    if means == "unseen":
        here = None if await change.is_taken_back(past) else await change.find_unseen(past)
    elif means == "fixed" or await change.is_gone(past) or await change.is_applied(past):
        here = None
    else:
        here = await change.find_words(past) or replace(past, status="open")
    if here is None:
        return "fixed", replace(past, status="fixed")
    is_doubtful = means is None and not past.proven and await change.is_doubtful(past, here)
    return "doubtful" if is_doubtful else "still", here


def outlasting(recollection: Recollection, leaks: Sequence[Finding]) -> Recollection:
    """With what outlives the history that it came in: secrets of a round that nothing else can be built upon."""
    new, still = list(recollection.new), list(recollection.still)
    for past in leaks:
        again = next((finding for finding in new if _same(past, finding, ())), None)
        if again is not None:
            new[new.index(again)] = replace(again, number=past.number or again.number)
        elif not any(_same(past, finding, ()) for finding in still):
            (still if past.number else new).append(past)
    return replace(recollection, new=tuple(new), still=tuple(still))


async def revive(
    recollection: Recollection,
    archive: Sequence[ArchivedFinding],
    here: tuple[str, str],
    tree: Tree,
    files: Sequence[ChangedFile],
    reread: Collection[tuple[str, int, int]],
    silence: Callable[[Source, Finding], Silence | None],
    *,
    full: bool,
    last_places: Collection[tuple[str, str]] = (),
) -> Recollection:
    """With what was reported before, at any commit, and is in the code again, however the branch came there.

    `here`: head and base. What was open at this very place is open: a model is asked again only if a person wants a full review. At another
    place the words decide, and who gives a second opinion. What code has found it finds again: else it is open if its source could not look
    this time. `last_places`: of the reviews before this one, whose findings need no words for that (`_unseen`).
    """
    for same in (True, False):
        there = (*recollection.still, *recollection.doubtful, *recollection.fixed_findings)
        marks, numbers = (
            {one.identity for one in there},
            {one.number for one in there} - {0},
        )  # what moved keeps its number
        rows = [
            row
            for row in archive
            if (here in row.places) is same
            and (same or (bool(files) and not row.refuted and not _is_over(row.finding, silence)))
            and row.finding.identity not in marks
            and row.finding.number not in numbers
        ]
        past = [row.finding for row in rows if same or not _is_for_code(row.finding)]
        known = Earlier(1, here[1], here[0], findings=tuple(past))
        if same and not full:
            left, repeats, silent_findings = _repeated(known, recollection.new, files)
            still = (*repeats, *(replace(one, status="open") for one in silent_findings if not _is_over(one, silence)))
            again = Recollection(tuple(left), still, (), ())
        else:
            again = await recall(known, recollection.new, tree, files, reread, silence=silence)
        if not same:
            open_findings = await _unseen(
                [row for row in rows if _is_for_code(row.finding)], again.new, tree, files, last_places
            )
            again = replace(again, still=(*again.still, *open_findings))
        unnumbered = [replace(one, status="new") for one in again.still if not one.number]
        unnumbered += [replace(one, status="new", verdict=Verdict.UNPROVEN) for one in again.doubtful if not one.number]
        recollection = Recollection(
            (*again.new, *unnumbered),
            (*recollection.still, *(one for one in again.still if one.number)),
            (*recollection.doubtful, *(one for one in again.doubtful if one.number)),
            recollection.fixed_findings,
        )
    return recollection


async def _unseen(
    rows: Sequence[ArchivedFinding],
    new: Sequence[Finding],
    tree: Tree,
    files: Sequence[ChangedFile],
    last_places: Collection[tuple[str, str]],
) -> list[Finding]:
    """Those that are open although their source could not look this time.

    What was open in the review before is open in its file, as if the head had been built on that one. What was not has to have its words.
    """
    findings = tuple(row.finding for row in rows)
    _, _, silent_findings = _repeated(Earlier(1, "", "", findings=findings), new, files)
    earlier = Earlier(1, "", "", findings=findings, files=tuple(dict.fromkeys(one.path for one in findings)))
    change = RoundChange(earlier, tree, files, (), {})
    was_open = {row.finding.identity for row in rows if not set(last_places).isdisjoint(row.places)}
    open_findings = list[Finding]()
    for past in silent_findings:
        outcome, now = await _outcome(past, change, "unseen")
        if outcome == "still" and (past.identity in was_open or await change.find_words(past) is not None):
            open_findings.append(now)
    return open_findings


async def marks_of_ended(
    archive: Sequence[ArchivedFinding],
    open_findings: Collection[Finding],
    tree: Tree,
    files: Sequence[ChangedFile],
    silence: Callable[[Source, Finding], Silence | None],
) -> frozenset[str]:
    """The identities of what code has found before and has looked at again, where its words are now, without reporting it."""
    open_marks = {one.identity for one in open_findings}
    past = tuple(row.finding for row in archive if _is_for_code(row.finding) and row.finding.identity not in open_marks)
    change = RoundChange(Earlier(1, "", "", findings=past), tree, files, (), {})
    places = [(one, await change.find_words(one)) for one in past]
    return frozenset(one.identity for one, now in places if now is not None and _silence(now, silence) == "fixed")


def join_archives(own: Sequence[ArchivedFinding], others: Sequence[ArchivedFinding]) -> tuple[ArchivedFinding, ...]:
    """One row for each finding, with all its places; those of other pull requests lose their numbers there."""
    rows = {row.finding.identity: row for row in own}
    for other in others:
        row = rows.setdefault(other.finding.identity, replace(other, finding=replace(other.finding, number=0)))
        places = tuple(dict.fromkeys((*other.places, *row.places)))[-MOST_PLACES:]
        rows[other.finding.identity] = replace(row, places=places, refuted=row.refuted and other.refuted)
    return tuple(rows.values())


def update_archive(
    archive: Sequence[ArchivedFinding],
    open_findings: Sequence[Finding],
    refuted_marks: Collection[str],
    here: tuple[str, str],
    most: int | None = None,
) -> tuple[ArchivedFinding, ...]:
    """The archive after a review at this place. `refuted_marks`: identities of what a second opinion or its own check has ended.

    `most`: so many rows, first what is open here and of that what is worst. Secrets outlive their lines in another way (`lasting`).
    """
    rows = {row.finding.identity: row for row in archive}
    for finding in open_findings:
        if finding.category != "secret":
            before = rows.pop(finding.identity, None)
            places = [place for place in (before.places if before else ()) if place != here]
            rows[finding.identity] = ArchivedFinding(finding, (*places, here)[-MOST_PLACES:])
    for mark in rows.keys() & set(refuted_marks):
        left = tuple(place for place in rows[mark].places if place != here)
        rows[mark] = replace(rows[mark], places=left, refuted=True)
    newest_first = [row for row in reversed(rows.values()) if row.places]
    worst = sorted(newest_first, key=lambda row: (here not in row.places, severity_rank(row.finding.severity)))
    return tuple(worst[:most])


def _is_for_code(finding: Finding) -> bool:
    """Whether its source is code, or another program, which finds it again where it looks; a model's guess has its words and a second opinion."""
    return finding.proven or not finding.has_model


def _is_over(past: Finding, silence: Callable[[Source, Finding], Silence | None]) -> bool:
    """Whether code no longer reports what is for code to say: it has looked, or the owner has switched its check off."""
    return _is_for_code(past) and _silence(past, silence) != "unseen"


def lasting(past: Finding, commit: str, *, rewritten: bool = False) -> Finding:
    """A problem that outlives its lines, such as a secret in the history: it is open until the owner says that it was dealt with."""
    where = f"commit {(commit_of(past) or commit)[:SHORT]}"
    holds = f"{where[:1].upper()}{where[1:]} still holds it"
    exists = f"{REWRITTEN} {where[:1].upper()}{where[1:]} can still be fetched by its id"
    if LASTING in past.title:
        return replace(past, why=past.why.replace(holds, exists) if rewritten else past.why, status="open")
    way = exists if rewritten else holds
    return replace(
        past,
        title=f"{past.title}: {LASTING} {where}, revoke it",
        why=f"{past.why} The line is gone from the change. {way}, and so does every copy.",
        status="open",
    )


def commit_of(past: Finding) -> str:
    """The beginning of the id of the commit that holds what was removed; empty if it was not."""
    return past.title.partition(f"{LASTING} commit ")[2].partition(",")[0]


def _silence(past: Finding, silence: Callable[[Source, Finding], Silence | None]) -> Silence | None:
    """What it means that nobody reports it any more, if that is for code to say; None if its words decide, and who reads them."""
    by_code = [source for source in past.sources if source.kind != "model"]
    if not past.proven and not past.is_masked and len(by_code) < len(past.sources):
        return None  # a model has said it too
    means = {silence(source, past) for source in by_code}
    if not means or None in means:
        return None
    return next(each for each in _WORST if each in means)


async def is_new_code(finding: Finding, before: Mapping[str, str]) -> bool:
    """Whether the quoted lines were not in the file at the head of the round before. `before`: path -> text."""
    return finding.path not in before or locate(before[finding.path], finding.quote) is None


async def is_accepted(past: Finding, before: Mapping[str, str], tree: Tree) -> bool:
    """Whether the suggestion of a fixed finding was taken as it is since the round before."""
    if not past.suggestion or past.side != "head" or past.path not in before:
        return False
    blob = await tree.read(past.path)
    return blob is not None and suggest.is_taken(past, before[past.path], blob.decode("utf-8", "replace"))


def _same(past: Finding, finding: Finding, files: Sequence[ChangedFile]) -> bool:
    if past.category == finding.category == "secret" and past.proofs and finding.proofs:
        return _same_secret(past, finding)
    if past.proven and not (finding.proven and past.proofs & finding.proofs):
        return False  # what code has proven is not what a model guesses there later, nor another proof
    if past.fingerprint == finding.fingerprint:
        return True
    if finding.path not in (past.path, new_path(past.path, files)) or past.side != finding.side:
        return False
    if past.category != finding.category and not alike(past.title, finding.title):
        return False
    return abs(past.start - finding.start) <= NEAR and _likeness(past.quote, finding.quote) >= LIKE


def _same_secret(past: Finding, finding: Finding) -> bool:
    """Whether it is the same secret, in any line: another one in the same line is another."""
    return bool(past.proofs & finding.proofs)


def _likeness(one: str, other: str) -> float:
    one, other = (" ".join(text.split()) for text in (one, other))
    return SequenceMatcher(None, one, other, autojunk=False).ratio()


def _renew(past: Finding, again: Finding, *, is_attested: bool) -> Finding:
    """This round's telling under the old identity; under its own if anybody could have chosen the old one."""
    has_moved = (again.path, again.start) != (past.path, past.start)
    if not is_attested:
        return replace(again, number=past.number, status="moved" if has_moved else "open")
    verdict = past.verdict if again.verdict.open else again.verdict
    telling = again if again.proven else replace(again, rule=past.rule, category=past.category)
    return replace(
        telling,
        fingerprint=past.fingerprint,
        number=past.number,
        status="moved" if has_moved else "open",
        verdict=verdict,
        trigger=again.trigger or past.trigger,
    )
