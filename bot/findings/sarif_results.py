"""Read results of other tools from SARIF 2.1.0.

The files are untrusted, so a value of an unexpected type counts as missing. `read` converts a file to plain
rows, and `results_in_change` keeps those in changed files.
"""

import json
import posixpath
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar
from urllib.parse import unquote

from bot.errors import UsageError
from bot.render import count
from bot.values import ChangedFile, Severity
from bot.values.tool_results import ToolResult, ToolRun

MAX_SARIF_BYTES = 64 << 20  # per file
MOST_RESULTS = 100_000  # per file
MOST_WORDS = 600  # characters of a message or name
SARIF_SEVERITIES: Mapping[str, Severity] = {"error": "high", "warning": "medium", "note": "low"}
SCORES: Sequence[tuple[float, Severity]] = ((9.0, "critical"), (7.0, "high"), (4.0, "medium"), (0.1, "low"))
NOWHERE = "/"  # the path of a result that names no file
# Properties of an invocation that failed
ENDED_EARLY = ("exitSignalName", "exitSignalNumber", "processStartFailureMessage")
MOST_ROOTS = 50  # folders that may be the repository
NOTHING: dict[str, Any] = {}
EMPTY: list[Any] = []
Value = TypeVar("Value")


class _Run:
    def __init__(self, row: object) -> None:
        self.row = row
        self._invocations, self._artifacts = _at(row, "invocations", EMPTY), _at(row, "artifacts", EMPTY)
        self._parts = [_at(row, "tool.driver", NOTHING), *_at(row, "tool.extensions", EMPTY)]
        # As in GitHub's code scanning, the part of this ID before its last slash distinguishes runs of one
        # tool.
        category = _words(_at(row, "automationDetails.id", "").rpartition("/")[0])
        name = _words(_at(self._parts[0], "name", "")) or "another tool"
        self.tool = f"{name} ({category})" if category else name

    @property
    def is_complete(self) -> bool:
        is_stopped = any(
            isinstance(each, dict) and each.get(name) for each in self._invocations for name in ENDED_EARLY
        )
        ended = all(_at(each, "executionSuccessful", default=True) for each in self._invocations)
        return ended and not is_stopped and isinstance(self.row, dict) and isinstance(self.row.get("results"), list)

    def files(self) -> tuple[str, ...] | None:
        """Return the files that the tool was run on; None if the file doesn't say."""
        targets = [artifact for artifact in self._artifacts if "analysisTarget" in _at(artifact, "roles", EMPTY)]
        return tuple(self._path(_at(target, "location", NOTHING)) for target in targets) or None

    def unread(self) -> Iterator[ToolResult]:
        for kind, least in (("toolExecutionNotifications", "warning"), ("toolConfigurationNotifications", "error")):
            for row in (row for each in self._invocations for row in _at(each, kind, EMPTY)):
                level = _at(row, "level", "warning")
                message = f"{self.tool} reports: {_message(row, NOTHING) or 'it did not check everything'}"
                for place in (_at(row, "locations", EMPTY) or [NOTHING]) if level in (least, "error") else ():
                    path = self._path(_at(place, "physicalLocation.artifactLocation", NOTHING))
                    yield replace(_row(path, self.tool, message), sure=level == "error", is_unread=True)

    def results(self) -> Iterator[ToolResult]:
        """Yield one row per location of each open result, since all locations have to change."""
        rules = [rule for part in self._parts for rule in _at(part, "rules", EMPTY)]
        by_id = {_at(rule, "id", ""): rule for rule in reversed(rules)}  # if an ID is repeated, the first counts
        for result in _at(self.row, "results", EMPTY):
            rule_id, index = _at(result, "ruleId", "") or _at(result, "rule.id", ""), _at(result, "ruleIndex", -1)
            rule = by_id.get(rule_id) or (rules[index] if not rule_id and 0 <= index < len(rules) else NOTHING)
            level = _at(result, "level", "") or _at(rule, "defaultConfiguration.level", "")
            accepted = [
                each for each in _at(result, "suppressions", EMPTY) if _at(each, "status", "") in ("", "accepted")
            ]
            is_old = _at(result, "baselineState", "") in ("unchanged", "absent")
            if level != "none" and not accepted and not is_old and _at(result, "kind", "fail") == "fail":
                # an unknown level must not hide a result
                yield from self._of(result, rule, level if level in SARIF_SEVERITIES else "warning")

    def _of(self, result: object, rule: object, level: str) -> Iterator[ToolResult]:
        properties = _at(rule, "properties", NOTHING) | _at(result, "properties", NOTHING)
        score = _score(properties.get("security-severity"))
        marks = _at(result, "fingerprints", NOTHING) or _at(result, "partialFingerprints", NOTHING)
        row = replace(
            _row("", self.tool, _message(result, rule)),
            rule=_words(_at(result, "ruleId", "") or _at(result, "rule.id", "") or _at(rule, "id", "")),
            about=_words(_at(rule, "shortDescription.text", "") or _at(rule, "fullDescription.text", "")),
            severity=next((name for least, name in SCORES if score >= least), SARIF_SEVERITIES[level]),
            security=bool(score) or "security" in _at(rule, "properties.tags", EMPTY),
            sure=level == "error",
            new=True if _at(result, "baselineState", "") == "new" else None,
            mark=_encoded("\0".join(f"{name}={value}" for name, value in sorted(marks.items()))),
        )
        for location in _at(result, "locations", EMPTY) or [NOTHING]:
            place = _at(location, "physicalLocation", NOTHING)
            start, end = (max(0, _at(place, f"region.{name}", 0)) for name in ("startLine", "endLine"))
            path = self._path(_at(place, "artifactLocation", NOTHING)) or NOWHERE
            yield replace(row, path=path, start=start, end=max(start, end))

    def _path(self, place: Mapping[str, Any]) -> str:
        """Return a path inside the repository, or an absolute one.

        Return "" if the address is missing, outside the repository, or not a file.
        """
        index, bases, used = _at(place, "index", -1), _at(self.row, "originalUriBaseIds", NOTHING), set[str]()
        if "uri" not in place and 0 <= index < len(self._artifacts):
            place = _at(self._artifacts[index], "location", NOTHING)
        uri, base = _at(place, "uri", "").replace("\\", "/"), _at(place, "uriBaseId", "")
        while base in bases and base not in used and not re.match(r"(?i)[a-z]+:|/", uri):
            used.add(base)
            above, base = _at(bases[base], "uri", ""), _at(bases[base], "uriBaseId", "")
            uri = f"{above.rstrip('/')}/{uri}" if above and uri else uri
        text = re.sub(r"(?i)^file:(?://[^/]*(?=/))?", "", uri)
        if re.match(r"(?i)[a-z][a-z+.-]+://", text):
            return ""
        path = posixpath.normpath(unquote(text)) if text else ""
        # The form in which some tools write a drive
        path = f"/{path}" if re.match(r"[A-Za-z]:/", path) else re.sub("^/+", "/", path)
        return "" if path.startswith("../") or path in ("", ".", "..", "/") else path


def read(data: bytes, name: str) -> tuple[ToolResult, ...]:
    """Return one file's open results, without suppressed, passed and old ones.

    Raises UsageError with the file's name.
    """
    results: list[ToolResult] = []
    for run in _runs(data, name):
        if not run.is_complete:
            results.append(_row("", run.tool, f"the run of {run.tool} failed or has no results"))
        results += [place for place in run.unread() if place.path or place.sure]
        results += run.results()
    if len(results) > MOST_RESULTS:
        raise UsageError(f"{name} has more than {MOST_RESULTS:,} results. Pass only results for changed files")
    return tuple(results)


def runs(data: bytes, name: str) -> tuple[ToolRun, ...]:
    """Return the completed runs in one file. Raises UsageError with the file's name."""
    complete_runs = (run for run in _runs(data, name) if run.is_complete)
    return tuple(
        ToolRun(run.tool, run.files(), tuple(dict.fromkeys(place.path for place in run.unread())))
        for run in complete_runs
    )


def mark_new(results: Iterable[ToolResult], base: Iterable[ToolResult]) -> tuple[ToolResult, ...]:
    """Mark each result as new or old, by comparison with the same tool's results for the base."""
    before = Counter(each.key() for each in base)
    marked_results = []
    for each in results:
        before[each.key()] -= 1
        marked_results.append(replace(each, new=before[each.key()] < 0))
    return tuple(marked_results)


def results_in_change(
    results: Sequence[ToolResult], files: Sequence[ChangedFile], tree_paths: Collection[str]
) -> tuple[ToolResult, ...]:
    """Return the results in changed files, and mark those that the change introduces.

    A result is new if the comparison says so, or if it is on an added line. Results in other files at the
    head are dropped. Results outside the head may concern the change, so each tool gets one row with their
    number. `tree_paths`: all files at the head, also used to find the repository's folder at the time of the
    run.
    """
    changed_files = {file.path: file for file in files if file.status != "deleted" and file.has_text}
    root = _root({result.path for result in results if result.path.startswith("/")}, changed_files, tree_paths)
    rows: list[ToolResult] = []
    homeless: Counter[str] = Counter()
    for each in results:
        path = each.path.removeprefix(root)
        if not path:
            rows.append(each)  # a failed run
        elif path not in tree_paths:
            homeless[each.tool] += not (each.is_unread or each.new is False)
        elif file := changed_files.get(path):
            # A result under the old path was not compared with this one.
            is_judged = each.new is False or (each.new and file.status != "renamed")
            rows.append(replace(each, path=path, new=each.new if is_judged else each.start in file.added_lines))
    rows += [
        _row("", tool, f"{count(number, 'result')} of {tool} for files outside this commit")
        for tool, number in homeless.items()
        if number
    ]
    return tuple(dict.fromkeys(rows))


def _root(absolute: Collection[str], changed_files: Collection[str], tree_paths: Collection[str]) -> str:
    """Return the repository's folder when the tool ran: the one that turns most absolute paths into files."""
    names: dict[str, list[str]] = {}
    for path in changed_files:
        names.setdefault(posixpath.basename(path), []).append(path)
    roots = Counter(
        each.removesuffix(path)
        for each in absolute
        for path in names.get(posixpath.basename(each), ())[:MOST_ROOTS]
        if each.endswith(f"/{path}")
    )

    def known(root: str) -> int:
        return sum(path.startswith(root) and path.removeprefix(root) in tree_paths for path in absolute)

    likely = [root for root, _ in roots.most_common(MOST_ROOTS)]
    return max(likely, key=lambda root: (known(root), -len(root)), default="")


def _runs(data: bytes, name: str) -> list[_Run]:
    if len(data) > MAX_SARIF_BYTES:
        raise UsageError(f"{name} is larger than {MAX_SARIF_BYTES >> 20} MiB. Pass only results for changed files")
    try:
        log = json.loads(data.decode("utf-8-sig"))
    except RecursionError:
        raise UsageError(f"{name} is nested too deeply to be read") from None
    except ValueError as error:
        raise UsageError(f"{name} is not JSON: {str(error)[:100]}") from None
    if _at(log, "version", "") != "2.1.0" or not isinstance(log.get("runs"), list):
        raise UsageError(f"{name} is not SARIF 2.1.0: it must be an object with `version` and `runs`")
    return [_Run(run) for run in log["runs"]]


def _at(row: object, path: str, default: Value) -> Value:
    """Return the value at a path of names such as "message.text"; the default if it is missing or of another type."""
    value = row
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    fits = isinstance(value, type(default)) and isinstance(value, bool) == isinstance(default, bool)
    return value if fits else default  # type: ignore[return-value]  # of the default's type


def _row(path: str, tool: str, message: str) -> ToolResult:
    return ToolResult(path, 0, 0, tool, "", message, "", "low", security=False, sure=False)


def _message(result: object, rule: object) -> str:
    strings = _at(rule, "messageStrings", NOTHING)
    text = _at(result, "message.text", "") or _at(strings.get(_at(result, "message.id", "")), "text", "")
    for index, value in enumerate(_at(result, "message.arguments", EMPTY)):
        text = text[: MOST_WORDS * MOST_WORDS].replace(f"{{{index}}}", str(value)[:MOST_WORDS])
    return _words(text)


def _score(value: object) -> float:
    """Return a score on the scale of CVSS, or 0."""
    try:
        score = float(str(value))
    except ValueError:
        return 0.0
    return score if 0 < score <= 10 else 0.0  # noqa: PLR2004 - the highest score


def _words(value: str) -> str:
    text = " ".join(_encoded(value[: MOST_WORDS * MOST_WORDS]).split())
    return text if len(text) <= MOST_WORDS else text[: MOST_WORDS - 1] + "…"


def _encoded(value: str) -> str:
    return value.encode("utf-8", "replace").decode()
