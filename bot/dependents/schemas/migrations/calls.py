"""Steps of migrations that call functions instead of writing SQL.

Rails, Alembic, Django, Laravel, Knex, Kysely, Sequelize, TypeORM and Entity Framework call functions of much the same names: one
that drops, removes or renames a column, a field, a table or a model, with the names as its arguments.
"""

import re
from collections.abc import Iterator, Sequence

from bot.dependents.schemas.migrations import django
from bot.dependents.schemas.migrations.alterations import requires_value
from bot.dependents.schemas.migrations.call_texts import MOST, arguments_of, inside, line_of, table_around
from bot.dependents.schemas.migrations.steps import Does, MigrationStep, computed_step
from bot.dependents.schemas.migrations.tool_calls import tool_calls
from bot.text.filetypes import filetype

_CALL = re.compile(
    r"\b(?P<verb>[Dd]rop|[Rr]emove|[Dd]elete|[Rr]ename|[Aa]dd|[Cc]hange)_?(?P<noun>[Cc]olumns?|[Ff]ields?|[Tt]able(?:IfExists)?|[Mm]odel|[Rr]eferences?|belongs_to)(?P<null>_null)?"
    r"\s*+(?:\(\s*+|(?=[ :\"']))(?=(?P<rest>[^\n]{0,400}))"
)
_LIST = re.compile(r"\s*+(?:\[|array\()")


def call_steps(text: str, path: str) -> Iterator[MigrationStep]:
    """Yield what the calls of a migration do, in the order of their kinds."""
    around = table_around(text)
    for count, match in enumerate(_CALL.finditer(text)):
        if count > MOST:
            return
        if not (line := line_of(text, match.start(), path)):
            continue
        rest = text[match.start("rest") : match.start("rest") + 400]
        by_key, plain = arguments_of(rest, one_line="(" not in match[0][: match.start("rest") - match.start()])
        steps = [*_of_call(match, by_key, plain, around(match.start()), path, line)]
        if (
            not steps
            and match["verb"].lower() in ("drop", "remove", "rename")
            and match["noun"].lower().startswith("column")
        ):
            steps = [computed_step(path, line)]
        yield from steps
    yield from tool_calls(text, path, around)
    yield from django.model_steps(text, path)


def _of_call(
    match: re.Match[str], by_key: dict[str, str], plain: list[str], around: str, path: str, line: int
) -> Iterator[MigrationStep]:
    verb, noun = match["verb"].lower(), match["noun"].lower()
    app = django.APPLICATION.search(path) if noun.startswith("field") else None
    model = by_key.get("model_name", "").lower()
    if app and not model and plain:
        model, plain = plain[0].lower(), plain[1:]
    is_of_state = app is not None and django.is_of_state(match)
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
    return match["noun"] == "Columns" and "[" not in inside(rest)


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
        arguments = inside(match.string[match.start("rest") : match.start("rest") + 600])
        if requires_value(arguments) and "Computed(" not in arguments:
            yield MigrationStep("require-column", names[0].lower(), names[1].lower(), path, line)
