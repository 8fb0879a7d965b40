"""Definitions whose contract changes though the lines that name them stay.

An implicit value moves, a member cannot be assigned to any more, a type of Go loses a method of its values, a class takes other type parameters.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from posixpath import dirname

from bot.dependents.contract import ATTRIBUTE
from bot.dependents.implicit_values import implicit_values, line_of
from bot.dependents.parameter_shapes import asks_for_pointer
from bot.dependents.symbols import HOLDERS, ChangedSource
from bot.text.filetypes import filetype
from bot.text.lines import file_lines
from bot.text.paths import is_test
from bot.values import ChangedSymbol, Contract, Outline

PROPERTY = re.compile(r"^\s*+@property\b")
DECORATOR = re.compile(r"^\s*+@")
SETTER = re.compile(r"^\s*+@\w++\.(?:setter|deleter)\b")
GET, SET = (re.compile(rf"^\s*+(?:\w++\s++){{0,4}}?{word}\s++[\w$#\[\"']") for word in ("get", "set"))  # of JavaScript
HEAD = 2_000  # characters of a class in which its name is


def with_unwritten_changes(
    sources: Sequence[ChangedSource], symbols_by_file: Mapping[str, tuple[ChangedSymbol, ...]]
) -> dict[str, tuple[ChangedSymbol, ...]]:
    """Add to the changed symbols of each file the definitions whose contract another line of the change alters."""
    by_path = {source.file.path: source for source in sources}
    changes = {
        path: _with_unwritten(by_path[path], items) if path in by_path and not is_test(path) else tuple(items)
        for path, items in symbols_by_file.items()
    }
    for path, types in _types_of_pointers(sources, symbols_by_file).items():
        changes[path] = (*changes.get(path, ()), *types)
    return changes


def _types_of_pointers(
    sources: Sequence[ChangedSource], symbols_by_file: Mapping[str, tuple[ChangedSymbol, ...]]
) -> dict[str, list[ChangedSymbol]]:
    """The types of Go one of whose methods has a pointer receiver now: their values no longer satisfy an interface that asks for it."""
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


def _with_unwritten(source: ChangedSource, items: Sequence[ChangedSymbol]) -> tuple[ChangedSymbol, ...]:
    """The changes of one file with those that no line shows; a setter that went and left its getter is one of the getter."""
    more = tuple(_unwritten(source, items))
    read_only = {item.symbol.name for item in more if item.contract == ("writing",)}
    return (*(item for item in items if item.change != "removed" or item.symbol.name not in read_only), *more)


def _unwritten(source: ChangedSource, items: Sequence[ChangedSymbol]) -> Iterator[ChangedSymbol]:
    """The definitions on both sides whose contract has changed, without those that are known to have."""
    known_names = {item.symbol.name for item in items if item.contract and item.change != "removed"}
    old, new = ({one.name: one for one in reversed(side.symbols)} for side in (source.old, source.new))
    was, now = implicit_values(source.before, source.old), implicit_values(source.after, source.new)
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
    for name, contract in sorted(_read_only_members(source).items()):
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


def _read_only_members(source: ChangedSource) -> dict[str, Contract]:
    """The members that could be assigned to and cannot any more: a setter went; in Python an attribute became a property or a method, too."""
    parser = filetype(source.file.path).parser
    old_lines, new_lines = file_lines(source.before), file_lines(source.after)
    if parser == "javascript":
        old_names, new_names = _accessors(old_lines, source.old, SET), _accessors(new_lines, source.new, SET)
        return dict.fromkeys((old_names - new_names) & _accessors(new_lines, source.new, GET), "writing")
    if not source.new.symbols or parser != "python":
        return {}
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
        head = line_of(new_lines, one)
        if (
            one.kind == "method"
            and one.name in attributes - known_names
            and (not DECORATOR.match(head) or PROPERTY.match(head))
        ):
            kinds.setdefault(one.name, "writing" if PROPERTY.match(head) else "declaration")
    return {name: kind for name, kind in (kinds | dict.fromkeys(was, "writing")).items() if name not in now}


def _setters(lines: Sequence[str], outline: Outline) -> set[str]:
    return {one.name for one in outline.symbols if one.kind == "method" and SETTER.match(line_of(lines, one))}


def _accessors(lines: Sequence[str], outline: Outline, form: re.Pattern[str]) -> set[str]:
    """The members that a getter or a setter of JavaScript makes."""
    return {one.name for one in outline.symbols if "." in one.name and form.match(line_of(lines, one))}
