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
    ChangedFile,
    Earlier,
    Finding,
    Mark,
    Reference,
    Silence,
    Source,
    Unit,
)
from bot.values.finding import How

_WORST: tuple[Silence, ...] = ("lasting", "unseen", "fixed")
LASTING = "removed, still in"
SHORT = 10  # characters of a commit id in a sentence
LIKE = 0.6  # of two quotes, for one to be an edit of the other
NEAR = 60  # lines between the old place and the edited one


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
            outcome, now = "still", _renew(past, again)
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
            repeats.append(_renew(past, again))
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
        here = await change.find_words(past) or replace(past, status="still", how="")
    if here is None:
        return "fixed", replace(past, status="fixed", how="")
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


def lasting(past: Finding, commit: str) -> Finding:
    """A problem that outlives its lines, such as a secret in the history: it is open until the owner says that it was dealt with."""
    if LASTING in past.title:
        return replace(past, status="still", how="")
    where = f"commit {commit[:SHORT]}"
    return replace(
        past,
        title=f"{past.title}: {LASTING} {where}, revoke it",
        why=f"{past.why} The line is gone from the change. {where[:1].upper()}{where[1:]} still holds it, and so does every copy.",
        status="still",
        how="",
    )


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


def _renew(past: Finding, again: Finding) -> Finding:
    """This round's telling under the old identity."""
    how: How = "moved" if (again.path, again.start) != (past.path, past.start) else ""
    verdict = past.verdict if again.verdict.open else again.verdict
    telling = again if again.proven else replace(again, rule=past.rule, category=past.category)
    return replace(
        telling,
        fingerprint=past.fingerprint,
        number=past.number,
        status="still",
        how=how,
        verdict=verdict,
        trigger=again.trigger or past.trigger,
    )
