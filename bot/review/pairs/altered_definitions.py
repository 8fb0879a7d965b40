"""Find the definitions whose meaning a change alters, with the code that depends on them."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from bot.diff import file_diffs
from bot.diff.render import GAP
from bot.diff.units import ShownLines
from bot.review.context import identifiers, result_flow
from bot.review.context.builder import Uses
from bot.review.context.call_sites import call_sites
from bot.review.survey import Survey
from bot.values import ChangedFile, ChangedSymbol, DiffRow, Excerpt, Reference, Unit
from deeprepo.impact.text.paths import is_product
from deeprepo.rlm.values import tokens

USES_TOKENS = 500  # tokens for the uses of one definition
MOST_ALTERED = 200  # definitions whose uses are looked up
FRAME = 30  # tokens that a prompt adds around a pair
LISTED = 4  # locations listed for uses that are not shown
AROUND = 1  # unchanged lines around a changed one, if a definition is too long to show whole
WHOLE = 16
BRACKETS = re.compile(r"[\s(){}\[\];,]*$")
FOCUS = 8  # changed lines that halve a definition's rank, because a long rewrite is judged in its own region
# Ranking: how certain the uses are, and what was changed.
SURE, OUTSIDE, READ, INSIDE, CONTRACT, RESULT, EDITED = 3.0, 2.0, 1.0, 0.5, 0.5, 1.5, 1.0


@dataclass(frozen=True, slots=True)
class Pair:
    """A definition that the change alters, and the code that depends on it."""

    path: str
    name: str
    rows: tuple[DiffRow, ...]  # the definition before and after the change
    uses: tuple[Excerpt, ...]
    further: tuple[str, ...] = ()  # some locations of uses that are not shown
    more: int = 0  # number of uses that are neither shown nor listed
    weight: float = 0.0  # pairs with a higher value are read first
    elsewhere: tuple[str, ...] = ()  # locations of uses that the same prompt shows with another pair

    @property
    def body(self) -> str:
        """The definition, formatted for a prompt."""
        return "\n".join(map(str, self.rows))

    @property
    def size(self) -> int:
        """The number of tokens in a prompt."""
        return tokens(self.body + self.path + self.name) + sum(use.size for use in self.uses) + FRAME

    def beside(self, shown_lines: ShownLines) -> "Pair":
        """Return the pair for a prompt that already shows these lines.

        Uses that are already visible are reduced to their locations.
        """
        new = [
            use for use in self.uses if shown_lines.left(use.path, [diff_row.number for diff_row in use.rows], use.side)
        ]
        places = tuple(f"{use.path}:{use.start}-{use.end}" for use in self.uses if use not in new)
        return replace(self, uses=tuple(new), elsewhere=places)


async def pairs(survey: Survey, units: Sequence[Unit]) -> tuple[Pair, ...]:
    """Return the pairs of a change, the most informative first."""
    symbols = survey.dependents.by_key()
    files_by_path = {file.path: file for file in survey.files}
    altered_units = [
        unit for unit in units if is_product(unit.path) and unit.path in files_by_path and _changes_existing_code(unit)
    ]
    altered_units = sorted(altered_units, key=lambda unit: -_telling(unit, symbols.get(unit.id)))[:MOST_ALTERED]
    builder = survey.builder()
    await builder.found.look_up(altered_units)
    await builder.found.handed_on.follow(altered_units)
    pairs_found = []
    for unit in altered_units:
        uses = await builder.uses([unit], USES_TOKENS)
        if uses.all:
            pairs_found.append(_pair(unit, files_by_path[unit.path], uses, symbols.get(unit.id)))
    return tuple(sorted(pairs_found, key=lambda pair: (-pair.weight, pair.path, pair.name)))


def _changes_existing_code(unit: Unit) -> bool:
    """Return whether a region changes existing code. New code has no users that expect its old behavior."""
    code, added = _code(unit), [diff_row for diff_row in unit.rows if diff_row.sign == "+"]
    if added and not any(diff_row.text.strip() for diff_row in added):
        return False  # only blank lines are added, next to removed members
    return any(diff_row.sign == "-" for diff_row in code) or (
        bool(code) and any(diff_row.sign == " " for diff_row in unit.rows)
    )


def _code(unit: Unit) -> list[DiffRow]:
    """Return the changed rows that affect a program: no comments, imports or brackets."""
    return [
        diff_row
        for diff_row, prose in identifiers.classify_rows(unit)
        if diff_row.sign in ("+", "-")
        and not prose
        and not identifiers.IMPORT.match(diff_row.text)
        and not BRACKETS.match(diff_row.text)
    ]


def _telling(unit: Unit, symbol: ChangedSymbol | None) -> float:
    """Return the rank of a changed definition before its uses are known."""
    code = _code(unit)
    contract_weight = CONTRACT * len(symbol.contract) if symbol else 0.0
    contract_weight += RESULT * result_flow.changes_result(unit) + EDITED * (
        {diff_row.sign for diff_row in code} == {"+", "-"}
    )
    return (contract_weight + bool(_outside(unit))) / (1 + len(code) / FOCUS)


def _outside(unit: Unit) -> list[Reference]:
    """Return the uses of a definition in other files, outside tests."""
    return [reference for reference in call_sites([unit]) if not reference.test and reference.path != unit.path]


def _pair(unit: Unit, file: ChangedFile, uses: Uses, symbol: ChangedSymbol | None) -> Pair:
    rows = _before_and_after(unit, file)
    shown_lines = {(use.path, diff_row.number) for use in uses.all for diff_row in use.rows}
    places = [
        f"{reference.path}:{reference.line}"
        for reference in _outside(unit)
        if (reference.path, reference.line) not in shown_lines
    ]
    pair = Pair(unit.path, unit.name, rows, uses.all, tuple(places[:LISTED]), max(0, len(places) - LISTED))
    code = _code(unit)
    use_weight = SURE * bool(uses.sure) + OUTSIDE * _beyond(uses.callers) + READ * _beyond(uses.readers)
    use_weight += INSIDE * any(use.overlaps_change for use in uses.all) + CONTRACT * len(
        symbol.contract if symbol else ()
    )
    use_weight += RESULT * result_flow.changes_result(unit) + EDITED * (
        {diff_row.sign for diff_row in code} == {"+", "-"}
    )
    return replace(pair, weight=use_weight / (1 + len(code) / FOCUS) / pair.size**0.5)


def _before_and_after(unit: Unit, file: ChangedFile) -> tuple[DiffRow, ...]:
    """Return a definition's changed rows. For a removed definition, also return what replaces it."""
    (unit_diff,) = file_diffs([unit], [file], None if unit.end - unit.start < WHOLE else AROUND)
    rows = (*unit_diff.rows, *(_replacement(unit, file) if unit.side == "base" else ()))
    return tuple(diff_row if diff_row.sign else GAP for diff_row in rows)


def _replacement(unit: Unit, file: ChangedFile) -> list[DiffRow]:
    """Return the added lines in the run of changed lines that contains the definition."""
    gone_lines = {diff_row.number for diff_row in unit.removed_rows}
    for hunk in file.hunks:
        for is_context, lines in groupby(hunk.lines, key=lambda line: line.kind == " "):
            run = list(lines)
            if not is_context and any(line.kind == "-" and line.old in gone_lines for line in run):
                return [DiffRow("+", line.text, line.new) for line in run if line.kind == "+" and line.new]
    return []


def _beyond(uses: Iterable[Excerpt]) -> bool:
    """Return whether any of these uses is product code that the change doesn't touch."""
    return any(not use.overlaps_change and is_product(use.path) for use in uses)
