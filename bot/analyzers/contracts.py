"""Contracts that a change breaks for callers it does not touch. No model: what is reported here is proven from the tree.

Two families: a name that is gone (`removed-symbol`, `removed-module`), and a signature that a call or an overriding method no
longer fits (`arity`, `keyword`, `required-parameter`, `override`). If anything else in the tree could give the name a meaning, nothing
is reported. If only a library could, because the receiver's type is not known, the finding is a hint (`likely-...`): unproven, one line.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Literal

from bot.analyzers.contracts_arity import Misfit, judged, misfit
from bot.analyzers.contracts_overrides import comparable, outdated, overridden
from bot.analyzers.contracts_words import Broken, finding
from bot.diff.skip import MOVED, REPLACED
from bot.ports import Language, Tree
from bot.values import ChangedFile, ChangedSymbol, Dependents, Finding, Judgement, Reference, Silence

GLANCE, MOST = 10, 4  # lines read at one glance; findings of one caller about one changed file
Group = tuple[str, str, str]  # caller, changed file, family
Place = tuple[str, str, int]  # changed definition ("path:name"), path and line of its use
REPORTED, FITS, OTHER, THERE = "reported", "fits the new signature", "means something else", "the name is still there"


class Contracts:
    """The checks over the languages that are registered. Satisfies `ports.Analyzer`."""

    def __init__(self, languages: Mapping[str, Language]) -> None:
        self.NAME: str = "contracts"
        self.ROWS: Literal["git", "other"] = "git"
        self.READS = f"call sites in files of {', '.join(sorted(languages))}"
        self._suffixes = frozenset(suffix for language in languages.values() for suffix in language.SUFFIXES)

    def wants(self, file: ChangedFile) -> bool:
        """Whether the file can define what others call, or could before it was renamed."""
        suffixes = {PurePosixPath(path).suffix.lower() for path in (file.path, file.old_path) if path}
        moved = file.status == "renamed" and not file.ignored
        return (file.analyzed or moved or file.skip in (MOVED, REPLACED)) and not suffixes.isdisjoint(self._suffixes)

    async def check(self, tree: Tree, files: Sequence[ChangedFile], dependents: Dependents) -> Judgement:
        """One finding per place of a caller file that breaks."""
        return Judgement(await check(tree, files, dependents), frozenset(file.path for file in files))

    def silence(self, finding: Finding, dependents: Dependents) -> Silence:
        """Fixed: every use is looked for each time, unless the search was cut off, or a use on its lines could not be compared."""
        decided = compared(dependents)
        undecided = (row for row in dependents.references if (row.symbol, row.path, row.line) not in decided)
        there = {finding.path, *(item.path for item in finding.evidence)}
        said = f"{finding.title}\n{finding.quote}"
        here = any(row.path in there and row.name in said for row in undecided)
        return "unseen" if dependents.missed or here else "fixed"

    def compared(self, dependents: Dependents) -> Mapping[Place, str]:
        """The uses about which code can decide, and what it has found of each."""
        return compared(dependents)


async def check(tree: Tree, files: Sequence[ChangedFile], dependents: Dependents) -> tuple[Finding, ...]:
    """One finding per place of a caller file that breaks, with the caller's own line and both sides as evidence."""
    symbols = dependents.by_key()
    old = {file.path: file.old_path for file in files if file.old_path}
    moved = {file.old_path: file.path for file in files if file.status == "renamed"}
    groups: dict[Group, list[Broken]] = defaultdict(list)
    told: set[tuple[str, int, str]] = set()  # one call that several changed definitions explain is said once
    for reference in sorted(dependents.references, key=lambda row: row.likely):  # what is proven speaks first
        broken = _broken(reference, symbols)
        place = reference.path, reference.line, reference.name
        if broken is not None and reference.text.strip() and place not in told:
            told.add(place)
            family = "likely" if reference.likely else "removed" if broken.rule.startswith("removed") else "signature"
            home = reference.symbol.rpartition(":")[0]
            groups[reference.path, home, family].append(replace(broken, moved=moved.get(home) or ""))
    found = [await finding(tree, rows, old) for group in groups.values() for rows in _places(group)]
    found += await overridden(tree, dependents.heirs, symbols)
    return tuple(sorted(found, key=lambda item: (item.severity != "high", item.path, item.start)))


def build(languages: Mapping[str, Language]) -> Contracts:
    """Return the check over these languages."""
    return Contracts(languages)


def compared(dependents: Dependents) -> dict[Place, str]:
    """Place -> what comparing it with the changed contract has shown. What code cannot decide is absent.

    Two things can be compared: whether a name is still there, and whether a call fits the new parameters. Whether a use bears
    another return type, another value or another error, this comparison cannot decide: a reader has to.
    """
    symbols = dependents.by_key()
    found: dict[Place, str] = {}
    left: set[Place] = set()
    for reference in dependents.references:
        place = reference.symbol, reference.path, reference.line
        shown = _shown(reference, symbols.get(reference.symbol))
        if shown:
            found[place] = shown
        else:
            left.add(place)
    for key, own in dependents.heirs:
        item = symbols.get(key)
        if item is not None and item.contract == ("parameters",) and comparable(item, own):
            found[key, own.path, own.start] = REPORTED if outdated(item, own) else FITS
    return {place: shown for place, shown in found.items() if place not in left}


def _shown(reference: Reference, item: ChangedSymbol | None) -> str:
    """What is known of one use; empty if code cannot decide."""
    if reference.missing:
        return REPORTED
    changed = item.contract if item is not None else ("removed",)
    shown = FITS
    for part in changed:
        if part in ("removed", "renamed"):
            shown = THERE if reference.held else ""
        elif part == "parameters" and item is not None:
            shown = _compared(reference, item)
        elif reference.form != "import":
            shown = ""
        if not shown or shown in (REPORTED, OTHER):
            break
    return shown


def _compared(reference: Reference, item: ChangedSymbol) -> str:
    """What comparing a call with both signatures shows."""
    before = item.before.signature if item.before is not None else None
    after = item.after.signature if item.after is not None else None
    if reference.form == "import":
        return FITS
    if before is None or after is None or before.opaque or after.opaque or not reference.call or reference.spread:
        return ""
    if not judged(item.symbol.path, reference.path):
        return ""
    if misfit(before, after, reference) is None:
        return "" if after.ambiguous else FITS
    if misfit(before, before, reference) is not None:
        return "" if reference.sure else OTHER
    return REPORTED if reference.sure or reference.unique else ""


def _broken(reference: Reference, symbols: Mapping[str, ChangedSymbol]) -> Broken | None:
    item = symbols.get(reference.symbol)
    if reference.missing:
        rule = "removed-module" if reference.symbol.endswith(":<module>") else "removed-symbol"
        return Broken(reference, item, rule)
    if reference.likely and (item is None or item.change != "signature"):
        return Broken(reference, item, "likely-removed")
    wrong = _misfit(reference, item) if item is not None else None
    if wrong is None:
        return None
    return Broken(reference, item, f"likely-{wrong.rule}" if reference.likely else wrong.rule, wrong)


def _misfit(reference: Reference, item: ChangedSymbol) -> Misfit | None:
    """What a call gets wrong now that it got right before. A call that never fitted means something else."""
    before = item.before.signature if item.before is not None else None
    after = item.after.signature if item.after is not None else None
    if before is None or after is None or before.opaque or after.opaque or not reference.call:
        return None
    known = reference.sure or reference.unique or reference.likely
    if not known or not judged(item.symbol.path, reference.path):
        return None
    if misfit(before, before, reference) is not None:
        return None
    return misfit(before, after, reference)


def _places(rows: Sequence[Broken]) -> list[list[Broken]]:
    """The rows by definition, those of one neighbourhood together: what is read at one glance is said once."""
    by_name: dict[str, list[Broken]] = defaultdict(list)
    module = any(row.rule == "removed-module" for row in rows)  # then the names in it are gone with it
    for row in rows:
        by_name["" if module else row.reference.symbol].append(row)
    places: list[list[Broken]] = []
    for mine in sorted((_ordered(part) for part in by_name.values()), key=lambda part: part[0].reference.line):
        near = places and mine[0].reference.line - places[-1][0].reference.line <= GLANCE
        if near or len(places) == MOST:
            places[-1] += mine
        else:
            places.append(mine)
    return places


def _ordered(rows: Sequence[Broken]) -> list[Broken]:
    """The row that speaks first: a sure call before a mention before an import, then by line."""
    forms = {"call": 0, "mention": 1}
    return sorted(rows, key=lambda r: (not r.reference.sure, forms.get(r.reference.form, 2), r.reference.line))
