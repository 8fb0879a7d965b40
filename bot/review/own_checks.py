"""Ask models about the team's own checks, and determine each check's result from the answers.

A failure only counts if one of its quotes is found in the changed code that the model saw. A check without an
answer never passes. A file that was not reviewed again keeps its last result, and a failure remains until the
quoted lines are reviewed again.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, cast

from bot import globs, render
from bot.findings import quotes, read
from bot.review.reader_questions import ReaderQuestions
from bot.sections.own_checks import (
    OWN_CHECKS_SECTION,
    CheckAnswer,
    CheckedFile,
    CheckReport,
    CustomCheck,
    from_settings,
)
from bot.values import Evidence, RequiredCheckResult, Unit
from bot.values.required_check import REQUIRED_CHECK_RESULTS
from deeprepo.impact.ports import Tree
from deeprepo.rlm.values import tokens

if TYPE_CHECKING:
    from bot.review.session import Session
    from bot.review.survey import Survey

RESULTS_BY_VERDICT: Mapping[str, RequiredCheckResult] = {
    "passed": "passed",
    "failed": "failed",
    "undecided": "undecided",
    "does not apply": "inapplicable",
}
# Per answer: quotes, characters per quote, characters of the reason.
MOST_QUOTES, MAX_QUOTE_CHARS, REASON_CHARS = 3, 1_000, 300
MIN_QUOTE_CHARS = 4  # letters and digits in a quote, because a bracket proves nothing
_QUOTE = read.strict(
    path=read.text("the file, as it is named in the prompt"),
    quote=read.text("the line or lines, copied verbatim without sign and line number"),
)
_ROW = read.strict(
    check={"type": "integer", "description": "its number"},
    verdict={"type": "string", "enum": list(RESULTS_BY_VERDICT)},
    reason=read.text("one sentence of at most 25 words; if undecided, what would decide it"),
    quotes={"type": "array", "items": _QUOTE, "description": "what shows it; needed if failed: a changed line first"},
)
_ANSWERED_CHECKS = {"type": "array", "items": _ROW, "description": "one entry for each check above, in that order"}


def applies_to(check: CustomCheck, path: str) -> bool:
    """Return whether a check applies to this file."""
    return not check.paths or globs.matches(check.paths, path)


def applicable(checks: Iterable[CustomCheck], units: Sequence[Unit]) -> tuple[CustomCheck, ...]:
    """Return the checks that apply to these code regions."""
    paths = {unit.path for unit in units}
    return tuple(check for check in checks if any(applies_to(check, path) for path in paths))


def questions(survey: "Survey", units: Sequence[Unit]) -> "CheckQuestions | None":
    """Return the checks that apply to these code regions."""
    checks = applicable(from_settings(survey.brief.settings), units)
    return CheckQuestions(checks) if checks else None


@lru_cache(maxsize=1)
def _field_tokens() -> int:
    return tokens(json.dumps(_ANSWERED_CHECKS))


@dataclass(frozen=True, slots=True)
class CheckQuestions(ReaderQuestions):
    """The checks that one model pass has to answer."""

    checks: tuple[CustomCheck, ...]
    key: ClassVar[str] = "checks"

    @property
    def field(self) -> Mapping[str, Any]:
        """The JSON Schema of the answer's field."""
        return _ANSWERED_CHECKS

    @property
    def text(self) -> str:
        """The questions in the prompt."""
        return render.text("prompts/own_checks.md.j2", checks=self.checks).strip()

    def answers(self, data: Mapping[str, Any] | None, units: Sequence[Unit]) -> tuple[CheckAnswer, ...]:
        """Return the first valid answer to each check."""
        answers_by_number: dict[int, CheckAnswer] = {}
        shared = (_field_tokens() + tokens(self.text)) // len(self.checks)
        for entry in read.rows(data, self.key)[: 2 * len(self.checks)]:
            number, result = entry.get("check"), RESULTS_BY_VERDICT.get(str(entry.get("verdict")))
            if type(number) is not int or not 1 <= number <= len(self.checks) or result is None:
                continue
            check = self.checks[number - 1]
            paths = tuple(dict.fromkeys(unit.path for unit in units if applies_to(check, unit.path)))
            reason = " ".join(str(entry.get("reason") or "")[: 4 * REASON_CHARS].split())[:REASON_CHARS]
            cost = shared + tokens(json.dumps(entry, default=str))
            answers_by_number.setdefault(
                number, CheckAnswer(check.digest, result, paths, reason, tuple(_quotes(entry)), cost)
            )
        return tuple(answers_by_number[number] for number in sorted(answers_by_number))


def _quotes(answer: Mapping[str, Any]) -> list[Evidence]:
    pairs = ((quote.get("path"), quote.get("quote")) for quote in read.rows(answer, "quotes")[:MOST_QUOTES])
    return [
        Evidence(render.original_name(path), quote)
        for path, quote in pairs
        if isinstance(path, str)
        and isinstance(quote, str)
        and len(quote) <= MAX_QUOTE_CHARS
        and sum(char.isalnum() for char in quote) >= MIN_QUOTE_CHARS
    ]


def files_to_read(survey: "Survey") -> frozenset[str]:
    """Return the files to review again because a check is new or was reworded."""
    asked_digests = {report.digest for report in _earlier(survey) if report.files}
    new = [check for check in from_settings(survey.brief.settings) if check.digest not in asked_digests]
    return frozenset(unit.path for unit in survey.units if any(applies_to(check, unit.path) for check in new))


async def reports(session: "Session") -> tuple[CheckReport, ...]:
    """Return each check's result, from this review's answers, and from earlier ones for unchanged files."""
    return tuple([await _report(check, session) for check in from_settings(session.survey.brief.settings)])


def _earlier(survey: "Survey") -> tuple[CheckReport, ...]:
    part = survey.past.earlier.parts.get(CheckQuestions.key) if survey.past.earlier is not None else None
    return cast("tuple[CheckReport, ...]", part or ())


async def _report(check: CustomCheck, session: "Session") -> CheckReport:
    survey = session.survey
    tree = session.tree  # a quote counts only if it occurs in what models were shown
    here = CheckReport(check.name, check.severity, "inapplicable", cause="no-file", digest=check.digest)
    paths = dict.fromkeys(unit.path for unit in survey.units if applies_to(check, unit.path))
    unread = [
        file
        for file in survey.files
        if file.path not in paths
        and applies_to(check, file.path)
        and (file.is_unreviewed or (file.skip and not file.is_ignored and check.paths))
    ]
    if not paths and not unread:
        return here
    given = (answer for answer in session.results.answers if isinstance(answer, CheckAnswer))
    mine = [answer for answer in given if answer.check == check.digest]
    before = next((report for report in _earlier(survey) if report.digest == check.digest), None)
    checked_files: dict[str, CheckedFile] = {}
    for answer in mine:
        for checked_file in await _by_file(answer, survey, tree):
            known = checked_files.get(checked_file.path)
            if known is None or _rank(checked_file.result) < _rank(known.result):
                checked_files[checked_file.path] = checked_file
    reread = {unit.path for unit in survey.tracker.fresh()}
    for checked_file in before.files if before is not None else ():
        is_left = checked_file.path not in checked_files and (
            checked_file.path not in reread or checked_file.result == "failed"
        )
        if checked_file.path in paths and (is_left or await _still_fails(checked_file, survey, tree)):
            checked_files[checked_file.path] = await _carry_over(checked_file, survey, tree)
    if session.reader is None and not any(checked_file.result == "failed" for checked_file in checked_files.values()):
        return replace(here, result="unasked", cause="no-model")
    missing = [path for path in paths if path not in checked_files]
    rows = [*checked_files.values(), *(CheckedFile(path, "undecided", cause="no-reader") for path in missing)]
    rows += [CheckedFile(file.path, "undecided", file.skip or "", cause="unread") for file in unread]
    worst = min(rows, key=lambda checked_file: _rank(checked_file.result))
    same = [checked_file for checked_file in rows if checked_file.result == worst.result]
    result: RequiredCheckResult = worst.result if checked_files else "unasked"
    return replace(
        here,
        result=result,
        reason=worst.reason if checked_files else "",
        cause=worst.cause if checked_files else "no-reader",
        quotes=tuple(dict.fromkeys(quote for checked_file in same for quote in checked_file.quotes))[:MOST_QUOTES],
        files=tuple(sorted(checked_files.values(), key=lambda checked_file: checked_file.path)),
        tokens=sum(answer.tokens for answer in mine),
    )


def _rank(result: RequiredCheckResult) -> int:
    return REQUIRED_CHECK_RESULTS.index(result)


async def _by_file(answer: CheckAnswer, survey: "Survey", tree: Tree) -> list[CheckedFile]:
    """A failure without a valid quote in changed code is undecided."""
    stands = [place for quote in answer.quotes if (place := await _place(quote, survey, tree)) is not None]
    result, reason, failing = answer.result, answer.reason, frozenset(answer.paths)
    if result == "failed":
        failing = frozenset(quote.path for quote in stands if quote.path in failing and _is_changed(quote, survey))
        if not failing:
            return [CheckedFile(path, "undecided", reason, cause="no-quote") for path in answer.paths]
    return [
        CheckedFile(
            path,
            result if path in failing else "passed",
            reason if path in failing else "",
            tuple(quote for quote in stands if result == "failed" or quote.path == path) if path in failing else (),
        )
        for path in answer.paths
    ]


async def _still_fails(checked_file: CheckedFile, survey: "Survey", tree: Tree) -> bool:
    """Return whether a file still fails, because a quoted line still exists and was not reviewed again."""
    places = [
        place
        for quote in checked_file.quotes
        if quote.path == checked_file.path and (place := await _place(quote, survey, tree))
    ]
    reread = [(unit.side, unit.start, unit.end) for unit in survey.tracker.fresh() if unit.path == checked_file.path]
    read = [any(side == at.side and start <= at.line <= end for side, start, end in reread) for at in places]
    return checked_file.result == "failed" and not all(read)


async def _carry_over(checked_file: CheckedFile, survey: "Survey", tree: Tree) -> CheckedFile:
    """A failure becomes undecided if none of the quoted lines still exists."""
    stands = [place for quote in checked_file.quotes if (place := await _place(quote, survey, tree)) is not None]
    if checked_file.result == "failed" and not any(quote.path == checked_file.path for quote in stands):
        return CheckedFile(checked_file.path, "undecided", cause="gone")
    return replace(checked_file, quotes=tuple(stands))


async def _place(quote: Evidence, survey: "Survey", tree: Tree) -> Evidence | None:
    """Return a quote with the side and line where it was found, or None."""
    sides = {file.path: file.old_path for file in survey.files}
    changed_rows = (diff_row for unit in survey.units if unit.path == quote.path for diff_row in unit.rows)
    # If the quote occurs several times, prefer a changed line.
    near = quote.line or quotes.first_line(quote.quote, changed_rows)
    at = await quotes.find_quote(tree, quote.path, quote.quote, near, ("head",))
    if at is None:  # the change may have removed it
        old = sides.get(quote.path) or quote.path
        at = await quotes.find_quote(tree, old, quote.quote, quote.line, ("base",))
    return replace(quote, side=at[0], line=at[1]) if at is not None else None


def _is_changed(quote: Evidence, survey: "Survey") -> bool:
    """Return whether a quote is in a changed region of the head, or among the removed lines."""
    units = [unit for unit in survey.units if unit.path == quote.path]
    if quote.side == "head":
        return any(unit.side == "head" and unit.start <= quote.line <= unit.end for unit in units)
    first = quotes.fold(quotes.rows_of(quote.quote)[0])
    return any(quotes.is_part(first, quotes.fold(diff_row.text)) for unit in units for diff_row in unit.removed_rows)


async def results(session: "Session") -> Mapping[str, object]:
    """Return the result of each check, by section key."""
    return {OWN_CHECKS_SECTION.key: await reports(session)}
