"""Find the error in a failed CI job's log, and the changed line that causes it. This works for any tool.

The error is the line that the runner marks as an error. Otherwise it is the first line in the last step that
reads like a cause (failed tests first), or else the last line before the exit. Lines are cut before any
pattern is applied, so that matching stays fast.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from bot.features.ci.values import CIFailure, CIJobLog
from bot.review import written
from bot.values import ChangedFile, Side
from deeprepo.impact.text import lines
from deeprepo.impact.text.paths import is_test

ChangedLine = tuple[str, int, Side]
MAX_LOG_CHARS = 4 << 20  # characters that are read from the end of a log
# Characters of a line that are read, and of an error that are shown.
MAX_LINE_CHARS, MAX_ERROR_CHARS = 2_000, 300
# Lines around an error that are searched for locations; lines above a failed test's heading that are
# searched.
LOCATION_ROWS, ROWS_ABOVE_TEST = 50, 2
# Lines above an error that are searched for its test, and characters of the test's name.
TEST_SEARCH_ROWS, MAX_TITLE_CHARS = 200, 120
# Characters around an error, and lines that share a word with it, that are searched for secrets.
SECRET_CONTEXT_CHARS, MAX_SECRET_ROWS = 64 << 10, 200
MOST_NAMES = 12  # names per error that are looked up in the change

_STAMP = re.compile(r"^\ufeff?(?:\d{4}-\d\d-\d\d[T ][\d:.,]{8,30}(?:Z|[+-]\d\d:?\d\d)?\s)?")
_ESCAPE = re.compile(
    r"\x1b(?:\[[0-?]{0,64}[ -/]{0,8}[@-~]|\][^\x07\x1b]{0,400}(?:\x07|\x1b\\)?|[@-Z\\-_])|[\x00-\x08\x0b-\x1f\x7f-\x9f]"
)
_MARK = re.compile(r"\s{0,12}(?:##\[error\]|::error(?:\s[^:]{0,600})?::)\s{0,3}(.*)")
_ENDED = re.compile(r".{0,200}\b(?:cancell?ed|timed out|exceeded|shutdown signal|lost communication)")
# Exit messages and totals, which are not the cause.
_NO_CAUSE = re.compile(
    r"(?:.{0,300}\b(?:exit(?:ed)?|completed|failed|finished)\b.{0,40}\b(?:code|status|value)\b"
    r"|.{0,80}\b(?:build|run|job|step|task|tests?|check|action|workflow|goal)s? (?:has |have |was )?(?:failed|unsuccessful)\b"
    r"|\W{0,3}(?:Tests?(?: run)?:|Test Suites:|Failed tests|Failures?:|BUILD FAIL|Found \d|Errors?:?\s{0,3}$|\d{1,6} (?:passing|failing|passed|failed|error|problem|example|test))"
    r"|npm (?:ERR!|error)\s{0,4}(?:$|code ELIFECYCLE|errno|A complete log|This is)|\S{0,40}make\S{0,20}: \*\*\*"
    r"|\[?error\]?:? (?:WARNING|test failed, to rerun|could not compile|aborting due to)"
    r"|.{0,400}?\b(?:warn(?:ing)?|note|info|debug|hint|deprecat\w{0,10})\b[: \]])",
    re.IGNORECASE,
)
_PATH = r"[\w@+~$./\\-]{1,300}+"
_PLACE = re.compile(
    rf"\bFile \"([^\"]{{1,300}})\", line (\d{{1,7}})|\b(?:in|on) (?=\S{{1,300}} (?:on )?line)({_PATH}) (?:on )?line (\d{{1,7}})"
    rf"|(?<![\w@+~$./\\-])({_PATH})(?::(?:line )?|\(|:\[)(\d{{1,7}})"
)
_CAUSE = re.compile(
    # An exception or an assertion: `ValueError: too deep`, `E   assert 1 == 2`, `thread 'x' panicked at ...`
    r"(?:E\s{2,40})?\s{0,12}(?:=> |\*\* \()?(?:Uncaught |Caused by: |Exception in thread \"[^\"]{0,80}\" )?"
    r"(?:[\w$]{1,80}+[.:\\]{1,2}){0,12}[\w$]{0,80}(?:Error|Exception|Failure|Panic)(?: \[\w{1,60}\])?(?::\s|\s\(|\) |:?$)"
    r"|E\s{2,40}(?!File \"|\^)\S|\s{0,12}(?:Failure/Error|Failed asserting|thread '.{0,200}' .{0,20}panicked at|[Aa]ssert\w{0,20} .{0,200}(?:failed|Failure))"
    r"|.{0,300}: line \d{1,7}:\s{1,4}\d{1,9} (?:Killed|Segmentation fault|Aborted)"
    # A diagnostic with its location: `src/a.ts(2,5): error TS2322: ...`, `    x_test.go:9: got 1`, ` -->
    # shop/a.py:2:1`
    rf"|\s{{0,3}}(?:\[?(?:ERROR|error)\]?:?\s{{1,9}})?(?=[^\s:(]{{0,300}}[./\\]){_PATH}"
    r"(?::\d{1,7}:\d{1,7}|\(\d{1,7},\d{1,7}\)|:\[\d{1,7},\d{1,7}\]|:\d{1,7}(?=:? (?:\w{1,20} )?(?:error\b|undefined reference|\w{1,60}Error\b)))\s?:?\s"
    rf"|\s{{4,12}}(?=[^\s:]{{1,300}}\.\w){_PATH}:\d{{1,7}}: \S|\s{{1,12}}--> {_PATH}:\d|\s{{1,12}}\d{{1,7}}:\d{{1,7}}\s{{1,8}}error\s"
)
_TEST = re.compile(
    r"\s{0,8}(?:---\s?FAIL:? |(?:FAIL|ERROR): \S|FAIL\s{1,4}\S|\u25cf (?!Console$)|\d{1,5}\) \S|not ok \d|_{1,200} [^_\s].{0,300} _{1,200}$|---- .{1,300} stdout ----$)"
)
_HEADLINE = re.compile(
    r"\s{0,4}(?:[\w@/.+-]{1,60}[:!]? )?(?:\[?(?:ERROR|FATAL|Fatal|fatal|PHP Fatal)\]?\s?(?:error)?:?\s|(?:[Ee]rror|panic)(?:\[\w{1,20}\])?:\s|[A-Z]\w{1,20} Error at .{1,200}:)"
)
# The text before a test's name.
_TITLE = re.compile(r"(?:FAIL(?:ED)?|ERROR|not ok)?[:\s]{0,9}(?:\d{1,5}\)?\s)?")
_LABEL = re.compile(r":$|panicked at .{0,200}$")  # the text follows on the next line
_TOKEN = re.compile(r"[^\s\"'`=:,;()\[\]{}<>]{6,200}")
_QUOTED = re.compile(r"[\"'`\u2018-\u201d]([\w$.:@/-]{2,80})[\"'`\u2018-\u201d]")
_WORD = re.compile(r"[A-Za-z_$][\w$]{2,80}")
_NAME_OF_CODE = re.compile(r"_|\d|[a-z][A-Z]")  # marks a word as an identifier


def explain(log: CIJobLog, files: Sequence[ChangedFile]) -> CIFailure:
    """Return why a job failed. Secrets that are recognized in the log around the error are masked."""
    rows = _last_step([_clean(raw) for raw in log.text[-MAX_LOG_CHARS:].split("\n")])
    message, places, at = "", list[tuple[str, int]](), first_error(rows)
    if at is not None:
        message, places = _message(rows, at), _places_around(rows, at)
    path, line, side = trace(message, places, files) or ("", 0, "head")
    where = max(log.text.find(rows[at].strip()), 0) if at is not None else 0
    words = _TOKEN.findall(f"{log.name} {message}")  # a secret that is not shown needs no mask
    secret_rows = (
        row[:MAX_LINE_CHARS] for row in log.text[-MAX_LOG_CHARS:].split("\n") if any(word in row for word in words)
    )
    texts = (
        log.text[max(0, where - SECRET_CONTEXT_CHARS) : where + SECRET_CONTEXT_CHARS],
        "\n".join(islice(secret_rows, MAX_SECRET_ROWS)),
        log.name,
    )
    failure = CIFailure(log.id, log.name, log.ending, message, path, line, side, log.on_base, log.log)
    return written.of_log(failure, texts, [failure.path])


def first_error(rows: Sequence[str]) -> int | None:
    """Return the index of the row with the last step's error, or None if there is no such row."""
    tests = [index for index, row in enumerate(rows) if _TEST.match(row) and not is_exit(row)]
    places = range(max(0, tests[0] - ROWS_ABOVE_TEST) if tests else 0, len(rows))
    patterns: tuple[Callable[[str], object], ...] = (
        lambda row: (mark := _MARK.match(row)) and _ENDED.match(mark[1]),
        lambda row: (mark := _MARK.match(row)) and mark[1].strip() and not is_exit(row),
        lambda row: _CAUSE.match(row) and not is_exit(row),
        lambda row: _HEADLINE.match(row) and not is_exit(row),
    )
    found = next((at for look in patterns for at in places if look(rows[at])), None)
    if found is not None or tests:
        return tests[-1] if found is None else found
    return next((at for at in range(len(rows) - 1, -1, -1) if rows[at].strip() and not is_exit(rows[at])), None)


def is_exit(message: str) -> bool:
    """Return whether a message only reports an exit code, a number of failures, or a warning."""
    mark = _MARK.match(message)
    return bool(_NO_CAUSE.match((mark[1] if mark else message).strip()))


def one_line(text: str) -> str:
    """Return a message on one line, cut to MAX_ERROR_CHARS characters."""
    return " ".join(text.split())[:MAX_ERROR_CHARS]


def places_in(line: str) -> Iterator[tuple[str, int]]:
    """Yield the locations in a line as path and line number."""
    for match in _PLACE.finditer(line[:MAX_LINE_CHARS]):
        yield (match[1] or match[3] or match[5]).replace("\\", "/"), int(match[2] or match[4] or match[6])


def _clean(raw: str) -> str:
    """Return the part of a line after its last carriage return, without timestamp and escape sequences."""
    line = raw[:MAX_LINE_CHARS].rstrip("\r\n")
    return _ESCAPE.sub("", _STAMP.sub("", line, count=1).rpartition("\r")[2].expandtabs(4)).rstrip()


def _last_step(rows: Sequence[str]) -> Sequence[str]:
    """Return the output of the last failed step, without the runner's heading.

    A log without steps is one step.
    """
    ends = [index for index, row in enumerate(rows) if _MARK.match(row) and is_exit(row)]
    rows = rows[: ends[-1]] if ends else rows
    starts = [at for at, line in enumerate(rows) if line.startswith("##[group]Run ")]
    rows = rows[starts[-1] :] if starts else rows
    head = next((at for at, line in enumerate(rows) if line.startswith("##[endgroup]")), -1) if starts else -1
    return rows[head + 1 :]


def _message(rows: Sequence[str], at: int) -> str:
    """Return the error in a row as one line, with the name of the failed test if there is one."""
    at -= rows[at].lstrip().startswith("--> ")  # this row is the location of the row above it
    mark = _MARK.match(rows[at])
    text = (mark[1] if mark else rows[at]).strip().removeprefix("E ").strip()
    below = (line.strip() for line in rows[at + 1 : at + 4] if line.strip())
    text = f"{text} {next(below, '')}" if _LABEL.search(text) or _TEST.match(rows[at]) else text
    tests = [row for row in rows[max(0, at - TEST_SEARCH_ROWS) : at] if _TEST.match(row) and not is_exit(row)]
    title = (
        _TITLE.sub("", tests[-1].strip(" _-\u25cf"), count=1)[:MAX_TITLE_CHARS].strip() if tests and not mark else ""
    )
    return one_line(f"{title}: {text}" if title else text)


def _places_around(rows: Sequence[str], at: int) -> list[tuple[str, int]]:
    """Return the locations in a row and in the rows around it, such as those of a trace, nearest first."""
    # A table of problems, with the path in a line above it.
    if in_table := re.match(r"\s{1,12}(\d{1,7}):", rows[at]):
        paths = (
            line.strip().replace("\\", "/")
            for line in reversed(rows[max(0, at - LOCATION_ROWS) : at])
            if re.fullmatch(_PATH, line.strip())
        )
        return [(path, int(in_table[1])) for path in paths][:1]
    near = sorted(
        range(max(0, at - LOCATION_ROWS), min(len(rows), at + LOCATION_ROWS)), key=lambda one: (abs(one - at), one)
    )
    return [place for one in near for place in places_in(rows[one])]


def trace(message: str, places: Sequence[tuple[str, int]], files: Sequence[ChangedFile]) -> ChangedLine | None:
    """Return the changed line that causes an error: a location from the log, or a changed definition."""
    known = [(file, line) for path, line in places if (file := _file(path, files)) is not None]
    exact: list[ChangedLine] = [(file.path, line, "head") for file, line in known if line in file.added_lines]
    product = (place for place in exact if not is_test(place[0]))
    return next(product, None) or _line_defining_name(message, files) or next(iter(exact), None)


def _file(path: str, files: Sequence[ChangedFile]) -> ChangedFile | None:
    """Return the changed file for a path in a log, which may be relative to another folder."""
    name = "/".join(part for part in path.split("/") if part not in ("", ".", ".."))
    if not name:
        return None
    fits = [file for file in files if f"/{name}".endswith(f"/{file.path}")]
    fits = fits or [one for one in files if one.path.endswith(f"/{name}")]
    return max(fits, key=lambda one: len(one.path)) if fits else None


def _line_defining_name(message: str, files: Sequence[ChangedFile]) -> ChangedLine | None:
    """Return the changed line that defines a name in the message, after the change or else before it."""
    quoted = [word for name in _QUOTED.findall(message) for word in (name, *_WORD.findall(name))]
    words = [word for word in _WORD.findall(message) if _NAME_OF_CODE.search(word) or f"{word}()" in message]
    rows = [(file, line) for file in files for hunk in file.hunks for line in hunk.lines if line.kind != " "]
    for name in list(dict.fromkeys([*quoted, *words]))[:MOST_NAMES]:
        hits = {line.kind: (file, line) for file, line in rows if lines.defines(line.text, name, file.path)}
        if "-" in hits:  # the change removed or altered the definition
            file, one = hits.get("+", hits["-"])
            is_new = one.kind == "+"
            return (file.path, one.new or 0, "head") if is_new else (file.old_path or file.path, one.old or 0, "base")
    return None
