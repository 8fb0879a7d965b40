"""Follow the last review's findings into this one, and give findings the numbers that people use.

A finding is recognized by its fingerprint (path, category and folded quote, with a number if a file has equal
lines) and a title that is alike. If its lines changed, it is recognized by its title in the lines that replaced
them, and a proven finding by its proof in the same file. While its lines stand, a report of other lines is
another finding. Each of its locations (`places`) is recognized separately. Only the text counts, not the
branch's history. The first matching row applies:

| an earlier finding | becomes | in |
|---|---|---|
| is reported again, with a new location | still, reported there: `added` | `_keep_identity` |
| is reported again, maybe elsewhere: `moved` | still | `_keep_identity` |
| was a guess and is now proven | new, with its old number | `_repeated` |
| is a secret whose line was removed | still, since the history contains it | `lasting` |
| is in a change that was taken back | fixed | `_Head.find` |
| is in a file that left the change, and has no evidence elsewhere | fixed | `_Head.find` |
| is from another build, its check is silent or was removed, its text still exists | unproven | `_Head.find` |
| is not reported by its check, which judged everything again | fixed | `_Head.find` |
| quotes text that the change no longer contains | fixed | `_Head._place` |
| is a model's, and anything about it changed | doubtful, then `update_doubtful` | `_is_doubtful` |
| is anything else | still | `_Head.find` |
| is still there, but below the minimum severity | below | `final_findings` |
| is still there, but was never posted or shown | new | `final_findings` |
| was fixed, and is reported again | new, with its old number: `back` | `assign_numbers` |

Otherwise, absence fixes nothing, because a model that reads other code says nothing about the finding.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from bot.findings.merge import alike, code_names, copy_mark
from bot.findings.places import Since, added, is_replaced, known_first, tokens
from bot.findings.quotes import fold, locate, rows_of
from bot.values import (
    Absence,
    ChangedFile,
    EarlierReview,
    Evidence,
    Finding,
    PlacedFinding,
    Severity,
    Source,
    Tracking,
    at_least,
    in_order,
    severity_rank,
)
from bot.values.finding import How
from deeprepo.impact.ports import Tree
from deeprepo.impact.text.lines import code_of, is_comment

_WORST: tuple[Absence, ...] = ("lasting", "unseen", "unchecked", "fixed")
LASTING = "removed, but still in"
COMMIT_CHARS = 10  # characters of a commit ID in a sentence
MOST_COPIES = 100  # equal lines per file that are distinguished
# Pairs of number and fingerprint, because a file can contain the same quote twice
NumbersGiven = tuple[tuple[int, str], ...]
_MASKED = re.compile(r"\w{0,4}\*{3}")  # what outputs show instead of a secret


async def recall(
    earlier: EarlierReview,
    findings: Sequence[Finding],
    tree: Tree,
    files: Sequence[ChangedFile],
    reread: Collection[tuple[str, int, int]],
    before: Mapping[str, str] = MappingProxyType({}),
    absence: Callable[[Source, Finding], Absence | None] = lambda _source, _finding: "unseen",
    since: Since | None = None,
) -> list[Finding]:
    """Return this review's new findings, then the earlier ones with their new status.

    - `reread`: path and lines of what was read again
    - `before`: the text of changed files at the last review's head, by path
    - `absence`: how to interpret that a static check no longer reports a finding; None if the check is off
    - `since`: what happened to the lines of the last review
    """
    since = since or Since()
    left, still, silent_findings = _repeated(earlier, findings, files, since)
    head = _Head(earlier, tree, files, reread, before)
    known = list(still)
    for past in silent_findings:
        now = await head.find(past, _absence(past, absence))
        again = next(
            (
                finding
                for finding in left
                if now.path != past.path and not past.proven and _has_same_quote(now, finding, files)
            ),
            None,
        )
        if again is not None:  # it was reported again where its lines are now
            left.remove(again)
            now = _keep_identity(past, again, since, files)
        known.append(now)
    return [*left, *known]


def make_fingerprints_unique(findings: Sequence[Finding]) -> list[Finding]:
    """Give each new finding a unique fingerprint, since equal lines in a file are different locations."""
    taken = {finding.identity for finding in findings if finding.status not in ("new", "fixed")}
    named = dict[int, Finding]()
    for at, one in sorted(enumerate(findings), key=lambda row: (row[1].path, row[1].start)):
        fresh_names = (
            again
            for mark in _copies(one.fingerprint)
            if (again := replace(one, fingerprint=mark)).identity not in taken
        )
        named[at] = next(fresh_names, one) if one.status == "new" else one
        taken.add(named[at].identity)
    return [named[index] for index in range(len(findings))]


def _repeated(
    earlier: EarlierReview, findings: Sequence[Finding], files: Sequence[ChangedFile], since: Since
) -> tuple[list[Finding], list[Finding], list[Finding]]:
    """Return the new findings, the earlier ones that were reported again, and those that were not."""
    # Index of an earlier finding -> index of the one that repeats it
    places, taken = dict[int, int](), set[int]()

    def is_kept(past: Finding, finding: Finding, files: Sequence[ChangedFile]) -> bool:
        path = new_path(past.path, files)
        return since.moves(path).get(past.start) == finding.start and _is_identical(past, finding, files)

    marks = {mark: finding.fingerprint for finding in findings for mark in _copies(finding.fingerprint)}
    known = [replace(past, fingerprint=marks.get(past.fingerprint, past.fingerprint)) for past in earlier.findings]

    # Match the most certain pairs of all findings first
    def replaces(past: Finding, finding: Finding, files: Sequence[ChangedFile]) -> bool:
        return _may_be_edited(past, finding, files) and is_replaced(past, finding, since)

    for is_same in (is_kept, _is_identical, _has_same_quote, replaces, _proves_the_same):
        for at, past in enumerate(known):
            others = (i for i, finding in enumerate(findings) if i not in taken and is_same(past, finding, files))
            if at not in places and (place := next(others, None)) is not None:
                places[at] = place
                taken.add(place)
    left, repeats, silent_findings = dict(enumerate(findings)), list[Finding](), list[Finding]()
    for at, past in enumerate(earlier.findings):
        if at not in places:
            silent_findings.append(past)
        # A guess was proven, so it is reported again under its old number
        elif findings[places[at]].proven and not past.proven:
            left[places[at]] = findings[places[at]].with_number(past.number)
        else:
            repeats.append(_keep_identity(past, left.pop(places[at]), since, files))
    return [*left.values()], repeats, silent_findings


class _Head:
    def __init__(
        self,
        earlier: EarlierReview,
        tree: Tree,
        files: Sequence[ChangedFile],
        reread: Collection[tuple[str, int, int]],
        before: Mapping[str, str],
    ) -> None:
        self._tree, self._files, self._earlier = tree, files, earlier
        self._reread, self._before = reread, before
        self._changed = {path for file in files for path in (file.path, file.old_path) if path}
        self._texts: dict[str, str | None] = {}  # files at the head, read on demand
        self._tokens: dict[str, str] = {}

    async def find(self, past: Finding, means: Absence | None) -> Finding:
        """Return a finding that was not reported again, with its status.

        `means`: what its check's silence means; None for a model's finding.
        """
        if means == "lasting":
            return lasting(past, self._earlier.head)
        is_taken_back = bool(self._earlier.files) and not self._files  # the whole change
        if means == "unseen" and self._has_left(past.path) and not past.evidence:
            is_taken_back = True
        is_of_other_build = means == "unchecked" or (means == "fixed" and bool(self._earlier.other_build))
        if is_of_other_build and not is_taken_back and await self._place(past):
            return past.with_status("unproven")
        is_fixed = is_taken_back or means in ("fixed", "unchecked")
        here = None if is_fixed else await self._place(past)
        if means == "unseen" and here is None and not is_taken_back and await self._exists(past.path):
            here = past.with_status("still")
        if here is None:
            return past.with_status("fixed")
        is_doubtful = means is None and not past.proven and await self._is_doubtful(past, here)
        return here.with_status("doubtful", here.tracking.how) if is_doubtful else here

    async def _place(self, past: Finding) -> Finding | None:
        """Return the finding at the current position of its text; None if the text no longer exists.

        The text may be in its own file or in another changed file. A finding in removed lines stays where it
        was until the file is as before the change.
        """
        if past.side == "base":
            return None if await self._is_same_as_base(past.path) else past.with_status("still")
        own_path = new_path(past.path, self._files)
        others = {
            finding.path for finding in self._earlier.findings if finding.quote == past.quote and finding is not past
        }
        paths = dict.fromkeys((own_path, *(file.path for file in self._files), *self._earlier.files))
        for path in paths:
            if path != own_path and path in others:
                continue  # there, the same text is a separate finding
            if await self._holds(path, past.path, past.quote):
                start, end = locate(await self._read(path) or "", past.quote, past.start) or (past.start, past.end)
                how: How = "moved" if (path, start) != (past.path, past.start) else ""
                return replace(past, path=path, start=start, end=end).with_status("still", how)
        return None

    async def _is_doubtful(self, past: Finding, here: Finding) -> bool:
        """Return whether an open finding needs a confirmation, because anything about it changed."""
        if here.basis.unconfirmed or here.path != past.path:
            return True
        if any(path == here.path and start <= here.start <= end for path, start, end in self._reread):
            return True
        if (past.side == "base" and await self._is_touched(past.path)) or self._has_left(past.path):
            return True
        shown = [item for item in past.evidence if item.side == "head" and not item.repository]
        return any([not await self._shows(item) and await self._is_touched(item.path) for item in shown])

    async def _shows(self, item: Evidence) -> bool:
        return await self._holds(new_path(item.path, self._files), item.path, item.quote)

    def _has_left(self, path: str) -> bool:
        return path in self._earlier.files and path not in self._changed

    async def _is_touched(self, path: str) -> bool:
        """Return whether a file changed since the last review, or was read again."""
        if (path in self._earlier.files) != (path in self._changed) or any(row[0] == path for row in self._reread):
            return True
        return path in self._before and await self._read(path) != self._before[path].replace("\0", "")

    async def _exists(self, path: str) -> bool:
        """A link or submodule may have replaced the file."""
        entries = await self._tree.entries("head")
        path = new_path(path, self._files)
        return any("/".join(path.split("/")[: index + 1]) in entries for index in range(path.count("/") + 1))

    async def _is_same_as_base(self, path: str) -> bool:
        head, base = (await self._tree.entries("head")).get(path), (await self._tree.entries("base")).get(path)
        return head is not None and base is not None and (head.oid, head.kind) == (base.oid, base.kind)

    async def _holds(self, path: str, named: str, quote: str) -> bool:
        """Return whether a file contains every line of a quote, ignoring whitespace and comments.

        `named`: the path that it was quoted from.
        """
        text = await self._read(path)
        if text is None:
            return False
        if path not in self._tokens:
            self._tokens[path] = tokens(text)
        return all(words in self._tokens[path] for words in _words(named, quote))

    async def _read(self, path: str) -> str | None:
        if path not in self._texts:
            blob = await self._tree.read(path)
            # Some encodings put a NUL byte next to each letter.
            self._texts[path] = None if blob is None else blob.decode("utf-8", "replace").replace("\0", "")
        return self._texts[path]


def _words(path: str, quote: str) -> list[str]:
    """If the quote is only a comment, its words count."""
    rows = [code_of(line, path) for line in rows_of(quote) if line.strip() and not is_comment(line, path)]
    pieces = (tokens(piece) for line in rows or rows_of(quote) for piece in _MASKED.split(line))
    return [words for words in pieces if words.strip()]


def new_path(path: str, files: Sequence[ChangedFile]) -> str:
    """Return the path after the change, if it renamed the file."""
    return next((file.path for file in files if file.old_path == path and file.status == "renamed"), path)


def leaks_without_finding(leaks: Sequence[Finding], standing: Sequence[Finding]) -> list[Finding]:
    """Return the secrets that exist only in earlier commits of the change and are not in these findings."""
    return [
        leak
        for leak in leaks
        if not any(_is_identical(leak, one, ()) or _has_same_quote(leak, one, ()) for one in standing)
    ]


def lasting(past: Finding, commit: str) -> Finding:
    """Return a finding that outlives its lines, such as a secret in the history.

    It stays open until the owner says that it was dealt with.
    """
    if LASTING in past.title:
        return past.with_status("still")
    where = f"commit {commit[:COMMIT_CHARS]}"
    renamed = replace(
        past,
        title=f"{past.title} ({LASTING} {where}): revoke it",
        why=f"{past.why} The change no longer contains the line. {where[:1].upper()}{where[1:]} and every copy still contain it.",
    )
    return renamed.with_status("still")


def _absence(past: Finding, absence: Callable[[Source, Finding], Absence | None]) -> Absence | None:
    """Return what it means that a finding is no longer reported, if static checks can tell.

    Return None if the text and a model must decide.
    """
    by_code = [source for source in past.basis.sources if source.kind != "model"]
    if not past.proven and not past.is_masked and len(by_code) < len(past.basis.sources):
        return None  # a model reported it too
    means = {absence(source, past) for source in by_code}
    if not means or None in means:
        return None
    return next(each for each in _WORST if each in means)


def is_new_code(finding: Finding, since: Since, changed: Collection[str]) -> bool:
    """Return whether the quoted lines are new since the last review.

    `changed`: paths in the change. A file outside the change is old code. A finding there counts as new if it
    is proven, or if its evidence is new.
    """
    if finding.tracking.added or finding.path in changed:
        return bool(finding.tracking.added) or since.is_new(finding.path, finding.quote, finding.start)
    evidence = (item for item in finding.evidence if item.side == "head" and item.path in changed)
    return finding.proven or any(since.is_new(item.path, item.quote, item.line) for item in evidence)


def _copies(fingerprint: str) -> Iterator[str]:
    """Yield a fingerprint, and those of equal lines in the same file."""
    yield fingerprint
    yield from (copy_mark(fingerprint, number) for number in range(2, MOST_COPIES))


def _is_identical(past: Finding, finding: Finding, _files: Sequence[ChangedFile]) -> bool:
    """For secrets the value decides: it is the same finding in any line, and another secret on the same line is a different one."""
    if past.category == finding.category == "secret" and past.proofs and finding.proofs:
        return bool(past.proofs & finding.proofs)
    is_kept = past.fingerprint == finding.fingerprint and _may_be_same(past, finding)
    return is_kept and (bool(past.proofs & finding.proofs) or has_like_title(past, finding))


def _has_same_quote(past: Finding, finding: Finding, files: Sequence[ChangedFile]) -> bool:
    """Return whether it quotes the same line. The fingerprints may differ, by category or if a file has equal lines."""
    return _may_be_edited(past, finding, files) and fold(past.quote) == fold(finding.quote)


def _may_be_edited(past: Finding, finding: Finding, files: Sequence[ChangedFile]) -> bool:
    if past.category == finding.category == "secret" and past.proofs and finding.proofs:
        return False
    is_here = _may_be_same(past, finding) and _is_in_same_file(past, finding, files)
    return is_here and has_like_title(past, finding)


def says_the_same(standing: Finding, new: Finding) -> bool:
    """Return whether a model's new finding may repeat an open one: by its quote, or by title and names."""
    if new.basis.has_check or standing.proven or not new.is_new or standing.path != new.path:
        return False
    names, others = code_names(standing.title), code_names(new.title)
    agree = names == others or not names.isdisjoint(others)
    return fold(standing.quote) == fold(new.quote) or (agree and has_like_title(standing, new))


def has_like_title(one: Finding, other: Finding) -> bool:
    """Return whether two titles are alike and do not name different code."""
    names, other_names = code_names(one.title), code_names(other.title)
    is_apart = bool(names and other_names) and names.isdisjoint(other_names)
    return one.title == other.title or (alike(one.title, other.title) and not is_apart)


def _proves_the_same(past: Finding, finding: Finding, files: Sequence[ChangedFile]) -> bool:
    """Return whether static checks proved the same in the same file, now for other text.

    This is what remains if a push fixes a finding in part.
    """
    is_same_check = past.proven and finding.proven and (past.kind, past.consumer) == (finding.kind, finding.consumer)
    common: Collection[str] = past.proofs & finding.proofs
    if past.cause and finding.cause:  # of several definitions that broke its lines, one may still break them
        common = common or code_names(past.title) & code_names(finding.title)
    return bool(is_same_check and common) and _is_in_same_file(past, finding, files)


def _may_be_same(past: Finding, finding: Finding) -> bool:
    """A proven finding is neither a model's later guess nor another proof."""
    if not past.proven or not finding.proven:
        return not past.proven
    return bool(past.proofs & finding.proofs)


def _is_in_same_file(past: Finding, finding: Finding, files: Sequence[ChangedFile]) -> bool:
    return finding.path in (past.path, new_path(past.path, files)) and past.side == finding.side


def _keep_identity(past: Finding, again: Finding, since: Since, files: Sequence[ChangedFile]) -> Finding:
    """Return the new report under the old identity, with the locations that are new."""
    new_places = added(past, again, since, files)
    is_there = (past.path, past.start) in {item.location for item in again.places}
    how: How = "" if is_there or (again.path, again.start) in new_places else "moved"
    verdict = past.verdict if again.verdict.is_undecided else again.verdict
    worst = min(past.severity, again.severity, key=severity_rank)
    telling = again if again.proven else replace(again, rule=past.rule, category=past.category, severity=worst)
    renewed = replace(
        telling,
        fingerprint=past.fingerprint,
        basis=replace(again.basis, verdict=verdict, unsettled=past.basis.unsettled if verdict is past.verdict else ""),
        tracking=Tracking(past.number, "still", how, added=new_places),
        trigger=again.trigger or past.trigger,
    )
    return known_first(renewed)


def update_doubtful(past: Finding, now: Finding, unsettled: str, *, is_ground_new: bool) -> Finding | None:
    """Return an open finding of an earlier review after its confirmation (`now`), and what that left `unsettled`.

    What was confirmed is refuted only on a ground that the pushes since have added or removed. An unproven finding
    that was never shown is dropped.
    """
    still = past.with_status("still", past.tracking.how)
    if not now.verdict.is_plausible:
        return past.with_status("fixed") if is_ground_new or not past.verdict.is_shown else still
    before, verdict = past.basis, now.verdict if now.verdict.is_shown else past.verdict
    if not verdict.is_undecided:
        return still.with_verdict(verdict)
    is_unconfirmed = now.basis.unconfirmed and not before.unsettled
    if not past.number and not before.unsettled and not (before.unconfirmed and is_unconfirmed):
        return None
    return still.with_verdict(verdict, unconfirmed=is_unconfirmed, unsettled=before.unsettled or unsettled)


def final_findings(findings: Iterable[Finding], least: Severity, earlier: EarlierReview | None) -> list[Finding]:
    """Return the findings in the form in which the review reports them.

    A finding without a number was never shown, so it is not reported as fixed. `least`: the minimum severity.
    """
    unsaid_numbers = earlier.unsaid_numbers if earlier is not None else ()
    rows = []
    for finding in findings:
        if finding.status == "fixed":
            rows += [finding] if finding.number else []
        elif finding.status in ("new", "still") and not at_least(finding.severity, least):
            rows.append(finding.with_status("below", finding.tracking.how))
        elif finding.status == "still" and (not finding.number or finding.number in unsaid_numbers):
            rows.append(finding.with_status("new"))
        else:
            rows.append(finding)
    return rows


def assign_numbers(
    rows: Sequence[PlacedFinding], numbers_given: NumbersGiven
) -> tuple[tuple[PlacedFinding, ...], NumbersGiven]:
    """Return the findings, with numbers for those that are reported, and all numbers given so far.

    Numbers follow the order of the summary, stay for the life of the pull request, and are never reused. A
    fixed finding that comes back gets its old number.
    """
    shown = [
        placed_finding.finding
        for placed_finding in rows
        if placed_finding.place or placed_finding.finding.status == "still"
    ]
    taken_numbers = {finding.number for finding in shown if finding.number}
    fingerprints_by_number = dict(numbers_given)
    free: dict[str, list[int]] = {}
    for number, mark in sorted(numbers_given):
        if number not in taken_numbers:
            free.setdefault(mark, []).append(number)
    highest = max((*fingerprints_by_number, *taken_numbers), default=0)
    numbered_rows: dict[int, PlacedFinding] = {}
    for placed_finding in in_order(
        placed_finding for placed_finding in rows if placed_finding.place and not placed_finding.finding.number
    ):
        free_numbers = free.get(placed_finding.finding.fingerprint)
        number = free_numbers.pop(0) if free_numbers else highest + 1
        is_back = number <= highest and placed_finding.finding.is_new
        highest = max(highest, number)
        tracking = replace(
            placed_finding.finding.tracking,
            number=number,
            how="back" if is_back else placed_finding.finding.tracking.how,
        )
        numbered_rows[id(placed_finding)] = replace(
            placed_finding, finding=replace(placed_finding.finding, tracking=tracking)
        )
    now = tuple(numbered_rows.get(id(placed_finding), placed_finding) for placed_finding in rows)
    shown_findings = (
        placed_finding.finding
        for placed_finding in now
        if placed_finding.place or placed_finding.finding.status == "still"
    )
    fingerprints_by_number |= {finding.number: finding.fingerprint for finding in shown_findings if finding.number}
    return now, tuple(sorted(fingerprints_by_number.items()))
