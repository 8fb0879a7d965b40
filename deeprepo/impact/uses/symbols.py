"""Compare both sides of files: which definitions changed, and which parts of their contracts.

A contract is what users depend on, so only a changed contract requires checking the references. A new body is
reviewed on its own, because comments, white space and other ways to the same result do not affect users. The
kinds:

| kind | example |
|---|---|
| removed, renamed | the name no longer exists, or it moved to another file |
| parameters | one was removed, renamed, moved, or is now required; not a new optional one at the end |
| declaration | a parameter's annotation or default, return type, visibility, `async`, decorators, `throws`, bases |
| errors | other `raise`, `throw` or `panic` statements |
| value | the value of a constant, a field or an enum member |
"""

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType

from deeprepo.impact import resolving
from deeprepo.impact.changes import ChangedFile, ChangedSymbol, Contract
from deeprepo.impact.language import CONSTRUCTOR, Language, rules_of
from deeprepo.impact.structs import Struct, replace
from deeprepo.impact.text.definitions import (
    head_of,
    is_same_around,
    is_same_parameter,
    joined,
    line_likeness,
    parts_of,
    plain_code,
    token_likeness,
    without_formatting,
    without_name,
)
from deeprepo.impact.text.lines import defines, file_lines
from deeprepo.impact.text.paths import is_test
from deeprepo.impact.uses.exports import Exports
from deeprepo.impact.uses.steps import TRACE
from deeprepo.impact.values import COMPONENT, Definition, Outline, Parameter, Side, Signature, positional

VALUES = frozenset({"variable", COMPONENT})  # kinds without a body
HOLDERS = frozenset({"class", "type"})  # kinds with members
ALIKE = 0.6  # minimum similarity of two bodies to count as a rename
MAX_BODY = 4_000  # characters compared
MOST_FITTING = 100  # new definitions that each removed one is compared with
WORD = re.compile(r"\w+")
CALLABLE = frozenset({"function", "method", "declaration", "implementation"})
ENUM = re.compile(r"(?:^|\s)enum\s")


class ChangedSource(Struct, frozen=True):
    """A changed file on both sides, with its facts."""

    file: ChangedFile
    language: Language
    before: bytes
    after: bytes
    old: Outline
    new: Outline

    def lines(self, symbol: Definition) -> str:
        """Return the text of a definition."""
        text = _split(self.before if symbol.side == "base" else self.after)
        return "\n".join(text[symbol.start - 1 : symbol.end])


_split = lru_cache(maxsize=4)(file_lines)


def read(file: ChangedFile, language: Language, before: bytes | None, after: bytes | None) -> ChangedSource:
    """Read the facts of both sides of a file; a missing side is empty."""
    old, new = (_outline(file.old_path or file.path, before, "base"), _outline(file.path, after, "head"))
    if why := new.unread or old.unread:  # an unreadable side must not count as empty
        old = new = Outline(complete=False, unread=why)
    return ChangedSource(file, language, before or b"", after or b"", old, new)


def _outline(path: str, source: bytes | None, side: Side) -> Outline:
    return resolving.outline(path, source, side) if source is not None else Outline()


class _Edits:
    """The changed lines of one side, and the definitions that they belong to."""

    def __init__(self, outline: Outline, lines: Iterable[int]) -> None:
        self._lines = sorted(lines)
        self._symbols = sorted(outline.definitions, key=lambda symbol: symbol.start)
        self._starts = [symbol.start for symbol in self._symbols]

    def touch(self, symbol: Definition) -> bool:
        """Return whether a changed line belongs to this definition and to none inside it."""
        own = set(self._lines[bisect_left(self._lines, symbol.start) : bisect_right(self._lines, symbol.end)])
        if not own:
            return False
        for other in self._symbols[bisect_left(self._starts, symbol.start) : bisect_right(self._starts, symbol.end)]:
            if _holds(symbol, other):
                own.difference_update(range(other.start, other.end + 1))
        return bool(own)


def changed_symbols(source: ChangedSource) -> tuple[ChangedSymbol, ...]:
    """Return the definitions that the change adds, removes, renames or edits, in file order."""
    base, head = _Edits(source.old, source.file.removed_lines), _Edits(source.new, source.file.added_lines)
    companions = _companions(source.old) | _companions(source.new)
    old = _by_name_and_head(source.old.definitions, companions=companions)
    new = _by_name_and_head(source.new.definitions, old, companions)
    symbols_found = [_pair(base, head, before, new[key]) for key, before in old.items() if key in new]
    left_names = {symbol.name for symbol in source.new.definitions} & companions
    gone = [symbol for key, symbol in old.items() if key not in new]
    removed_symbols = _outermost([symbol for symbol in gone if not _is_misread(source, symbol)], left_names)
    added_symbols = [symbol for key, symbol in new.items() if key not in old and head.touch(symbol)]
    renames = _renames(source, removed_symbols, added_symbols)
    symbols_found += renames
    gone_symbols = {symbol.before for symbol in renames}
    come = {symbol.after for symbol in renames}
    symbols_found += [_removal(symbol, source.new) for symbol in removed_symbols if symbol not in gone_symbols]
    symbols_found += [ChangedSymbol(None, symbol, "added") for symbol in added_symbols if symbol not in come]
    return tuple(sorted((item for item in symbols_found if item is not None), key=lambda item: item.symbol.start))


def _is_misread(source: ChangedSource, symbol: Definition) -> bool:
    """Return whether a line still defines something that the grammar missed."""
    if source.new.complete:
        return False
    owner, _, short = symbol.name.rpartition(".")
    # the head of the class may define it
    is_constructor = owner and rules_of(source.file.path).is_constructor(short)
    word = owner.rpartition(".")[2] if is_constructor else symbol.short
    return any(defines(line, word, source.file.path) for line in _split(source.after))


def _companions(outline: Outline) -> frozenset[str]:
    """Return the names that a class and an object share."""
    is_object = {(symbol.name, symbol.is_object) for symbol in outline.definitions if symbol.kind in HOLDERS}
    return frozenset(name for name, is_one in is_object if is_one and (name, False) in is_object)


def _by_name_and_head(
    symbols: Iterable[Definition],
    others: Mapping[tuple[str, int], Definition] = MappingProxyType({}),
    companions: Collection[str] = (),
) -> dict[tuple[str, int], Definition]:
    """Return definitions by name and order. Overloads are matched by their heads."""
    symbols_by_key: dict[tuple[str, int], Definition] = {}
    keys_by_head = {(symbol.name, _head(symbol)): key for key, symbol in reversed(list(others.items()))}
    later = []
    for symbol in symbols:
        key = keys_by_head.get((symbol.name, _head(symbol)))
        is_one_of_many = _is_overloaded(symbol) and not _is_ambiguous(symbol)
        if key is not None and key not in symbols_by_key and (_is_overloaded(others[key]) or is_one_of_many):
            symbols_by_key[key] = symbol
        else:
            later.append(symbol)
    next_of: dict[str, int] = defaultdict(int)
    for symbol in later:
        is_companion = symbol.name in companions and symbol.is_object
        name = f"object {symbol.name}" if is_companion else symbol.name
        while (name, next_of[name]) in symbols_by_key:
            next_of[name] += 1
        symbols_by_key[name, next_of[name]] = symbol
    return symbols_by_key


def _head(symbol: Definition) -> str:
    return symbol.head if symbol.signature is not None else ""


def _is_overloaded(symbol: Definition) -> bool:
    return symbol.signature is not None and bool(symbol.signature.overloads)


def _is_ambiguous(symbol: Definition) -> bool:
    return symbol.signature is not None and symbol.signature.ambiguous


def _pair(base: _Edits, head: _Edits, before: Definition, after: Definition) -> ChangedSymbol | None:
    was, now = before.signature, after.signature
    if was is not None and now is not None:
        same_head = without_formatting(before.head) == without_formatting(after.head)
        if was.parameters != now.parameters or not same_head or now.is_newly_ambiguous(was):
            return ChangedSymbol(before, after, "signature")
    if base.touch(before) or head.touch(after):
        return ChangedSymbol(before, after, "body")
    return None


def _removal(symbol: Definition, now: Outline) -> ChangedSymbol:
    """Return the change for a removed definition.

    For a removed overload, the signature changes, since others remain.
    """
    left = [other for other in now.definitions if other.name == symbol.name and other.signature]
    if left and _is_overloaded(symbol):
        return ChangedSymbol(symbol, left[0], "signature")
    return ChangedSymbol(symbol, None, "removed")


def _holds(outer: Definition, inner: Definition) -> bool:
    return (
        outer.start <= inner.start and inner.end <= outer.end and (outer.start, outer.end) != (inner.start, inner.end)
    )


def _outermost(symbols: Sequence[Definition], left_names: Collection[str]) -> list[Definition]:
    """Return the definitions without members of removed classes, unless an object of that name remains."""
    names = {symbol.name for symbol in symbols} - {*left_names}
    return [symbol for symbol in symbols if not names & set(_outer(symbol.name))]


def _outer(name: str) -> Iterator[str]:
    """Yield the qualified names around a name: `a.b` and `a` for `a.b.c`."""
    while name := name.rpartition(".")[0]:
        yield name


def _renames(
    source: ChangedSource, removed_symbols: Sequence[Definition], added_symbols: Sequence[Definition]
) -> list[ChangedSymbol]:
    """Return renamed definitions: the same kind and place, and similar bodies."""
    pairs = []
    left: dict[tuple[str, str], list[Definition]] = defaultdict(list)
    for after in added_symbols:
        left[_place(after)].append(after)
    for before in removed_symbols:
        fits = [one for one in left[_place(before)] if _is_special(one) == _is_special(before)]
        if before.kind in VALUES or len(fits) > MOST_FITTING:
            continue
        candidates = [(_alike(source, before, after), after) for after in fits]
        best = max(candidates, key=lambda item: item[0], default=None)
        if best is not None and best[0] >= ALIKE:
            left[_place(before)].remove(best[1])
            pairs.append(ChangedSymbol(before, best[1], "renamed"))
    return pairs


def _is_special(symbol: Definition) -> bool:
    """Return whether the language calls a function by a fixed name.

    Examples are `__getattr__`, `__call` and `method_missing`.
    """
    return symbol.short.startswith("__") or symbol.short.rstrip("?").endswith("_missing")


def _place(symbol: Definition) -> tuple[str, str]:
    return symbol.kind, symbol.name.rpartition(".")[0]


def _alike(source: ChangedSource, before: Definition, after: Definition) -> float:
    """Return how similar two bodies are without their own names, from 0 to 1."""
    old = re.sub(rf"\b{re.escape(before.short)}\b", "_", source.lines(before))[:MAX_BODY]
    new = re.sub(rf"\b{re.escape(after.short)}\b", "_", source.lines(after))[:MAX_BODY]
    return max(line_likeness(old, new), token_likeness(old, new))


def with_moves(
    sources: Sequence[ChangedSource], symbols: Mapping[str, tuple[ChangedSymbol, ...]]
) -> dict[str, tuple[ChangedSymbol, ...]]:
    """Return the symbols, with removed definitions that were added elsewhere marked as moved."""
    by_path = {source.file.path: source for source in sources}
    came: dict[tuple[str, str], tuple[ChangedSource, Definition]] = {}
    for path, items in symbols.items():
        for item in items:
            if item.change == "added" and item.after is not None and "." not in item.after.name:
                came[item.after.name, item.after.kind] = by_path[path], item.after
    symbols_by_file: dict[str, tuple[ChangedSymbol, ...]] = {}
    arrivals: set[Definition] = set()
    for path, items in symbols.items():
        rows = []
        for item in items:
            there = came.get((item.before.name, item.before.kind)) if item.change == "removed" and item.before else None
            if there is not None and item.before is not None and _same(by_path[path], item.before, *there):
                arrivals.add(there[1])
                rows.append(replace(item, after=there[1], change="renamed"))
            else:
                rows.append(item)
        symbols_by_file[path] = tuple(rows)
    return {
        path: tuple(i for i in items if i.before or i.after not in arrivals) for path, items in symbols_by_file.items()
    }


def _same(old: ChangedSource, before: Definition, new: ChangedSource, after: Definition) -> bool:
    return line_likeness(old.lines(before)[:MAX_BODY], new.lines(after)[:MAX_BODY]) >= ALIKE


# --- Which parts of its contract does the change affect? ---


def changed_contract(item: ChangedSymbol, before: str, after: str) -> tuple[Contract, ...]:
    """Return the parts of the contract that the change affects.

    `before` and `after` are the definition's source on each side.
    """
    if is_test((item.before or item.symbol).path):
        return ()  # only tests depend on it, and they are run
    if item.change in ("removed", "renamed"):
        return (item.change,)
    if item.change == "added" or item.before is None or item.after is None:
        return ()
    old, new = plain_code(before, item.before.path), plain_code(after, item.after.path)
    if without_formatting(old) == without_formatting(new):
        sides = item.signatures
        return ("declaration",) if sides is not None and sides[1].is_newly_ambiguous(sides[0]) else ()
    if item.symbol.kind == "variable":
        return _value(item, old, new)
    return _changes(item, old, new)


def _component(was: Definition, old: str, new: str) -> tuple[Contract, ...]:
    """Return the changed parts of the contract of a member that its class lists or used to declare."""
    one, other = (_of_head(side, was.short) for side in (old, new))
    return () if without_formatting(one) == without_formatting(other) else ("value",)


def _of_head(text: str, name: str) -> str:
    """Return one member as a class head writes it, among others or on its own line."""
    own = next((one for one in parts_of(text)[1] if name in WORD.findall(one)), "")
    is_alone = name in WORD.findall(text.partition("(")[0].partition("[")[0])
    return own or (text.rstrip(", ") if is_alone else "")


def _changes(item: ChangedSymbol, old: str, new: str) -> tuple[Contract, ...]:
    """Return the changed parts of the contract of a definition whose code differs between the sides."""
    if item.before and item.after and COMPONENT in (item.before.kind, item.after.kind):
        return _component(item.before, old, new)
    path = item.symbol.path
    if item.symbol.kind in CALLABLE or (item.before is not None and item.before.signature is not None):
        return _callable(item.signatures, old, new, path)
    if item.symbol.kind == "type":
        return () if _gains_cases(old, new) else ("declaration",)
    return ("declaration",) if without_formatting(head_of(old, path)) != without_formatting(head_of(new, path)) else ()


def _gains_cases(old: str, new: str) -> bool:
    """Return whether an enum only gains members, which no user of the others notices."""
    left = iter(_elements(new))
    return ENUM.search(old.partition("{")[0]) is not None and all(one in left for one in _elements(old))


def _elements(code: str) -> list[str]:
    """Return the elements of lists, and the statements, that are in this code."""
    return [one.strip() for one in code.replace(",", "\n").replace(";", "\n").split("\n")]


def _value(item: ChangedSymbol, before: str, after: str) -> tuple[Contract, ...]:
    if item.before and all(item.before.head in _elements(side) for side in (before, after)):
        return ()  # the lines changed around a whole element, such as an enum's member
    short = re.escape(item.symbol.name.rpartition(".")[2])
    heads = (without_formatting(re.split(rf"\b{short}\b", side, maxsplit=1)[0]) for side in (before, after))
    return ("value",) if len(set(heads)) == 1 else ("value", "declaration")  # `readonly`, another visibility


def _callable(sides: tuple[Signature, Signature] | None, old: str, new: str, path: str) -> tuple[Contract, ...]:
    """Return the changed parts of the contract of something callable. `sides`: its signatures, if they are known."""
    changes: list[Contract] = []
    old_head, new_head = head_of(old, path), head_of(new, path)
    old_parts, new_parts = parts_of(old_head), parts_of(new_head)
    if sides is not None and sides[0].overloads != sides[1].overloads:
        changes.append("parameters")
    elif old_parts[1] != new_parts[1]:
        by_name = bool(rules_of(path).calls.named_arguments)
        changes += _parameters(*sides, old_parts[1], new_parts[1], by_name=by_name) if sides else ["parameters"]
    is_same = is_same_around(old_parts, new_parts, rules_of(path).granting_words)
    if (sides is not None and sides[1].is_newly_ambiguous(sides[0])) or not is_same:
        changes.append("declaration")
    if _errors(old, path) != _errors(new, path):
        changes.append("errors")
    return tuple(dict.fromkeys(changes))


def _errors(text: str, path: str) -> Counter[str]:
    statements = re.findall(rf"\b(?:{rules_of(path).raising_words})\b[^;\n]*", joined(text))
    return Counter(without_formatting(statement.rstrip(" }")) for statement in statements)


def _parameters(
    before: Signature, after: Signature, old: Sequence[str], new: Sequence[str], *, by_name: bool
) -> list[Contract]:
    """Return what changed between two parameter lists. `by_name`: calls may name parameters."""
    is_compatible = _accepts_calls_of(after, before, by_name=by_name) and not after.moved_places(before)
    changes: list[Contract] = [] if is_compatible else ["parameters"]
    was, now = ({item.name for item in side.parameters} for side in (before, after))
    if by_name:
        one, other = _texts_by_name(old, before.parameters), _texts_by_name(new, after.parameters)
        same = all(is_same_parameter(one.get(name, ""), other.get(name, "")) for name in was & now)
    else:
        same = True
    if not by_name or is_compatible:  # then a new name at a place, which calls do not write, may have another type
        was, now = (was - now, now - was) if by_name else (was, now)
        pairs = [
            (without_name(one, was), without_name(other, now), one, other) for one, other in zip(old, new, strict=False)
        ]
        same &= all(
            is_same_parameter(*pair[:2]) for pair in pairs if not by_name or (pair[0] != pair[2] and pair[1] != pair[3])
        )
    if not same:
        changes.append("declaration")
    if not changes and before.opaque:
        changes.append("parameters")  # unreadable parameters cannot count as compatible
    return changes


def _accepts_calls_of(after: Signature, before: Signature, *, by_name: bool) -> bool:
    """Return whether every former call still matches with the same meaning. `by_name`: calls may name parameters.

    New parameters must be optional, and last or named.
    """
    old, new = positional(before.parameters), positional(after.parameters)
    if len(new) < len(old) or any(item.is_required for item in new[len(old) :]):
        return False
    if not all(_takes_its_arguments(now, was, by_name=by_name) for was, now in zip(old, new, strict=False)):
        return False
    keywords = {item.name: item for item in before.parameters if item.kind == "keyword"}
    named = {item.name: item for item in after.parameters if item.kind in ("keyword", "positional")}
    if any(name not in named or (named[name].is_required and not was.is_required) for name, was in keywords.items()):
        return False
    if any(item.is_required and item.name not in keywords for item in after.parameters if item.kind == "keyword"):
        return False
    rest = {item.kind for item in before.parameters if item.kind in ("rest", "named_rest")}
    return rest <= {item.kind for item in after.parameters} and not ("rest" in rest and len(new) > len(old))


def _takes_its_arguments(now: Parameter, was: Parameter, *, by_name: bool) -> bool:
    """Return whether every argument for a former parameter also matches the one in its place."""
    is_rename = by_name and was.name != now.name and was.kind == "positional"
    is_hidden_name = was.kind == "positional" and now.kind == "only"
    return not is_rename and not is_hidden_name and not (now.is_required and not was.is_required)


def _texts_by_name(texts: Sequence[str], parameters: Sequence[Parameter]) -> dict[str, str]:
    """Return the parameters as written, by name; the first text that contains a name is used."""
    texts_by_name: dict[str, str] = {}
    for text in texts:
        words = set(WORD.findall(text))
        name = next((item.name for item in parameters if item.name in words and item.name not in texts_by_name), "")
        if name:
            texts_by_name[name] = text
    return texts_by_name


# --- May another definition be in use instead? Then a changed signature proves nothing. ---


async def with_doubts(
    symbols_by_file: Mapping[str, Sequence[ChangedSymbol]], exports: Exports
) -> dict[str, tuple[ChangedSymbol, ...]]:
    """Return the symbols. A changed signature that may not be the one in use is marked as opaque."""
    alike: dict[object, set[str]] = defaultdict(set)
    for items in symbols_by_file.values():
        for item in items:
            alike[_parameters_key(item)].add(item.symbol.path)
    exact: dict[str, tuple[ChangedSymbol, ...]] = {}
    trace = TRACE.get()
    for path, items in symbols_by_file.items():
        rows = []
        for item in items:
            doubt = ""
            if item.change == "signature":
                doubt = await _doubt(item, exports, alike[_parameters_key(item)])
            if doubt and trace is not None:
                trace.doubts[item.key] = doubt
            rows.append(replace(item, before=_opaque(item.before), after=_opaque(item.after)) if doubt else item)
        exact[path] = tuple(rows)
    return exact


async def _doubt(item: ChangedSymbol, exports: Exports, but: Collection[str]) -> str:
    """Return why another definition may be in use; "" if none may."""
    before, is_declared = item.before, item.symbol.kind == "declaration"
    if is_declared and before is not None and before.kind != "declaration" and _is_overloaded(before):
        return "it is only declared now, and another file may define its overloads"
    is_there = await may_be_elsewhere(exports, item.symbol.path, item.symbol.name, but=but)
    return "another file of its namespace may define it" if is_there else ""


async def may_be_elsewhere(exports: Exports, path: str, name: str, *, but: Collection[str] = ()) -> bool:
    """Return whether another file in the namespace may define the name. `but`: files that may do so."""
    name = name.removesuffix(f".{CONSTRUCTOR}")
    for mate, outline in await exports.beside(path, name):
        if outline is None or outline.unread or (name, "") in outline.exports:
            return True  # also under a name without a definition in the file
        names = {one for symbol in outline.definitions for one in (symbol.name, symbol.owner)}
        owner = name.rpartition(".")[0]
        if (name in names and mate not in but) or not (outline.complete or (owner and owner not in names)):
            return True
    return False


def _parameters_key(item: ChangedSymbol) -> object:
    return (item.symbol.name, *(side and side.signature and side.signature.forms for side in (item.before, item.after)))


def _opaque(symbol: Definition | None) -> Definition | None:
    if symbol is None or symbol.signature is None:
        return symbol
    return replace(symbol, signature=replace(symbol.signature, opaque=True))
