"""What the change does to definitions, and who uses them: the survey's rows as the sentences need them. Pure."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from bot.render import Phrases
from bot.review.walkthrough.lists import as_code, names
from bot.text.paths import is_test
from bot.values import ChangedSymbol, Dependents, Reference

Deed = Literal["adds", "removes", "renames", "moves", "signs", "edits"]
DEEDS: tuple[Deed, ...] = ("adds", "removes", "renames", "moves", "signs", "edits")  # in the order of a sentence
ARROW = "→"


@dataclass(frozen=True, slots=True)
class UsedSymbol:
    """A changed definition with the places that surely use it."""

    name: str
    places: frozenset[tuple[str, int]]  # path and line
    files: tuple[str, ...]
    contract: bool  # something that its users rely on has changed


def deed(symbol: ChangedSymbol) -> Deed:
    """What became of a definition. One of the same name in another file has moved."""
    if symbol.change == "renamed" and symbol.before and symbol.after and symbol.before.path != symbol.after.path:
        return "moves"
    deeds_by_change: Mapping[str, Deed] = {
        "added": "adds",
        "removed": "removes",
        "renamed": "renames",
        "signature": "signs",
    }
    return deeds_by_change.get(symbol.change, "edits")


def deeds(symbols: Iterable[ChangedSymbol], words: Phrases) -> dict[Deed, list[str]]:
    """The names as code by what became of them. A member goes without saying if its owner has the same deed or has moved."""
    by_deed: dict[Deed, list[ChangedSymbol]] = defaultdict(list)
    for symbol in symbols:
        by_deed[deed(symbol)].append(symbol)
    moved = {(side.path, side.name) for one in by_deed["moves"] for side in (one.before, one.after) if side}
    names_by_deed: dict[Deed, list[str]] = {}
    for name in DEEDS:
        mine = by_deed[name]
        outer = {(one.symbol.path, one.symbol.name) for one in mine} | (set() if name == "signs" else moved)
        rows = [one for one in mine if (one.symbol.path, one.symbol.name.rpartition(".")[0]) not in outer]
        if rows:
            names_by_deed[name] = _moves(rows, words) if name == "moves" else list(dict.fromkeys(map(_label, rows)))
    return names_by_deed


def _moves(rows: Iterable[ChangedSymbol], words: Phrases) -> list[str]:
    """What moved, joined for each pair of files."""
    by_paths: dict[tuple[str, str], list[str]] = defaultdict(list)
    for one in rows:
        if one.before and one.after:
            by_paths[one.before.path, one.after.path].append(_label(one))
    return [
        f"{names(list(dict.fromkeys(labels)), words)} ({as_code(before)} {ARROW} {as_code(after)})"
        for (before, after), labels in by_paths.items()
    ]


def _label(symbol: ChangedSymbol) -> str:
    before, after = symbol.before, symbol.after
    if before is None or after is None or symbol.change != "renamed" or before.name == after.name:
        return as_code(symbol.symbol.name)
    return f"{as_code(before.name)} {ARROW} {as_code(after.name)}"


def product(symbols: Sequence[ChangedSymbol]) -> list[ChangedSymbol]:
    """The public definitions outside tests; all outside tests if none is public, and all if the change is one of tests."""
    code = [symbol for symbol in symbols if not is_test(symbol.symbol.path)] or list(symbols)
    return [symbol for symbol in code if symbol.symbol.is_exported] or code


def used_symbols(dependents: Dependents, changed_paths: frozenset[str]) -> list[UsedSymbol]:
    """The changed definitions that files outside the change use, most telling first. Guesses by name do not count."""
    symbols_by_key: dict[str, ChangedSymbol] = {}
    for symbol in dependents.symbols:
        if symbol.change != "added":
            symbols_by_key |= {f"{side.path}:{side.name}": symbol for side in (symbol.before, symbol.after) if side}
    places: dict[tuple[str, str], set[tuple[str, int]]] = defaultdict(set)
    for row in dependents.references:
        if row.symbol in symbols_by_key and not row.is_guessed and row.path not in changed_paths:
            places[row.symbol, _name_in_use(row, symbols_by_key[row.symbol])].add((row.path, row.line))
    used_symbols_found = []
    for (key, name), mine in places.items():
        files = Counter(path for path, _ in mine)
        is_broken = bool(symbols_by_key[key].contract) or symbols_by_key[key].change in (
            "removed",
            "renamed",
            "signature",
        )
        sorted_paths = sorted(files, key=lambda path: (is_test(path), -files[path], path))
        used_symbols_found.append(UsedSymbol(name, frozenset(mine), tuple(sorted_paths), is_broken))
    return sorted(used_symbols_found, key=lambda one: (not one.contract, -len(one.places), one.name))


def _name_in_use(row: Reference, symbol: ChangedSymbol) -> str:
    """The definition as this place knows it: by its old name, where it has two."""
    sides = (side for side in (symbol.after, symbol.before) if side is not None and side.short == row.name)
    return next((side.name for side in sides), symbol.symbol.name)


def complete(dependents: Dependents) -> bool:
    """Whether the places that were found are all there can be."""
    return not (dependents.cut or dependents.missed_uses or any(row.is_guessed for row in dependents.references))
