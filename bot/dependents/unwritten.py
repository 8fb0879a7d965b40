"""Members whose contract changes though their own lines stay: an implicit value that moves, a way to write that goes."""

import re
from collections.abc import Iterator, Mapping, Sequence

from bot.dependents.symbols import ChangedSource
from bot.text.lines import file_lines
from bot.text.paths import is_test
from bot.values import ChangedSymbol, Outline, Symbol

Value = tuple[str, int]  # the last value that is written, and how far behind it
ENUM = re.compile(r"\s*+(?:(?:export|declare|const|public|internal|private|protected|typedef)\s++)*+enum\b")
COUNTED = re.compile(r"\s*+\w++\s*+,?\s*+(?://.*|/\*.*)?$")  # a member that writes no value
AUTOMATIC = re.compile(r"\s*+\w++\s*+=\s*+(?:\w++\.)?auto\(\)")
TEXTS = re.compile(r"\bStrEnum\b|\bstr\b")  # bases whose members are not numbered
GROUP = re.compile(r"const\s*+\(\s*+(?://.*)?$")
IOTA = re.compile(r"\biota\b")
SUFFIXES = (".ts", ".mts", ".cts", ".tsx", ".c", ".h", ".cc", ".cpp", ".hpp", ".cs")


def with_unwritten_changes(
    sources: Sequence[ChangedSource], symbols_by_file: Mapping[str, tuple[ChangedSymbol, ...]]
) -> dict[str, tuple[ChangedSymbol, ...]]:
    """The same, with the members of which a change elsewhere in their file makes something else."""
    by_path = {source.file.path: source for source in sources}
    return {
        path: (*items, *_unwritten(by_path[path], items)) if path in by_path and not is_test(path) else tuple(items)
        for path, items in symbols_by_file.items()
    }


def _unwritten(source: ChangedSource, items: Sequence[ChangedSymbol]) -> Iterator[ChangedSymbol]:
    """The members that are on both sides and that no changed contract names already."""
    known_names = {item.symbol.name for item in items if item.contract and item.change != "removed"}
    old, new = ({one.name: one for one in reversed(side.symbols)} for side in (source.old, source.new))
    was, now = _values(source.before, source.old), _values(source.after, source.new)
    for name in was.keys() & now.keys() & old.keys() & new.keys() - known_names:
        if was[name] != now[name]:
            yield ChangedSymbol(old[name], new[name], "body", ("value",))
    for item in items:
        name = item.symbol.name.removesuffix("=")
        is_setter = item.symbol.name.endswith("=")  # as Ruby calls it
        if item.change == "removed" and is_setter and name in old and name in new and name not in known_names:
            yield ChangedSymbol(old[name], new[name], "body", ("declaration",))


def _values(text: bytes, outline: Outline) -> dict[str, Value]:
    """The values of the members that are counted, by name."""
    lines = file_lines(text)
    path = outline.symbols[0].path if outline.symbols else ""
    if path.endswith(".go"):
        return _of_groups(lines)
    values: dict[str, Value] = {}
    for owner in outline.symbols:
        if path.endswith(SUFFIXES) and ENUM.match(_line(lines, owner)):
            values |= _counted(lines, _members(outline, owner), COUNTED)
        elif path.endswith((".py", ".pyi")) and owner.kind == "class" and not TEXTS.search(_line(lines, owner)):
            values |= _counted(lines, _members(outline, owner), AUTOMATIC)
    return values


def _line(lines: Sequence[str], symbol: Symbol) -> str:
    return lines[symbol.start - 1] if symbol.start <= len(lines) else ""


def _members(outline: Outline, owner: Symbol) -> list[Symbol]:
    """The values that a definition holds, in the order of the file."""
    inside = [
        one
        for one in outline.symbols
        if one.kind == "variable" and one.name.rpartition(".")[0] == owner.name and owner.start < one.start <= owner.end
    ]
    return sorted(inside, key=lambda one: one.start)


def _counted(lines: Sequence[str], members: Sequence[Symbol], pattern: re.Pattern[str]) -> dict[str, Value]:
    """The members that write no value of their own: each counts on from the last one that does."""
    values: dict[str, Value] = {}
    last, far = "", 0
    for member in members:
        text = _line(lines, member)
        if pattern.match(text):
            far += 1
            values[member.name] = last, far
        else:
            last, far = text.partition("=")[2].strip(" ,"), 0
    return values


def _of_groups(lines: Sequence[str]) -> dict[str, Value]:
    """The constants of Go that `iota` numbers: by the expression that counts for them, and by their place in the group."""
    values: dict[str, Value] = {}
    place, expression = -1, ""
    for line in lines:
        code = line.partition("//")[0].strip()
        if GROUP.match(line):
            place, expression = 0, ""
        elif code == ")":
            place = -1
        elif place >= 0 and code:
            name, sign, written = code.partition("=")
            expression = written.strip() if sign else expression
            if IOTA.search(expression) and (word := re.match(r"\w+", name)):
                values[word[0]] = expression, place
            place += 1
    return values
