"""Read Helm charts: values, and templates included by name."""

import posixpath
import re
from collections.abc import Iterator

from deeprepo.impact.declarations.reading import DataReading, Paths, Scope, line_finder
from deeprepo.impact.declarations.yaml_lines import LinedText, at, load, rows

_COMMENT = re.compile(r"\{\{-?\s*+/\*(?:[^*]|\*(?!/))*+(?:\*/)?")
_ACTION = re.compile(r"\{\{(?:\"(?:[^\"\\\n]|\\.)*+\"?|`[^`]*+`?|[^\"`}]|\}(?!\}))*+")
_WORD = re.compile(r"\{\{-?\s*+(\w*+)")
_NAMED = re.compile(r"\b(define|block|include|template)\s++\"([^\"\n]++)\"")
_VALUE = re.compile(r"(?<![\w.)])(\()?\$?\.Values\.(?!global\.)([A-Za-z_]\w*+(?:\.\w++)*+)")
_GUARD = re.compile(r"\b(?:default|hasKey|dig|get|coalesce|ternary|empty|required|kindIs|kindOf|typeIs|fail|pluck)\b")
_BLOCKS, _TESTS = ("if", "with", "range", "define", "block"), ("if", "with", "and", "or", "not", "else")


def read(reading: DataReading, text: str, paths: Paths) -> None:
    """Add what a chart's file declares and uses. Raises `UnreadableDataError`."""
    path, folder = reading.path, posixpath.dirname(reading.path)
    chart_file = paths.above(folder, ("Chart.yaml",))
    chart = posixpath.dirname(chart_file or "")
    is_template = "/templates/" in f"/{path[len(chart) :]}"
    if chart_file is None or not (is_template or folder == chart):
        return
    top = chart  # the root of all charts that are rendered together
    while posixpath.basename(posixpath.dirname(top)) == "charts":
        top = posixpath.dirname(posixpath.dirname(top))
    values, templates = Scope("value", chart), Scope("template", top)
    reading.scopes |= {values, templates}
    if is_template:
        _template(reading, text, values, templates)
    elif path.endswith("Chart.yaml"):
        dependencies = at(load(text), "dependencies")
        for row in dependencies if isinstance(dependencies, list) else ():
            name = at(row, "alias") or at(row, "name")
            if isinstance(name, LinedText):  # its values and templates are not available here
                reading.declare(values, f"{name}.*", name.line)
                reading.declare(templates, f"{at(row, 'name')}.*", name.line)
            if at(row, "import-values"):
                reading.doubts.add(values)
    else:
        for name, line in _keys(load(text)):
            reading.declare(values, name, line)
            first, _, inner = name.partition(".")
            if inner:
                reading.declare(Scope("value", posixpath.join(chart, "charts", first)), inner, line)


def _keys(root: object) -> Iterator[tuple[str, int]]:
    """Yield each key of the values with its full path."""
    left = [("", root)]
    while left:
        start, value = left.pop()
        for key, inner in rows(value):
            yield f"{start}{key}", key.line
            left.append((f"{start}{key}.", inner))


def _template(reading: DataReading, text: str, values: Scope, templates: Scope) -> None:
    text = _COMMENT.sub(lambda match: "\n" * match[0].count("\n"), text)
    line_of, depth = line_finder(text), 0
    for match in _ACTION.finditer(text):
        action, word = match[0], (_WORD.match(match[0]) or [""] * 2)[1]
        depth -= word == "end" and depth > 0
        for one in _NAMED.finditer(action):
            add = reading.declare if one[1] in ("define", "block") else reading.use
            add(templates, one[2], line_of(match.start() + one.start()))
        for one in () if _GUARD.search(action) else _VALUE.finditer(action):
            line, name = line_of(match.start() + one.start()), one[2]
            outer = name.rpartition(".")[0]
            if outer and not one[1]:  # a key of a missing value stops the rendering
                reading.use(values, outer, line, is_hint=depth > 0)
            if word not in _TESTS or not outer:
                reading.use(values, name, line, is_hint=True)
        depth += word in _BLOCKS
