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
UNSURE = "the statement that brings it back may not be carried out"
COMPUTED = "the name of what this takes away is computed"


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
