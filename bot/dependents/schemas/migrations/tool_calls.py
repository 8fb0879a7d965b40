"""Calls of migrations that one tool alone has, or that are made in a way of its own: a table of them, and what each does."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from bot.dependents.schemas.migrations.alterations import alteration_steps
from bot.dependents.schemas.migrations.call_texts import MOST, Around, arguments_of, line_of
from bot.dependents.schemas.migrations.steps import Does, MigrationStep, computed_step
from bot.text.filetypes import filetype

# What a call drops that does not name its columns: Laravel, Knex and Rails.
_UNNAMED_COLUMNS = {
    "SoftDeletes": ("deleted_at",),
    "Timestamps": ("created_at", "updated_at"),
    "timestamps": ("created_at", "updated_at"),
    "Datetimes": ("created_at", "updated_at"),
    "RememberToken": ("remember_token",),
}


@dataclass(frozen=True, slots=True)
class _Call:
    """One call, as its match in the text of a migration; `table` is the one that the code before it is about."""

    match: re.Match[str]
    table: str
    path: str
    line: int

    def step(self, does: Does, table: str, column: str = "", new: str = "") -> MigrationStep:
        """Return what the call does to a table or a column."""
        return MigrationStep(does, table.lower(), column.lower(), self.path, self.line, new=new, spelling=column)


@dataclass(frozen=True, slots=True)
class _CallForm:
    """How calls of some tools are written, and what such a call does."""

    tools: str
    pattern: re.Pattern[str]
    steps: Callable[[_Call], Iterator[MigrationStep]]


def tool_calls(text: str, path: str, around: Around) -> Iterator[MigrationStep]:
    """Yield what the calls do that only some tools have, form after form."""
    for form in _FORMS:
        for match in islice(form.pattern.finditer(text), MOST):
            if line := line_of(text, match.start(), path):
                yield from form.steps(_Call(match, around(match.start()), path, line))


def _uncalled(call: _Call) -> Iterator[MigrationStep]:
    yield computed_step(call.path, call.line)


def _revert(call: _Call) -> Iterator[MigrationStep]:
    if filetype(call.path).parser == "ruby":
        yield computed_step(call.path, call.line)


def _join_table(call: _Call) -> Iterator[MigrationStep]:
    if "table_name:" not in call.match["rest"]:
        yield call.step("drop-table", "_".join(sorted((call.match["one"], call.match["other"]))))


def _schema_facade(call: _Call) -> Iterator[MigrationStep]:
    _, names = arguments_of(call.match["rest"], one_line=True)
    new = names[1] if call.match["verb"] == "rename" and len(names) > 1 else ""
    if names:
        yield call.step("rename-table" if new else "drop-table", names[0], new=new)


def _table_block(call: _Call) -> Iterator[MigrationStep]:
    if filetype(call.path).parser != "ruby":
        return
    _, names = arguments_of(call.match["names"], one_line=True)
    if call.match["verb"] == "remove":
        yield from (call.step("drop-column", call.table, name) for name in names)
    elif len(names) > 1:
        yield call.step("rename-column", call.table, names[0], new=names[1])


def _alteration(call: _Call) -> Iterator[MigrationStep]:
    arguments = call.match.string[call.match.end() : call.match.end() + 600]
    return alteration_steps(arguments, call.table, call.path, call.line)


def _no_null(call: _Call) -> Iterator[MigrationStep]:
    yield call.step("tighten-column", call.table, call.match["column"])


def _unnamed_columns(call: _Call) -> Iterator[MigrationStep]:
    for column in _columns_of(call.match):
        yield call.step("drop-column", call.match["table"] or call.table, column)


def _columns_of(match: re.Match[str]) -> Sequence[str]:
    """The columns that a call drops which does not say their whole names."""
    if match["name"]:
        return (match["name"],)
    if match["morphs"]:
        return (f"{match['morphs']}_id", f"{match['morphs']}_type")
    arguments = match["given"] or ""
    own = re.match(r"\s*+[\"'](\w{1,99})", arguments)
    if own and match["kind"] == "SoftDeletes":
        return (own[1],)
    if match["kind"] == "Timestamps" and re.search(r"\btrue\b", arguments):  # Knex
        return ("createdAt", "updatedAt")
    return _UNNAMED_COLUMNS[match["kind"] or match["rails"]]


_FORMS = (
    _CallForm(
        "any: named, and not called there",
        re.compile(r"\.(?:drop_column|remove_column|drop_table|dropColumn|dropTable)\b(?!\s*+[(:\"'`])"),
        _uncalled,
    ),
    _CallForm(
        "Rails: what it turns round is not read",
        re.compile(
            r"(?:^|[;{])[ \t]*+revert(?:[ \t]*+[({]|[ \t]++(?:do\b|[A-Z&*]|\w{1,60}[ \t]*+$))|\brevert:[ \t]*+true\b",
            re.MULTILINE,
        ),
        _revert,
    ),
    _CallForm(
        "Rails",
        re.compile(
            r"\bdrop_join_table[ \t(]++:?[\"']?(?P<one>\w{1,99})[\"']?\s*+,\s*+:?[\"']?(?P<other>\w{1,99})(?P<rest>[^\n]{0,200})"
        ),
        _join_table,
    ),
    _CallForm(
        "Laravel",
        re.compile(r"Schema::(?P<verb>dropIfExists|drop|rename)\(\s*+(?P<rest>[^\n]{0,200})"),
        _schema_facade,
    ),
    _CallForm(
        "Rails, within a block",
        re.compile(r"\b(?:t|table)\.(?P<verb>remove|rename)(?:\s++|\(\s*+)(?=[:\"'])(?P<names>[^\n]{0,200})"),
        _table_block,
    ),
    _CallForm(
        "Alembic, Entity Framework, TypeORM, Sequelize",
        re.compile(r"\b(?:alter_column|AlterColumn(?:<[\w.?\[\]]{1,40}>)?|changeColumn)\s*+\(\s*+"),
        _alteration,
    ),
    _CallForm("Knex", re.compile(r"\bdropNullable\(\s*+[\"'`](?P<column>\w{1,99})"), _no_null),
    _CallForm(
        "Kysely",
        re.compile(r"\balterColumn\(\s*+[\"'`](?P<column>\w{1,99})[\"'`]\s*+,[^\n]{0,80}\bsetNotNull\b"),
        _no_null,
    ),
    _CallForm(
        "Laravel, Knex, Rails",
        re.compile(
            r"->dropConstrainedForeignId\(\s*+[\"'](?P<name>\w{1,99})|->drop(?:Nullable|Numeric|Uuid|Ulid)?Morphs\(\s*+[\"'](?P<morphs>\w{1,99})"
            r"|(?:->|\.)drop(?P<kind>SoftDeletes|Timestamps|Datetimes|RememberToken)(?:Tz)?\((?P<given>[^()\n]{0,99})"
            r"|\bremove_(?P<rails>timestamps)\b(?:[ \t(]++:?[\"']?(?P<table>\w{1,99}))?"
        ),
        _unnamed_columns,
    ),
)
