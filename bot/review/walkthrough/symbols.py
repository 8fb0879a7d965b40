"""What the change does to definitions, and who uses them: the survey's rows as the sentences need them. Pure."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from bot.review.walkthrough.lists import coded
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
    known: Mapping[str, Deed] = {"added": "adds", "removed": "removes", "renamed": "renames", "signature": "signs"}
    return known.get(symbol.change, "edits")


def deeds(symbols: Iterable[ChangedSymbol]) -> dict[Deed, list[str]]:
    """The names as code by what became of them. A member of a definition of the same deed goes without saying."""
    by_deed: dict[Deed, list[ChangedSymbol]] = defaultdict(list)
    for symbol in symbols:
        by_deed[deed(symbol)].append(symbol)
    found: dict[Deed, list[str]] = {}
    for name in DEEDS:
        mine = by_deed[name]
        outer = {(one.symbol.path, one.symbol.name) for one in mine}
        rows = [one for one in mine if (one.symbol.path, one.symbol.name.rpartition(".")[0]) not in outer]
        if rows:
            found[name] = list(dict.fromkeys(map(_named, rows)))
    return found


def _named(symbol: ChangedSymbol) -> str:
    before, after = symbol.before, symbol.after
    if before is None or after is None or symbol.change != "renamed":
        return coded(symbol.symbol.name)
    named = coded(after.name) if before.name == after.name else f"{coded(before.name)} {ARROW} {coded(after.name)}"
    return named if before.path == after.path else f"{named} ({coded(before.path)} {ARROW} {coded(after.path)})"


def product(symbols: Sequence[ChangedSymbol]) -> list[ChangedSymbol]:
    """The public definitions outside tests; all outside tests if none is public, and all if the change is one of tests."""
    code = [symbol for symbol in symbols if not is_test(symbol.symbol.path)] or list(symbols)
    return [symbol for symbol in code if symbol.symbol.is_exported] or code


def used(dependents: Dependents, changed: frozenset[str]) -> list[UsedSymbol]:
    """The changed definitions that files outside the change use, most telling first. Guesses by name do not count."""
    known: dict[str, ChangedSymbol] = {}
    for symbol in dependents.symbols:
        if symbol.change != "added":
            known |= {f"{side.path}:{side.name}": symbol for side in (symbol.before, symbol.after) if side}
    places: dict[tuple[str, str], set[tuple[str, int]]] = defaultdict(set)
    for row in dependents.references:
        if row.symbol in known and not row.is_guessed and row.path not in changed:
            places[row.symbol, _written(row, known[row.symbol])].add((row.path, row.line))
    found = []
    for (key, name), mine in places.items():
        files = Counter(path for path, _ in mine)
        broken = bool(known[key].contract) or known[key].change in ("removed", "renamed", "signature")
        ordered = sorted(files, key=lambda path: (is_test(path), -files[path], path))
        found.append(UsedSymbol(name, frozenset(mine), tuple(ordered), broken))
    return sorted(found, key=lambda one: (not one.contract, -len(one.places), one.name))


def _written(row: Reference, symbol: ChangedSymbol) -> str:
    """The definition as this place knows it: by its old name, where it has two."""
    sides = (side for side in (symbol.after, symbol.before) if side is not None and side.short == row.name)
    return next((side.name for side in sides), symbol.symbol.name)


def complete(dependents: Dependents) -> bool:
    """Whether the places that were found are all there can be."""
    return not (dependents.cut or dependents.missed_uses or any(row.is_guessed for row in dependents.references))
