"""Read results of other tools from SARIF 2.1.0.

The files are untrusted, so every value is checked and every loop is bounded. `read` converts a file to plain
rows, and `results_in_change` keeps those in changed files.
"""

import json
import posixpath
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import unquote

from bot.errors import UsageError
from bot.render import count
from bot.values import ChangedFile, Severity
from bot.values.tool_results import ToolResult, ToolRun

MAX_SARIF_BYTES = 64 << 20  # per file
MOST_RESULTS = 100_000  # per file
MOST_WORDS, MOST_NAME, MOST_MARK = 600, 100, 1_000  # characters of a message, a name, and a fingerprint
MOST_PLACES = 10  # locations per result
# Lines of a result that is new because of one added line; a longer result is about a whole function or class
MAX_NEW_LINES = 20
MOST_PATH = 16_000  # characters; Git allows paths of 4,096 bytes, and each may be written as `%20`
MOST_ROOTS, MOST_BASES, MOST_ARGUMENTS = 50, 10, 20
SARIF_SEVERITIES: Mapping[str, Severity] = {"error": "high", "warning": "medium", "note": "low"}
SCORES: Sequence[tuple[float, Severity]] = ((9.0, "critical"), (7.0, "high"), (4.0, "medium"), (0.1, "low"))
NOWHERE = "/"  # the path of a result that names no file
# Properties of an invocation that failed
ENDED_EARLY = ("exitSignalName", "exitSignalNumber", "processStartFailureMessage")


def read(data: bytes, name: str) -> tuple[ToolResult, ...]:
    """Return one file's open results, without suppressed, passed and old ones.

    Raises UsageError with the file's name.
    """
    results: list[ToolResult] = []
    for run in _runs(data, name):
        if not run.is_complete:
            results.append(_row("", run.tool, f"the run of {run.tool} failed or has no results"))
        results += [place for place in run.unread() if place.path or place.sure]
        rules = run.rules()
        for result in _list(run.row.get("results")):
            if len(results) >= MOST_RESULTS:
                raise UsageError(f"{name} has more than {MOST_RESULTS:,} results. Pass only results for changed files")
            results += run.results(_dict(result), rules)
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
            is_new = each.new if is_judged else _is_on_added_line(each, file)
            rows.append(replace(each, path=path, new=is_new))
    rows += [
        _row("", tool, f"{count(number, 'result')} of {tool} for files outside this commit")
        for tool, number in homeless.items()
        if number
    ]
    return tuple(dict.fromkeys(rows))


def _is_on_added_line(result: ToolResult, file: ChangedFile) -> bool:
    """Return whether the result begins on an added line, or is about one statement with an added line."""
    end = result.end if result.end - result.start < MAX_NEW_LINES else result.start
    return not file.added_lines.isdisjoint(range(result.start, end + 1))


def _root(absolute: Collection[str], changed_files: Collection[str], tree_paths: Collection[str]) -> str:
    """Return the repository's folder when the tool ran.

    It is the folder that turns most absolute paths into files of the tree.
    """
    names: dict[str, list[str]] = {}
    for path in changed_files:
        names.setdefault(posixpath.basename(path), []).append(path)
    counts = Counter(
        each.removesuffix(path)
        for each in absolute
        for path in names.get(posixpath.basename(each), ())[:MOST_ROOTS]
        if each.endswith(f"/{path}")
    )
    file_counts = {
        root: sum(path.startswith(root) and path.removeprefix(root) in tree_paths for path in absolute)
        for root, _ in counts.most_common(MOST_ROOTS)
    }
    return max(file_counts, key=lambda root: (file_counts[root], -len(root)), default="")


def _runs(data: bytes, name: str) -> list["_Run"]:
    if len(data) > MAX_SARIF_BYTES:
        raise UsageError(f"{name} is larger than {MAX_SARIF_BYTES >> 20} MiB. Pass only results for changed files")
    try:
        log = json.loads(data.decode("utf-8-sig"))
    except RecursionError:
        raise UsageError(f"{name} is nested too deeply to be read") from None
    except ValueError as error:
        raise UsageError(f"{name} is not JSON: {str(error)[:100]}") from None
    if not isinstance(log, dict) or not isinstance(log.get("runs"), list) or log.get("version") != "2.1.0":
        raise UsageError(f"{name} is not SARIF 2.1.0: it must be an object with `version` and `runs`")
    return [_Run(_dict(run)) for run in log["runs"]]


class _Run:
    """One run of a tool in a SARIF file."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        self.row, self._tool = row, _dict(row.get("tool"))
        self._invocations = [_dict(each) for each in _list(row.get("invocations"))]
        self._artifacts = [_dict(each) for each in _list(row.get("artifacts"))]
        name = _words(_dict(self._tool.get("driver")).get("name"), MOST_NAME) or "another tool"
        # As in GitHub's code scanning, the part of this ID before its last slash distinguishes runs of one
        # tool.
        category = _words(_name(_dict(row.get("automationDetails")).get("id")).rpartition("/")[0], MOST_NAME)
        self.tool = f"{name} ({category})" if category else name

    @property
    def is_complete(self) -> bool:
        """Whether the run succeeded and has results."""
        ended = all(invocation.get("executionSuccessful") is not False for invocation in self._invocations)
        ended = ended and not any(each.get(name) for each in self._invocations for name in ENDED_EARLY)
        return ended and isinstance(self.row.get("results"), list)

    def files(self) -> tuple[str, ...] | None:
        """Return the files that the tool was run on; None if the file doesn't say."""
        targets = [
            artifact for artifact in self._artifacts[:MOST_RESULTS] if "analysisTarget" in _list(artifact.get("roles"))
        ]
        return tuple(self._path(_dict(target.get("location"))) for target in targets) or None

    def unread(self) -> Iterator[ToolResult]:
        """Yield a row for each location that the tool reports as not read or not fully checked."""
        for kind, least in (("toolExecutionNotifications", "warning"), ("toolConfigurationNotifications", "error")):
            rows = [each for invocation in self._invocations for each in _list(invocation.get(kind))[:MOST_RESULTS]]
            for notification in map(_dict, rows):
                level = _name(notification.get("level")) or "warning"
                if level not in (least, "error"):
                    continue
                message = _message(notification, {}) or "it did not check everything"
                locations = [
                    _dict(_dict(each).get("physicalLocation")) for each in _list(notification.get("locations"))
                ]
                for place in locations[:MOST_PLACES] or [{}]:
                    path = self._path(_dict(place.get("artifactLocation")))
                    row = _row(path, self.tool, f"{self.tool} reports: {message}")
                    yield replace(row, sure=level == "error", is_unread=True)

    def rules(self) -> Mapping[str, Mapping[str, Any]]:
        """Return the rules of the tool and its extensions by ID, and the tool's rules also by index.

        If an ID is repeated, the first counts.
        """
        components = [_dict(each) for each in (self._tool.get("driver"), *_list(self._tool.get("extensions")))]
        rows = [_dict(rule) for component in components for rule in _list(component.get("rules"))]
        named = {_name(rule.get("id")): rule for rule in reversed(rows)}
        return {f"#{index}": rule for index, rule in enumerate(rows)} | named

    def results(self, result: Mapping[str, Any], rules: Mapping[str, Mapping[str, Any]]) -> Iterator[ToolResult]:
        """Yield one row per location of a result, if it is open, since all locations have to change."""
        state, rule_row = _name(result.get("baselineState")), _dict(result.get("rule"))
        suppressions = [_dict(each) for each in _list(result.get("suppressions"))]
        kinds = {
            _name(suppression.get("kind"))
            for suppression in suppressions
            if suppression.get("status", "accepted") == "accepted"
        }
        if kinds or state in ("unchanged", "absent") or (_name(result.get("kind")) or "fail") != "fail":
            return
        rule_id = _name(result.get("ruleId")) or _name(rule_row.get("id"))
        rule = rules.get(rule_id or f"#{_whole(result.get('ruleIndex'), -1)}", {})
        level = _name(result.get("level")) or _name(_dict(rule.get("defaultConfiguration")).get("level"))
        if level == "none":
            return
        level = level if level in SARIF_SEVERITIES else "warning"  # an unknown level must not hide a result
        properties, own_properties = _dict(rule.get("properties")), _dict(result.get("properties"))
        score = _score(own_properties.get("security-severity", properties.get("security-severity")))
        row = replace(
            _row("", self.tool, _message(result, rule)),
            rule=_words(rule_id or rule.get("id"), MOST_NAME),
            about=_text(rule.get("shortDescription")) or _text(rule.get("fullDescription")),
            severity=next(
                (name for least, name in SCORES if score is not None and score >= least), SARIF_SEVERITIES[level]
            ),
            security=score is not None or "security" in _list(properties.get("tags"))[:MOST_ARGUMENTS],
            sure=level == "error",
            new=True if state == "new" else None,
            mark=_mark(result),
        )
        for location in _list(result.get("locations"))[:MOST_PLACES] or [{}]:
            place = _dict(_dict(location).get("physicalLocation"))
            region = _dict(place.get("region"))
            start = _whole(region.get("startLine"))
            path = self._path(_dict(place.get("artifactLocation"))) or NOWHERE
            yield replace(row, path=path, start=start, end=max(start, _whole(region.get("endLine"))))

    def _path(self, place: Mapping[str, Any]) -> str:
        """Return a path inside the repository, or an absolute one.

        Return "" if the address is missing, outside the repository, or not a file.
        """
        index = _whole(place.get("index"), -1)
        if "uri" not in place and 0 <= index < len(self._artifacts):
            place = _dict(self._artifacts[index].get("location"))
        uri, base = _name(place.get("uri")), place.get("uriBaseId")
        bases = _dict(self.row.get("originalUriBaseIds"))
        for _ in range(MOST_BASES):
            if len(uri) > MOST_PATH:
                return ""
            at = {} if re.match(r"(?i)[a-z]+:|/", uri) else _dict(bases.get(_name(base)))
            above, base = _name(at.get("uri"))[: MOST_PATH + 1], at.get("uriBaseId")
            uri = f"{above.rstrip('/')}/{uri}" if above and uri else uri
        text = re.sub(r"(?i)^file:(?://[^/]*(?=/))?", "", uri.replace("\\", "/"))
        if re.match(r"(?i)[a-z][a-z+.-]+://", text):
            return ""
        path = posixpath.normpath(unquote(text)) if text else ""
        # The form in which some tools write a drive
        path = f"/{path}" if re.match(r"[A-Za-z]:/", path) else re.sub("^/+", "/", path)
        return "" if path.startswith("../") or path in ("", ".", "..", "/") else path


def _row(path: str, tool: str, message: str) -> ToolResult:
    return ToolResult(path, 0, 0, tool, "", message, "", "low", security=False, sure=False)


def _message(result: Mapping[str, Any], rule: Mapping[str, Any]) -> str:
    message = _dict(result.get("message"))
    text = message.get("text")
    if not isinstance(text, str):
        text = _dict(_dict(rule.get("messageStrings")).get(_name(message.get("id")))).get("text")
    arguments = [each for each in _list(message.get("arguments"))[:MOST_ARGUMENTS] if isinstance(each, str)]
    message_text = _name(text)[: 4 * MOST_WORDS]
    for index, value in enumerate(arguments):
        message_text = message_text.replace(f"{{{index}}}", value[:MOST_NAME])[: 4 * MOST_WORDS]
    return _words(message_text, MOST_WORDS)


def _mark(result: Mapping[str, Any]) -> str:
    marks = _dict(result.get("fingerprints")) or _dict(result.get("partialFingerprints"))
    rows = [f"{name}={value}" for name, value in sorted(marks.items())[:MOST_ARGUMENTS] if isinstance(value, str)]
    return "\0".join(rows)[:MOST_MARK].encode("utf-8", "replace").decode()


def _score(value: object) -> float | None:
    try:
        score = float(str(value)[:MOST_NAME])
    except ValueError:
        return None
    return score if 0 < score <= 10 else None  # noqa: PLR2004 - the scale of CVSS


def _text(value: object) -> str:
    return _words(_dict(value).get("text"), MOST_WORDS)


def _words(value: object, most: int) -> str:
    text = " ".join(_name(value)[: 4 * most].encode("utf-8", "replace").decode().split())
    return text if len(text) <= most else text[: most - 1] + "…"


def _name(value: object) -> str:
    return value if isinstance(value, str) else ""


def _whole(value: object, otherwise: int = 0) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 31 else otherwise


def _dict(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
