"""Helm charts: values, and templates that are included by name. A small lexer of Go's templates, linear in the text."""

import posixpath
import re
from collections.abc import Iterator
from typing import NamedTuple

from bot.dependents.declarations import TEMPLATES, nodes
from bot.dependents.declarations.reading import Certainty, DataReading, Declaration, NameUse, Paths, Scope

CHART, VALUES = "Chart.yaml", "values.yaml"
DEEPEST = 40  # keys of values in keys
MOST_PATHS = 20_000  # of one file of values
_COMMENT = re.compile(r"\{\{-?[ \t\r\n]*+/\*(?:(?!\*/).)*+(?:\*/|\Z)", re.DOTALL)
_TOKEN = re.compile(
    r"(?P<text>\"(?:[^\"\\\n]|\\.)*+\"?|`[^`]*+`?)|(?P<chain>\$?(?:\.[A-Za-z_]\w*+)++)|(?P<word>[A-Za-z_]\w*+)|(?P<other>[^\s\w\"`])|\d\w*+|\s++|.",
    re.DOTALL,
)
_BLOCKS = frozenset({"if", "with", "range", "define", "block"})
_GUARDS = frozenset(
    {
        "default",
        "hasKey",
        "dig",
        "get",
        "coalesce",
        "ternary",
        "empty",
        "required",
        "kindIs",
        "kindOf",
        "typeIs",
        "fail",
        "pluck",
    }
)
_TESTS = frozenset({"if", "with", "and", "or", "not", "else"})


class Chart(NamedTuple):
    """A chart: its folder, and the one around all charts that are rendered together with it."""

    folder: str
    top: str


def read(path: str, text: str, paths: Paths) -> DataReading:
    """What a file of a chart declares and uses. Raises `UnreadableDataError`."""
    chart = _chart_of(path, paths)
    if chart is None:
        return DataReading(is_foreign=True)
    values, templates = Scope("value", chart.folder), Scope("template", chart.top)
    reading = DataReading(scopes={values, templates})
    reading.mates = paths.group(
        "charts", chart.top, lambda: (one for one in paths.below(chart.top) if _is_part(one, chart.top, paths))
    )
    name = path.rpartition("/")[2]
    folder = posixpath.dirname(path)
    if name == CHART and folder == chart.folder:
        _read_chart(reading, path, text, chart, paths)
    elif name == VALUES and folder == chart.folder:
        _read_values(reading, path, text, chart)
    elif path.startswith(posixpath.join(chart.folder, "templates/")):
        _read_template(reading, path, text, values, templates)
    else:
        return DataReading(is_foreign=True)
    return reading


def _is_part(path: str, top: str, paths: Paths) -> bool:
    name = path.rpartition("/")[2]
    if "/templates/" not in f"/{path}":
        return name in (CHART, VALUES) and posixpath.join(posixpath.dirname(path), CHART) in paths
    return name.endswith(TEMPLATES) and path.startswith(top)


def _chart_of(path: str, paths: Paths) -> Chart | None:
    file = paths.above(posixpath.dirname(path), CHART)
    if file is None:
        return None
    folder = top = posixpath.dirname(file)
    while posixpath.basename(posixpath.dirname(top)) == "charts":
        around = posixpath.dirname(posixpath.dirname(top))
        if posixpath.join(around, CHART) not in paths:
            break
        top = around
    return Chart(folder, top)


def _read_chart(reading: DataReading, path: str, text: str, chart: Chart, paths: Paths) -> None:
    """The dependencies, whose values and templates nobody sees here."""
    root = nodes.parse(path, text)
    for row in root.get("dependencies").elements():
        name = row.get("alias").text or row.get("name").text or ""
        reading.declarations.append(Declaration(Scope("value", chart.folder), f"{name}.*", path, row.line))
        if posixpath.join(chart.folder, "charts", row.get("name").text or "", CHART) not in paths:
            templates = Scope("template", chart.top)
            reading.loose.add(templates)
            reading.declarations.append(Declaration(templates, f"{row.get('name').text}.*", path, row.line))
        if row.get("import-values"):
            reading.doubts[Scope("value", chart.folder)] = "it takes values of a dependency"


def _read_values(reading: DataReading, path: str, text: str, chart: Chart) -> None:
    """Each key by its whole path; what is below the name of an inner chart belongs to that too."""
    mine = Scope("value", chart.folder)
    rows = [("", nodes.parse(path, text), 0)]
    count = 0
    while rows:
        start, node, depth = rows.pop()
        for key, line, value in node.items():
            count += 1
            if count > MOST_PATHS or depth > DEEPEST:
                reading.doubts[mine] = f"it has more than {MOST_PATHS:,} values"
                return
            name = f"{start}{key}"
            reading.declarations.append(Declaration(mine, name, path, line))
            first, _, inner = name.partition(".")
            if inner:
                below = Scope("value", posixpath.join(chart.folder, "charts", first))
                reading.declarations.append(Declaration(below, inner, path, line))
            if value.is_map:
                rows.append((f"{name}.", value, depth + 1))


def _read_template(reading: DataReading, path: str, text: str, values: Scope, templates: Scope) -> None:
    lines, at = 1, 0
    open_blocks: list[str] = []
    comments = [(match.start(), match.end()) for match in _COMMENT.finditer(text)]
    for start, body in _actions(text, comments):
        lines += text.count("\n", at, start)
        at = start
        words = list(_words(body))
        first = next((value for kind, value, _ in words if kind == "word"), "")
        if first == "end" and open_blocks:
            open_blocks.pop()
        _read_action(reading, words, (body, path, lines), (values, templates), open_blocks)
        if first in _BLOCKS:
            open_blocks.append(first)


def _read_action(
    reading: DataReading,
    words: list[tuple[str, str, int]],
    place: tuple[str, str, int],
    scopes: tuple[Scope, Scope],
    open_blocks: list[str],
) -> None:
    """What one action between braces defines and reads. `place`: its text, the file, its first line."""
    body, path, line = place
    plain = [value for kind, value, _ in words if kind == "word"]
    is_guarded, is_tested = not _GUARDS.isdisjoint(plain), plain[:1] != [] and plain[0] in _TESTS
    last = 0
    for (before, earlier, _), (kind, value, offset), (follower, name, _) in zip(
        [("", "", 0), *words], words, [*words[1:], ("", "", 0)], strict=False
    ):
        line += body.count("\n", last, offset)
        last = offset
        if kind == "word" and follower == "text" and value in ("define", "block"):
            reading.declarations.append(Declaration(scopes[1], name[1:-1], path, line))
        elif kind == "word" and follower == "text" and value in ("include", "template") and name[1:-1]:
            reading.uses.append(NameUse(scopes[1], name[1:-1], path, line, _certainty(open_blocks)))
        is_value = kind == "chain" and value.startswith((".Values.", "$.Values."))
        if is_value and not is_guarded and (before, earlier) != ("other", ")"):
            certainty: Certainty = "hint" if open_blocks else "removed"
            use = NameUse(scopes[0], value.partition("Values.")[2], path, line, certainty)
            _value(reading, use, is_inner=earlier != "(", is_tested=is_tested)


def _certainty(open_blocks: list[str]) -> Certainty:
    return "removed" if open_blocks else "sure"


def _value(reading: DataReading, use: NameUse, *, is_inner: bool, is_tested: bool) -> None:
    """A value that a template reads. What is missing fails only if something is read of it; else it is empty."""
    outer, _, _ = use.name.rpartition(".")
    if use.name.startswith("global."):
        return
    if is_tested and not outer:
        reading.uses.append(use._replace(certainty="hint"))
    if outer and is_inner:  # an inner key of what is not there ends the rendering, tested or not
        reading.uses.append(use._replace(name=outer))
    if not is_tested:
        reading.uses.append(use._replace(certainty="hint"))


def _actions(text: str, comments: list[tuple[int, int]]) -> Iterator[tuple[int, str]]:
    """Give each action with its place, without comments."""
    starts = dict(comments)
    at = 0
    while (start := text.find("{{", at)) >= 0:
        if start in starts:
            at = starts[start]
            continue
        end = _end(text, start + 2)
        if end is None:
            return
        yield start, text[start + 2 : end].strip("-")
        at = end + 2


_PIECE = re.compile(r"\"(?:[^\"\\\n]|\\.)*+\"?|`[^`]*+`?|\}\}|[^\"`}]++|.", re.DOTALL)


def _end(text: str, at: int) -> int | None:
    """Where an action ends: at braces that are in no text."""
    while match := _PIECE.match(text, at):
        if match[0] == "}}":
            return match.start()
        at = match.end()
    return None


def _words(body: str) -> Iterator[tuple[str, str, int]]:
    for match in _TOKEN.finditer(body):
        if match.lastgroup:
            yield match.lastgroup, match[0], match.start()
