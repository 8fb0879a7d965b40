"""Migrations: what their steps do to tables, and migrations that call functions for it instead of writing SQL.

Rails, Alembic, Django, Laravel, Knex, Kysely, Sequelize, TypeORM and Entity Framework call functions of much the same names: one
that drops, removes or renames a column, a field, a table or a model, with the names as its arguments. SQL in their texts counts too.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from bot.dependents.schemas import other_tools
from bot.dependents.schemas.breaks import Document, SchemaBreak, is_product, singular, spellings
from bot.dependents.schemas.rollbacks import forward, is_remark
from bot.dependents.schemas.steps import COMPUTED, UNSURE, Does, MigrationStep
from bot.text.filetypes import filetype
from bot.text.paths import is_test
from bot.values import Severity

_FOLDER = re.compile(r"(?:^|/)(?:migrations?|migrate|post_migrate|alembic/versions)(?:/|$)|migration", re.IGNORECASE)
_CODE = re.compile(r"\.(?:rb|py|php|js|ts|mjs|cjs|cs|go|rs|java|kt|exs)$")
_NEXT_TEXT = re.compile(
    r"\s{0,200}+(?:[+.\\]\s{0,200}+)?[rRbBuUfF]?(?:\"(?P<double>[^\"\n]{0,2000})\"|'(?P<single>[^'\n]{0,2000})')"
)
_JOINED = re.compile(r"(?<=[\w.])[\"'`]\s{0,40}[+.]?\s{0,40}[\"'`](?=[\w.])")
_REMARK = re.compile(r"(^|[\s(,\[])(?:#|//)[^\n]*", re.MULTILINE)
_CALL = re.compile(
    r"\b(?P<verb>[Dd]rop|[Rr]emove|[Dd]elete|[Rr]ename|[Aa]dd|[Cc]hange)_?(?P<noun>[Cc]olumns?|[Ff]ields?|[Tt]able(?:IfExists)?|[Mm]odel|[Rr]eferences?|belongs_to)(?P<null>_null)?"
    r"\s*+(?:\(\s*+|(?=[ :\"']))(?=(?P<rest>[^\n]{0,400}))"
)
_BLADE = re.compile(
    r"Schema::(?P<verb>dropIfExists|drop|rename)\(\s*+(?P<rest>[^\n]{0,200})|\b(?:t|table)\.(?P<short>remove|rename)(?:\s++|\(\s*+)(?=[:\"'])(?P<names>[^\n]{0,200})"
)
_JOIN_TABLE = re.compile(
    r"\bdrop_join_table[ \t(]++:?[\"']?(?P<one>\w{1,99})[\"']?\s*+,\s*+:?[\"']?(?P<other>\w{1,99})(?P<rest>[^\n]{0,200})"
)
_TABLE_OBJECT = re.compile(
    r"\{[^{}]{0,200}?\btable(?:Name)?\s*+:\s*+([\"'`][\w.]{1,99}[\"'`])[^{}]{0,200}\}"
)  # Sequelize
_STATE = re.compile(r"\bstate_operations\s*+=\s*+\[")
_STATE_LENGTH = 20_000
# What changes a column that is there: Alembic, Entity Framework, TypeORM and Sequelize.
_ALTER = re.compile(r"\b(?:alter_column|AlterColumn(?:<[\w.?\[\]]{1,40}>)?|changeColumn)\s*+\(\s*+")
_NOT_NULL = re.compile(r"\b(?:nullable|allowNull|isNullable)\s*+[=:]\s*+[Ff]alse\b")
_DEFAULT = re.compile(
    r"\b(?:server_default|existing_server_default|defaultValue(?:Sql)?|default)\s*+[=:](?!\s*+(?:None|null|False)\b)"
)
_NEW_NAME = re.compile(r"[{(,]\s*+name\s*+:\s*+[\"'`](\w{1,99})")
_TIGHTENS = re.compile(
    r"\bdropNullable\(\s*+[\"'`](?P<knex>\w{1,99})|\balterColumn\(\s*+[\"'`](?P<kysely>\w{1,99})[\"'`]\s*+,[^\n]{0,80}\bsetNotNull\b"
)
# What Laravel, Knex and Rails drop by other names than the columns' own.
_UNNAMED = re.compile(
    r"->dropConstrainedForeignId\(\s*+[\"'](?P<name>\w{1,99})|->drop(?:Nullable|Numeric|Uuid|Ulid)?Morphs\(\s*+[\"'](?P<morphs>\w{1,99})"
    r"|(?:->|\.)drop(?P<kind>SoftDeletes|Timestamps|Datetimes|RememberToken)(?:Tz)?\((?P<given>[^()\n]{0,99})"
    r"|\bremove_(?P<rails>timestamps)\b(?:[ \t(]++:?[\"']?(?P<table>\w{1,99}))?"
)
_UNNAMED_COLUMNS = {
    "SoftDeletes": ("deleted_at",),
    "Timestamps": ("created_at", "updated_at"),
    "timestamps": ("created_at", "updated_at"),
    "Datetimes": ("created_at", "updated_at"),
    "RememberToken": ("remember_token",),
}
_LIST = re.compile(r"\s*+(?:\[|array\()")
_DJANGO = re.compile(r"\bmigrations\.(?P<verb>DeleteModel|RenameModel|AlterModelTable)\(\s*+")
_DJANGO_APP = re.compile(r"(?:^|/)(\w{1,99})/migrations/[^/]++$")
_TABLE_OF = re.compile(
    r"(?:alterTable|change_table|batch_alter_table|Schema::table|Schema::create|schema\.(?:table|alterTable)|\.table|->(?:table|getTable))\s*+\(?\s*+[\"':`](?P<table>\w{1,99})"
)
_ARGUMENT = re.compile(
    r"(?:\b(?P<key>\w{1,40})\s{0,3}[=:]\s{0,3})?(?:[\"'`](?:\{\{%?)?(?P<text>[\w.]{1,99})(?:\}\})?[\"'`]|(?<![:\w]):(?P<symbol>\w{1,99}))|(?P<stop>\blambda\b|=>|[{}])"
)
_SQL_TEXT = re.compile(
    r"(?P<open>\"\"\"|'''|[\"'`]|<<[-~]?[\"']?(?P<doc>[A-Z]{3,12})[\"']?[^\n]*+\n)\s*+(?=(?:ALTER|DROP|CREATE|RENAME)\s++(?:TABLE|VIEW|TEMP|MATERIALIZED)\b|(?:EXEC(?:UTE)?\s++)?(?:\w{1,40}\.){0,3}sp_rename\b)",
    re.IGNORECASE,
)
# What a file of code has that is a migration, whatever it is called.
_STEPS = re.compile(
    r"^[ \t]*+(?:(?:async )?def (?:upgrade|up|change)\b|class \w++(?:\(| <).{0,80}Migration\b|exports\.up\b|revision\s*+[:=]|(?:public |async |export |function ){1,4}up\b)",
    re.MULTILINE,
)
# How code brings a column: a method of a table's builder that is called like a type, or a call that adds one.
_BRINGS = (
    r"(?:\b[Aa]dd_?(?:[Cc]olumn|[Ff]ield)(?:<[\w.?]{1,40}>)?[( ]\s{0,40}(?:[:\"'`][\w.]{1,99}[\"'`]?\s{0,9},\s{0,40})?(?:(?:new\s{1,9})?[\w.]{1,40}\(\s{0,9}\{?\s{0,40})?"
    r"(?:(?:table|table_name|model_name)\s{0,3}[=:]\s{0,3}[\"'][\w.]{1,99}[\"'],\s{0,40})?(?:(?:column_)?name\s{0,3}[=:]\s{0,3})?"
    r"|(?:\.|->)(?:specificType|(?:big|small|medium|tiny|unsigned|long)?(?:Integer|Int|Text|Increments)"
    r"|string|char|varchar|boolean|bool|date|date_?Time|timestamp|time|float|double|decimal|numeric|jsonb?|uuid|enum?|enu|binary|blob|column)[( ]\s{0,9})"
    r"[\"'`:]NAME\b"
)
_ALTERS = re.compile(r"\.alter\(|->change\(")  # what is there already
_BRANCHES = re.compile(
    r"(?<![\w$.])(?:if|else|elif|elsif|unless|case|switch|when|for|while|until|try|catch|except|rescue|def|return|throw|raise|exit|break|continue|process|lambda|function)(?![\w$])"
    r"|&&|\|\||\?|=>|->\s{0,3}[({]|\.catch\b|/\*|\"\"\"|'''|<<|`"
)
_OPENS_TABLE = re.compile(
    r"^\s*+(?:(?:await|return|with)\s++)?(?:[\w$]++(?:\.|->|::))*+(?:alterTable|table|change_table|batch_alter_table)\s*+\(?\s*+[\"':`]\w{1,99}[\"'`]?(?:,\s*+)?"
    r"(?:(?:async\s++)?function\s*+\([^()\n]{0,99}\)\s*+\{|\(?[\w$\s]{0,40}\)?\s*+=>\s*+\{|do\s*+\|\w{1,40}\||\)\s*+as\s++\w{1,40}:)\s*+$"
)
_TAKES_PART = re.compile(r"(?<![\w$.])(?:if|unless)(?![\w$])")
TIGHTENED = "column-tightened"
_MOST = 5_000
_MOST_RETURNS, _RETURN_LINES, _LONG = 200, 60, 2_000  # drops that are followed, lines behind each, characters of a line
_UNCALLED = re.compile(r"\.(?:drop_column|remove_column|drop_table|dropColumn|dropTable)\b(?!\s*+[(:\"'`])")
SqlReader = Callable[[str, int, str], "Sequence[MigrationStep]"]


def is_migration(path: str) -> bool:
    """Whether a file of code is a migration, by its folder or its name."""
    return bool(_CODE.search(path) and _FOLDER.search(path)) and (not is_test(path) or is_among(path))


def is_among(path: str) -> bool:
    """Whether a file that is called like a test or a sample lies among migrations: who runs them asks for no name."""
    folder = _FOLDER.search(path.rpartition("/")[0])
    return folder is not None and is_product(path[: folder.end()].rstrip("/") + "/1.sql")


def has_steps(text: str) -> bool:
    """Whether code defines what a migration does, or is a class of one."""
    return bool(_STEPS.search(text))


def is_in_folder(path: str) -> bool:
    """Whether a file is beside migrations."""
    return bool(_FOLDER.search(path))


def effects(document: Document, sql: SqlReader) -> list[MigrationStep]:
    """The steps on lines that the change brings, what takes the migration back left out."""
    text = forward(document.text, document.path)
    rows = [*_calls(text, document.path), *other_tools.steps(text, document.path)]
    rows = _with_returns(rows, text, document.path)
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
        if not match["doc"]:
            literal += _continuation(text, end + len(close))
        rows += sql(literal, text.count("\n", 0, match.end()) + 1, document.path)
        if len(rows) > _MOST:
            break
    return [row for row in rows if row.line in document.added_lines]


def brought_back(rows: Sequence[MigrationStep]) -> frozenset[str]:
    """The columns that a step drops and a later one of the same table brings back."""
    dropped_columns = {row.column for row in rows if row.does == "drop-column"}
    return frozenset(dropped_columns - {row.name for row in breaks(rows)})


def is_of_the_past(path: str) -> bool:
    """Whether a file lies among migrations: one that was there before says what was."""
    return is_in_folder(path.rpartition("/")[0])


def _with_returns(rows: Sequence[MigrationStep], text: str, path: str) -> list[MigrationStep]:
    """The steps with those that bring a column back that one of them drops: in the text behind it, on the same table."""
    lines = text.split("\n")
    more: list[tuple[int, MigrationStep]] = []
    for at, row in enumerate(rows[:_MOST_RETURNS]):
        if row.does != "drop-column":
            continue
        brings = re.compile(_BRINGS.replace("NAME", re.escape(row.column)), re.IGNORECASE)
        for number in range(row.line, min(len(lines), row.line + _RETURN_LINES) + 1):
            line = lines[number - 1][:_LONG]
            match = brings.search("\n".join(lines[number - 1 : number + 4])[: 3 * _LONG])
            if (
                match is None
                or match.start() > len(line)
                or is_remark(line, path)
                or _ALTERS.search("\n".join(lines[number - 1 : number + 3])[:_LONG])
                or re.search(r"//|#|/\*", line[: match.start()])
                or _table_at(lines, number, match) not in {row.table, row.model or row.table}
            ):
                continue
            doubt = "" if number > row.line and _is_straight(lines[row.line : number - 1], path) else UNSURE
            if _BRANCHES.search(line[: match.start()].replace("return ", "")) or _TAKES_PART.search(line):
                doubt = UNSURE
            more.append((at, replace(row, does="add", line=number, new="", spelling="", doubt=doubt)))
            break
    result = list(rows)
    for at, one in sorted(more, key=lambda pair: -pair[0]):
        result.insert(at + 1, one)
    return result


def _table_at(lines: Sequence[str], number: int, match: re.Match[str]) -> str:
    """The table that a call on a line is about: its own first argument, or the builder around it."""
    call = match[0]
    if re.match(r"(?i)add", call):
        own = re.search(
            r"(?:table(?:_name)?|model_name)\s{0,3}[=:]\s{0,3}[\"'](\w{1,99})", f"{call}\n{lines[number - 1][:_LONG]}"
        ) or re.search(r"^\w+(?:<\w+>)?[( ]\s{0,9}[\"':`](\w{1,99})[\"'`]?,", call)
        if own:
            return own[1].lower()
    for line in reversed(lines[max(0, number - _RETURN_LINES) : number]):
        if opening := [*_TABLE_OF.finditer(line[:_LONG])]:
            return opening[-1]["table"].lower()
    return ""


def _is_straight(lines: Sequence[str], path: str) -> bool:
    """Whether lines between two steps hold nothing that decides, leaves, keeps for later or hides what follows."""
    return all(
        is_remark(line, path) or _OPENS_TABLE.match(line[:_LONG]) or not _BRANCHES.search(line[:_LONG])
        for line in lines
    )


def _continuation(text: str, at: int) -> str:
    """The texts that are joined to one that ends at a position."""
    parts: list[str] = []
    while match := _NEXT_TEXT.match(text, at):
        parts.append(match["double"] or match["single"] or "")
        at = match.end()
    return "".join(parts)


def _calls(text: str, path: str) -> Iterator[MigrationStep]:
    tables = [(match.start(), match["table"].lower()) for match in _TABLE_OF.finditer(text)]

    def around(at: int) -> str:
        return next((name for start, name in reversed(tables) if start < at), "")

    for count, match in enumerate(_CALL.finditer(text)):
        if count > _MOST:
            return
        line = text.count("\n", 0, match.start()) + 1
        if is_remark(text[text.rfind("\n", 0, match.start()) + 1 : match.start()] or " ", path):
            continue
        rest = text[match.start("rest") : match.start("rest") + 400]
        by_key, plain = _arguments(rest, one_line="(" not in match[0][: match.start("rest") - match.start()])
        steps = [*_of_call(match, by_key, plain, around(match.start()), path, line)]
        if (
            not steps
            and match["verb"].lower() in ("drop", "remove", "rename")
            and match["noun"].lower().startswith("column")
        ):
            steps = [MigrationStep("unread", "", "", path, line, doubt=COMPUTED)]
        yield from steps
    yield from _other_calls(text, path, around)
    yield from _alterations(text, path, around)
    yield from _of_django(text, path)


def _line_of(text: str, at: int, path: str) -> int:
    """The line of a call; 0 if the call is in a comment."""
    before = text[text.rfind("\n", 0, at) + 1 : at] or " "
    return 0 if is_remark(before, path) else text.count("\n", 0, at) + 1


def _alterations(text: str, path: str, around: Callable[[int], str]) -> Iterator[MigrationStep]:
    """The steps that change a column which is there: another name, no NULL any more; and those of Laravel's own words."""
    for match in islice(_ALTER.finditer(text), _MOST):
        if line := _line_of(text, match.start(), path):
            yield from _of_alteration(_inside(text[match.end() : match.end() + 600]), around(match.start()), path, line)
    for match in islice(_TIGHTENS.finditer(text), _MOST):
        if line := _line_of(text, match.start(), path):
            column = match["knex"] or match["kysely"]
            yield MigrationStep("tighten-column", around(match.start()), column.lower(), path, line, spelling=column)
    for match in islice(_UNNAMED.finditer(text), _MOST):
        if line := _line_of(text, match.start(), path):
            table = (match["table"] or around(match.start())).lower()
            for column in _unnamed_columns(match):
                yield MigrationStep("drop-column", table, column.lower(), path, line, spelling=column)


def _unnamed_columns(match: re.Match[str]) -> Sequence[str]:
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


def _of_alteration(arguments: str, around: str, path: str, line: int) -> Iterator[MigrationStep]:
    by_key, plain = _arguments(arguments, one_line=False)
    table = by_key.get("table_name") or by_key.get("table") or ""
    column = by_key.get("column_name") or by_key.get("name") or ""
    if not column and plain:
        table, column = (plain[0], plain[1]) if len(plain) > 1 and not table else (table, plain[0])
    other_name = _NEW_NAME.search(arguments) if len(plain) > 1 else None
    new = by_key.get("new_column_name") or (other_name[1] if other_name and other_name[1] != column else "")
    table = (table or around).lower()
    if new and column:
        yield MigrationStep("rename-column", table, column.lower(), path, line, new=new, spelling=column)
    elif re.search(r"\bnew_column_name\s*+=", arguments):
        yield MigrationStep("unread", "", "", path, line, doubt=COMPUTED)
    if column and _NOT_NULL.search(arguments) and not _DEFAULT.search(arguments):
        name = new or column
        yield MigrationStep("tighten-column", table, name.lower(), path, line, spelling=name)


def _of_django(text: str, path: str) -> Iterator[MigrationStep]:
    """What becomes of the table of a Django model, which is called after its application unless somebody names it."""
    app = _DJANGO_APP.search(path)
    for match in islice(_DJANGO.finditer(text), _MOST) if app else ():
        line = _line_of(text, match.start(), path)
        by_key, plain = _arguments(text[match.end() : match.end() + 400], one_line=False)
        old = by_key.get("old_name") or by_key.get("name") or (plain[0] if plain else "")
        if not (line and app and old) or _is_of_state(match):
            continue
        rest = [by_key.get("new_name") or by_key.get("table") or "", *plain[1 if not by_key else 0 :]]
        new = next(filter(None, rest), "")
        if match["verb"] == "RenameModel":
            new = f"{app[1]}_{new.lower()}"
        does: Does = "drop-table" if match["verb"] == "DeleteModel" else "rename-table"
        if does == "drop-table" or new:
            yield MigrationStep(
                does, f"{app[1]}_{old}".lower(), "", path, line, new="" if does == "drop-table" else new
            )


def _other_calls(text: str, path: str, around: Callable[[int], str]) -> Iterator[MigrationStep]:
    """The steps of Laravel and of blocks of Rails, and those that are named and not called."""
    for match in _UNCALLED.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        if not is_remark(text[text.rfind("\n", 0, match.start()) + 1 : match.start()] or " ", path):
            yield MigrationStep("unread", "", "", path, line, doubt=COMPUTED)
    for match in islice(_JOIN_TABLE.finditer(text), _MOST):
        if (line := _line_of(text, match.start(), path)) and "table_name:" not in match["rest"]:
            yield MigrationStep("drop-table", "_".join(sorted((match["one"], match["other"]))).lower(), "", path, line)
    for match in _BLADE.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        if match["short"] and filetype(path).parser != "ruby":
            continue
        _, plain = _arguments(match["rest"] or match["names"] or "", one_line=True)
        if match["verb"] and plain:
            new = plain[1] if match["verb"] == "rename" and len(plain) > 1 else ""
            yield MigrationStep("rename-table" if new else "drop-table", plain[0].lower(), "", path, line, new=new)
        elif match["short"] == "remove":
            yield from (MigrationStep("drop-column", around(match.start()), one.lower(), path, line) for one in plain)
        elif len(plain) > 1:
            yield MigrationStep("rename-column", around(match.start()), plain[0].lower(), path, line, new=plain[1])


def _inside(text: str, *, one_line: bool = False) -> str:
    """The arguments of a call whose bracket stands before a text."""
    depth = 0
    for at, letter in enumerate(text):
        depth += (letter in "([" and 1) or -(letter in ")]")
        if depth < 0 or (one_line and letter == "\n"):
            return text[:at]
    return text


def _arguments(text: str, *, one_line: bool) -> tuple[dict[str, str], list[str]]:
    """The texts that a call is given by name, and the others. Texts that are joined are one."""
    text = _inside(_JOINED.sub("", _REMARK.sub(r"\1", text)), one_line=one_line)
    text = _TABLE_OBJECT.sub(r"\1", text)
    by_key: dict[str, str] = {}
    plain: list[str] = []
    for match in _ARGUMENT.finditer(text):
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
    app = _DJANGO_APP.search(path) if noun.startswith("field") else None
    model = by_key.get("model_name", "").lower()
    if app and not model and plain:
        model, plain = plain[0].lower(), plain[1:]
    is_of_state = app is not None and _is_of_state(match)
    django_table = f"{app[1]}_{model}" if app and not is_of_state else model
    table = django_table or by_key.get("table") or by_key.get("table_name") or ""
    if verb in ("add", "change"):
        yield from _of_requirement(match, plain, around, path, line)
        return
    if noun.startswith(("table", "model")):
        old = by_key.get("old_name") or by_key.get("name") or (plain[0] if plain else "")
        new = by_key.get("new_name") or by_key.get("newName") or (plain[1] if len(plain) > 1 else "")
        if old:
            yield MigrationStep(
                "rename-table" if verb == "rename" and new else "drop-table", old.lower(), "", path, line, new=new
            )
        return
    table, names, new = _names_of_call(match, by_key, plain, around, table)
    is_reference = noun in ("reference", "references", "belongs_to")
    if is_reference and re.search(r"\bpolymorphic:\s*+true\b", match["rest"]):
        names = [*names, *(f"{name}_type" for name in names)]
    for name in names:
        column = f"{name}_id" if is_reference and not name.endswith("_type") else name
        does: Does = "rename-column" if verb == "rename" and new else "drop-column"
        yield MigrationStep(does, table.lower(), column.lower(), path, line, new=new, spelling=column, model=model)


def _names_of_call(
    match: re.Match[str], by_key: dict[str, str], plain: list[str], around: str, table: str
) -> tuple[str, list[str], str]:
    """The table of a call about columns, the columns, and the new name."""
    is_rename, noun = match["verb"].lower() == "rename", match["noun"].lower()
    names = [by_key[key] for key in ("old_name", "name", "column_name") if key in by_key][:1]
    is_list = bool(around) and _is_list(match)
    if not names:
        if not table and plain and (not around or (not is_list and len(plain) > (2 if is_rename else 1))):
            table, plain = plain[0], plain[1:]
        names = plain[:1] if is_rename else plain
        if noun == "column" and not is_rename and not is_list:
            names = plain[:1]
    new = by_key.get("new_name") or by_key.get("newName") or (plain[1] if is_rename and len(plain) > 1 else "")
    return table or around, names, new


def _is_list(match: re.Match[str]) -> bool:
    """Whether the texts of a call within a table's builder are columns alone, none the table: one list, or Knex's `dropColumns("a", "b")`."""
    rest = match["rest"]
    if _LIST.match(rest) or "->" in match.string[max(0, match.start() - 2) : match.start()]:
        return True
    return match["noun"] == "Columns" and "[" not in _inside(rest)


def _is_of_state(match: re.Match[str]) -> bool:
    """Whether a call of a migration of Django changes what Django knows of its models, and no table."""
    start = max(0, match.start() - _STATE_LENGTH)
    openings = [*_STATE.finditer(match.string, start, match.start())]
    return (
        bool(openings)
        and len(_inside(match.string[openings[-1].end() : match.start()])) == match.start() - openings[-1].end()
    )


def _of_requirement(
    match: re.Match[str], plain: Sequence[str], around: str, path: str, line: int
) -> Iterator[MigrationStep]:
    """A column that a call of Rails or of Alembic asks of rows that are there: other tools ask for a default themselves."""
    noun = match["noun"].lower()
    names = plain[:2] if len(plain) > 1 or not around else [around, *plain[:1]]
    if noun != "column" or len(names) <= 1:
        return
    rest = match["rest"]
    if match["null"]:
        if re.search(r",\s*+false\s*+\)?\s*+(?:#|$)", rest):
            yield MigrationStep("tighten-column", names[0].lower(), names[1].lower(), path, line, spelling=names[1])
    elif match["verb"].lower() == "add" and re.search(r"\bnull:\s*+false\b", rest) and "default:" not in rest:
        yield MigrationStep("require-column", names[0].lower(), names[1].lower(), path, line)
    elif match["verb"] == "add" and filetype(path).parser == "python":
        arguments = _inside(match.string[match.start("rest") : match.start("rest") + 600])
        if _NOT_NULL.search(arguments) and not _DEFAULT.search(arguments) and "Computed(" not in arguments:
            yield MigrationStep("require-column", names[0].lower(), names[1].lower(), path, line)


def breaks(rows: Sequence[MigrationStep]) -> list[SchemaBreak]:
    """The steps that take something away or ask for more, each once; what the same change brings back is nobody's loss."""
    breaks_by_place: dict[tuple[str, str, str], SchemaBreak] = {}
    base = [_break(row) for row in rows if row.side == "base"]  # a dump creates whatever it holds
    for one in (*base, *_Change().losses(row for row in rows if row.side == "head")):
        breaks_by_place.setdefault((one.rule, one.owner, one.element or f"{one.path}:{one.line}"), one)
    return list(breaks_by_place.values())


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
                self._required.append(own)

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


def home(path: str) -> str:
    """Return the folder of the migrations that a file is one of."""
    match = _FOLDER.search(path)
    return (
        path[: match.end()].rstrip("/")
        if match and match.group().strip("/") and "/" in path[match.start() :]
        else path.rpartition("/")[0]
    )


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


def forms_of_table(table: str) -> frozenset[str]:
    """The forms in which code names a table or the class of its rows: `order_lines`, `OrderLine`."""
    one = singular(table)
    return spellings(table) | (spellings(one) if one else frozenset())
