"""Which definitions a change touches: compare the outlines of both sides."""

import difflib
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from bot.ports import Language
from bot.values import ChangedFile, ChangedSymbol, Outline, Side, Symbol

ALIKE = 0.6  # of two bodies: from here on, one definition under two names
MAX_BODY = 4_000  # characters compared


@dataclass(frozen=True, slots=True)
class Source:
    """A changed file on both sides, as its language reads it."""

    file: ChangedFile
    language: Language
    before: bytes
    after: bytes
    old: Outline
    new: Outline

    def lines(self, symbol: Symbol) -> str:
        """The text of a definition."""
        text = (self.before if symbol.side == "base" else self.after).decode("utf-8", "replace").split("\n")
        return "\n".join(text[symbol.start - 1 : symbol.end])


def read(file: ChangedFile, language: Language, before: bytes | None, after: bytes | None) -> Source:
    """Outline both sides of a file; a side that does not exist is empty."""
    old, new = file.old_path or file.path, file.path
    return Source(
        file,
        language,
        before or b"",
        after or b"",
        _outline(language, old, before, "base"),
        _outline(language, new, after, "head"),
    )


def _outline(language: Language, path: str, source: bytes | None, side: Side) -> Outline:
    return language.outline(path, source, side) if source is not None else Outline()


def changed(source: Source) -> tuple[ChangedSymbol, ...]:
    """The definitions that the change adds, removes, renames or edits, in the order of the file."""
    old = _by_name(source.old.symbols)
    new = _by_name(source.new.symbols, old)
    places = (_Places(source.old.symbols), _Places(source.new.symbols))
    found = [_pair(source, before, new[key], *places) for key, before in old.items() if key in new]
    removed = _outermost([symbol for key, symbol in old.items() if key not in new])
    added = [symbol for key, symbol in new.items() if key not in old and _touched(source, symbol, *places)]
    renamed = _renamed(source, removed, added)
    found += renamed
    gone = {symbol.before for symbol in renamed}
    come = {symbol.after for symbol in renamed}
    found += [_removed(symbol, source.new) for symbol in removed if symbol not in gone]
    found += [ChangedSymbol(None, symbol, "added") for symbol in added if symbol not in come]
    return tuple(sorted((item for item in found if item is not None), key=lambda item: item.symbol.start))


class _Places:
    """The definitions of one side, to be found by where they begin: a file may hold many thousands."""

    def __init__(self, symbols: Iterable[Symbol]) -> None:
        self._symbols = sorted(symbols, key=lambda symbol: symbol.start)
        self._starts = [symbol.start for symbol in self._symbols]

    def inside(self, outer: Symbol) -> Sequence[Symbol]:
        """Those that begin within another."""
        return self._symbols[bisect_left(self._starts, outer.start) : bisect_right(self._starts, outer.end)]


def _by_name(
    symbols: Iterable[Symbol], others: Mapping[tuple[str, int], Symbol] = MappingProxyType({})
) -> dict[tuple[str, int], Symbol]:
    """Definitions by name; those of the same name are told apart by their order. Overloads take the place of their like."""
    found: dict[tuple[str, int], Symbol] = {}
    taken = {(symbol.name, _head(symbol)): key for key, symbol in reversed(list(others.items())) if _overloaded(symbol)}
    later = []
    for symbol in symbols:
        key = taken.pop((symbol.name, _head(symbol)), None)
        if key is not None:
            found[key] = symbol
        else:
            later.append(symbol)
    counts = Counter[str]()
    for symbol in later:
        while (symbol.name, counts[symbol.name]) in found:
            counts[symbol.name] += 1
        found[symbol.name, counts[symbol.name]] = symbol
    return found


def _head(symbol: Symbol) -> str:
    return symbol.signature.text if symbol.signature is not None else ""


def _overloaded(symbol: Symbol) -> bool:
    return symbol.signature is not None and bool(symbol.signature.also)


def _pair(source: Source, before: Symbol, after: Symbol, *places: "_Places") -> ChangedSymbol | None:
    if before.signature is not None and after.signature is not None:
        known = before.signature.parameters == after.signature.parameters
        if not known or before.signature.text != after.signature.text:
            return ChangedSymbol(before, after, "signature")
    if any(_touched(source, symbol, *places) for symbol in (before, after)):
        return ChangedSymbol(before, after, "body")
    return None


def _removed(symbol: Symbol, now: Outline) -> ChangedSymbol:
    """A removed overload leaves its name to the others: calls have to fit one of them."""
    left = [other for other in now.symbols if other.name == symbol.name and other.signature is not None]
    if left and _overloaded(symbol):
        return ChangedSymbol(symbol, left[0], "signature")
    return ChangedSymbol(symbol, None, "removed")


def _touched(source: Source, symbol: Symbol, old: "_Places", new: "_Places") -> bool:
    """Whether a changed line belongs to this definition and to none inside it."""
    places, lines = (old, source.file.removed) if symbol.side == "base" else (new, source.file.added)
    inside = range(symbol.start, symbol.end + 1)  # of the two the shorter is gone through
    own = {line for line in inside if line in lines} if len(inside) < len(lines) else {n for n in lines if n in inside}
    for other in places.inside(symbol) if own else ():
        if other.name.startswith(f"{symbol.name}.") or _holds(symbol, other):
            own.difference_update(range(other.start, other.end + 1))
    return bool(own)


def _holds(outer: Symbol, inner: Symbol) -> bool:
    """Whether one definition stands inside another, whatever they are called: a class in a module of Ruby."""
    return (
        outer.start <= inner.start and inner.end <= outer.end and (outer.start, outer.end) != (inner.start, inner.end)
    )


def _outermost(symbols: Sequence[Symbol]) -> list[Symbol]:
    """A removed class stands for its members."""
    names = {symbol.name for symbol in symbols}
    return [symbol for symbol in symbols if not any(symbol.name.startswith(f"{name}.") for name in names)]


def _renamed(source: Source, removed: Sequence[Symbol], added: Sequence[Symbol]) -> list[ChangedSymbol]:
    """Pairs of one definition under two names: of the same kind, in the same place, and alike."""
    pairs = []
    left = list(added)
    for before in removed:
        parent = before.name.rpartition(".")[0]
        fits = [after for after in left if after.kind == before.kind and after.name.rpartition(".")[0] == parent]
        scored = [(_alike(source, before, after), after) for after in fits]
        best = max(scored, key=lambda item: item[0], default=None)
        if best is not None and best[0] >= ALIKE:
            left.remove(best[1])
            pairs.append(ChangedSymbol(before, best[1], "renamed"))
    return pairs


def _alike(source: Source, before: Symbol, after: Symbol) -> float:
    """How alike two bodies are, 0 to 1, their own names left out. Variables have no body: they are never alike."""
    if before.kind == "variable":
        return 0.0
    old = re.sub(rf"\b{re.escape(before.short)}\b", "_", source.lines(before))[:MAX_BODY]
    new = re.sub(rf"\b{re.escape(after.short)}\b", "_", source.lines(after))[:MAX_BODY]
    return _likeness(old, new)


def moved(
    sources: Sequence[Source], symbols: Mapping[str, tuple[ChangedSymbol, ...]]
) -> dict[str, tuple[ChangedSymbol, ...]]:
    """A definition that left one file and came alike to another of the same change is one that moved, not one removed."""
    by_path = {source.file.path: source for source in sources}
    came: dict[tuple[str, str], tuple[Source, Symbol]] = {}
    for path, items in symbols.items():
        for item in items:
            if item.change == "added" and item.after is not None and "." not in item.after.name:
                came[item.after.name, item.after.kind] = by_path[path], item.after
    found: dict[str, tuple[ChangedSymbol, ...]] = {}
    arrived: set[Symbol] = set()
    for path, items in symbols.items():
        rows = []
        for item in items:
            there = came.get((item.before.name, item.before.kind)) if item.change == "removed" and item.before else None
            if there is not None and item.before is not None and _same(by_path[path], item.before, *there):
                arrived.add(there[1])
                rows.append(replace(item, after=there[1], change="renamed"))
            else:
                rows.append(item)
        found[path] = tuple(rows)
    return {path: tuple(i for i in items if i.before or i.after not in arrived) for path, items in found.items()}


def _same(old: Source, before: Symbol, new: Source, after: Symbol) -> bool:
    return _likeness(old.lines(before)[:MAX_BODY], new.lines(after)[:MAX_BODY]) >= ALIKE


def _likeness(one: str, two: str) -> float:
    """How alike two texts are, 0 to 1, by their lines."""
    old, new = ([line.strip() for line in text.split("\n")] for text in (one, two))
    shorter, longer = sorted((len(old), len(new)))
    if shorter * 3 < longer:
        return 0.0
    return difflib.SequenceMatcher(None, old, new, autojunk=False).ratio()
