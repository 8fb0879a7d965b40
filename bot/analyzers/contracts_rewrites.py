"""Rewrite broken references where the check knows both the old and the new form.

That is a new name or keyword, a moved file's path in quotes, or an argument that is no longer accepted. A
reference that needs a decision, such as a value for a new parameter or a replacement for a removed name, has no
rewrite; then the whole file has none. A new name is only used if the change itself renamed the definition.
"""

import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import pairwise, zip_longest

from tree_sitter import Node

from bot.analyzers.import_statements import respell, statement
from bot.values import ChangedSymbol, Definition, Reference, Rewrite, Use
from deeprepo.impact import resolving
from deeprepo.impact.filetypes import filetype
from deeprepo.impact.language import rules_of
from deeprepo.impact.ports import Tree
from deeprepo.impact.reading.nodes import ancestors
from deeprepo.impact.reading.syntax import tree_of
from deeprepo.impact.structs import replace
from deeprepo.impact.text.lines import file_lines
from deeprepo.impact.uses.breaks import Breakage, problem
from deeprepo.impact.values import Arguments, Signature

MAX_REWRITTEN_LINES = 200  # lines of one file that are rewritten
LISTS = frozenset({"argument_list", "arguments", "value_arguments"})
SAME = 0.9  # share of a definition's lines that must be equal, from 0 to 1
# What makes an argument more than a plain value: side effects, comments or unpacking.
ACTS = re.compile(rb"\w\s*[(!]|\bawait\b|\byield\b|\bnew\b|\+\+|--|(?<![=!<>])=(?!=)|#|//|/\*|\*\*|\.\.\.|^[*&]")
SHORTHAND = {"shorthand_property_identifier": b"%(old)s: %(new)s", "export_specifier": b"%(new)s as %(old)s"}
# What separates the name of a file or namespace from an equal name in it.
QUALIFIES = re.compile(rb"\s*(?:\.|::|\\)\s*|\s+import\b[\s\w(,]*")
# A parameter declared without a type and a default, its name masked.
BARE = re.compile(r"(?:^|[(,])\s*\$?\0:?\s*(?:[,)]|$)")
SEPARATES = re.compile(r"\.|::|->|\\")  # between a receiver and its member
NO_RENAME = frozenset({"shorthand_property_identifier_pattern"})  # the name is also the key of something else


@dataclass(frozen=True, slots=True, order=True)
class ByteEdit:
    """Bytes of a file and their replacement."""

    start: int
    end: int
    new: bytes


@dataclass(frozen=True, slots=True)
class _File:
    path: str
    source: bytes
    _uses: dict[str, dict[int, list[Use]]] = field(default_factory=dict)  # by name and line

    def uses(self, breakage: Breakage) -> list[Use]:
        """Skip modules of the same name, as in `from app.price import price`."""
        name, line = breakage.reference.name, breakage.reference.line
        if name not in self._uses:
            by_line = self._uses.setdefault(name, {})
            uses = {use.at: use for use in resolving.uses(self.path, self.source, {name}) if use.at >= 0}
            ordered = [use for _, use in sorted(uses.items()) if use.name.endswith(name)]
            for use, following in zip_longest(ordered, ordered[1:]):
                end = use.at + len(use.name.encode())
                if following is None or not QUALIFIES.fullmatch(self.source[end : max(end, following.at)]):
                    by_line.setdefault(use.line, []).append(use)
        return self._uses[name].get(line, [])

    def all_uses(self, name: str) -> list[Use]:
        """Return the references to a name whose lines were requested."""
        return [use for uses in self._uses.get(name, {}).values() for use in uses]


class _NotMechanical(Exception):  # noqa: N818 - an outcome
    """A reference that only a person can fix."""


async def rewrites(tree: Tree, groups: Iterable[Sequence[Breakage]]) -> dict[tuple[str, str], tuple[Rewrite, ...]]:
    """Map (caller's path, changed definition or file) to the lines that fix all its broken references."""
    rows = [breakage for group in groups for breakage in group if not breakage.reference.likely]
    refitted = {breakage.symbol for breakage in rows if breakage.misfit is not None and breakage.symbol is not None}
    renamed = {
        breakage.symbol for breakage in rows if breakage.symbol is not None and breakage.symbol.change == "renamed"
    }
    replaced = {item for item in refitted if await _replaces_parameter(tree, item)}
    replaced |= {item for item in renamed if await _is_another(tree, item)}
    rows_by_file: dict[str, list[Breakage]] = defaultdict(list)
    for breakage in rows:
        if breakage.symbol not in replaced:
            rows_by_file[breakage.reference.path].append(breakage)
    sources = await tree.read_many(sorted(rows_by_file))
    rewrites_by_key: dict[tuple[str, str], tuple[Rewrite, ...]] = {}
    for path, rows in rows_by_file.items():
        if path in sources and filetype(path).is_parsed:
            rewrites_by_key |= _of_file(_File(path, sources[path]), rows)
    return rewrites_by_key


async def _replaces_parameter(tree: Tree, item: ChangedSymbol) -> bool:
    """Return whether one parameter replaced another, instead of being the same one under a new name."""
    if item.signatures is None:
        return False
    old, new = (side.parameters for side in item.signatures)
    names_before, names_after = ({parameter.name for parameter in side} for side in (old, new))
    if not names_before - names_after or not names_after - names_before:
        return False
    if [(parameter.kind, parameter.is_required) for parameter in old] != [
        (parameter.kind, parameter.is_required) for parameter in new
    ]:
        return True
    named = re.compile(rf"\b(?:{'|'.join(map(re.escape, names_before ^ names_after))})\b")
    lines_before, lines_after = [
        [named.sub("\0", line).strip() for line in await _text(tree, side) if named.search(line)] for side in item.sides
    ]
    # Declared without type, and unused.
    is_untold = len(lines_after) == 1 and BARE.search(lines_after[0]) is not None
    return lines_before != lines_after or is_untold


async def _is_another(tree: Tree, item: ChangedSymbol) -> bool:
    """Return whether the definition with the new name is not the old one, although it is the most similar."""
    if item.before is None or item.after is None or item.before.short == item.after.short:
        return False
    named = re.compile(rf"\b(?:{re.escape(item.before.short)}|{re.escape(item.after.short)})\b")
    before, after = [
        [row for line in await _text(tree, side) if (row := named.sub("\0", line).strip())]
        for side in (item.before, item.after)
    ]
    return SequenceMatcher(None, before, after, autojunk=False).ratio() < SAME


async def _text(tree: Tree, symbol: Definition) -> Sequence[str]:
    return file_lines(await tree.read(symbol.path, symbol.side))[symbol.start - 1 : symbol.end]


def _of_file(file: _File, rows: Sequence[Breakage]) -> dict[tuple[str, str], tuple[Rewrite, ...]]:
    """A line that two changed definitions share is written once, with both changes."""
    edits: dict[str, set[ByteEdit]] = {}
    counts = Counter(breakage.reference.symbol for breakage in rows)
    for breakage in rows:
        key = breakage.reference.symbol
        if counts[key] > MAX_REWRITTEN_LINES:
            continue
        try:
            edits.setdefault(key, set()).update(_edits(file, breakage))
        except _NotMechanical:
            edits[key] = {ByteEdit(-1, -1, b"")}  # one location that cannot be fixed excludes all
    mendable = {key: found for key, found in edits.items() if found and all(edit.start >= 0 for edit in found)}
    every = sorted({edit for found in mendable.values() for edit in found})
    lines = _lines(file, every)
    whole = {
        key: found for key, found in mendable.items() if found <= lines.keys() and len(found) <= MAX_REWRITTEN_LINES
    }
    return {
        (file.path, key): tuple(dict.fromkeys(lines[edit] for edit in sorted(found))) for key, found in whole.items()
    }


def _lines(file: _File, edits: Sequence[ByteEdit]) -> dict[ByteEdit, Rewrite]:
    """Return each edit with the whole lines that contain it. Overlapping edits are dropped."""
    starts = [0]
    for line in file.source.split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)
    blocks: list[tuple[int, int, list[ByteEdit]]] = []  # first and last line, from 0
    at = 0
    for edit in edits:
        while starts[at + 1] <= edit.start:
            at += 1
        last = at + file.source.count(b"\n", starts[at], edit.end)
        if blocks and blocks[-1][1] >= at:
            first, end, mine = blocks[-1]
            blocks[-1] = (first, max(end, last), [*mine, edit])
        else:
            blocks.append((at, last, [edit]))
    rewrites_by_edit: dict[ByteEdit, Rewrite] = {}
    for first, last, mine in blocks:
        if any(one.end > other.start for one, other in pairwise(mine)):
            continue
        begin, end = starts[first], starts[last + 1] - 1
        pieces, place = [], begin
        for edit in mine:
            pieces += [file.source[place : edit.start], edit.new]
            place = edit.end
        new = b"".join([*pieces, file.source[place:end]])
        try:
            old_text, new_text = file.source[begin:end].decode(), new.decode()
        except UnicodeDecodeError:
            continue
        rewrites_by_edit |= dict.fromkeys(mine, Rewrite(file.path, first + 1, old_text, new_text))
    return rewrites_by_edit


def _edits(file: _File, breakage: Breakage) -> set[ByteEdit]:
    if breakage.misfit is not None:
        return _call_edits(file, breakage)
    if breakage.reference.is_module:
        return _module_edits(file, breakage)
    item = breakage.symbol
    if item is None or item.change != "renamed" or item.before is None or item.after is None:
        raise _NotMechanical
    return _renamed_edits(file, breakage, item.before, item.after)


def _renamed_edits(file: _File, breakage: Breakage, before: Definition, after: Definition) -> set[ByteEdit]:
    if before.name.rpartition(".")[0] != after.name.rpartition(".")[0] or breakage.reference.name != before.short:
        raise _NotMechanical
    sides = breakage.symbol.signatures if breakage.symbol is not None else None
    if breakage.reference.call and sides is not None and problem(*sides, breakage.reference) is not None:
        raise _NotMechanical  # the arguments do not match either
    is_moved_alone = after.path not in (before.path, breakage.new_path)
    if is_moved_alone or (breakage.new_path and before.short != after.short):
        raise _NotMechanical
    return _name_edits(file, breakage, before.short, after.short, is_member="." in before.name)


def _name_edits(file: _File, breakage: Breakage, old: str, new: str, *, is_member: bool) -> set[ByteEdit]:
    selection = [use for use in _uses(file, breakage, is_member=is_member) if use.form not in ("key", "definition")]
    # The import statement starts here and has the name on a later line.
    if not selection and breakage.reference.form == "import":
        start, text = statement(file.path, file.source, breakage.reference.line) or (0, "")
        selection = [use for use in file.all_uses(old) if start <= use.at < start + len(text.encode())]
    if not selection:
        raise _NotMechanical
    return {_rename(file, use, old.encode(), new.encode()) for use in selection}


def _uses(file: _File, breakage: Breakage, *, is_member: bool) -> list[Use]:
    """Return the references on a line to the definition: as a member, or by its name and through its file."""
    uses = file.uses(breakage)
    if is_member:
        return [use for use in uses if use.form == "member"] or uses
    home = breakage.home_before
    return [use for use in uses if use.form != "member" or _is_asked_of(file, use, home)] or uses


def _is_asked_of(file: _File, use: Use, home: str) -> bool:
    """Return whether a member's receiver is an imported file (`app.price.total`), not an object."""
    names = "|".join(
        map(re.escape, {posixpath.basename(home).partition(".")[0], posixpath.basename(posixpath.dirname(home))} - {""})
    )
    steps = SEPARATES.split(use.receiver)
    first, last = steps[0], steps[-1]
    imports = [one.line for one in resolving.uses(file.path, file.source, {first}) if one.form == "import"]
    spots = [spot[1] for line in imports if (spot := statement(file.path, file.source, line)) is not None]
    is_alias = rf"(?:\b(?:{names})|\*)\s+as\s+{re.escape(first)}\b"
    return any(
        re.search(rf"\b(?:{names})\b", spot) and (re.fullmatch(names, last) or re.search(is_alias, spot))
        for spot in spots
    )


def _rename(file: _File, use: Use, old: bytes, new: bytes) -> ByteEdit:
    at = use.at + file.source[use.at : use.at + len(use.name.encode())].rfind(old)
    if file.source[at : at + len(old)] != old or at < use.at:
        raise _NotMechanical
    root = tree_of(file.path, file.source)
    node = root.descendant_for_byte_range(at, at + len(old)) if root is not None else None
    kind = node.type if node is not None else ""
    around = node.parent.type if node is not None and node.parent is not None else ""
    if kind in NO_RENAME and use.form != "import":
        raise _NotMechanical
    alone = node is not None and node.parent is not None and node.parent.named_child_count == 1
    form = SHORTHAND.get(kind) or (SHORTHAND.get(around) if alone else None)
    return ByteEdit(at, at + len(old), form % {b"old": old, b"new": new} if form else new)


def _call_edits(file: _File, breakage: Breakage) -> set[ByteEdit]:
    """Return the edits for mismatching calls on the line: drop an argument or change a keyword."""
    sides = breakage.symbol.signatures if breakage.symbol is not None else None
    if sides is None or sides[1].overloads:
        raise _NotMechanical
    edits: set[ByteEdit] = set()
    for use in _uses(file, breakage, is_member="." in breakage.reference.symbol.rpartition(":")[2]):
        at = use.at + len(use.name.encode()) - 1
        arguments = _arguments(file, at) if use.arguments is not None else None
        if arguments is not None:
            edits |= _argument_edits(file, breakage, arguments, *sides)
    if not edits:
        raise _NotMechanical
    return edits


def _arguments(file: _File, at: int) -> list[Node] | None:
    """Return the arguments of a call whose name ends at this byte."""
    root = tree_of(file.path, file.source)
    name = root.descendant_for_byte_range(at, at + 1) if root is not None else None
    for above in ancestors(name) if name is not None else ():
        found = next((node for node in above.children if node.type in LISTS and node.start_byte > at), None)
        if found is not None:
            return found.named_children
    return None


def _argument_edits(
    file: _File, breakage: Breakage, arguments: Sequence[Node], before: Signature, after: Signature
) -> set[ByteEdit]:
    sign = rules_of(file.path).calls.named_arguments.strip()
    named = re.compile(rf"(\w+)\s*{sign}(?![{sign}:])".encode())
    keywords = [match[1].decode() if sign and (match := named.match(one.text or b"")) else "" for one in arguments]
    call = _with_arguments(breakage.reference, keywords)
    if problem(before, after, call) is None:
        return set()  # another call on the line, which matches
    old, new = ([parameter for parameter in side.parameters if parameter.kind != "rest"] for side in (before, after))
    gone = [parameter.name for parameter in old if parameter.name not in {each.name for each in new}]
    fresh = [parameter.name for parameter in new if parameter.name not in {each.name for each in old}]
    kept = [[parameter.name for parameter in side if parameter.name not in {*gone, *fresh}] for side in (old, new)]
    if problem(before, before, call) is not None or len(gone) != 1 or len(fresh) > 1 or kept[0] != kept[1]:
        raise _NotMechanical
    place = [parameter.name for parameter in old].index(gone[0])
    at = keywords.index(gone[0]) if gone[0] in keywords else place
    if at >= len(arguments) or keywords[at] not in ("", gone[0]):
        raise _NotMechanical
    argument = arguments[at]
    if fresh:  # a renamed parameter
        if len(old) != len(new) or new[place].name != fresh[0] or not keywords[at]:
            raise _NotMechanical
        keywords[at] = fresh[0]
        edit = ByteEdit(argument.start_byte, argument.start_byte + len(gone[0].encode()), fresh[0].encode())
    else:
        value = (argument.text or b"")[len(keywords[at]) :].lstrip().removeprefix(sign.encode())
        start, end = argument.start_byte, argument.end_byte
        start, end = (arguments[at - 1].end_byte, end) if at else (start, _next(arguments, end))
        left = file.source[start:end].replace(argument.text or b"", b"", 1)
        if ACTS.search(value) or left.strip() not in (b"", b","):
            raise _NotMechanical  # a call or a comment would be lost
        del keywords[at]
        edit = ByteEdit(start, end, b"")
    if problem(before, after, _with_arguments(call, keywords)) is not None:
        raise _NotMechanical
    return {edit}


def _next(arguments: Sequence[Node], end: int) -> int:
    """Return where the second argument starts, or where the only one ends."""
    return arguments[1].start_byte if len(arguments) > 1 else end


def _with_arguments(call: Reference, keywords: Sequence[str]) -> Reference:
    named = tuple(word for word in keywords if word)
    return replace(
        call, arguments=replace(call.arguments or Arguments(), positional=len(keywords) - len(named), keywords=named)
    )


def _module_edits(file: _File, breakage: Breakage) -> set[ByteEdit]:
    spot = statement(file.path, file.source, breakage.reference.line) if breakage.new_path else None
    respelt = respell(file.path, spot[1], breakage.home_before, breakage.new_path) if spot is not None else None
    if spot is None or respelt is None:
        raise _NotMechanical
    start, end, new = respelt
    at = spot[0] + len(spot[1][:start].encode())
    return {ByteEdit(at, at + len(spot[1][start:end].encode()), new.encode())}
