"""Lines of a model that map a column: by the column's name as a text, or by a member that is called like it.

A mapper of objects reads and writes every column that it knows of. The table of a model appears beside it (`@Table(name = "orders")`,
`__tablename__`, `tableName:`), or follows from the name of its class.
"""

import re
from dataclasses import dataclass

from bot.dependents.schemas import mappers
from bot.dependents.schemas.breaks import Likeness, SchemaBreak, SchemaPlace, forms_of_table, spellings
from bot.dependents.schemas.migrations.rollbacks import is_remark
from bot.text.brackets import before_close, open_count
from bot.text.filetypes import filetype

# A call, a decorator or an attribute that says what column a member is.
_COLUMN = re.compile(
    r"(?:(?:@|#\[|\[)(?:\w{1,20}\\)?(?:\w{0,30}Column(?:Info)?|Property|MappedProperty|PrimaryKey|Enum)|(?<![\w.@])(?:\w{1,30}\.)?(?:Column|mapped_column|column|Property))\b"
    r"\s*+(?:\[[\w.]{1,40}\])?\s*+(?P<open>\()?"
)
_OF_OTHER_TABLE = re.compile(r"\b(?:JoinTable|CollectionTable|SecondaryTable|joinTable)\b")
_NAMES_IT = re.compile(r"(?:^|[\s,({])(?:name|Name|value|field|fieldName|columnName)\s*+[=:]\s*+$")
_SAYS_NAME = re.compile(r"(?:^|[\s,({])(?:name|field|fieldName|columnName)\s*+[=:]\s*+[\"'`](?P<name>\w{1,99})[\"'`]")
_CLOSED = re.compile(r"\([^()]{0,400}\)")
_FIRST_TEXT = re.compile(r"\s*+[\"'`](?P<name>\w{1,99})[\"'`]")
# A member by its own name, in the ways of these languages.
_MEMBERS = (
    r"^\s++(?:(?:public|private|protected|internal|readonly|declare|static|final|override|required|virtual|partial|pub|lateinit|open|var|val|let|@\w{1,40}(?:\([^()\n]{0,200}\))?|#\[[^\]\n]{0,200}\])\s++)*+"
    r"(?:[?\w.<>\[\],|\\]{1,80}\??\s++)?\$?(?:FORMS)\s*+(?:[?!]?:(?![:])|[;=]|\{\s*+get\b|$|,)"
)
_ABOVE_HEAD = re.compile(r"^\s*+(?:[@#\[*/)}\]\"']|\w{1,40}\s*+[=:]|$)")
_INNER_REMARK = re.compile(r"/\*[^*\n]{0,400}\*/")
_HASH_REMARK, _SLASH_REMARK = re.compile(r"(?:^|\s)#(?!\[)"), re.compile(r"(?:^|[^:])//|/\*|(?:^|\s)\*\s")
_MODEL_LINES, _HEAD_LINES, _DECORATION = 150, 12, 8
_LONG, _LONGEST = 400, 2_000  # characters of a line


@dataclass(frozen=True, slots=True)
class _Model:
    """The model around a line: the name of its class, and the table that it names."""

    name: str
    table: str
    text: str
    depth: int  # of the brackets that stay open between its head and the line


def likeness(one: SchemaBreak, place: SchemaPlace) -> Likeness | None:
    """Whether a line of a model maps the column; None if nothing in the line tells."""
    if one.name.lower() in place.text.lower() and _is_field(one, place):
        return "" if _says_other(one, place) else _of_model(one, place, "sure") or ""
    form = _form(one, place)
    return _of_model(one, place, form) if form else form


def _is_script(path: str) -> bool:
    return filetype(path).family == "web"


def _is_field(one: SchemaBreak, place: SchemaPlace) -> bool:
    """Whether a line is a field of a model by its own form."""
    return re.search(mappers.FIELD.replace("NAME", re.escape(one.name)), place.text[:_LONGEST]) is not None


def _form(one: SchemaBreak, place: SchemaPlace) -> Likeness | None:
    """How sure a line means a column of its model, whichever that is."""
    text, name = place.text[:_LONGEST], re.escape(one.name)
    if one.name.lower() in text.lower():
        if _is_script(place.path) and re.search(mappers.ATTRIBUTE.replace("NAME", name), text):
            return _of_attribute(place)
        if (of_call := _in_call(one, place)) is not None:
            return of_call
        if filetype(place.path).parser == "ruby" and re.search(mappers.MENTION.replace("NAME", name), text):
            own = re.search(rf"\bdef {name}\b|\battr_\w++[^\n]{{0,200}}:{name}\b", _code(place.whole, place.path))
            return "" if own else "hint"
        if filetype(place.path).parser == "php" and re.search(rf"[\"']{name}[\"']", text) and _in_list(place):
            return "hint"
    return _of_member(one, place)


def _says_other(one: SchemaBreak, place: SchemaPlace) -> bool:
    """Whether an attribute of that name is over another column."""
    text = _code(place.around(0, 1 if open_count(place.text[:_LONGEST]) > 0 else 0), place.path)
    other = re.search(
        r"(?:[Cc]olumn\(\s*+|\b(?:db_column|column_name)\s*+=\s*+)[\"'](\w{1,99})[\"']", text
    ) or re.search(r"@map\(\s*+\"(\w{1,99})\"", text)
    return other is not None and other[1] != one.name


def _of_attribute(place: SchemaPlace) -> Likeness | None:
    """How sure an attribute of a mapper of JavaScript is a column: its own object says its type, and no other column."""
    own = _code(place.around(0, 4).partition("}")[0] if "{" in place.text else place.text, place.path)
    above = "\n".join(place.lines[max(0, place.line - _MODEL_LINES) : place.line - 1])
    if not mappers.DEFINITION.search(above):
        return None
    if mappers.NO_COLUMN.search(own):
        return ""
    name = _SAYS_NAME.search(own)
    is_field = re.match(r"\s*+field\b", place.text) is not None
    return "" if name and not is_field and name["name"] not in place.text.partition(":")[0] else "sure"


def _in_call(one: SchemaBreak, place: SchemaPlace) -> Likeness | None:
    """How sure a text on a line is the column that a call, a decorator or an attribute names."""
    match = re.search(rf"[\"'`]{re.escape(one.name)}[\"'`]", place.text[:_LONGEST], re.IGNORECASE)
    if match is None:
        return None
    above = "\n".join(place.lines[max(0, place.line - 1 - _DECORATION) : place.line - 1])[-_LONGEST:]
    text = f"{above}\n{place.text[: match.start()]}"
    calls = [call for call in _COLUMN.finditer(text) if call["open"]]
    if not calls:
        return None
    inside = _CLOSED.sub("", text[calls[-1].end() :])
    if "(" in inside or ")" in inside:
        return None
    is_first = not inside.strip() and not _is_script(place.path)
    if not is_first and not _NAMES_IT.search(inside):
        return None
    return "hint" if _OF_OTHER_TABLE.search(text) else "sure"


def _in_list(place: SchemaPlace) -> bool:
    """Whether a line is part of a list of Laravel that says columns."""
    lines = place.lines[max(0, place.line - 1 - _DECORATION * 5) : place.line]
    for at in range(len(lines) - 1, -1, -1):
        if lines[at].rstrip().endswith(";") and at < len(lines) - 1:
            return False
        if mappers.COLUMN_LIST.search(lines[at][:_LONG]):
            return True
    return False


def _of_member(one: SchemaBreak, place: SchemaPlace) -> Likeness | None:
    """How sure a member of a class is a column by its own name: it is decorated as one, or its class is an entity."""
    if not filetype(place.path).parser or not _is_member(one, place.text[:_LONG]):
        return None
    above = _decoration(place)
    own_text = _code(f"{above}\n{place.text[:_LONGEST]}", place.path)
    if mappers.NO_COLUMN.search(own_text) or re.search(
        r"\bstatic\b|\breturn\b|[(]\s*+$", _code(place.text, place.path)
    ):
        return None
    exact = re.search(rf"(?<!\w){re.escape(one.name)}(?!\w)", place.text, re.IGNORECASE) is not None
    calls = [call for call in _COLUMN.finditer(own_text) if call[0].lstrip()[:1] in ("@", "#", "[")]
    if calls:
        arguments = own_text[calls[-1].end() :] if calls[-1]["open"] else ""
        arguments = before_close(arguments)
        first = None if _is_script(place.path) else _FIRST_TEXT.match(arguments)
        name = _SAYS_NAME.search(arguments) or first
        if name:
            return "" if name["name"].lower() != one.name.lower() else "sure"
        return "sure" if exact else "hint"
    model = _model_around(place)
    is_inner = model is not None and model.depth > 1 and filetype(place.path).parser != "python"
    if model is None or is_inner or _is_script(place.path) or not mappers.ENTITY.search(model.text):
        return None
    return "sure" if exact and model.table else "hint"


def _code(text: str, path: str) -> str:
    """A text without its remarks, which say nothing of a column; Doctrine reads some of them."""
    lines = [line for line in text.split("\n") if not is_remark(line, path)]
    if filetype(path).parser == "php":
        return "\n".join(lines)
    remark = _HASH_REMARK if filetype(path).hash_comments else _SLASH_REMARK
    return "\n".join(remark.split(_INNER_REMARK.sub("", line), maxsplit=1)[0] for line in lines)


def _is_member(one: SchemaBreak, text: str) -> bool:
    forms = "|".join(re.escape(form) for form in sorted(spellings(one.name), key=len, reverse=True))
    return re.search(_MEMBERS.replace("FORMS", forms), _INNER_REMARK.sub("", text)) is not None


def _decoration(place: SchemaPlace) -> str:
    """The lines above a member that belong to it: none behind another member's end."""
    rows: list[str] = []
    for line in reversed(place.lines[max(0, place.line - 1 - _DECORATION) : place.line - 1]):
        code = line.strip()
        if not code or code.endswith((";", "}")) or mappers.HEAD.search(line[:_LONG]):
            break
        if code.endswith(",") and "@" not in code and ":" not in code and "=" not in code:
            break
        rows.append(line[:_LONG])
    return "\n".join(reversed(rows))


def _of_model(one: SchemaBreak, place: SchemaPlace, form: Likeness) -> Likeness | None:
    """Whether the model around a line is the table's: by the table that it names, or by its own name; None if it may be.

    One that is called after the table and more (`orderRow`) may be, in a file that says the table as a text.
    """
    model = _model_around(place)
    if model is None:
        return None
    owners = {form.lower() for form in owners_of(one)} | {one.owner}
    if one.model and model.name == one.model:
        return form
    if model.table:
        return form if model.table in owners else ""
    if model.name in owners:
        return form
    is_beside = bool(one.owner) and re.search(rf"[\"'`]{re.escape(one.owner)}[\"'`]", place.whole)
    return "hint" if is_beside and model.name.startswith(tuple(owners - {""})) else None


def owners_of(one: SchemaBreak) -> frozenset[str]:
    """The names of the table and of the class of its rows."""
    return forms_of_table(one.owner) | forms_of_table(one.model or one.owner)


def _model_around(place: SchemaPlace) -> _Model | None:
    """The model that a line is a part of: its name and its table in small letters."""
    own_indent = _indent(place.text)
    for at in range(place.line - 1, max(-1, place.line - _MODEL_LINES), -1):
        match = mappers.HEAD.search(place.lines[at][:_LONG]) if at < len(place.lines) else None
        if match is None or (match["core"] and not _is_core(place, at, match)):
            continue
        indent = _indent(place.lines[at])
        if match["model"] and at < place.line - 1 and indent and indent >= own_indent:
            continue  # a class beside the line
        name, table = mappers.names_of(match)
        last = min(len(place.lines), at + _MODEL_LINES)
        rest = range(at + 1, last)
        heads = (n for n in rest if mappers.HEAD.search(place.lines[n][:_LONG]) and _indent(place.lines[n]) <= indent)
        text = "\n".join([*_annotations(place, at), *place.lines[at : next(heads, last)]])[:20_000]
        text = _code(text, place.path)
        if not table and (own := mappers.TABLE_NAME.search(text)):
            table = own["name"]
        between = "\n".join(place.lines[at : place.line - 1])
        return _Model(name.lower(), table.lower(), text, open_count(between))
    return None


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _is_core(place: SchemaPlace, at: int, match: re.Match[str]) -> bool:
    """Whether a call of SQLAlchemy that defines a table is still open at a line."""
    text = "\n".join(place.lines[at : place.line - 1])[match.end("core") : 20_000]
    return at == place.line - 1 or open_count(text) > 0


def _annotations(place: SchemaPlace, head: int) -> list[str]:
    """The lines above the head of a class that belong to it."""
    rows: list[str] = []
    for line in reversed(place.lines[max(0, head - _HEAD_LINES) : head]):
        if not line.strip() or not _ABOVE_HEAD.search(line) or line.rstrip().endswith(";"):
            break
        rows.append(line[:_LONG])
    return rows[::-1]
