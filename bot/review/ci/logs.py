"""The error that the log of a CI job reports, by rules that hold for most tools: no tool is named in the code.

What the runner marks as an error counts first, then the first failed test with the line that says why, then the first diagnostic,
exception or `error:`; else the last line before the exit. Lines are cut before any pattern sees them.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

MOST = 4 << 20  # characters of a log that are looked at: its end
LINE, SHOWN, TITLE = 2_000, 300, 120  # characters of a line that is looked at, of an error, of a test's name
ABOVE, BELOW = 40, 60  # lines around an error whose places count
PLACES = 30  # places in one error

_STAMP = re.compile(r"^\ufeff?(?:\d{4}-\d\d-\d\d[T ][\d:.,]{8,30}(?:Z|[+-]\d\d:?\d\d)?\s)?")
_ESCAPE = re.compile(
    r"\x1b(?:\[[0-?]{0,64}[ -/]{0,8}[@-~]|\][^\x07\x1b]{0,400}(?:\x07|\x1b\\)?|[@-Z\\-_])|[\x00-\x08\x0b-\x1f\x7f-\x9f]"
)
# Who speaks in front of each line: a task, a service of compose, a step of a container's build, a package of a workspace.
_SPEAKER = re.compile(
    r"\s{0,12}\[(?:[a-z:]{3,30}|xUnit\.net [\d:.]{8,16})\] ?|#\d{1,4} \d{1,6}\.\d{2,4} |[A-Za-z][\w.-]{0,59}[-_]\d{1,3} {1,30}\|(?: |$)"
    r"|[@\w./-]{1,80}:(?:test|build|lint|typecheck|check|compile): ?|\u2502 ?"
)
_MARK = re.compile(r"\s{0,12}(?:##\[error\]|::error(?:\s([^:]{0,600}))?::)\s{0,3}(.*)")
_PROPERTY = re.compile(r"(file|line)=([^,]{1,400})")
# What a step or a task runner says of its own end, and sums: they name no cause.
_NO_CAUSE = re.compile(
    r"(?:.{0,300}\b(?:exit(?:ed)?|completed|failed|finished)\b.{0,40}\b(?:code|status|value)\b"
    r"|.{0,80}\b(?:build|run|job|step|task|tests?|check|action|workflow|pipeline|goal)s? (?:has |have |was )?(?:failed|unsuccessful|FAILED)\b"
    r"|\W{0,3}(?:\[?ERROR\]? )?(?:Tests?(?: run)?:|Test Suites:|Failed tests|FAILURES|Failures:|failures:|BUILD FAIL|Found \d|Errors?:?\s{0,3}$|\d{1,6} (?:passing|failing|passed|failed|error|problem|example|test)|> Task )"
    r"|npm (?:ERR!|error)\s{0,4}(?:$|code ELIFECYCLE|errno|A complete log|This is)|.{0,40}ELIFECYCLE|\[?(?:ERROR|error)\]?:? (?:WARNING|test failed, to rerun|could not compile|aborting due to)"
    r"|\S{0,40}make\S{0,20}: \*\*\*)",
    re.IGNORECASE,
)
_ENDED = re.compile(
    r".{0,200}\b(?:operation|job|run|workflow|action|runner)\b.{0,200}\b(?:cancell?ed|timed out|exceeded|shutdown signal|lost communication)"
)
_PATH = r"[\w@+~$./\\-]{1,300}+"
_PLACE = re.compile(
    rf"\bFile \"([^\"]{{1,300}})\", line (\d{{1,7}})|\b(?:in|on) (?=\S{{1,300}} (?:on )?line)({_PATH}) (?:on )?line (\d{{1,7}})"
    rf"|(?<![\w@+~$./\\-])({_PATH})(?::(?:line )?|\(|:\[)(\d{{1,7}})"
)
_MILD = re.compile(r".{0,400}?\b(?:warn(?:ing)?|note|info|debug|hint|deprecat\w{0,10})\b[: \]]", re.IGNORECASE)
_LOCATED = re.compile(
    rf"\s{{0,3}}(?:\[?(?:ERROR|error|err)\]?:?\s{{1,9}})?(?:[A-Za-z]:)?(?=[^\s:(]{{0,300}}[./\\]){_PATH}"
    r"(?::\d{1,7}:\d{1,7}|\(\d{1,7},\d{1,7}\)|:\[\d{1,7},\d{1,7}\]|:\d{1,7}(?=:? (?:\w{1,20} )?(?:error\b|undefined reference|\w{1,60}(?:Error|Exception)\b)))\s?:?\s"
)
_INDENTED = re.compile(r"\s{1,12}(\d{1,7}):\d{1,7}\s{1,8}(?:error|\u2716)\s")  # below a line with the path
_EXCEPTION = re.compile(
    r"(?:E\s{2,40})?\s{0,12}(?:=> |\*\* \()?(?:Uncaught |Unhandled |Caused by: |Exception in thread \"[^\"]{0,80}\" )?"
    r"(?:[\w$]{1,80}+[.:\\]{1,2}){0,12}[\w$]{0,80}(?:Error|Exception|Failure|Panic|Fault|Timeout)(?: \[\w{1,60}\])?(?::\s|\s\(|\) |:?$)"
)
_ASSERTED = re.compile(
    rf"E\s{{2,40}}(?!File \"|\^)\S|\s{{4,12}}(?=[^\s:]{{1,300}}\.\w){_PATH}:\d{{1,7}}: \S|.{{0,300}}: line \d{{1,7}}:\s{{1,4}}\d{{1,9}} (?:Killed|Segmentation fault|Aborted)|"
    r"\s{0,12}(?:Failure/Error|Error Message|Failed asserting|\*\* \(|thread '.{0,200}' .{0,20}panicked at|[Aa]ssert\w{0,20} .{0,200}(?:failed|Failure))"
)
_ARROW = re.compile(rf"\s{{1,12}}--> {_PATH}:\d")  # below the message that it places
_HEADLINE = re.compile(
    r"\s{0,4}(?:[\w@/.+-]{1,60}[:!]? )?(?:\[?(?:ERROR|FATAL|Fatal|fatal|PHP Fatal)\]?\s?(?:error)?:?\s|(?:[Ee]rror|panic)(?:\[\w{1,20}\])?:\s|[A-Z]\w{1,20} Error at .{1,200}:|\* What went wrong:$)"
)
_TEST = re.compile(
    r"\s{0,8}(?:---\s?FAIL:? |(?:FAIL|ERROR): \S|FAILED \S{1,300}::|FAIL\s{1,4}\S{1,300} > |\u25cf (?!Console$)|\d{1,5}\) \S|not ok \d|[\u2716\u2717\u2718\u00d7\u2715] \S"
    r"|_{1,200} [^_\s].{0,300} _{1,200}$|---- .{1,300} stdout ----$|.{1,300} (?:<<< (?:FAILURE|ERROR)!|\[FAIL\])$)"
)
_TITLE = re.compile(
    r"^\s*(?:---\s?FAIL:?|FAIL(?:ED)?:?|ERROR:?|\u25cf|\d{1,5}\)|not ok \d{1,6}(?: -)?|[\u2716\u2717\u2718\u00d7\u2715]|_{1,200}|----)\s+"
    r"|(?<!\s)\s*(?:_{1,200}|stdout ----|<<< (?:FAILURE|ERROR)!|\[FAIL\]|\(\d[\d.]{0,9}\s?m?s\))$"
)
_LABEL = re.compile(r":$|panicked at .{0,200}$")  # its text is on the next line


@dataclass(frozen=True, slots=True)
class LogError:
    """The error of a log: one line, and the places that it and the lines around it name, the most telling first."""

    message: str
    places: tuple[tuple[str, int], ...] = ()


def first_error(log: str) -> LogError | None:
    """Find the first error of a log; None if nothing in it looks like one."""
    lines = _last_step([_clean(raw) for raw in log[-MOST:].split("\n")])
    at = _first(lines, lambda line: bool((mark := _MARK.match(line)) and _ENDED.match(mark[2])))
    at = _first(lines, _is_marked) if at is None else at
    at = _of_test(lines) if at is None else at
    at = _first(lines, _is_cause) if at is None else at
    at = _first(lines, _is_headline) if at is None else at
    if at is None:
        at = next((n for n in range(len(lines) - 1, -1, -1) if lines[n].strip() and not is_exit(lines[n])), None)
    return None if at is None else _error(lines, at)


def places_in(line: str) -> Iterator[tuple[str, int]]:
    """The places that a line names, as path and line."""
    for match in _PLACE.finditer(line[:LINE]):
        path = match[1] or match[3] or match[5]
        yield path.replace("\\", "/"), int(match[2] or match[4] or match[6])


def is_exit(message: str) -> bool:
    """Whether a message states nothing but that a process has failed, or counts failures."""
    mark = _MARK.match(message)
    return bool(_NO_CAUSE.match((mark[2] if mark else message).strip()))


def one_line(text: str) -> str:
    """A message on one line, cut."""
    return " ".join(text.split())[:SHOWN]


def _clean(raw: str) -> str:
    """A line as a person reads it: without time, escapes and speaker, after its last carriage return."""
    line = raw[:LINE].rstrip("\r\n")
    line = _ESCAPE.sub("", _STAMP.sub("", line, count=1).rpartition("\r")[2].expandtabs(4)).rstrip()
    return _SPEAKER.sub("", line, count=1) if _SPEAKER.match(line) else line


def _last_step(lines: Sequence[str]) -> Sequence[str]:
    """The output of the last step that failed, without what the runner writes above it; everything if no step is marked."""
    ends = [at for at, line in enumerate(lines) if _MARK.match(line) and is_exit(line)]
    end = ends[-1] if ends else len(lines)
    starts = [at for at, line in enumerate(lines[:end]) if line.startswith("##[group]Run ")]
    if not starts:
        return lines[:end]
    head = _first(lines[starts[-1] : end], lambda line: line.startswith("##[endgroup]"))
    return lines[starts[-1] + (1 if head is None else head + 1) : end]


def _is_marked(line: str) -> bool:
    mark = _MARK.match(line)
    return bool(mark and mark[2].strip()) and not is_exit(line)


def _is_headline(line: str) -> bool:
    return bool(_HEADLINE.match(line)) and not is_exit(line) and not _MILD.match(line)


def _is_cause(line: str) -> bool:
    is_error = (
        _ARROW.match(line)
        or _LOCATED.match(line)
        or _INDENTED.match(line)
        or _EXCEPTION.match(line)
        or _ASSERTED.match(line)
    )
    return bool(is_error) and not is_exit(line) and not _MILD.match(line)


def _of_test(lines: Sequence[str]) -> int | None:
    """The line that says why the first failed test failed: below its heading, else right above it, else what follows the last heading."""
    headings = [at for at, line in enumerate(lines) if _is_test(line)]
    if not headings:
        return None
    first, last = headings[0], headings[-1]
    at = _first(lines, _is_cause, first)
    above = next((n for n in range(first - 1, max(-1, first - 4), -1) if _is_cause(lines[n])), None)
    at = above if at is None else at
    at = _first(lines, _is_headline, first) if at is None else at
    return _first(lines, lambda line: bool(line.strip()) and not is_exit(line), last + 1) if at is None else at


def _is_test(line: str) -> bool:
    return bool(_TEST.match(line)) and not is_exit(line)


def _error(lines: Sequence[str], at: int) -> LogError:
    """The error at a line: behind the name of its failed test if it has one, with the places around it."""
    mark = _MARK.match(lines[at])
    line = lines[at - 1] if at and _ARROW.match(lines[at]) else lines[at]
    text = (mark[2] if mark else line).strip().removeprefix("E ").strip()
    if _LABEL.search(text):
        text = " ".join([text, *(line.strip() for line in lines[at + 1 : at + 4] if line.strip())][:2])
    places = list(_places(lines, at))
    if mark and mark[1]:
        found = dict(_PROPERTY.findall(mark[1]))
        if "file" in found and found.get("line", "").isdecimal():
            places.insert(0, (found["file"].strip(), int(found["line"][:7])))
    if indented := _INDENTED.match(lines[at]):
        above = (line.strip() for line in reversed(lines[max(0, at - ABOVE) : at]))
        path = next((line for line in above if re.fullmatch(_PATH, line)), "")
        places = [(path.replace("\\", "/"), int(indented[1]))] if path else places
    tests = [line for line in lines[max(0, at - 5 * ABOVE) : at] if _is_test(line)]
    title = _TITLE.sub("", _TITLE.sub("", tests[-1])).strip()[:TITLE] if tests and not mark else ""
    return LogError(one_line(f"{title}: {text}" if title else text), tuple(dict.fromkeys(places))[:PLACES])


def _places(lines: Sequence[str], at: int) -> Iterator[tuple[str, int]]:
    """The places of a line, then of the trace above it from the nearest on, then of what is below it."""
    above, below = lines[max(0, at - ABOVE) : at], lines[at + 1 : at + BELOW]
    is_trace = any(line.lstrip().startswith('File "') for line in above)
    rest = [*reversed(above), *below] if is_trace else [*below, *reversed(above)]
    for line in (lines[at], *rest):
        yield from places_in(line)


def _first(lines: Sequence[str], holds: Callable[[str], bool], start: int = 0) -> int | None:
    return next((at for at in range(start, len(lines)) if holds(lines[at])), None)
