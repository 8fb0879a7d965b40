"""Migrations: what their steps do to tables, and migrations that call functions for it instead of writing SQL.

Rails, Alembic, Django, Laravel, Knex, Kysely, Sequelize, TypeORM and Entity Framework call functions of much the same names: one
that drops, removes or renames a column, a field, a table or a model, with the names as its arguments. SQL in their texts counts too.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from bot.dependents.schemas.breaks import Document, SchemaBreak, singular, spellings
from bot.text.paths import is_test
from bot.values import Severity, Side

Does = Literal[
    "drop-column",
    "drop-table",
    "rename-column",
    "rename-table",
    "require-column",
    "set-required",
    "create",
    "add",
    "fill",
]
_FOLDER = re.compile(r"(?:^|/)(?:migrations?|migrate|post_migrate|alembic/versions)(?:/|$)|migration", re.IGNORECASE)
_CODE = re.compile(r"\.(?:rb|py|php|js|ts|mjs|cjs|cs|go|rs|java|kt)$")
# What takes a migration back, to the end of its function or of the file.
_DOWN = re.compile(
    r"^(?P<indent>[ \t]*+)(?:(?:def|async def)[ \t]++(?:self\.)?(?:down|downgrade)\b|(?:public[ \t]++|protected[ \t]++|override[ \t]++|async[ \t]++|export[ \t]++|const[ \t]++|exports\.)*+"
    r"(?:(?:function|void)[ \t]++)?(?:down|Down)[ \t]*+(?:[(=:])|(?:\w+\.)?down[ \t]++do\b|(?:Rollback|Down|down|rollback)[ \t]*+[:=][ \t]*+func)",
    re.MULTILINE,
)
_CALL = re.compile(
    r"\b(?P<verb>[Dd]rop|[Rr]emove|[Dd]elete|[Rr]ename|[Aa]dd|[Cc]hange)_?(?P<noun>[Cc]olumns?|[Ff]ields?|[Tt]able(?:IfExists)?|[Mm]odel|[Rr]eference)(?P<null>_null)?"
    r"\s*+(?:\(\s*+|(?=[ :\"']))(?P<rest>[^\n]{0,400})"
)
_BLADE = re.compile(
    r"Schema::(?P<verb>dropIfExists|drop|rename)\(\s*+(?P<rest>[^\n]{0,200})|\bt\.(?P<short>remove|rename)\s++(?P<names>[^\n]{0,200})"
)
_TABLE_OF = re.compile(
    r"(?:alterTable|change_table|batch_alter_table|Schema::table|Schema::create|schema\.(?:table|alterTable)|\.table)\s*+\(?\s*+[\"':`](?P<table>\w{1,99})"
)
_ARGUMENT = re.compile(
    r"(?:\b(?P<key>\w{1,40})\s{0,3}[=:]\s{0,3})?(?:[\"'`](?P<text>[\w.]{1,99})[\"'`]|(?<![:\w]):(?P<symbol>\w{1,99}))|(?P<stop>\blambda\b|=>|[{}])"
)
_SQL_TEXT = re.compile(
    r"(?P<open>\"\"\"|'''|[\"'`]|<<[-~]?[\"']?(?P<doc>[A-Z]{3,12})[\"']?[^\n]*+\n)\s*+(?=(?:ALTER|DROP|CREATE|RENAME)\s++(?:TABLE|VIEW|TEMP|MATERIALIZED)\b)",
    re.IGNORECASE,
)
_MOST = 5_000
SqlReader = Callable[[str, int, str], "Sequence[MigrationStep]"]


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
    columns: tuple[str, ...] = ()  # of a table that is new_tables
    is_planned: bool = False


def is_migration(path: str) -> bool:
    """Whether a file of code is a migration, by its folder or its name."""
    return bool(_CODE.search(path) and _FOLDER.search(path)) and not is_test(path)


def is_in_folder(path: str) -> bool:
    """Whether a file is beside migrations."""
    return bool(_FOLDER.search(path))


def effects(document: Document, sql: SqlReader) -> list[MigrationStep]:
    """The steps on lines that the change brings, what takes the migration back left out."""
    text = _forward(document.text)
    rows = [*_calls(text, document.path)]
    for match in _SQL_TEXT.finditer(text):
        close = "\n" + match["doc"] if match["doc"] else match["open"]
        end = text.find(close, match.end())
        if match["doc"]:
            end = next(
                (
                    one.start()
                    for one in re.compile(rf"^[ \t]*+{match['doc']}\b", re.MULTILINE).finditer(text, match.end())
                ),
                -1,
            )
        literal = text[match.end() : end if end >= 0 else match.end() + 2_000]
        rows += sql(literal, text.count("\n", 0, match.end()) + 1, document.path)
        if len(rows) > _MOST:
            break
    return [row for row in rows if row.line in document.added_lines]


def _forward(text: str) -> str:
    """A text whose function that takes back is blank; lines stay where they are."""
    for match in reversed([*_DOWN.finditer(text)]):
        end = len(text)
        indent = len(match["indent"])
        for line in re.compile(r"^([ \t]*+)\S", re.MULTILINE).finditer(text, match.end()):
            inner = len(line[1])
            if inner < indent or (inner == indent and text[line.end() - 1] not in ")}{"):
                end = line.start()
                break
        text = text[: match.start()] + "\n" * text.count("\n", match.start(), end) + text[end:]
    return text


def _calls(text: str, path: str) -> Iterator[MigrationStep]:
    tables = [(match.start(), match["table"].lower()) for match in _TABLE_OF.finditer(text)]

    def around(at: int) -> str:
        return next((name for start, name in reversed(tables) if start < at), "")

    for count, match in enumerate(_CALL.finditer(text)):
        if count > _MOST:
            return
        line = text.count("\n", 0, match.start()) + 1
        if text[text.rfind("\n", 0, match.start()) + 1 : match.start()].lstrip()[:1] in ("#", "*"):
            continue
        rest = text[match.start("rest") : match.start("rest") + 400]
        by_key, plain = _arguments(rest, one_line="(" not in match[0][: match.start("rest") - match.start()])
        yield from _of_call(match, by_key, plain, around(match.start()), path, line)
    for match in _BLADE.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        _, plain = _arguments(match["rest"] or match["names"] or "", one_line=True)
        if match["verb"] and plain:
            new = plain[1] if match["verb"] == "rename" and len(plain) > 1 else ""
            yield MigrationStep("rename-table" if new else "drop-table", plain[0].lower(), "", path, line, new=new)
        elif match["short"] == "remove":
            yield from (MigrationStep("drop-column", around(match.start()), one.lower(), path, line) for one in plain)
        elif len(plain) > 1:
            yield MigrationStep("rename-column", around(match.start()), plain[0].lower(), path, line, new=plain[1])


def _arguments(text: str, *, one_line: bool) -> tuple[dict[str, str], list[str]]:
    """The texts that a call is given by name, and the others."""
    depth = 0
    end = len(text)
    for at, letter in enumerate(text):
        depth += (letter in "([" and 1) or -(letter in ")]")
        if depth < 0 or (one_line and letter == "\n"):
            end = at
            break
    by_key: dict[str, str] = {}
    plain: list[str] = []
    for match in _ARGUMENT.finditer(text[:end]):
        if match["stop"]:
            break
        value = match["text"] or match["symbol"]
        if match["key"]:
            by_key[match["key"]] = value
        else:
            plain.append(value)
    return by_key, plain


def _of_call(
    match: re.Match[str], by_key: dict[str, str], plain: list[str], around: str, path: str, line: int
) -> Iterator[MigrationStep]:
    verb, noun = match["verb"].lower(), match["noun"].lower()
    table = by_key.get("model_name") or by_key.get("table") or by_key.get("table_name") or ""
    if verb in ("add", "change"):
        # Rails alone: other tools ask for a default themselves
        if (
            noun == "column"
            and len(plain) > 1
            and re.search(r"\bnull:\s*+false\b", match["rest"])
            and not re.search(r"\bdefault:", match["rest"])
        ):
            yield MigrationStep(
                "require-column" if verb == "add" else "set-required", plain[0].lower(), plain[1].lower(), path, line
            )
        return
    if noun.startswith(("table", "model")):
        old = by_key.get("old_name") or by_key.get("name") or (plain[0] if plain else "")
        new = by_key.get("new_name") or by_key.get("newName") or (plain[1] if len(plain) > 1 else "")
        if old:
            yield MigrationStep(
                "rename-table" if verb == "rename" and new else "drop-table", old.lower(), "", path, line, new=new
            )
        return
    names = [by_key[key] for key in ("old_name", "name", "column_name") if key in by_key][:1]
    if not names:
        if (not table and len(plain) > (2 if verb == "rename" else 1)) or (not table and not around and plain):
            table, plain = plain[0], plain[1:]
        names = plain[:1] if verb == "rename" else plain
        if noun == "column" and verb != "rename":
            names = plain[:1]
    new = by_key.get("new_name") or by_key.get("newName") or (plain[1] if verb == "rename" and len(plain) > 1 else "")
    table = (table or around).lower()
    for name in names:
        column = f"{name}_id" if noun == "reference" else name
        does: Does = "rename-column" if verb == "rename" and new else "drop-column"
        yield MigrationStep(does, table, column.lower(), path, line, new=new)


def breaks(rows: Sequence[MigrationStep]) -> list[SchemaBreak]:
    """The steps that take something away or ask for more, each once; what the same change creates or brings back is nobody's loss."""
    new_tables = {row.table for row in rows if row.does == "create"} | {
        row.new.lower() for row in rows if row.does == "rename-table"
    }
    new_columns = {(row.table, row.column) for row in rows if row.does in ("add", "require-column", "fill")}
    new_columns |= {(row.table, row.new.lower()) for row in rows if row.does == "rename-column"}
    new_columns |= {(row.table, column) for row in rows for column in row.columns}
    breaks_by_place: dict[tuple[str, str, str], SchemaBreak] = {}
    for row in rows:
        one = _break(row, new_tables, new_columns)
        if one is not None:
            breaks_by_place.setdefault((one.rule, row.table, row.column), one)
    return list(breaks_by_place.values())


def _break(row: MigrationStep, new_tables: set[str], new_columns: set[tuple[str, str]]) -> SchemaBreak | None:
    here = (row.table, row.column)
    if row.side == "base":  # a dump creates whatever it holds
        new_tables, new_columns = set(), set()
    element = f"{row.table}.{row.column}" if row.column and row.table else row.column or row.table
    alone: Severity | None = None
    name, kind = row.column or row.table, "column" if row.column else "table"
    if row.does in ("drop-column", "rename-column") and here not in new_columns and row.table not in new_tables:
        rule = "column-dropped" if row.does == "drop-column" else "column-renamed"
        law = "A statement that names a column which its table no longer has fails."
    elif row.does in ("drop-table", "rename-table") and row.table not in new_tables:
        rule = "table-dropped" if row.does == "drop-table" else "table-renamed"
        law = "A statement that names a table which is gone fails."
    elif row.does == "require-column" and row.table not in new_tables:
        rule, name, alone = "column-required", "", "medium"
        law = "A database has no value for the rows that are there: the migration fails on a table that is not empty (MySQL fills in an empty value)."
    else:
        return None
    fate = (
        f"was renamed to {row.new}"
        if row.new
        else "was dropped"
        if row.does.startswith("drop")
        else "is NOT NULL without a default"
    )
    return SchemaBreak(
        rule, "column" if kind == "column" else "table", element, fate, law, row.path, row.line, row.side,
        name=name, owner=row.table if row.column else "", alone=alone,
    )  # fmt: skip


def forms_of_table(table: str) -> frozenset[str]:
    """The forms in which code names a table or the class of its rows: `order_lines`, `OrderLine`."""
    one = singular(table)
    return spellings(table) | (spellings(one) if one else frozenset())
