"""Lines that use a column or a table: a statement in any language's text names both, or code names them in its own spelling."""

import re

from bot.dependents.byname import COMMON
from bot.dependents.schemas import models
from bot.dependents.schemas.breaks import Likeness, SchemaBreak, SchemaPlace, spellings
from bot.dependents.schemas.migrations import is_in_folder
from bot.dependents.sites import telling

_STATEMENT = re.compile(
    r"\b(?:SELECT|INSERT\s++INTO|UPDATE|DELETE\s++FROM|REPLACE\s++INTO|MERGE\s++INTO)\b", re.IGNORECASE
)
# The name of a table, with or without its schema, in the quotes of any dialect.
_TABLE = r"[\"`\[]?(?:\w{1,80}[\"`\]]?\.[\"`\[]?)?(?P<table>[A-Za-z_]\w{0,99})[\"`\]]?"
_TABLES = re.compile(
    rf"\b(?:FROM|JOIN|INTO|UPDATE)\s++(?:ONLY\s++)?{_TABLE}(?:\s++(?:AS\s++)?(?P<alias>[A-Za-z_]\w{{0,40}}))?",
    re.IGNORECASE,
)
_ENDS = re.compile(r";|\"\"\"|'''|`\s*+[,)]|\n[ \t]*+\n")
_MAPPED = (
    r"(?:__tablename__\s*+=|db_table\s*+=|table_name\s*+=|\$table\s*+=|@Table\(\s*+(?:name\s*+=)?|@@map\(|@Entity\(|\bToTable\(|\[Table\(|#\[table_name\s*+=|"
    r"#\[diesel\(table_name\s*+=|\btable!\s*+\{|pgTable\(|mysqlTable\(|sqliteTable\()\s*+[\"'`]?NAME\b"
)
_QUERIES = (
    r"(?:\b(?:FROM|JOIN|INTO|UPDATE)\s++[\"`\[]?(?:\w{1,80}\.)?NAME\b)"
    r"|\b(?:select|insert|delete|update)\b[^\n]{0,200}\b(?:from|into|update)\s++[\"`\[]?NAME\b|\b(?:from|join|into)\s++[\"`\[]?NAME\b[^\n]{0,120}\b(?:where|set|values|on|order by|group by)\b"
    r"|\bupdate\s++[\"`\[]?NAME\b[^\n]{0,40}\bset\b"
)
_RETIRES = re.compile(r"ignored_columns|ignore_columns|deprecated_columns")
_BEFORE, _AFTER = 25, 15  # lines of a statement
# A query that is a chain of calls: `Order.objects.filter(total=1)`, `Order.where(total: 1).pluck(:total)`.
_ASKED = r"(?<![\w.$])(?:NAME)\s*+(?:\.|::|->|\()"
_ASKED_FOR = r"[\"'`]NAME[\"'`]|[{,]\s*+NAME\s*+[,}]|(?<![\w.])NAME(?:__\w{1,80})?\s*+(?:=(?![=>])|:(?!:))|[\"']-?NAME(?:__\w{1,80})?[\"']|(?<![\w:]):NAME\b"
_GOES_ON = ("(", "[", "{", ",", ".", "\\")
_QUERY_LINES, LONGEST = 5, 2_000
_DUMP = re.compile(r"(?:^|/)(?:schema|structure)\.(?:rb|sql)$")


def likeness(one: SchemaBreak, place: SchemaPlace) -> Likeness:
    """Whether the line selects, writes or maps it."""
    if is_in_folder(place.path) or _DUMP.search(place.path) or _RETIRES.search(place.text):
        return ""  # an older migration, or a test of one, says what was
    return _of_table(one, place) if one.kind == "table" else _of_column(one, place)


def _word(name: str) -> str:
    return rf"(?<![\w$]){re.escape(name)}(?![\w$])"


def _of_table(one: SchemaBreak, place: SchemaPlace) -> Likeness:
    text = place.text
    creation = rf"\bCREATE\s++(?:TEMP(?:ORARY)?\s++)?TABLE\s++(?:IF\s++NOT\s++EXISTS\s++)?[\"`]?{re.escape(one.name)}\b"
    if re.search(creation, place.whole, re.IGNORECASE):
        return ""  # a table of its own
    for pattern in (_QUERIES, _MAPPED):
        if one.name in text.lower() and re.search(pattern.replace("NAME", re.escape(one.name)), text):
            return "sure"
    is_named = any(re.search(rf"[\"'`.:]{_word(form)}", text) for form in spellings(one.name))
    return "hint" if is_named and telling(one.name) and one.name not in COMMON else ""


def _of_column(one: SchemaBreak, place: SchemaPlace) -> Likeness:
    text = place.text
    if re.search(_word(one.name), text, re.IGNORECASE) and (sure := _in_statement(one, place)):
        return sure
    if (of_model := models.likeness(one, place)) is not None:
        return of_model
    if not one.owner or _is_in_query(one, place):
        return "hint" if one.owner else ""
    if (
        not telling(one.name)
        or one.name in COMMON
        or not any(
            re.search(rf"(?:[.\"'`:@]|->){_word(form)}|{_word(form)}\s*+:(?![:=])", text)
            for form in spellings(one.name)
        )
    ):
        return ""
    whole = place.whole
    owners = models.owners_of(one)
    base = place.path.rpartition("/")[2].partition(".")[0]
    at_home = base in owners or any(re.search(_word(form), whole) for form in owners)
    return "hint" if at_home else ""


def _is_in_query(one: SchemaBreak, place: SchemaPlace) -> bool:
    """Whether the statement around a line asks the class of the table's rows, and the line says the column as a text, a symbol or an argument."""
    classes = "|".join(re.escape(form) for form in sorted(models.owners_of(one)) if form[:1].isupper())
    if not classes or not re.search(_ASKED_FOR.replace("NAME", re.escape(one.name)), place.text):
        return False
    query = re.compile(_ASKED.replace("NAME", classes))
    return any(
        query.search(line[:LONGEST])
        and (at == 0 or line.rstrip().endswith(_GOES_ON) or place.text.lstrip().startswith((".", "->", "?.")))
        for at, line in enumerate(reversed(place.lines[max(0, place.line - _QUERY_LINES) : place.line]))
    )


def _in_statement(one: SchemaBreak, place: SchemaPlace) -> Likeness:  # noqa: PLR0911 - one for each doubt
    """Whether it is part of a statement about the table that names no other table which may have such a column."""
    before = "\n".join(place.lines[max(0, place.line - 1 - _BEFORE) : place.line - 1])
    starts = [*_STATEMENT.finditer(before + "\n" + place.text)]
    if not starts:
        return ""
    whole = before + "\n" + place.text + "\n" + "\n".join(place.lines[place.line : place.line + _AFTER])
    at = len(before) + 1
    match = next(re.compile(_word(one.name), re.IGNORECASE).finditer(whole, at), None)
    if match is None:
        return ""
    start = next((s.start() for s in reversed(starts) if s.start() < match.start()), -1)
    if start < 0 or _ENDS.search(whole, start, match.start()):
        return ""
    end = _ENDS.search(whole, match.end())
    statement = whole[start : end.start() if end else len(whole)]
    tables = [(row["table"].lower(), (row["alias"] or "").lower()) for row in _TABLES.finditer(statement)]
    if one.owner not in {table for table, _ in tables}:
        return ""
    behind = whole[max(0, match.start() - 60) : match.start()]
    if re.search(r"(?:[:@$%]|\bAS\s++)[\"`]?$", behind, re.IGNORECASE):
        return ""
    qualifier = re.search(r"(\w{1,80})[\"`\]]?\.[\"`\[]?$", behind)
    if qualifier:
        names = {one.owner} | {alias for table, alias in tables if table == one.owner}
        return "sure" if qualifier[1].lower() in names else ""
    return "sure" if {table for table, _ in tables} == {one.owner} else "hint"
