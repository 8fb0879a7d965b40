"""Scripts of packages: the `scripts` of a package.json, and what they run of the same package and of Makefiles."""

import json
import posixpath
import re
from collections.abc import Collection, Iterator

from bot.dependents.declarations import shell
from bot.dependents.declarations.reading import (
    DataReading,
    Declaration,
    NameUse,
    Paths,
    Scope,
    UnreadableDataError,
)

FILE = "package.json"
MAKEFILES = ("GNUmakefile", "makefile", "Makefile")  # in the order in which make looks for them
_RUNS_GROUPS = re.compile(r"(?<![\w./-])(?:run-[sp]|npm-run-all2?)(?![\w/-])([^&|;\n]*)")
_GROUP = re.compile(r"(?<![\w:*/.-])(\w[\w:.-]{0,80}\*{1,2})(?![\w*/])")
_NPM_GROUP = re.compile(r"(?<![\w:*/.-])npm:(\w[\w:.-]{0,80}\*{1,2})(?![\w*/])")  # of concurrently
_IN_PATTERN = {"*": "[^:]*", "**": ".*"}
_STRING = re.compile(r"\"(?P<text>(?:[^\"\\\n]|\\.)*+)\"?[ \t\r\n]*+(?P<colon>:?)")


def read(path: str, text: str, paths: Paths) -> DataReading:
    """The scripts of one package. Raises `UnreadableDataError`."""
    mine, every = Scope("script", path), Scope("script", shell.EVERY)
    reading = DataReading(scopes={mine, every})
    try:
        value = json.loads(text) if text else {}
    except (ValueError, RecursionError) as error:
        raise UnreadableDataError("it is not JSON") from error
    scripts = value.get("scripts") if isinstance(value, dict) else None
    if not isinstance(scripts, dict):
        return reading
    lines = _lines(text)
    folder = posixpath.dirname(path)
    for name, command in scripts.items():
        line = lines.get(name, 1)
        reading.declarations += [Declaration(scope, name, path, line) for scope in (mine, every)]
        if isinstance(command, str):
            _add_groups(reading, command, scripts, path, line)
            add_calls(reading, command, folder, path, paths, lambda _, line=line: line)
    return reading


def _add_groups(reading: DataReading, command: str, names: Collection[str], path: str, line: int) -> None:
    """Add the groups of scripts that a command runs by a pattern. One is there as long as a script matches it."""
    scope = Scope("script group", path)
    reading.scopes.add(scope)
    words = [word for match in _RUNS_GROUPS.finditer(command) for word in _GROUP.findall(match[1])]
    for group in dict.fromkeys([*words, *_NPM_GROUP.findall(command)]):
        look = re.compile("".join(_IN_PATTERN.get(part, re.escape(part)) for part in re.split(r"(\*+)", group)))
        reading.uses.append(NameUse(scope, group, path, line, "removed"))
        if any(look.fullmatch(name) for name in names):
            reading.declarations.append(Declaration(scope, group, path, line))


def add_calls(reading: DataReading, text: str, folder: str | None, path: str, paths: Paths, line_of) -> None:  # type: ignore[no-untyped-def] # noqa: ANN001
    """Add what the commands of a text ask make and packages for."""
    for call in shell.calls(text, folder):
        place = call.folder
        if call.kind == "script":
            home = shell.EVERY if place == shell.EVERY else paths.above(place, FILE)
        else:
            home = makefile_in(place, paths)
            if posixpath.join(place, call.name) in paths:
                continue
        if home is None:
            continue
        if home != shell.EVERY:
            reading.needs.add(home)
        reading.uses.append(NameUse(Scope(call.kind, home), call.name, path, line_of(call.line), call.certainty))


def makefile_in(folder: str, paths: Paths) -> str | None:
    """Return the file that make reads in a folder."""
    names = (posixpath.join(folder, name) for name in MAKEFILES)
    return next((path for path in names if path in paths), None)


def _lines(text: str) -> dict[str, int]:
    """The line of each key behind `scripts`."""
    at = text.find('"scripts"')
    rows: dict[str, int] = {}
    line, last = 1, 0
    for name, place in _keys(text, max(at, 0)):
        line += text.count("\n", last, place)
        last = place
        rows.setdefault(name, line)
    return rows


def _keys(text: str, at: int) -> Iterator[tuple[str, int]]:
    for match in _STRING.finditer(text, at):
        if match["colon"]:
            yield match["text"], match.start()
