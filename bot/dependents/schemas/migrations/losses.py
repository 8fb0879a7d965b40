"""What a change takes away by its migrations: their steps carried out in order."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from bot.dependents.schemas.breaks import SchemaBreak
from bot.dependents.schemas.migrations.files import home
from bot.dependents.schemas.migrations.steps import MigrationStep
from bot.values import Severity

TIGHTENED = "column-tightened"


def breaks(rows: Sequence[MigrationStep]) -> list[SchemaBreak]:
    """The steps that take something away or ask for more, each once; what the same change brings back is nobody's loss."""
    breaks_by_place: dict[tuple[str, str, str], SchemaBreak] = {}
    base = [_break(row) for row in rows if row.side == "base"]  # a dump creates whatever it holds
    for one in (*base, *_Change().losses(row for row in rows if row.side == "head")):
        breaks_by_place.setdefault((one.rule, one.owner, one.element or f"{one.path}:{one.line}"), one)
    return list(breaks_by_place.values())


def brought_back(rows: Sequence[MigrationStep]) -> frozenset[str]:
    """The columns that a step drops and a later one of the same table brings back."""
    dropped_columns = {row.column for row in rows if row.does == "drop-column"}
    return frozenset(dropped_columns - {row.name for row in breaks(rows)})


class _Change:
    """The steps of a change carried out in order: what is missing at its end.

    A name alone shows no new table: a step that creates one beside the same name elsewhere (in another schema, in a file that nobody runs) would
    excuse each loss. So what goes after it came is a loss of something new, which only lines that were there before can contradict.
    """

    def __init__(self) -> None:
        self._origins: dict[str, str] = {}  # the name of a table now -> at the beginning
        self._new: set[tuple[str, str]] = set()  # tables and columns that came with the change
        self._lost: dict[tuple[str, str], MigrationStep] = {}
        self._required: list[MigrationStep] = []  # and those that may not be NULL any more
        self._unread: list[MigrationStep] = []

    def losses(self, rows: Iterable[MigrationStep]) -> list[SchemaBreak]:
        """What is missing in the end, and what is required of rows that are there."""
        for row in rows:
            origin = self._origins.get(row.table, row.table)
            own, new = replace(row, table=origin), row.new.lower()
            if row.does == "create":
                is_back = (origin, "") in self._lost
                self._appear(origin, row)
                for column in row.columns if is_back else ():
                    self._restore((origin, column), row)
            elif row.does == "rename-table":
                self._lose((origin, ""), own)
                if not self._restore((new, ""), row):
                    self._origins[new] = origin
                    self._new.add((new, ""))
            elif row.does == "drop-table":
                self._lose((origin, ""), own)
            else:
                self._change_column(origin, row, own)
        lost = [
            _break(row, is_new=not {place, (place[0], "")}.isdisjoint(self._new)) for place, row in self._lost.items()
        ]
        return lost + [_break(row) for row in (*self._required, *self._unread)]

    def _change_column(self, origin: str, row: MigrationStep, own: MigrationStep) -> None:
        """Carry out a step about one column."""
        if row.does == "unread":
            self._unread.append(row)
        elif row.does == "tighten-column":
            if (origin, "") not in self._new:
                self._required.append(own)
        elif row.does in ("drop-column", "rename-column"):
            self._lose((origin, row.column), own)
            if row.does == "rename-column":
                self._appear(origin, row, row.new.lower())
        else:
            self._appear(origin, row, row.column)
            if row.does == "require-column" and (origin, "") not in self._new:
                self._required.append(replace(own, doubt=""))

    def _appear(self, table: str, row: MigrationStep, column: str = "") -> None:
        """Something is there now: brought back, or new unless the step changes nothing where it was there before."""
        if not self._restore((table, column), row) and not row.is_conditional:
            self._new.add((table, column))

    def _restore(self, place: tuple[str, str], row: MigrationStep) -> bool:
        """Whether it was missing, and this step of the same migrations brings it back."""
        lost = self._lost.get(place)
        if lost is None or home(lost.path) != home(row.path):
            return False
        if row.doubt:
            self._lost[place] = replace(lost, doubt=row.doubt)
        else:
            del self._lost[place]
        return True

    def _lose(self, place: tuple[str, str], row: MigrationStep) -> None:
        self._lost.setdefault(place, row)


def _break(row: MigrationStep, *, is_new: bool = False) -> SchemaBreak:
    table = row.table.rpartition(".")[2]
    column = row.spelling or row.column
    element = f"{table}.{column}" if column and table else column or table
    alone: Severity | None = None
    name, kind = column or table, "column" if row.column else "table"
    doubt = row.doubt
    if row.does in ("drop-column", "rename-column"):
        rule = "column-dropped" if row.does == "drop-column" else "column-renamed"
        law = "A statement that names a column which its table no longer has fails."
    elif row.does in ("drop-table", "rename-table"):
        rule = "table-dropped" if row.does == "drop-table" else "table-renamed"
        law = "A statement that names a table which is gone fails."
    elif row.does == "unread":
        rule, law = "column-dropped", ""
    elif row.does == "tighten-column":
        rule, name, law = (
            TIGHTENED,
            table,
            "A statement that inserts a row without a column which must not be NULL fails.",
        )
        doubt = f"{element} must not be NULL any more"
    else:
        rule, name, alone = "column-required", "", "medium"
        law = "A database has no value for the rows that are there: the migration fails on a table that is not empty (MySQL fills in an empty value)."
    fate = (
        f"was renamed to {row.new}"
        if row.new
        else "was dropped"
        if row.does.startswith("drop")
        else "is NOT NULL without a default"
    )
    return SchemaBreak(
        rule, "column" if kind == "column" else "table", element, fate, law, row.path, row.line, row.side,
        name=name, owner=table if row.column else "", alone=alone, is_new=is_new, doubt=doubt, model=row.model,
    )  # fmt: skip
