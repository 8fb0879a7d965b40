"""Results of other tools, from SARIF 2.1.0. A file from outside: every value is looked at before it is used, every loop has a bound.

`read` makes plain rows of a file; `introduced` keeps those that the change brings.
"""

import json
import posixpath
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any
from urllib.parse import unquote, urlsplit

from bot.errors import UsageError
from bot.render import count
from bot.values import SEVERITIES, ChangedFile, Severity
from bot.values.tool_results import ToolResult, ToolRun

MOST_BYTES = 64 << 20  # of one file
MOST_RESULTS = 100_000  # of one file
MOST_WORDS, MOST_NAME, MOST_MARK = 600, 100, 1_000  # characters of a message, of a name, of a mark
MOST_PLACES = 10  # of one result
MOST_LINES = 20  # of a result that an added line makes new: a longer one is about a whole function or class
MOST_PATH = 16_000  # of an address: git has paths of 4,096 bytes, each of which may be written as `%20`
MOST_ROOTS = 50  # folders where a tool may have run
MOST_BASES = 10  # base addresses that refer to each other
MOST_ARGUMENTS = 20
LEVELS: Mapping[str, Severity] = {"error": "high", "warning": "medium", "note": "low"}
SCORES: Sequence[tuple[float, Severity]] = ((9.0, "critical"), (7.0, "high"), (4.0, "medium"), (0.1, "low"))
NOWHERE = "/"  # stands for a missing address
TARGET = "analysisTarget"  # the role of a file that a tool was told to look at
OLD = frozenset({"unchanged", "absent"})
HARMLESS = frozenset({"note", "none"})  # levels of a notification
ENDED_EARLY = ("exitSignalName", "exitSignalNumber", "processStartFailureMessage")  # of an invocation


def read(data: bytes, name: str) -> tuple[ToolResult, ...]:
    """The results of one file that are open: not suppressed, not passed, not old. Raises UsageError with the file's name."""
    results: list[ToolResult] = []
    for run in _runs(data, name):
        rules = _Rules(_dict(_dict(run).get("tool")))
        results += [_failure(_dict(run))] if _complete_run(_dict(run)) is None else []
        results += [one for one in _unread_places(_dict(run)) if one.path or one.address or one.sure]
        for result in _list(_dict(run).get("results")):
            if len(results) >= MOST_RESULTS:
                raise UsageError(
                    f"{name} has more than {MOST_RESULTS:,} results: give those of the changed files alone"
                )
            results += _results(_dict(run), rules, _dict(result))
    return tuple(results)


def runs(data: bytes, name: str) -> tuple[ToolRun, ...]:
    """The runs of one file that came to their end. Raises UsageError with the file's name."""
    return tuple(tool_run for run in _runs(data, name) if (tool_run := _complete_run(_dict(run))) is not None)


def _runs(data: bytes, name: str) -> list[Any]:
    if len(data) > MOST_BYTES:
        raise UsageError(f"{name} is larger than {MOST_BYTES >> 20} MiB: give results of the changed files alone")
    try:
        log = json.loads(data.decode("utf-8-sig"))
    except RecursionError:
        raise UsageError(f"{name} is nested too deeply to be read") from None
    except ValueError as error:
        raise UsageError(f"{name} is not JSON: {str(error)[:100]}") from None
    if not isinstance(log, dict) or not isinstance(log.get("runs"), list) or log.get("version") != "2.1.0":
        raise UsageError(f"{name} is not SARIF 2.1.0: it must be an object with `version` and `runs`")
    run_rows: list[Any] = log["runs"]
    return run_rows


def _complete_run(run: Mapping[str, Any]) -> ToolRun | None:
    """A run that did not fail and holds its results. Files that it was told to look at count, if it names any."""
    invocations = [_dict(each) for each in _list(run.get("invocations"))]
    is_complete = all(each.get("executionSuccessful") is not False for each in invocations)
    is_complete = is_complete and not any(each.get(name) for each in invocations for name in ENDED_EARLY)
    if not is_complete or not isinstance(run.get("results"), list):
        return None
    paths = [
        _path(_address(run, _dict(_dict(each).get("location"))))
        for each in _list(run.get("artifacts"))[:MOST_RESULTS]
        if TARGET in _list(_dict(each).get("roles"))
    ]
    unread = tuple(dict.fromkeys(one.path for one in _unread_places(run)))
    return ToolRun(_tool(run), tuple(filter(None, paths)) if paths else None, unread)


def _unread_places(run: Mapping[str, Any]) -> list[ToolResult]:
    """What a run that came to its end says that it did not read, or which rules it could not apply: one row for each place that it names."""
    notifications = [
        (_dict(each), name == "toolExecutionNotifications")
        for invocation in _list(run.get("invocations"))
        for name in ("toolExecutionNotifications", "toolConfigurationNotifications")
        for each in _list(_dict(invocation).get(name))[:MOST_RESULTS]
    ]
    rows: dict[ToolResult, None] = {}
    for notification, is_of_run in notifications:
        level = _name(notification.get("level")) or "warning"
        if level in HARMLESS or (level != "error" and not is_of_run):
            continue
        places = [_dict(_dict(each).get("physicalLocation")) for each in _list(notification.get("locations"))]
        for place in places or [{}]:
            address = _address(run, _dict(place.get("artifactLocation")))
            path, tool = _path(address), _tool(run)
            message = _message(notification, {}) or "it did not read everything"
            row = ToolResult(
                path, 0, 0, tool, "", f"{tool} reports: {message}", "", "low", security=False, sure=level == "error"
            )
            rows[replace(row, address=address if address != path else "", is_unread=True)] = None
    return list(rows)


def _tool(run: Mapping[str, Any]) -> str:
    """The tool, and the category if it runs several times: one of these runs says nothing about what another one has reported.

    The category is the part of `automationDetails.id` before the last slash, as for GitHub's code scanning.
    """
    name = _words(_dict(_dict(run.get("tool")).get("driver")).get("name"), MOST_NAME) or "another tool"
    category = _words(_name(_dict(run.get("automationDetails")).get("id")).rpartition("/")[0], MOST_NAME)
    return f"{name} ({category})" if category else name


def mark_new(results: Iterable[ToolResult], base: Iterable[ToolResult]) -> tuple[ToolResult, ...]:
    """The results, each marked as new or old by what the same tool reported about the base."""
    before = Counter(each.key() for each in base)
    marked_results = []
    for each in results:
        before[each.key()] -= 1
        marked_results.append(replace(each, new=before[each.key()] < 0))
    return tuple(marked_results)


def of_change(
    results: Sequence[ToolResult], files: Sequence[ChangedFile], tree_paths: Collection[str]
) -> tuple[ToolResult, ...]:
    """The results in changed files, each with whether the change brings it: somebody has compared, or it is on an added line.

    A result about another file of the head is dropped. What names no file of the head may be about the change: one row of each tool
    that names no file says how many. `tree_paths`: all files of the head, which also tell where the repository lay when the tool ran.
    """
    changed_files = {file.path: file for file in files if file.status != "deleted" and file.has_text}
    places = _Places(results, changed_files, tree_paths)
    rows = [each for each in results if _is_failure(each)]
    homeless: Counter[str] = Counter()
    for each in results:
        paths = () if _is_failure(each) else places.of(each)
        if not (paths or _is_failure(each) or each.is_unread or each.is_commented_away) and each.new is not False:
            homeless[each.tool] += 1
        for path in paths:
            if file := changed_files.get(path):
                is_added = _is_on_added_line(each, file)
                # Under its old path a result was not compared with this one.
                is_new = is_added if each.new is None or (each.new and file.status == "renamed") else each.new
                if is_new or not each.is_commented_away:
                    rows.append(replace(each, path=path, address="", new=is_new))
    rows += [
        _about_no_file(tool, f"{count(number, 'result')} of {tool} without a file of this commit")
        for tool, number in homeless.items()
    ]
    return tuple(dict.fromkeys(rows))


def _is_on_added_line(result: ToolResult, file: ChangedFile) -> bool:
    """Whether the result begins on an added line, or is about one statement that has such a line."""
    end = result.end if result.end - result.start < MOST_LINES else result.start
    return not file.added_lines.isdisjoint(range(result.start, end + 1))


def _is_failure(result: ToolResult) -> bool:
    """Whether it stands for a run that failed, which has judged nothing of the change, or for results without a file."""
    return not (result.path or result.address)


class _Places:
    """Which files of the head the addresses of tools mean."""

    def __init__(
        self, results: Iterable[ToolResult], changed_files: Mapping[str, ChangedFile], tree_paths: Collection[str]
    ) -> None:
        self._paths = frozenset(tree_paths)
        absolute = {path for one in results for path in _readings(one) if path.startswith("/")}
        self._root = _root(absolute, changed_files, tree_paths)

    def of(self, result: ToolResult) -> tuple[str, ...]:
        """Each file that the address can mean: an author who chooses names must not choose between them."""
        readings = {path.removeprefix(self._root) if self._root else path for path in _readings(result)}
        exact = readings & self._paths
        similar = {path for one in readings - exact for path in self._by_composed_name.get(_composed(one), ())}
        return tuple(sorted(exact | similar))

    @cached_property
    def _by_composed_name(self) -> Mapping[str, Sequence[str]]:
        """The paths that a tool may write with other characters for the same letters."""
        paths: dict[str, list[str]] = {}
        for path in self._paths:
            if not path.isascii():
                paths.setdefault(_composed(path), []).append(path)
        return paths


def _composed(path: str) -> str:
    return unicodedata.normalize("NFC", path)


def _readings(result: ToolResult) -> frozenset[str]:
    """The paths that an address can mean: what a tool wrote without escapes, with some, or as the standard asks."""
    raw = re.sub(r"^file://(?:localhost)?(?=/)", "", result.address)
    texts = {raw, unquote(raw), raw.replace("\\", "/")} - {""}
    paths = {re.sub("^/+", "/", posixpath.normpath(text)) for text in texts}
    return frozenset(paths | ({result.path} - {""}))


def _root(absolute: Collection[str], changed_files: Mapping[str, ChangedFile], tree_paths: Collection[str]) -> str:
    """Where the repository lay when the tool ran: the folder below which most of its absolute paths are files of the tree.

    Names of changed files propose it; they alone do not decide, because a change may add files that are called like those of one folder.
    """
    names: dict[str, list[str]] = {}
    for path in changed_files:
        names.setdefault(posixpath.basename(path), []).append(path)
    counts: Counter[str] = Counter()
    for each in absolute:
        for path in names.get(posixpath.basename(each), ())[:MOST_BASES]:
            if each.endswith(f"/{path}"):
                counts[each.removesuffix(path)] += 1
    file_counts = {
        root: sum(path.startswith(root) and path.removeprefix(root) in tree_paths for path in absolute)
        for root in sorted(counts, key=lambda root: (-counts[root], len(root)))[:MOST_ROOTS]
    }
    return min(file_counts, key=lambda root: (-file_counts[root], len(root)), default="")


def _results(run: Mapping[str, Any], rules: "_Rules", result: Mapping[str, Any]) -> Iterator[ToolResult]:
    """One row for each place of a result: all of them have to change."""
    for location in _list(result.get("locations"))[:MOST_PLACES] or [{}]:
        row = _result(run, rules, result, _dict(_dict(location).get("physicalLocation")))
        if row is not None:
            yield row


def _result(
    run: Mapping[str, Any], rules: "_Rules", result: Mapping[str, Any], place: Mapping[str, Any]
) -> ToolResult | None:
    state = _name(result.get("baselineState"))
    kinds = {
        _name(_dict(each).get("kind"))
        for each in _list(result.get("suppressions"))
        if _dict(each).get("status", "accepted") == "accepted"
    }
    if kinds - {"inSource"} or state in OLD or (_name(result.get("kind")) or "fail") != "fail":
        return None
    rule_id, rule = rules.of(result)
    level = _name(result.get("level")) or _name(_dict(rule.get("defaultConfiguration")).get("level")) or "warning"
    level = level if level in LEVELS or level == "none" else "warning"  # a level that SARIF does not know hides nothing
    address, region = _address(run, _dict(place.get("artifactLocation"))), _dict(place.get("region"))
    path, start = _path(address), _whole(region.get("startLine"))
    if level not in LEVELS:
        return None
    properties = _dict(rule.get("properties"))
    score = _score(_dict(result.get("properties")).get("security-severity", properties.get("security-severity")))
    tags = [tag for tag in _list(properties.get("tags"))[:MOST_ARGUMENTS] if isinstance(tag, str)]
    severity = next((level for least, level in SCORES if score is not None and score >= least), LEVELS[level])
    return ToolResult(
        path=path,
        start=start,
        end=max(start, _whole(region.get("endLine"))),
        tool=_tool(run),
        rule=_words(rule_id, MOST_NAME),
        message=_message(result, rule),
        about=_text(rule.get("shortDescription")) or _text(rule.get("fullDescription")),
        severity=severity,
        security=score is not None or "security" in tags,
        sure=level == "error",
        new=True if state == "new" else None,
        mark=_mark(result),
        address=(address or NOWHERE) if address != path or not path else "",
        is_commented_away=bool(kinds),
    )


class _Rules:
    """The rules of a tool and its extensions. By their ids they are looked up once for all results."""

    def __init__(self, tool: Mapping[str, Any]) -> None:
        self.driver = _dict(tool.get("driver"))
        self._extensions = _list(tool.get("extensions"))
        self._named: dict[int, Mapping[str, Mapping[str, Any]]] = {}  # by the place of the extension, -1: the driver

    def of(self, result: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
        """The result's rule, by its index in the tool or one of its extensions, or by its id."""
        rule_row = _dict(result.get("rule"))
        at = _index(_dict(rule_row.get("toolComponent")).get("index"), self._extensions)
        component = self.driver if at < 0 else _dict(self._extensions[at])
        rules = _list(component.get("rules"))
        rule_id = _name(result.get("ruleId")) or _name(rule_row.get("id"))
        index = _index(result.get("ruleIndex", rule_row.get("index")), rules)
        if index >= 0:
            rule = _dict(rules[index])
        else:
            if at not in self._named:
                by_id = [(_name(_dict(each).get("id")), _dict(each)) for each in rules]
                self._named[at] = dict(reversed(by_id))  # of several the first
            rule = self._named[at].get(rule_id, {}) if rule_id else {}
        return rule_id or _name(rule.get("id")), rule


def _address(run: Mapping[str, Any], place: Mapping[str, Any]) -> str:
    """Join the address of a file, as the tool wrote it, to its base addresses; "" if it has no address."""
    artifacts = _list(run.get("artifacts"))
    index = _index(place.get("index"), artifacts)
    if "uri" not in place and index >= 0:
        place = _dict(_dict(artifacts[index]).get("location"))
    uri, base = place.get("uri"), place.get("uriBaseId")
    bases = _dict(run.get("originalUriBaseIds"))
    for _ in range(MOST_BASES):
        at = _dict(bases.get(base)) if isinstance(base, str) else {}
        if not isinstance(uri, str) or len(uri) > MOST_PATH or not at or re.match(r"(?i)[a-z]+:|/", uri):
            break
        above = at.get("uri")
        if isinstance(above, str) and len(above) > MOST_PATH:
            return ""
        uri = f"{above.rstrip('/')}/{uri}" if isinstance(above, str) and above else uri
        base = at.get("uriBaseId")
    return uri if isinstance(uri, str) and len(uri) <= MOST_PATH else ""


def _path(address: str) -> str:
    """A path inside the repository, or an absolute one, as the standard reads an address; "" if it leaves the repository or is no file's."""
    try:
        parts = urlsplit(address.replace("\\", "/"))
    except ValueError:
        return ""
    drive = len(parts.scheme) == 1  # C:/work/a.py, as some tools write it
    if not address or (parts.scheme not in ("", "file") and not drive):
        return ""
    path = unquote(f"/{parts.path}" if drive else parts.path)
    clean = posixpath.normpath(path)
    inside = not clean.startswith("../") and clean not in (".", "..", "/")
    return re.sub("^/+", "/", clean) if inside else ""


def _message(result: Mapping[str, Any], rule: Mapping[str, Any]) -> str:
    message = _dict(result.get("message"))
    text = message.get("text")
    if not isinstance(text, str):
        text = _dict(_dict(rule.get("messageStrings")).get(_name(message.get("id")))).get("text")
    arguments = [each for each in _list(message.get("arguments"))[:MOST_ARGUMENTS] if isinstance(each, str)]
    message_text = text[: 4 * MOST_WORDS] if isinstance(text, str) else ""
    for at, value in enumerate(arguments):
        message_text = message_text.replace(f"{{{at}}}", value[:MOST_NAME])[: 4 * MOST_WORDS]
    return _words(message_text, MOST_WORDS)


def _mark(result: Mapping[str, Any]) -> str:
    marks = _dict(result.get("fingerprints")) or _dict(result.get("partialFingerprints"))
    rows = [f"{name}={value}" for name, value in sorted(marks.items())[:MOST_ARGUMENTS] if isinstance(value, str)]
    return "\0".join(rows)[:MOST_MARK].encode("utf-8", "replace").decode()


def _score(value: object) -> float | None:
    try:
        is_score = isinstance(value, int | float) or (isinstance(value, str) and len(value) <= MOST_NAME)
        score = float(value) if is_score else None  # type: ignore[arg-type]
    except (ValueError, OverflowError):
        return None
    return score if score is not None and 0 < score <= 10 else None  # noqa: PLR2004 - the scale of CVSS


def _failure(run: Mapping[str, Any]) -> ToolResult:
    """What stands for a run that did not end well, or has no list of results."""
    tool = _tool(run)
    return _about_no_file(tool, f"the run of {tool} failed or holds no results")


def _about_no_file(tool: str, message: str) -> ToolResult:
    return ToolResult("", 0, 0, tool, "", message, "", "low", security=False, sure=False)


def _name(value: object) -> str:
    return value if isinstance(value, str) else ""


def _index(value: object, of: Sequence[object]) -> int:
    """A place in a list, -1 if the value is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < len(of) else -1


def _whole(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 1 << 31 else 0


def _text(value: object) -> str:
    return _words(_dict(value).get("text"), MOST_WORDS)


def _words(value: object, most: int) -> str:
    text = " ".join(value[: 4 * most].encode("utf-8", "replace").decode().split()) if isinstance(value, str) else ""
    return text if len(text) <= most else text[: most - 1] + "…"


def _dict(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def rows(results: Iterable[ToolResult]) -> list[list[object]]:
    """The results as a journal keeps them."""
    return [[getattr(each, name) for name in ToolResult.__dataclass_fields__] for each in results]


def restore(result_rows: Iterable[Sequence[Any]]) -> Iterator[ToolResult]:
    """The results that a journal has kept."""
    for row in result_rows:
        tool_result = ToolResult(*row)
        if tool_result.severity in SEVERITIES:
            yield tool_result
