"""Terraform and OpenTofu: a module is a folder. Variables, local values, calls, resources and outputs."""

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator

from deeprepo.impact.declarations.reading import (
    MODULE_KINDS,
    CallSite,
    DataReading,
    Paths,
    Scope,
    UnreadableDataError,
    beside,
    line_finder,
)

SUFFIXES = (".tf", ".tofu")
# Comments and texts, of which the templates stay.
_ASIDE = re.compile(
    r"(?:#|//)[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/)?|\"(?:[^\"\\\n]|\\.)*+\"?"
    r"|<<-?(?P<mark>[A-Za-z_]\w*+)[^\n]*+\n(?:(?![ \t]*+(?P=mark)\s)[^\n]*+\n)*+"
)
_TEMPLATE = re.compile(r"(?<![$%])[$%]\{[^{}]*+")
_BRACKET = re.compile(r"[\[{(\]})]")
_BLOCK = re.compile(r"^[ \t]*+(\w++)[ \t]*+((?:\"[^\"\n]*+\"[ \t]*+)*+)\{", re.MULTILINE)
_ATTRIBUTE = re.compile(
    r"(?:^|(?<=\{))[ \t]*+([A-Za-z_][\w-]*+)[ \t]*+=(?!=)[ \t]*+(?:\"([^\"\n$]*+)\"[ \t]*+$)?", re.MULTILINE
)
_REFERENCE = re.compile(
    r"(?<![\w.-])(?:(var|local|module|data)\.|(?=[a-z0-9]++_))([A-Za-z][\w-]*+)(?:\[[^\]\n]{0,200}+\])?(?:\.([A-Za-z_][\w-]*+))?"
)
_OF_CALLS = frozenset({"source", "version", "providers", "count", "for_each", "depends_on"})  # for Terraform itself
_FORMER = frozenset({"moved", "removed", "import"})  # blocks that name what is not there any more, or not yet


def read(reading: DataReading, text: str, paths: Paths) -> None:
    """Note what one file of a module declares and uses."""
    folder = posixpath.dirname(reading.path)
    reading.scopes |= {Scope(kind, folder) for kind in MODULE_KINDS}
    reading.mates = paths.group("terraform", folder, lambda: _files(folder, paths))
    code, line_of = _ASIDE.sub(_blank, text), line_finder(text)
    for kind, labels, start, end in _blocks(code, text):
        line = line_of(start)
        attributes = [(one[1], line_of(one.start(1)), one[2]) for one in _attributes(code, text, start, end)]
        _declare(reading, folder, kind, labels, line, attributes)
        if kind == "module" and labels:
            _call(reading, folder, labels[0], line, attributes, paths)
        if kind not in _FORMER:
            _uses(reading, folder, line_of, _REFERENCE.finditer(code, start, end))


def _files(folder: str, paths: Paths) -> list[str]:
    return [one for one in paths.inside(folder) if one.endswith(SUFFIXES)]


def _blank(match: re.Match[str]) -> str:
    """The same length without what is no code."""
    text = match[0]
    kept = [one.span() for one in _TEMPLATE.finditer(text)] if text[0] in '"<' else []
    out, at = [], 0
    for start, end in [*kept, (len(text), len(text))]:
        out.append(re.sub(r"[^\n]", " ", text[at:start]))
        out.append(re.sub(r"[^\w.\n-]", " ", text[start:end]))
        at = end
    return "".join(out)


def _blocks(code: str, text: str) -> Iterator[tuple[str, list[str], int, int]]:
    """The outermost blocks: kind, labels, and where each begins and ends."""
    depth, start = 0, 0
    for match in _BRACKET.finditer(code):
        if match[0] in "[{(":
            if not depth:
                start = code.rfind("\n", 0, match.start()) + 1
            depth += 1
            continue
        depth -= 1
        if depth < 0:
            break
        if not depth and (head := _BLOCK.match(text, start)):
            yield head[1], re.findall(r"\"([^\"]*)\"", head[2]), start, match.end()
    if depth:
        raise UnreadableDataError("its brackets do not fit together")


def _attributes(code: str, text: str, start: int, end: int) -> Iterator[re.Match[str]]:
    """The attributes of a block itself."""
    depth, at = 0, start
    for match in [*_BRACKET.finditer(code, start, end)]:
        if depth == 1:
            yield from (one for one in _ATTRIBUTE.finditer(text, at, match.start() + 1) if code[one.start(1)] != " ")
        depth += 1 if match[0] in "[{(" else -1
        at = match.end()


def _declare(
    reading: DataReading, folder: str, kind: str, labels: list[str], line: int, attributes: list[tuple[str, int, str]]
) -> None:
    if kind in ("variable", "output", "module") and labels:
        is_required = kind == "variable" and all(name != "default" for name, _, _ in attributes)
        reading.declare(Scope(kind, folder), labels[0], line, is_required=is_required)
    elif kind == "locals":
        for name, at, _ in attributes:
            reading.declare(Scope("local", folder), name, at)
    elif kind in ("resource", "data") and len(labels) > 1:
        prefix = "data." if kind == "data" else ""
        reading.declare(Scope("resource", folder), f"{prefix}{labels[0]}.{labels[1]}", line)


def _call(
    reading: DataReading, folder: str, name: str, line: int, attributes: list[tuple[str, int, str]], paths: Paths
) -> None:
    """A call of another module: what it gives, if its source is a folder of the tree."""
    outputs = Scope("output", f"{folder}#{name}")
    source_line, source = next(((at, value) for key, at, value in attributes if key == "source"), (line, None))
    target = beside(folder, source) if source is not None and source.startswith(".") else None
    if target is None:
        reading.doubts.add(outputs)
        return
    reading.scopes.add(Scope("module folder", ""))
    reading.use(Scope("module folder", ""), target or ".", source_line, "removed")
    reading.aliases[outputs] = Scope("output", target)
    files = _files(target, paths)
    if not files:
        return
    reading.declare(Scope("module folder", ""), target or ".", 1)
    reading.needs.add(files[0])
    variables = Scope("variable", target)
    given = [(key, at) for key, at, _ in attributes if key not in _OF_CALLS]
    for key, at in given:
        reading.use(variables, key, at)
    reading.calls.append(
        CallSite(variables, frozenset(key for key, _ in given), reading.path, line, f"{reading.path} {name}")
    )


def _uses(
    reading: DataReading, folder: str, line_of: Callable[[int], int], references: Iterable[re.Match[str]]
) -> None:
    for match in references:
        root, name, inner = match.groups()
        line = line_of(match.start())
        if root in ("var", "local"):
            reading.use(Scope("variable" if root == "var" else "local", folder), name, line)
        elif root == "module":
            reading.use(Scope("module", folder), name, line)
            if inner:
                reading.use(Scope("output", f"{folder}#{name}"), inner, line)
        elif inner:
            reading.use(Scope("resource", folder), f"{'data.' if root else ''}{name}.{inner}", line, "removed")
