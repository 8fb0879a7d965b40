"""What one step of a migration does to a table or a column, whatever tool carries it out."""

from dataclasses import dataclass
from typing import Literal

from bot.values import Side

Does = Literal[
    "drop-column",
    "drop-table",
    "rename-column",
    "rename-table",
    "require-column",
    "tighten-column",
    "create",
    "add",
    "unread",
]


@dataclass(frozen=True, slots=True)
class MigrationStep:
    """One step: what it does to which table and column."""

    does: Does
    table: str
    column: str
    path: str
    line: int
    new: str = ""
    side: Side = "head"
    columns: tuple[str, ...] = ()  # of a table that is created
    spelling: str = ""  # the column as the code of the migration writes it
    is_conditional: bool = False  # it changes nothing if what it creates is there: IF NOT EXISTS, OR REPLACE
    doubt: str = ""  # why a step that brings something may not be carried out
    model: str = ""  # of Django: the class whose table it is


def renamed_column(table: str, old: str, new: str, path: str, line: int) -> MigrationStep:
    """Return the step that gives a column another name."""
    return MigrationStep("rename-column", table.lower(), old.lower(), path, line, new=new, spelling=old)


def computed_step(path: str, line: int) -> MigrationStep:
    """Return a step of which nobody knows what it takes away."""
    return MigrationStep("unread", "", "", path, line, doubt="the name of what this takes away is computed")
