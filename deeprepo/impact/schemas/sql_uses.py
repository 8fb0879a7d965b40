"""Recognize lines that use a column or table: SQL in strings that names both, or code with its own spelling."""

import re

from deeprepo.impact.everyday import COMMON, is_specific
from deeprepo.impact.schemas import models
from deeprepo.impact.schemas.breaks import Likeness, SchemaBreak, SchemaPlace, by_name, spellings
from deeprepo.impact.schemas.migrations import is_in_folder

_STATEMENT = re.compile(
    r"\b(?:SELECT|INSERT\s++INTO|UPDATE|DELETE\s++FROM|REPLACE\s++INTO|MERGE\s++INTO)\b", re.IGNORECASE
)
# A table's name with or without its schema, quoted in any dialect.
_TABLES = re.compile(
    r"\b(?P<word>FROM|JOIN|INTO|UPDATE)\s++(?:ONLY\s++)?[\"`\[]?(?:\w{1,80}[\"`\]]?\.[\"`\[]?)?(?P<table>[A-Za-z_]\w{0,99})[\"`\]]?"
    r"(?:\s++(?:AS\s++)?(?P<alias>[A-Za-z_]\w{0,40}))?",
    re.IGNORECASE,
)
_ENDS = re.compile(r";|\"\"\"|'''|`\s*+[,)]|\n[ \t]*+`[ \t]*+(?=\n)|\n[ \t]*+\n")
_RETIRES = re.compile(r"ignored_columns|ignore_columns|deprecated_columns")
_BEFORE, _AFTER = 25, 15  # lines of a statement before and after the searched line
# A query as a call: `Order.objects.filter(total=1)`, `Order.where(total: 1)`.
_ASKED = r"(?<![\w.$])(?:CLASS)\s*+(?:\.|::|->|\()"
_ASKED_FOR = r"[\"'`]NAME[\"'`]|(?<![\w.])NAME(?:__\w{1,80})?\s*+(?:=(?![=>])|:(?!:))|[\"']-?NAME(?:__\w{1,80})?[\"']|(?<![\w:]):NAME\b"
LONGEST_LINE = 2_000  # characters of a line
_BODY = 4_000  # characters of a statement that creates a table
_DUMP = re.compile(r"(?:^|/)(?:schema|structure)\.(?:rb|sql)$")
# A statement or call that creates a table: `CREATE TABLE orders`, `op.create_table("orders"`,
# `Schema::create('orders'`.
_CREATES = (
    r"\bCREATE\s++(?:TEMP(?:ORARY)?\s++)?TABLE\s++(?:IF\s++NOT\s++EXISTS\s++)?(?:[\"`\[]?\w{1,80}[\"`\]]?\.)?[\"`\[]?NAME\b"
    r"|\b(?:create_?table\w{0,20}|Schema::create)[\s(]{1,9}[:\"'`]{1,2}NAME\b"
)


def likeness(one: SchemaBreak, place: SchemaPlace) -> Likeness:
    """Return whether the line selects, writes or maps the element."""
    if is_in_folder(place.path) or _DUMP.search(place.path) or _RETIRES.search(place.text):
        return ""  # an older migration, or a test of one
    if _is_created(one, place):
        return ""  # the file creates it itself, as a test of a migration does
    return _of_table(one, place) if one.kind == "table" else _of_column(one, place)


def _word(name: str) -> str:
    return rf"(?<![\w$]){re.escape(name)}(?![\w$])"


def _is_created(one: SchemaBreak, place: SchemaPlace) -> bool:
    """Return whether the file creates the table, with this column."""
    creations = re.finditer(_CREATES.replace("NAME", re.escape(one.owner or one.name)), place.whole, re.IGNORECASE)
    bodies = (place.whole[match.end() : match.end() + _BODY].partition(";")[0] for match in creations)
    return any(one.kind == "table" or re.search(_word(one.name), body, re.IGNORECASE) for body in bodies)


def _of_table(one: SchemaBreak, place: SchemaPlace) -> Likeness:
    text = place.text
    is_statement = _STATEMENT.search(text) is not None  # `from orders import total` is no statement
    tables = {row["table"].lower() for row in _TABLES.finditer(text) if is_statement or row["word"].isupper()}
    if one.name in tables | set(models.tables_in(text)):
        return "sure"
    is_named = any(re.search(rf"[\"'`.:]{_word(form)}", text) for form in spellings(one.name))
    return "hint" if is_named and is_specific(one.name) and one.name not in COMMON else ""


def _of_column(one: SchemaBreak, place: SchemaPlace) -> Likeness:
    text = place.text
    if re.search(_word(one.name), text, re.IGNORECASE) and (of_statement := _in_statement(one, place)):
        return of_statement
    if (of_model := models.likeness(one, place)) is not None:
        return of_model
    owners = models.owners_in(one, place)
    classes = "|".join(re.escape(form) for form in sorted(owners) if form[:1].isupper())
    if re.search(_ASKED.replace("CLASS", classes), text[:LONGEST_LINE]) and classes:
        return "hint" if re.search(_ASKED_FOR.replace("NAME", re.escape(one.name)), text) else ""
    is_member = models.is_own_class(owners, place) or any(
        re.search(rf"(?:[.\"'`:@]|->){_word(form)}|{_word(form)}\s*+:(?![:=])", text) for form in spellings(one.name)
    )
    return by_name(one, place, owners) if is_member else ""


def _in_statement(one: SchemaBreak, place: SchemaPlace) -> Likeness:
    """Return whether the line is in a statement about the table, without other tables that may have the column."""
    before = "\n".join(place.lines[max(0, place.line - 1 - _BEFORE) : place.line - 1])
    whole = before + "\n" + "\n".join(place.lines[place.line - 1 : place.line + _AFTER])
    match = next(re.compile(_word(one.name), re.IGNORECASE).finditer(whole, len(before) + 1), None)
    starts = [start.start() for start in _STATEMENT.finditer(whole, 0, match.start())] if match else []
    if match is None or not starts or _ENDS.search(whole, starts[-1], match.start()):
        return ""
    end = _ENDS.search(whole, match.end())
    statement = whole[starts[-1] : end.start() if end else len(whole)]
    tables = [(row["table"].lower(), (row["alias"] or "").lower()) for row in _TABLES.finditer(statement)]
    behind = whole[max(0, match.start() - 60) : match.start()]
    is_other = re.search(r"(?:[:@$%]|\bAS\s++)[\"`]?$", behind, re.IGNORECASE)  # a parameter or an alias
    if is_other or one.owner not in {table for table, _ in tables}:
        return ""
    if qualifier := re.search(r"(\w{1,80})[\"`\]]?\.[\"`\[]?$", behind):
        names = {one.owner} | {alias for table, alias in tables if table == one.owner}
        return "sure" if qualifier[1].lower() in names else ""
    return "sure" if {table for table, _ in tables} == {one.owner} else "hint"
