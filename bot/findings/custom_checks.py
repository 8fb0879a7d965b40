"""The team's own checks: asked beside what readers read anyway, answered with quotes that code verifies, and carried from round to round.

A failure counts if one of its quotes is part of the changed code that its reader was asked about. What nobody has answered is never passed,
and a failure stands until a reader has seen the check kept in another text of its file.
"""

import json
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from bot import render
from bot.findings import quotes, read
from bot.ports import Tree
from bot.text import globs
from bot.values import (
    ChangedFile,
    CheckAnswer,
    CheckedFile,
    CheckReport,
    CheckVerdict,
    CustomCheck,
    Evidence,
    FailedAnswer,
    Schema,
    Unit,
    tokens,
)
from bot.values.rule import CHECK_VERDICTS

ANSWERS: Mapping[str, CheckVerdict] = {
    "passed": "passed",
    "failed": "failed",
    "undecided": "undecided",
    "does not apply": "inapplicable",
}
MOST_QUOTES, MOST_CHARS, REASON_CHARS = 3, 1_000, 300  # of one answer: quotes, characters of each, of its reason
LEAST_CHARS = 4  # letters and digits of a quote: a bracket proves nothing
_KEPT: frozenset[CheckVerdict] = frozenset({"passed", "inapplicable"})  # that end a failure
_QUOTE = read.strict(
    path=read.text("the file, as it is named in the prompt"),
    quote=read.text("the line or lines, copied verbatim without sign and line number"),
)
_ROW = read.strict(
    check={"type": "integer", "description": "its number"},
    verdict={"type": "string", "enum": list(ANSWERS)},
    reason=read.text("one sentence of at most 25 words; if undecided, what would decide it"),
    quotes={"type": "array", "items": _QUOTE, "description": "what shows it; needed if failed: a changed line first"},
)
_FIELD = {"type": "array", "items": _ROW, "description": "one entry for each check above, in that order"}


def concerns(check: CustomCheck, path: str) -> bool:
    """Whether a check is about this file."""
    return not check.paths or path in check.moved_paths or globs.matches(check.paths, path)


async def of_change(
    checks: Sequence[CustomCheck], files: Sequence[ChangedFile], failed_answers: Sequence[FailedAnswer], tree: Tree
) -> tuple[CustomCheck, ...]:
    """The checks as this change has to answer them: no author moves a file, or what a check has failed in, out of its paths."""
    if not any(check.paths for check in checks):
        return tuple(checks)
    contents = await contents_of(files, tree) if failed_answers else {}
    return tuple(
        [
            replace(check, moved_paths=await _moved_paths(check, files, failed_answers, contents, tree))
            for check in checks
        ]
    )


async def _moved_paths(
    check: CustomCheck,
    files: Sequence[ChangedFile],
    failed_answers: Sequence[FailedAnswer],
    contents: Mapping[str, str],
    tree: Tree,
) -> tuple[str, ...]:
    rows = [row for row in failed_answers if row.check == check.digest]
    known_contents = {row.content for row in rows} - {""}
    left = [row for row in rows if row.is_open and not await _stands_in(row.file, row.file.path, tree)]
    return tuple(
        [
            file.path
            for file in files
            if not concerns(check, file.path)
            and (
                (file.old_path is not None and concerns(check, file.old_path))
                or contents.get(file.path) in known_contents
                or any([await _stands_in(row.file, file.path, tree) for row in left])
            )
        ]
    )


async def _stands_in(file: CheckedFile, path: str, tree: Tree) -> bool:
    """Whether the file at this path contains every quote of a failure."""
    own = [quote.quote for quote in file.quotes if quote.path == file.path and quote.side == "head"]
    return bool(own) and all([await quotes.find_quote(tree, path, quote, 0, ("head",)) for quote in own])


def about(checks: Sequence[CustomCheck], units: Sequence[Unit]) -> tuple[CustomCheck, ...]:
    """The checks that a reader of these units is asked."""
    paths = {unit.path for unit in units}
    return tuple(check for check in checks if any(concerns(check, path) for path in paths))


def form(base: Schema) -> Schema:
    """A reader's answer with the field for checks."""
    return read.with_field(base, "checks", _FIELD)


@lru_cache(maxsize=1)
def _form_tokens() -> int:
    return tokens(json.dumps(_FIELD))


def section(checks: Sequence[CustomCheck]) -> str:
    """The questions as a reader sees them."""
    return render.text("prompts/checks.md.j2", checks=checks).strip() if checks else ""


def answers(
    data: Mapping[str, Any] | None, checks: Sequence[CustomCheck], units: Sequence[Unit]
) -> tuple[CheckAnswer, ...]:
    """What a reader of these units says of the checks that it was asked, each once; what does not fit is left out."""
    rows = (data or {}).get("checks")
    answers_by_number: dict[int, CheckAnswer] = {}
    shared = (_form_tokens() + tokens(section(checks))) // max(1, len(checks))
    for row in rows[: 2 * len(checks)] if isinstance(rows, list) else ():
        fields = row if isinstance(row, Mapping) else {}
        number, verdict = fields.get("check"), ANSWERS.get(str(fields.get("verdict")))
        if type(number) is not int or not 1 <= number <= len(checks) or verdict is None:
            continue
        check = checks[number - 1]
        paths = tuple(dict.fromkeys(unit.path for unit in units if concerns(check, unit.path)))
        reason = fields.get("reason")
        reason_text = " ".join(reason[: 4 * REASON_CHARS].split())[:REASON_CHARS] if isinstance(reason, str) else ""
        cost = shared + tokens(json.dumps(row, default=str))
        answers_by_number.setdefault(
            number, CheckAnswer(check.digest, verdict, paths, reason_text, tuple(_quotes(fields.get("quotes"))), cost)
        )
    return tuple(answers_by_number[number] for number in sorted(answers_by_number))


def _quotes(rows: object) -> list[Evidence]:
    first_rows = rows[:MOST_QUOTES] if isinstance(rows, list) else ()
    pairs = ((row.get("path"), row.get("quote")) for row in first_rows if isinstance(row, Mapping))
    return [
        Evidence(render.original_name(path), quote)
        for path, quote in pairs
        if isinstance(path, str) and isinstance(quote, str) and len(quote) <= MOST_CHARS and _says_something(quote)
    ]


def _says_something(quote: str) -> bool:
    return sum(char.isalnum() for char in quote) >= LEAST_CHARS


def files_to_read(
    checks: Sequence[CustomCheck],
    earlier: Sequence[CheckReport],
    units: Sequence[Unit],
    failed_answers: Sequence[FailedAnswer] = (),
    contents: Mapping[str, str] = MappingProxyType({}),
) -> frozenset[str]:
    """The files that have to be read again because a check was not asked in the rounds before, or in other words, or failed in another text.

    `contents`: of changed files, see `contents_of`.
    """
    asked_digests = {report.digest for report in earlier if report.files}
    digests = {check.digest for check in checks}
    new = [check for check in checks if check.digest not in asked_digests]
    failed_in = {
        row.file.path
        for row in failed_answers
        if row.is_open and row.check in digests and row.content not in ("", contents.get(row.file.path))
    }
    return frozenset(
        unit.path for unit in units if unit.path in failed_in or any(concerns(check, unit.path) for check in new)
    )


async def contents_of(files: Sequence[ChangedFile], tree: Tree) -> dict[str, str]:
    """What tells the text of each changed file from others: git's name of its content, of a removed file that of the base."""
    head, base = await tree.entries("head"), await tree.entries("base")
    ends = ((file.path, head.get(file.path), base.get(file.old_path or file.path)) for file in files)
    rows = ((path, now.oid if now else f"removed {was.oid}" if was else "") for path, now, was in ends)
    return {path: content for path, content in rows if content}


def _key(row: FailedAnswer) -> tuple[str, str, str]:
    return row.check, row.file.path, row.content


def remember(reports: Sequence[CheckReport], scene: "CheckScene") -> tuple[FailedAnswer, ...]:
    """The failures after a review, the newest last. Of what no check of this base asks, nothing has changed."""
    rows = {_key(row): row for row in scene.failed_answers}
    files = [(report.digest, file) for report in reports for file in report.files]
    for digest, file in sorted(files, key=lambda pair: pair[1].verdict == "failed"):
        content = scene.contents.get(file.path, "")
        if file.verdict != "failed" and file.verdict not in _KEPT:
            continue
        for key in [key for key in rows if key[0] == digest]:
            if (scene.is_full and key[2] == content) or (key[1] == file.path and key[2] == ""):
                del rows[key]  # a person has asked for a new answer about this very content
            elif key[1] == file.path and key[2] != content:
                rows[key] = replace(rows[key], is_open=False)
        if file.verdict == "failed":
            rows.pop((digest, file.path, content), None)
            rows[digest, file.path, content] = FailedAnswer(digest, file, content)
    return tuple(rows.values())


@dataclass(frozen=True, slots=True)
class CheckScene:
    """What the answers of one review are compared with."""

    tree: Tree  # as readers were shown it
    files: Sequence[ChangedFile]
    units: Sequence[Unit]
    reread: Collection[str] = ()  # paths of which something was read in this round
    earlier: Sequence[CheckReport] = ()
    has_model: bool = True
    failed_answers: Sequence[FailedAnswer] = ()  # of reviews before this one
    contents: Mapping[str, str] = field(default_factory=dict)  # see `contents_of`
    unread: Collection[str] = ()  # paths of which nobody has read a part
    is_full: bool = False  # a person who may has asked for new answers


async def reports(
    checks: Sequence[CustomCheck], given_answers: Sequence[CheckAnswer], scene: CheckScene
) -> tuple[CheckReport, ...]:
    """What each check comes to."""
    return tuple([await _report(check, given_answers, scene) for check in checks])


async def _report(check: CustomCheck, given_answers: Sequence[CheckAnswer], scene: CheckScene) -> CheckReport:
    here = CheckReport(check.name, check.severity, "inapplicable", cause="no-file", digest=check.digest)
    paths = dict.fromkeys(unit.path for unit in scene.units if concerns(check, unit.path))
    unread = [
        file
        for file in scene.files
        if file.path not in paths
        and concerns(check, file.path)
        and (file.is_unreviewed or (file.skip and not file.is_ignored and check.paths))
    ]
    if not paths and not unread:
        return here
    mine = [answer for answer in given_answers if answer.check == check.digest]
    before = next((report for report in scene.earlier if report.digest == check.digest), None)
    checked_files: dict[str, CheckedFile] = {}
    for answer in mine:
        for row in await _by_file(answer, scene):
            known = checked_files.get(row.path)
            if known is None or _rank(row.verdict) < _rank(known.verdict):
                checked_files[row.path] = row
    for row in before.files if before is not None else ():
        if row.path in paths and row.path not in checked_files and row.path not in scene.reread:
            checked_files[row.path] = await _again(row, scene)
    failed_files = await _failed_files(check, checked_files, [*paths, *(file.path for file in unread)], scene)
    if not scene.has_model and not failed_files:
        return replace(here, verdict="unasked", cause="no-model")
    checked_files |= failed_files
    missing = [path for path in paths if path not in checked_files]
    rows = [*checked_files.values(), *(CheckedFile(path, "undecided", cause="no-reader") for path in missing)]
    rows += [CheckedFile(file.path, "undecided", file.skip or "", cause="unread") for file in unread]
    worst = min(rows, key=lambda row: _rank(row.verdict))
    same = [row for row in rows if row.verdict == worst.verdict]
    verdict: CheckVerdict = worst.verdict if checked_files else "unasked"
    rounds = before.undecided_rounds if before is not None else 0
    return replace(
        here,
        verdict=verdict,
        reason=worst.reason if checked_files else "",
        cause=worst.cause if checked_files else "no-reader",
        quotes=tuple(dict.fromkeys(quote for row in same for quote in row.quotes))[:MOST_QUOTES],
        files=tuple(sorted(checked_files.values(), key=lambda row: row.path)),
        undecided_rounds=(rounds + bool(mine)) if verdict == "undecided" else 0,
        tokens=sum(answer.tokens for answer in mine),
    )


def _rank(verdict: CheckVerdict) -> int:
    return CHECK_VERDICTS.index(verdict)


async def _by_file(answer: CheckAnswer, scene: CheckScene) -> list[CheckedFile]:
    """An answer for each file that it is about. A failure counts where its quotes stand; without one in the changed code it is undecided."""
    stands = [place for quote in answer.quotes if (place := await _place(quote, scene)) is not None]
    verdict, reason, failing = answer.verdict, answer.reason, frozenset(answer.paths)
    if verdict == "failed":
        failing = frozenset(quote.path for quote in stands if quote.path in failing and _is_changed(quote, scene))
        if not failing:
            return [CheckedFile(path, "undecided", reason, cause="no-quote") for path in answer.paths]
    return [
        CheckedFile(
            path,
            verdict if path in failing else "passed",
            reason if path in failing else "",
            tuple(quote for quote in stands if verdict == "failed" or quote.path == path) if path in failing else (),
        )
        for path in answer.paths
    ]


async def _failed_files(
    check: CustomCheck, checked_files: Mapping[str, CheckedFile], paths: Sequence[str], scene: CheckScene
) -> dict[str, CheckedFile]:
    """Where failures of reviews before this one stand. `checked_files`: what readers say of the changed files now.

    In the same text a failure stands whatever they say; in another one if none of them has read all of it and seen the check kept.
    """
    passed_paths = {path for path, row in checked_files.items() if row.verdict in _KEPT and path not in scene.unread}
    failed_files: dict[str, CheckedFile] = {}
    for row in (one for one in scene.failed_answers if one.check == check.digest):
        same = [path for path in paths if row.content and scene.contents.get(path) == row.content]
        again = [path for path in same if not (scene.is_full and path in passed_paths)]
        places = [_at(row.file, path, [one async for one in _places(row.file, path, scene)]) for path in again]
        places = [
            one
            for one in places
            if one.path not in passed_paths or not one.quotes or any(_is_changed(quote, scene) for quote in one.quotes)
        ]
        if not same and row.is_open:
            others = (path for path in paths if path != row.file.path)
            for path in (one for one in (row.file.path, *others) if one in paths and one not in passed_paths):
                quotes_there = [one async for one in _places(row.file, path, scene)]
                is_hidden = path == row.file.path and path not in {unit.path for unit in scene.units}
                if any(quote.path == path for quote in quotes_there) or is_hidden:
                    places.append(_at(row.file, path, quotes_there))
                    break
        failed_files |= {one.path: one for one in places if one.path not in failed_files}
    return failed_files


def _at(file: CheckedFile, path: str, quotes_there: Sequence[Evidence]) -> CheckedFile:
    return replace(file, path=path, quotes=tuple(quotes_there))


async def _places(file: CheckedFile, path: str, scene: CheckScene) -> AsyncIterator[Evidence]:
    """The quotes of a failure that stand, if its file has this path now."""
    for quote in file.quotes:
        moved_quote = replace(quote, path=path if quote.path == file.path else quote.path)
        place = await _place(moved_quote, scene)
        if place is not None:
            yield place


async def _again(row: CheckedFile, scene: CheckScene) -> CheckedFile:
    """What a round before came to for a file that was not read again: a failure counts while its quote is still there."""
    stands = [place for quote in row.quotes if (place := await _place(quote, scene)) is not None]
    if row.verdict == "failed" and not any(quote.path == row.path for quote in stands):
        return CheckedFile(row.path, "undecided", cause="gone")
    return replace(row, quotes=tuple(stands))


async def _place(quote: Evidence, scene: CheckScene) -> Evidence | None:
    """A quote with its line; None if the tree does not hold it."""
    sides = {file.path: file.old_path for file in scene.files}
    changed_rows = (row for unit in scene.units if unit.path == quote.path for row in unit.rows)
    near = quote.line or quotes.first_line(quote.quote, changed_rows)  # of several such lines the changed one
    at = await quotes.find_quote(scene.tree, quote.path, quote.quote, near, ("head",))
    if at is None:  # what the change has removed
        old = sides.get(quote.path) or quote.path
        at = await quotes.find_quote(scene.tree, old, quote.quote, quote.line, ("base",))
    return replace(quote, side=at[0], line=at[1]) if at is not None else None


def _is_changed(quote: Evidence, scene: CheckScene) -> bool:
    """Whether a quote is of what changed: in a part of the new side, or a line that was removed."""
    units = [unit for unit in scene.units if unit.path == quote.path]
    if quote.side == "head":
        return any(unit.side == "head" and unit.start <= quote.line <= unit.end for unit in units)
    first = quotes.fold(quotes.rows_of(quote.quote)[0])
    return any(first in quotes.fold(row.text) for unit in units for row in unit.removed_rows)
