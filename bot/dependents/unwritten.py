"""Members whose contract changes though their own lines stay: an implicit value that moves, a way to write that goes."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from posixpath import dirname

from bot.dependents.contract import ATTRIBUTE
from bot.dependents.parameter_shapes import asks_for_pointer
from bot.dependents.symbols import HOLDERS, ChangedSource
from bot.text.filetypes import filetype
from bot.text.lines import file_lines
from bot.text.paths import is_test
from bot.values import ChangedSymbol, Contract, Outline, Symbol

Value = tuple[str, int]  # the last value that is written, and how far behind it
ENUM = re.compile(r"^\s*+(?:(?:export|declare|const|public|internal|private|protected|typedef)\s++)*+enum\b")
COUNTED = re.compile(r"^\s*+\w++\s*+,?\s*+(?://.*|/\*.*)?$")  # a member that writes no value
AUTOMATIC = re.compile(r"^\s*+\w++\s*+=\s*+(?:\w++\.)?auto\(\)")
NUMBERED = re.compile(r"\bInt(?:Enum|Flag)\b|\bFlag\b|\bint\b")  # bases whose members are used as numbers
GROUP = re.compile(r"const\s*+\(\s*+(?://.*)?$")
PROPERTY = re.compile(r"^\s*+@property\b")
DECORATOR = re.compile(r"^\s*+@")
SETTER = re.compile(r"^\s*+@\w++\.(?:setter|deleter)\b")
HEAD = 2_000  # characters of a class in which its name stands
IOTA = re.compile(r"\biota\b")


def with_unwritten_changes(
    sources: Sequence[ChangedSource], symbols_by_file: Mapping[str, tuple[ChangedSymbol, ...]]
) -> dict[str, tuple[ChangedSymbol, ...]]:
    """The same, with the members of which a change elsewhere in their file makes something else."""
    by_path = {source.file.path: source for source in sources}
    changes = {
        path: (*items, *_unwritten(by_path[path], items)) if path in by_path and not is_test(path) else tuple(items)
        for path, items in symbols_by_file.items()
    }
    for path, types in _types_of_pointers(sources, symbols_by_file).items():
        changes[path] = (*changes.get(path, ()), *types)
    return changes


def _types_of_pointers(
    sources: Sequence[ChangedSource], symbols_by_file: Mapping[str, tuple[ChangedSymbol, ...]]
) -> dict[str, list[ChangedSymbol]]:
    """The types of Go of which a method became one of pointers: a value of theirs has it no more where an interface asks for it."""
    owners = {
        (dirname(path), item.before.name.rpartition(".")[0])
        for path, items in symbols_by_file.items()
        for item in items
        if filetype(path).parser == "go" and not is_test(path)
        if item.before is not None and item.after is not None and asks_for_pointer(item.before, item.after)
    }
    types: dict[str, list[ChangedSymbol]] = {}
    for source in sources if owners else ():
        path = source.file.path
        known_names = {item.symbol.name for item in symbols_by_file.get(path, ()) if item.contract}
        new = {one.name: one for one in source.new.symbols}
        types[path] = [
            ChangedSymbol(one, new[one.name], "body", ("declaration",))
            for one in source.old.symbols
            if (dirname(path), one.name) in owners and one.name in new and one.name not in known_names
        ]
    return types


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
        if item.change != "removed" or not is_setter or name in known_names:
            continue
        if name in old and name in new:
            yield ChangedSymbol(old[name], new[name], "body", ("declaration",))
        elif item.before is not None and name not in old:  # nothing but the setter: a line that assigns names no `=`
            yield replace(item, before=replace(item.before, name=name))
    yield from _with_other_type_parameters(source, known_names)
    for name, contract in sorted(_unwritable(source).items()):
        if name in new and name not in known_names:
            yield ChangedSymbol(old.get(name, replace(new[name], side="base")), new[name], "body", (contract,))


def _with_other_type_parameters(source: ChangedSource, known_names: Collection[str]) -> Iterator[ChangedSymbol]:
    """The classes that take other type parameters, where their head is also a constructor's and the change counts as one of that."""
    old, new = ({one.name: one for one in side.symbols if one.kind in HOLDERS} for side in (source.old, source.new))
    for name in sorted(old.keys() & new.keys() - known_names):
        pattern = rf"\b(?:class|record|struct|interface)\s++{re.escape(old[name].short)}\s*+(<[^(){{}}]{{1,300}}>|\[[^(){{}}]{{1,300}}\])?"
        was, now = (re.search(pattern, source.lines(side[name])[:HEAD]) for side in (old, new))
        if was and now and was[1] != now[1]:
            yield ChangedSymbol(old[name], new[name], "body", ("declaration",))


def _unwritable(source: ChangedSource) -> dict[str, Contract]:
    """The members of Python that could be assigned to and cannot any more: a setter went, an attribute became a property or a method."""
    if not source.new.symbols or filetype(source.file.path).parser != "python":
        return {}
    old_lines, new_lines = file_lines(source.before), file_lines(source.after)
    was, now = _setters(old_lines, source.old), _setters(new_lines, source.new)
    known_names = {one.name for one in source.old.symbols}
    attributes = {
        f"{owner.name}.{name}"
        for owner in source.old.symbols
        if owner.kind == "class"
        for line in old_lines[owner.start - 1 : owner.end]
        for name in ATTRIBUTE.findall(line)
    }
    kinds: dict[str, Contract] = {}
    for one in source.new.symbols:
        head = _line(new_lines, one)
        if (
            one.kind == "method"
            and one.name in attributes - known_names
            and (not DECORATOR.match(head) or PROPERTY.match(head))
        ):
            kinds.setdefault(one.name, "writing" if PROPERTY.match(head) else "declaration")
    return {name: kind for name, kind in (kinds | dict.fromkeys(was, "writing")).items() if name not in now}


def _setters(lines: Sequence[str], outline: Outline) -> set[str]:
    return {one.name for one in outline.symbols if one.kind == "method" and SETTER.match(_line(lines, one))}


def _values(text: bytes, outline: Outline) -> dict[str, Value]:
    """The values of the members that are counted, by name."""
    lines = file_lines(text)
    counted_by = filetype(outline.symbols[0].path).implicit_values if outline.symbols else ""
    if counted_by == "iota":
        return _of_groups(lines)
    values: dict[str, Value] = {}
    for owner in outline.symbols:
        if counted_by == "enum" and ENUM.match(_line(lines, owner)):
            values |= _counted(lines, _members(outline, owner), COUNTED)
        elif counted_by == "auto" and owner.kind == "class" and NUMBERED.search(_line(lines, owner)):
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
            name, sign, value = code.partition("=")
            expression = value.strip() if sign else expression
            if IOTA.search(expression) and (word := re.match(r"\w+", name)):
                values[word[0]] = expression, place
            place += 1
    return values
