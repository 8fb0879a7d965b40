"""The first real error of the log of a CI job, by rules that hold for most tools: no tool is named in the code.

A log is looked through in this order: what the runner itself marks as an error, the first failed test with what its block says, the
first diagnostic or exception, the last line before the exit. Lines are cut before any pattern sees them.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

MOST = 4 << 20  # characters of a log that are looked at: its end
LINE, SHOWN = 2_000, 300  # characters of a line that is looked at, and of an error
BLOCK = 600  # lines below the heading of a failed test
ABOVE = 80  # lines above it
AROUND = 40  # lines around another error
PLACES = 30  # places in one error
HEADINGS = 400  # blocks of failed tests that are looked at
TITLE = 120  # characters of a test's name
TRACED = 12  # lines from a mark to its error

_STAMP = re.compile(r"^\ufeff?(?:\d{4}-\d\d-\d\d[T ][\d:.,]{8,30}(?:Z|[+-]\d\d:?\d\d)?\s)?")
_ESCAPE = re.compile(
    r"\x1b(?:\[[0-?]{0,64}[ -/]{0,8}[@-~]|\][^\x07\x1b]{0,400}(?:\x07|\x1b\\)?|[@-Z\\-_])|[\x00-\x08\x0b-\x1f\x7f-\x9f]"
)
# What a step, an action or a task runner says of its own end: it names no cause.
_EXIT = re.compile(
    r"(?:(?:npm ERR!|npm error|error|FAILURE|ELIFECYCLE|#\d{1,4}|\[\w{1,20}\]|[\w./-]{1,40} failed with)[: ]\s{0,3}){0,3}(?:The )?(?:"
    r"(?:process|command|(?:step )?script|task) .{0,200}?\b(?:completed|failed|exited|finished)\b.{0,40}\b(?:code|value|status)\b"
    r"|(?:failed to solve: )?process .{0,900}did not complete successfully: exit code"
    r"|(?:[\w./-]{1,40} ){1,4}(?:exited|failed) with (?:exit )?(?:code|status)\b|Exit status \d|run failed: command\b"
    r"|(?:[\w./-]{1,40} ){0,3}(?:build|run|command|job|step|task|test|check|lint(?:er|ing)?|action|pipeline|workflow)s? (?:has |have |was )?(?:failed|unsuccessful)"
    r"(?:[.!:]{0,2}\s{0,4}(?:https?:\S{1,300}|See .{0,200}|with an exception\.?)?)$)",
    re.IGNORECASE,
)
# Who speaks, in front of each line: a task of ant, a test runner, a service of compose, a step of a container's build, a package of a workspace.
_SPEAKER = re.compile(
    r"\s{0,12}\[(?:junit|junitlauncher|java|javac|exec|testng|groovyc|scalac|kotlinc|apply|ant:\w{1,20}|xUnit\.net [\d:.]{8,16})\] ?|(?:#\d{1,4} )?\d{1,6}\.\d{2,4} (?=\S|\s\s)"
    r"|[A-Za-z][\w.-]{0,59}[-_]\d{1,3} {1,30}\|(?: |$)|[@\w./-]{1,80}:(?:test|build|lint|typecheck|type-check|check|compile)(?:[:\w-]{0,40})?: ?|\u2502 ?"
)
_RUN, _GROUP, _END = "##[group]Run ", "##[group]", "##[endgroup]"
_MARKED = re.compile(r"##\[error\]\s*|::error(?:\s([^:]{0,600}))?::|Error: (?=Process completed)")
_PROPERTY = re.compile(r"(file|line)=([^,]{1,400})")
_PATH = r"[\w@+~$./\\-]{1,300}+"
_PLACE = re.compile(
    rf"\bFile \"([^\"]{{1,300}})\", line (\d{{1,7}})|\b(?:in (?=\S{{1,300}} on line)|on (?=\S{{1,300}} line))({_PATH}) (?:on )?line (\d{{1,7}})"
    rf"|(?<![\w@+~$./\\-])({_PATH})(?::(?:line )?|\(|:\[)(\d{{1,7}})"
)
_CALL = re.compile(rf"\s{{1,12}}(?:at|\u276f|#) .{{0,200}}?{_PATH}:\d{{1,7}}")  # a line of a stack
_FRAME = re.compile(r"\s*File \"")
_PARSED = re.compile(r"E\s{2,40}File \"")  # pytest names the file that does not parse
# Words in front of a message: who speaks, and the severity.
_HEAD = r"\s{0,3}(?:\[?(?:ERROR|error|FATAL|fatal|err)\]?(?:\s{0,3}:)?\s{1,9})?"
_MILD = r"(?:warn|note|info|debug|help|trace|hint|deprecat|\w{0,30}Warning)"
# `path:line:column: text`, `path(line,column): error`, `path:[line,column] text`.
_LOCATED = re.compile(
    rf"{_HEAD}(?:[A-Za-z]:)?(?=[^\s:(]{{0,300}}[./\\])({_PATH})(?::\d{{1,7}}:\d{{1,7}}|\(\d{{1,7}},\d{{1,7}}\)|:\[\d{{1,7}},\d{{1,7}}\])\s?:?(?:\s-)?\s+(?!{_MILD})\S",
    re.IGNORECASE,
)
_LOCATED_ERROR = re.compile(
    rf"{_HEAD}(?:[A-Za-z]:)?({_PATH})(?::\d{{1,7}}|\(\d{{1,7}}\)):?\s+(?:\w{{1,20}} )?(?:error\b|\w{{1,60}}(?:Error|Exception)\b|undefined reference)",
)
_LOCATED_BELOW = re.compile(
    rf"\s{{0,3}}\[?(?:ERROR|error|err)\]?:?\s{{1,9}}({_PATH}):\d{{1,7}}: \S"
)  # the severity comes first
_INDENTED = re.compile(
    r"\s{1,12}(?=[\u2716\u2717\u00d7] {1,4}\d|\d{1,7}:\d{1,7}\s{1,8}(?:error|✖)\s)(?:\D{1,5})?(\d{1,7}):(\d{1,7})\s",
    re.IGNORECASE,
)  # below a line with the path
_FILE = re.compile(r"(?:[A-Za-z]:)?[\w@+~$./\\-]{1,300}")
_HEADLINE = re.compile(
    r"\s{0,4}(?:[\w@/.+-]{1,60}(?:\[\d{1,9}\])?[:!]? )?(?:\[?(?:ERROR|ERR!?|FATAL|Fatal|fatal|FAILURE|PHP Fatal|PHP Parse)\]?\s?(?:error)?(?:\[\w{1,20}\])?:?\s|(?:[Ee]rror|panic)(?:\[\w{1,20}\])?:\s|(?<=\S )error \S"
    r"|\*\*\* |\*\* \(|\* What went wrong:$|[Ww]ould reformat|FAILED: (?:\[code=\d{1,4}\] )?\S|\s{0,4}Error \(\w|Diff in \S|error (?=[A-Z]+\d)|[A-Z]\w{1,20} Error\b(?: at .{1,200})?:?)"
)
_EXCEPTION = re.compile(
    r"(?:E\s{2,40})?\s{0,12}(?:=> |\*\* \()?(?:Uncaught |Unhandled |Caused by: |Exception in thread \"[^\"]{0,80}\" )?"
    r"(?:[\w$]{1,80}+[.:\\]{1,2}){0,12}[\w$]{0,80}(?:Error|Exception|Failure|Panic|Fault|Timeout|Warning as error)(?: \[\w{1,60}\])?(?::\s|\s\(|\) |:?$)"
)
_ASSERTED = re.compile(
    r"E\s{2,40}(?!File \")\S|\s{0,12}(?:error: \S|Failure/Error|Error Message|Failed asserting|\*\* \(|thread '.{0,200}' .{0,20}panicked at|[Aa]ssert\w{0,20} .{0,200}failed)"
)
_DEATH = re.compile(
    r"\bheap out of memory|\bout of memory\b|\bOutOfMemory|\bKilled\b|\bSegmentation fault|\bcore dumped|\btimed? ?out\b|\bcommand not found"
    r"|: not found$|\bNo such file or directory|\bcannot find\b|\bPermission denied|\bunable to\b|\bcould not\b|\bfailed\b|\berror\b",
    re.IGNORECASE,
)
_ARROW = re.compile(rf"\s{{1,12}}(?:-->|╭─\[|┌─)\s?{_PATH}:\d")  # below the message that it places
_KILLED = re.compile(
    r": line \d{1,7}:\s{1,4}\d{1,9} (?:Killed|Segmentation fault|Aborted|Bus error|Illegal instruction|Terminated)|heap out of memory|\binsufficient memory"
    r"|\bOutOfMemory|: undefined (?:reference|symbol)|\bmultiple definition of "
)
# How the block of a failed test begins.
_TEST = re.compile(
    r"\s{0,8}(?:---\s?FAIL:? |(?:FAIL|ERROR): \S{1,200}(?: \(|$)|(?:FAILED|ERROR) \S{1,300}(?:::| - )|FAIL\s{1,4}\S{1,300} > |● (?!Console$|.{1,60}Warning:?$)|\d{1,5}\) \S|not ok \d|[\u2716\u2717\u2718\u00d7\u2715] \S|_{1,200} [^_\s].{0,300} _{1,200}$"
    r"|---- .{1,300} stdout ----$|test .{1,300} \.\.\. FAILED$|Failed \S{1,300} \[|failed \S.{0,300} \(\d[\dhms. ]{0,30}\)$)"
)
_AFTER = re.compile(r"\s{0,8}---\s?FAIL")  # go test -v prints what a test says before its heading
_PASSED = re.compile(r"\s{0,20}(?:[\u2713\u2714\u221a] |ok \d|PASS(?:ED)?\s|--- PASS|\d{1,6} passing)")
_TEST_END = re.compile(
    r"(?:<<< (?:FAILURE|ERROR)!|\sFAILED|\[FAIL\]|\*\*\*(?:Failed|Timeout|Exception).{0,40})\s*(?:--? in .{1,200})?$"
)
_TITLE = re.compile(
    r"^\s*(?:---\s?FAIL:?|FAIL(?:ED)?:?|ERROR:?|●|\d{1,5}\)|not ok \d{1,6}(?: -)?|[\u2716\u2717\u2718\u00d7\u2715]|_{1,200}|----|test|Failed|\[ERROR\])\s+"
    r"|(?<!\s)\s*(?:_{1,200}|stdout ----|\.\.\. FAILED|<<< (?:FAILURE|ERROR)!.{0,200}|\sFAILED|\[FAIL\]|\[\d{1,9} m?s\]|\(\d[\d.]{0,9}\s?m?s\))$"
)
# Who ended the job before it came to an end: nothing else that it printed is the cause.
_ENDED = re.compile(
    r"The (?:operation|job|run|workflow)\b.{0,80}\b(?:cancell?ed|timed out|exceeded)|.{0,200}\bhas (?:timed out after|exceeded the maximum execution time)|The (?:hosted |self-hosted )?runner\b.{0,200}\b(?:shutdown signal|lost communication)"
)
_OVER = re.compile(
    r"(?:\[\w{1,9}\] )?(?:BUILD FAIL(?:URE|ED)|Failed to execute goal|FAILED \((?:failures|errors)|Test Suites: \d)|={3,200} .{0,200}\bfailed\b|\s{0,4}\d{1,6} failing|make(?:\[\d\])?: \*\*\*"
)
_AHEAD = re.compile(r"^(?:E\s{2,40}|\* What went wrong:|\s{0,12}=> )")  # in front of a reason
_SUITE = re.compile(r"Tests run: \d{1,7}, (?:Failures: [1-9]|Failures: 0, (?:Aborted: 0, )?Errors: [1-9])")
_LIST = re.compile(r"(?:\[ERROR\] )?(?:Failed tests|Tests in error): *$")  # above the names
_UNBUILT = re.compile(
    r"\[build failed\]|could not compile|COMPILATION ERROR|\b[Cc]ompilation (?:failed|error|aborted)|Build FAILED|\bfatal error:|compilation terminated"
)
_USAGE = re.compile(r"[Uu]sage:|USAGE:")  # below what was wrong with a command line
_SECTION = re.compile(r"={3,200}(?: .{1,200} ={3,200})?$")
_RULER = re.compile(r"[-=_*~#]{3}")
_LABEL = re.compile(r":$|: [|>]-?$|\bcode \w{1,20}$")  # a label: its text is on the next line
_COUNTS = re.compile(
    r"\s{0,8}(?:\[ERROR\] )?(?:Tests run:|Tests:|Test Suites:|Failed [Tt]ests|FAILURES|Failures:|Errors?:?\s*$|[=-]{3,200}\s*$|={3,200} .{1,200} ={3,200}$|\d{1,6} (?:passing|failing|passed|failed|pending|error|example|problem|test)|There (?:was|were) \d|Traceback|Found \d|"
    r"failures:|[✖✗] \d{1,6} |npm (?:ERR!|error)(?:\s*$|\s{1,4}(?:Linux|Darwin|Windows|argv|node v|npm\s{1,4}v|code ELIFECYCLE|errno|syscall|A complete log|This is (?:probably|most)|Failed at the|Tell the author|There is likely|You can get|Make sure))|BUILD FAIL|\[ERROR\] WARNING:|\[?(?:error|ERROR)\]? (?:Total time|The build could not read|(?:\d{1,6}|one|two|three) errors? found)|:[\w:.-]{1,200} FAILED$|Test run summary:|error: (?:test failed, to rerun|could not compile|aborting due to)|> Task :|\S{0,40}make\S{0,20}: \*\*\* \[.{1,300}\] Error \d)"
)


@dataclass(frozen=True, slots=True)
class LogError:
    """The first real error of a log: one line, and the places that it and the lines around it name, the most telling first."""

    message: str
    places: tuple[tuple[str, int], ...] = ()


def first_error(log: str) -> LogError | None:
    """Find the first real error of a log; None if nothing in it looks like one."""
    lines = _region(_lines(log[-MOST:]))
    end = _first(lines, lambda line: bool(_ENDED.match(_mark(line))))
    mark = _first_mark(lines) if end is None else end
    if mark is None:
        return _unmarked(lines)
    over = _first(lines[:mark], lambda line: bool(_OVER.match(line)))
    if over is not None and _EXCEPTION.match(_mark(lines[mark])):  # what was marked after the end is no first error
        return _unmarked(lines[:mark])
    return _marked(lines, mark)


def _unmarked(lines: Sequence[str]) -> LogError | None:
    """The first error of what nobody has marked."""
    test, diagnostic = _first_test(lines), _first(lines, _is_located)
    if test is not None and diagnostic is not None and any(map(_is_reason, _block(lines, test))):
        is_unbuilt = any(_UNBUILT.search(line) for line in lines)
        diagnostic = diagnostic if is_unbuilt else None  # tests ran after it: it did not stop the build
    if test is not None and (diagnostic is None or test < diagnostic) and not _is_listed_only(lines, test):
        return _test_error(lines, test)
    if (row := _first(lines, lambda line: bool(_LIST.match(line)))) is not None and diagnostic is None:
        return _error(lines, row)
    strong = next((at for at in range(len(lines)) if _is_strong(lines, at)), None)
    looks: tuple[Callable[[], int | None], ...] = (
        lambda: _first(lines, lambda line: bool(_SUITE.match(line))),
        lambda: _first(lines, lambda line: bool(_HEADLINE.match(line)) and not _is_sum(line)),
        lambda: _above_usage(lines),
        lambda: _last(lines, lambda line: bool(_DEATH.search(line)) and not _is_sum(_mark(line) or line)),
        lambda: _last(lines, lambda line: bool(line.strip()) and not is_exit(_mark(line) or line)),
    )
    at = strong if strong is not None else next((at for look in looks if (at := look()) is not None), None)
    return None if at is None else _error(lines, at)


def _above_usage(lines: Sequence[str]) -> int | None:
    """What a program said of its command line before it explained that."""
    usage = _first(lines, lambda line: bool(_USAGE.match(line)))
    return None if usage is None else _last(lines[:usage], lambda line: bool(line.strip()))


def _is_listed_only(lines: Sequence[str], test: int) -> bool:
    """Whether all that is known of failed tests is a list of their names."""
    return not any(map(_is_reason, _block(lines, test))) and any(_LIST.match(line) for line in lines)


def places_in(line: str) -> Iterator[tuple[str, int]]:
    """The places that a line names, as path and line."""
    for match in _PLACE.finditer(line[:LINE]):
        path = match[1] or match[3] or match[5]
        yield path.replace("\\", "/"), int(match[2] or match[4] or match[6])


def is_exit(message: str) -> bool:
    """Whether a message states nothing but that a process has failed."""
    return bool(_EXIT.match(message.strip()))


def _lines(log: str) -> list[str]:
    """The lines as a person reads them: without times and escapes, each after its last carriage return."""
    return [_clean(raw) for raw in log.split("\n")]


def _clean(raw: str) -> str:
    line = raw[:LINE].rstrip("\r\n")
    line = _ESCAPE.sub("", _STAMP.sub("", line, count=1).rpartition("\r")[2].expandtabs(4)).rstrip()
    return _SPEAKER.sub("", line, count=1) if _SPEAKER.match(line) else line


def _is_exit(line: str) -> bool:
    match = _MARKED.match(line)
    return match is not None and is_exit(line[match.end() :])


def _region(lines: Sequence[str]) -> list[str]:
    """The output of the last step that failed, without what the runner writes above it; everything if no step is marked."""
    end = _last(lines, _is_exit)
    if end is None:
        first = _first(lines, lambda line: bool(_MARKED.match(line)))
        after = None if first is None else _first(lines[first:], lambda line: line.startswith(_RUN))
        end = len(lines) if first is None or after is None else first + after
    start = _last(lines[:end], lambda line: line.startswith(_RUN))
    if start is None:
        return list(lines[:end])
    head = _first(lines[start:end], lambda line: line.startswith(_END))
    return list(lines[start + (1 if head is None else head + 1) : end])


def _mark(line: str) -> str:
    """What the runner or a tool marks as an error, "" if nothing."""
    match = _MARKED.match(line.lstrip())
    return line.lstrip()[match.end() :].strip() if match else ""


def _first_mark(lines: Sequence[str]) -> int | None:
    """The first line that is marked as an error of this job and states more than an end or a number."""
    return _first(lines, lambda line: bool(text := _mark(line)) and not _is_sum(text))


def _marked(lines: Sequence[str], at: int) -> LogError:
    """The error of a marked line."""
    match, text = _MARKED.match(lines[at].lstrip()), _mark(lines[at])
    plain = [*lines[:at], text, *lines[at + 1 :]]
    below = _first(plain[at : at + TRACED], lambda line: bool(_EXCEPTION.match(line)))
    if (
        at and _FRAME.match(lines[at - 1]) and below is not None
    ):  # a line of a trace is marked: its error stands at the end
        return _error(plain, at + below)
    attributes = match[1] if match else None
    error = (
        _error(plain, at) if _TEST.match(text) or _EXCEPTION.match(text) or not attributes else LogError(text[:SHOWN])
    )
    properties = dict(_PROPERTY.findall(attributes or ""))
    number = properties.get("line", "").strip()
    if "file" in properties and number.isdecimal() and number.isascii():
        return LogError(error.message, ((properties["file"].strip(), int(number[:7])), *error.places))
    return error


def _is_sum(line: str) -> bool:
    """Whether a line counts failures or states an end, and names no cause."""
    return bool(_COUNTS.match(line)) or is_exit(line)


def _is_located(line: str) -> bool:
    return bool(
        _LOCATED.match(line) or _LOCATED_BELOW.match(line) or _LOCATED_ERROR.match(line) or _INDENTED.match(line)
    )


def _is_strong(lines: Sequence[str], at: int) -> bool:
    """Whether a line states an error that no program prints in passing: with its place, as an exception, as the end of a process."""
    line = lines[at]
    if _is_sum(line):
        return False
    if _is_located(line) or _EXCEPTION.match(line) or _KILLED.search(line):
        return True
    return (
        at + 1 < len(lines)
        and bool(_ARROW.match(lines[at + 1]))
        and not re.match(rf"\s{{0,4}}{_MILD}", line, re.IGNORECASE)
    )


def _is_test(line: str) -> bool:
    return bool((_TEST.match(line) or _TEST_END.search(line)) and not _COUNTS.match(line))


def _first_test(lines: Sequence[str]) -> int | None:
    """The first failed test whose block says why; else the first."""
    headings = [at for at, line in enumerate(lines) if _is_test(line)][:HEADINGS]
    telling = (at for at in headings if any(map(_is_reason, _block(lines, at))))
    return next(telling, headings[0] if headings else None)


def _is_reason(line: str) -> bool:
    return bool(_EXCEPTION.match(line) or _ASSERTED.match(line) or _PLACE.match(line.lstrip()) or _CALL.match(line))


def _block(lines: Sequence[str], heading: int) -> Sequence[str]:
    """What is written below the heading of a failed test, up to the next one; if that says nothing, what is indented right above it."""
    below = lines[heading + 1 : heading + 1 + BLOCK]
    end = _first(below, _is_test)
    below = below if end is None else below[:end]
    first_passed = _first(below, lambda line: bool(_PASSED.match(line) or _SECTION.match(line)))
    below = below if first_passed is None else below[:first_passed]
    if not _AFTER.match(lines[heading]):
        return below
    above = lines[max(0, heading - ABOVE) : heading]
    flush = _last(above, lambda line: bool(line) and not line.startswith(" "))
    above = above if flush is None else above[flush + 1 :]
    return above if any(map(_is_reason, above)) and not any(map(_is_reason, below)) else below


def _test_error(lines: Sequence[str], heading: int) -> LogError:
    """A failed test: its name, and the line of its block that says why."""
    block = _block(lines, heading)
    title = _TITLE.sub("", _TITLE.sub("", lines[heading])).strip()
    at = _why(block)
    if at is None and _PLACE.search(title):
        return LogError(one_line(title), _places([lines[heading], *block], 0))
    if at is None:
        at = _first(block, lambda line: bool(line.strip()) and not _is_sum(line) and not _FRAME.match(line))
    reason = _reason(block, at) if at is not None else ""
    message = f"{title[:TITLE]}: {reason}" if reason and reason not in title else title
    return LogError(one_line(message), _places([lines[heading], *block], 0 if at is None else at + 1))


def _why(block: Sequence[str]) -> int | None:
    """The line of a block that says why; the exception rather than the line of code that raised it, or that a parser could not read."""
    trace = _first(block, lambda line: line.startswith("Traceback (most"))
    if trace is not None:  # what is flush below a trace is its error, whatever it is called
        end = _first(block[trace + 1 :], lambda line: bool(line) and not line.startswith(" "))
        return None if end is None else trace + 1 + end
    at = _first(block, lambda line: bool(_EXCEPTION.match(line) or _ASSERTED.match(line)) and not _is_sum(line))
    if at is None:
        return None
    is_code = block[at].lstrip().startswith("Failure/Error") or (at > 0 and _PARSED.match(block[at - 1]))
    below = _first(block[at + 1 : at + 1 + TRACED], lambda line: bool(_EXCEPTION.match(line))) if is_code else None
    return at if below is None else at + 1 + below


def _reason(block: Sequence[str], at: int) -> str:
    """The line that says why; where that is a label alone, with the next one."""
    text = _AHEAD.sub("", block[at]).strip()
    if not text:
        return " ".join(line.strip() for line in block[at + 1 : at + 3])
    if _LABEL.search(text) and (more := _after(block, at)):
        return f"{text} {more}"
    return text


def _after(block: Sequence[str], at: int) -> str:
    """What a label is followed by; a ruler is no text."""
    more = next((line.strip() for line in block[at + 1 : at + 4] if line.strip()), "")
    return "" if _RULER.match(more) else more


def _error(lines: Sequence[str], at: int) -> LogError:
    """An error at a line: with the path above it if it names none, and the places around it."""
    line = lines[at]
    match = _INDENTED.match(line)
    if match:
        above = (one for one in reversed(lines[max(0, at - BLOCK) : at]) if _FILE.fullmatch(one.strip()))
        path = next(above, "").strip().replace("\\", "/")
        return LogError(one_line(line), ((path, int(match[1])),) if path else ())
    start = max(0, at - AROUND)
    message = _reason(lines[at : at + 4], 0)
    if (
        at and _SUITE.match(line) and lines[at - 1].startswith("Running ")
    ):  # nothing but its number is known of the failed test
        message = f"{lines[at - 1].removeprefix('Running ')}: {message}"
    return LogError(one_line(message), _places(lines[start : at + AROUND], at - start))


def _places(lines: Sequence[str], at: int) -> tuple[tuple[str, int], ...]:
    """The places of a line, then of those below it, then of those above it from the nearest on."""
    order = [lines[at], *lines[at + 1 :], *reversed(lines[:at])]
    if any(_FRAME.match(line) for line in lines[:at]):  # the innermost frame stands last, right above
        order = [lines[at], *reversed(lines[:at]), *lines[at + 1 :]]
    return tuple(dict.fromkeys(place for line in order for place in places_in(line)))[:PLACES]


def one_line(text: str) -> str:
    """A message on one line, cut."""
    return " ".join(text.split())[:SHOWN]


def _first(lines: Sequence[str], holds: Callable[[str], bool]) -> int | None:
    return next((at for at, line in enumerate(lines) if holds(line)), None)


def _last(lines: Sequence[str], holds: Callable[[str], bool]) -> int | None:
    return next((at for at in range(len(lines) - 1, -1, -1) if holds(lines[at])), None)
