"""Broken uses that code can rewrite, because the check knows the old form and the new one.

Four kinds: another name, another file, another keyword, an argument that nothing takes any more. A use that needs a decision (a value for a
new parameter, a replacement for what is gone) has no rewrite, and neither has any other of its file.
"""

import posixpath
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from bot.analyzers.contracts_arity import misfit
from bot.analyzers.contracts_words import Breakage
from bot.languages.arguments import Argument, ArgumentList, arguments_of, node_at
from bot.languages.imports import Statement, respell, statement, takes_default, without
from bot.ports import Language, Tree
from bot.text.filetypes import filetype
from bot.values import Parameter, Rewrite, Symbol, Use

MOST = 200  # lines of one file that are rewritten
KEYWORD = ("positional", "keyword-only")  # parameters that a call may name
SHORTHAND = {"shorthand_property_identifier": b"%(old)s: %(new)s", "export_specifier": b"%(new)s as %(old)s"}
NO_RENAME = frozenset({"shorthand_property_identifier_pattern"})  # its name is a key of something else


@dataclass(frozen=True, slots=True, order=True)
class ByteEdit:
    """Bytes of a file that become others."""

    start: int
    end: int
    new: bytes


@dataclass(frozen=True, slots=True)
class _File:
    """A caller's file as it is read."""

    path: str
    source: bytes
    language: Language
    _uses: dict[str, dict[int, list[Use]]] = field(default_factory=dict)  # of a name, by their lines

    def uses(self, row: Breakage) -> list[Use]:
        """The uses of a broken name on its line."""
        name, line = row.reference.name, row.reference.line
        if name not in self._uses:
            by_line = self._uses.setdefault(name, {})
            for use in self.language.uses(self.path, self.source, {name}):
                by_line.setdefault(use.line, []).append(use)
        uses = {use.at: use for use in self._uses[name].get(line, ())}
        return [use for at, use in sorted(uses.items()) if at >= 0 and use.name.endswith(name)]


class _NotMechanical(Exception):  # noqa: N818 - an outcome
    """A use that only a person can decide about."""


async def rewrites(
    tree: Tree, groups: Iterable[Sequence[Breakage]], languages: Mapping[str, Language]
) -> dict[tuple[str, str], tuple[Rewrite, ...]]:
    """(caller's path, changed definition or file) -> the lines that mend every broken use of it in this file."""
    rows_by_file: dict[str, list[Breakage]] = defaultdict(list)
    for row in (row for group in groups for row in group if not row.reference.likely):
        rows_by_file[row.reference.path].append(row)
    sources = await tree.read_many(sorted(rows_by_file))
    rewrites_by_key: dict[tuple[str, str], tuple[Rewrite, ...]] = {}
    for path, rows in rows_by_file.items():
        language = next((one for one in languages.values() if path.endswith(tuple(one.SUFFIXES))), None)
        if path in sources and language is not None:
            rewrites_by_key |= _of_file(_File(path, sources[path], language), rows)
    return rewrites_by_key


def _of_file(file: _File, rows: Sequence[Breakage]) -> dict[tuple[str, str], tuple[Rewrite, ...]]:
    """The same for one file: a line that two changed definitions share is written once, with both."""
    edits: dict[str, set[ByteEdit]] = {}
    counts = Counter(row.reference.symbol for row in rows)
    for row in rows:
        key = row.reference.symbol
        if counts[key] > MOST:
            continue
        try:
            edits.setdefault(key, set()).update(_edits(file, row))
        except _NotMechanical:
            edits[key] = {ByteEdit(-1, -1, b"")}  # one place that cannot be mended, and the whole is not
    mendable = {key: found for key, found in edits.items() if found and all(edit.start >= 0 for edit in found)}
    every = sorted({edit for found in mendable.values() for edit in found})
    lines = _lines(file, every)
    whole = {key: found for key, found in mendable.items() if found <= lines.keys() and len(found) <= MOST}
    return {
        (file.path, key): tuple(dict.fromkeys(lines[edit] for edit in sorted(found))) for key, found in whole.items()
    }


def _lines(file: _File, edits: Sequence[ByteEdit]) -> dict[ByteEdit, Rewrite]:
    """Each edit with the whole lines that it is in; what overlaps is left out."""
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


def _edits(file: _File, row: Breakage) -> set[ByteEdit]:
    """What mends one broken line. Raises _NotMechanical."""
    if row.misfit is not None:
        return _call_edits(file, row)
    if row.rule == "removed-module":
        return _module_edits(file, row)
    item = row.symbol
    if item is not None and item.before is not None and item.after is None and _is_namesake(row, item.before.name):
        return _type_edits(file, row)
    if item is None or item.change != "renamed" or item.before is None or item.after is None:
        raise _NotMechanical
    if row.reference.form == "import" and row.reference.name == "default" and row.new_path:
        return _module_edits(file, row)
    return _renamed_edits(file, row, item.before, item.after)


def _renamed_edits(file: _File, row: Breakage, before: Symbol, after: Symbol) -> set[ByteEdit]:
    """A definition with another name, or in another file. Raises _NotMechanical."""
    if before.name.rpartition(".")[0] != after.name.rpartition(".")[0] or row.reference.name != before.short:
        raise _NotMechanical
    was, now = before.signature, after.signature
    if row.reference.call and was is not None and now is not None and misfit(was, now, row.reference) is not None:
        raise _NotMechanical  # its arguments do not fit either
    if after.path in {before.path, row.new_path}:
        if _is_default(file, row):
            return _module_edits(file, row) if row.reference.form == "import" else set()
        return _name_edits(file, row, before.short, after.short, is_member="." in before.name)
    if before.short != after.short or "." in before.name:
        raise _NotMechanical
    return _move_edits(file, row, after.path)


def _is_default(file: _File, row: Breakage) -> bool:
    """Whether the file gives a name of its own to the default of a file that has another path now: only the path is wrong."""
    return bool(row.new_path) and takes_default(file.path, file.source, row.reference.name)


def _name_edits(file: _File, row: Breakage, old: str, new: str, *, is_member: bool) -> set[ByteEdit]:
    """Another name in the place of the old one."""
    uses = [use for use in file.uses(row) if use.form not in ("key", "definition")]
    members = [use for use in uses if use.form == "member"]
    plain = [use for use in uses if use.form != "member"]
    selection = (members or plain) if is_member else (plain or members)
    if not selection:
        raise _NotMechanical
    return {_rename(file, use, old.encode(), new.encode()) for use in selection}


def _rename(file: _File, use: Use, old: bytes, new: bytes) -> ByteEdit:
    at = use.at + file.source[use.at : use.at + len(use.name.encode())].rfind(old)
    if file.source[at : at + len(old)] != old or at < use.at:
        raise _NotMechanical
    node = node_at(file.path, file.source, at, old)
    kind = node.type if node is not None else ""
    around = node.parent.type if node is not None and node.parent is not None else ""
    if kind in NO_RENAME and use.form != "import":
        raise _NotMechanical
    alone = node is not None and node.parent is not None and node.parent.named_child_count == 1
    form = SHORTHAND.get(kind) or (SHORTHAND.get(around) if alone else None)
    return ByteEdit(at, at + len(old), form % {b"old": old, b"new": new} if form else new)


def _call_edits(file: _File, row: Breakage) -> set[ByteEdit]:
    """Calls of the line that do not fit, with the arguments that fit."""
    edits: set[ByteEdit] = set()
    is_mended = False
    for use in file.uses(row):
        name = row.reference.name.encode()
        node = node_at(file.path, file.source, use.at, use.name.encode()) or node_at(
            file.path, file.source, use.at, name
        )
        call = arguments_of(file.path, node, file.source) if node is not None else None
        if call is None or use.call is None:
            continue
        edits |= _fitted(file, row, call)
        is_mended = True
    if not is_mended or not edits:
        raise _NotMechanical
    return edits


def _fitted(file: _File, row: Breakage, call: ArgumentList) -> set[ByteEdit]:
    item = row.symbol
    before = item.before.signature if item is not None and item.before is not None else None
    after = item.after.signature if item is not None and item.after is not None else None
    arguments = call.arguments
    if before is None or after is None or after.also or any(one.is_spread for one in arguments):
        raise _NotMechanical
    reference = replace(
        row.reference,
        positional=sum(not one.keyword for one in arguments),
        keywords=tuple(one.keyword for one in arguments if one.keyword),
    )
    if misfit(before, after, reference) is None:
        return set()  # another call of the same line, which fits
    if misfit(before, before, reference) is not None:
        raise _NotMechanical
    new_names, drops = _matched(before.parameters, after.parameters, arguments)
    named = {at for at in new_names if not arguments[at].keyword}
    if named and not filetype(file.path).named_arguments:
        raise _NotMechanical
    names_left = [
        new_names.get(at, one.keyword) for at, one in enumerate(arguments) if at not in drops
    ]  # the name of each argument that is left
    new_call = replace(
        reference, positional=sum(not name for name in names_left), keywords=tuple(name for name in names_left if name)
    )
    if misfit(before, after, new_call) is not None or any(not arguments[at].is_pure for at in drops):
        raise _NotMechanical
    if any(names_left[at] and not all(names_left[at:]) for at in range(len(names_left))):
        raise _NotMechanical  # a positional argument behind a named one
    sign = filetype(file.path).named_arguments.encode()
    edits = {
        ByteEdit(one.start, one.keyword_end or one.start, name.encode() + (b"" if one.keyword else sign))
        for at, name in new_names.items()
        for one in [arguments[at]]
        if at not in drops
    }
    return edits | _dropped(file.source, call, drops)


def _matched(
    before: Sequence[Parameter], after: Sequence[Parameter], arguments: Sequence[Argument]
) -> tuple[dict[int, str], set[int]]:
    """Which arguments get another name, and which nothing takes any more, by their place. Raises _NotMechanical."""
    old, new = ([one for one in side if one.kind not in ("varargs", "kwargs")] for side in (before, after))
    new_by_name = {one.name: one for one in new}
    fresh = [one for one in new if one.name not in {each.name for each in old}]
    places = [one for one in new if one.kind in ("positional", "positional-only")]
    new_names: dict[int, str] = {}
    drops: set[int] = set()
    place = 0  # of the next positional argument that is left
    for at, argument in enumerate(arguments):
        parameter = _parameter(old, at, argument.keyword)
        now = new_by_name.get(parameter.name) or _renamed(parameter, old, new, fresh)
        if now is None:
            if fresh:
                raise _NotMechanical  # it may be the same under another name
            drops.add(at)
        elif argument.keyword:
            if now.kind not in KEYWORD:
                raise _NotMechanical
            if now.name != argument.keyword:
                new_names[at] = now.name
        elif place < len(places) and places[place].name == now.name:
            place += 1
        elif now.kind in KEYWORD:
            new_names[at] = now.name
        else:
            raise _NotMechanical
    return new_names, drops


def _parameter(old: Sequence[Parameter], at: int, keyword: str) -> Parameter:
    """The parameter that took an argument. Raises _NotMechanical."""
    positional = [one for one in old if one.kind != "keyword-only"]
    taken = [one for one in old if one.name == keyword] if keyword else positional[at : at + 1]
    if not taken:
        raise _NotMechanical
    return taken[0]


def _renamed(
    parameter: Parameter, old: Sequence[Parameter], new: Sequence[Parameter], fresh: Sequence[Parameter]
) -> Parameter | None:
    """What a parameter is called now: the new one at its place in a list of the same length, whose other names are what they were."""
    gone = [one for one in old if one.name not in {each.name for each in new}]
    if len(old) != len(new) or len(gone) != len(fresh):
        return None
    there = new[list(old).index(parameter)]
    return there if there in fresh and there.kind == parameter.kind else None


def _dropped(source: bytes, call: ArgumentList, places: set[int]) -> set[ByteEdit]:
    """The edits that take arguments out, with the commas that part them."""
    if not places:
        return set()
    arguments = call.arguments
    left = [at for at in range(len(arguments)) if at not in places]
    if not source[call.start : call.start + 1] == b"(":
        raise _NotMechanical
    if not left:
        inside = source[call.start + 1 : arguments[0].start], source[arguments[-1].end : call.end - 1]
        if inside[0].strip() or inside[1].strip() not in (b"", b","):
            raise _NotMechanical
        return {ByteEdit(call.start + 1, call.end - 1, b"")}
    edits = set()
    for at in places:
        behind = at > left[0]  # an argument that is left stands before it: it goes with the comma before it
        start, end = (
            (arguments[at - 1].end, arguments[at].end) if behind else (arguments[at].start, arguments[at + 1].start)
        )
        gap = source[start : arguments[at].start] if behind else source[arguments[at].end : end]
        if gap.strip() != b",":  # a comment
            raise _NotMechanical
        edits.add(ByteEdit(start, end, b""))
    return edits


def _module_edits(file: _File, row: Breakage) -> set[ByteEdit]:
    """The import of a file that is at another place now."""
    if not row.new_path:
        raise _NotMechanical
    spot = statement(file.path, file.source, row.reference.line)
    if filetype(row.home).named_types and (spot is None or filetype(row.home).parser == "csharp"):
        return _type_edits(file, row)
    if spot is None:
        raise _NotMechanical
    respelt = respell(file.path, spot.text, row.home_before, row.new_path)
    if respelt is None:
        raise _NotMechanical
    return {_trimmed(spot, respelt)}


def _trimmed(spot: Statement, new: str) -> ByteEdit:
    """The statement's change without what stays at both of its ends: another change may be made there."""
    old_bytes, new_bytes = spot.text.encode(), new.encode()
    most = min(len(old_bytes), len(new_bytes))
    head = next((at for at in range(most) if old_bytes[at] != new_bytes[at]), most)
    tail = next((at for at in range(most - head) if old_bytes[-1 - at] != new_bytes[-1 - at]), most - head)
    return ByteEdit(spot.start + head, spot.end - tail, new_bytes[head : len(new_bytes) - tail])


def _is_namesake(row: Breakage, name: str) -> bool:
    """Whether a type is the one that its file is named after, and the file has another name now."""
    return filetype(row.home).named_types and bool(row.new_path) and _stem(row.home_before) == name


def _stem(path: str) -> str:
    return posixpath.splitext(posixpath.basename(path))[0]


def _type_edits(file: _File, row: Breakage) -> set[ByteEdit]:
    """Uses of the type that a file is named after, where the file has another name in the same folder."""
    old, new = _stem(row.home_before), _stem(row.new_path)
    is_moved = posixpath.dirname(row.home_before) != posixpath.dirname(row.new_path)
    if is_moved or old == new or filetype(row.home).parser == "csharp":  # whose namespace is no folder
        raise _NotMechanical
    about = replace(row, reference=replace(row.reference, name=old))
    uses = [use for use in file.uses(about) if use.form in ("name", "member", "import")]
    if row.reference.form == "import" and not uses:  # a whole namespace, of which the type was a part
        every = file.language.uses(file.path, file.source, {old})
        uses = [use for use in every if use.form in ("name", "member") and use.at >= 0]
    if not uses:
        raise _NotMechanical
    return {_rename(file, use, old.encode(), new.encode()) for use in uses}


def _move_edits(file: _File, row: Breakage, new_path: str) -> set[ByteEdit]:
    """The import of a definition that is in another file now. Uses of the imported name stay as they are."""
    if row.reference.form != "import":
        if any(use.form == "member" for use in file.uses(row)):
            raise _NotMechanical  # of a module that is imported whole
        return set()
    spot = statement(file.path, file.source, row.reference.line)
    parts = without(spot.text, row.reference.name) if spot is not None else None
    if spot is None or parts is None:
        raise _NotMechanical
    rest, alone = parts
    respelt = respell(file.path, alone, row.home_before, new_path)
    if respelt is None:
        raise _NotMechanical
    return {ByteEdit(spot.start, spot.end, f"\n{spot.indent}".join(filter(None, (rest, respelt))).encode())}
