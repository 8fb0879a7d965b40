"""Check SQL: what a migration's statements, or the difference of two dumps, remove from users of a database.

These few statements are alike in all dialects, so words are matched instead of parsing a grammar. Statements
of unknown dialects are skipped, and the time is linear in the size of a file.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from deeprepo.impact.schemas import breaks, migrations, routines, sql_uses
from deeprepo.impact.schemas.breaks import Severity
from deeprepo.impact.schemas.migrations import MigrationStep
from deeprepo.impact.structs import replace
from deeprepo.impact.text.brackets import before_close

NAME = "sql"
_FILE = re.compile(r"\.(?:sql|ddl|psql)$", re.IGNORECASE)
# Files and folders that revert a migration, and tools' marks after which a file does.
_BACKWARD = re.compile(
    r"(?:^|[/._-])(?:down|rollback|undo|revert)\.\w{1,20}$|(?:^|/)(?:down|rollback|revert)/[^/]++$|(?:^|/)U[\d._]++__[^/]++$",
    re.IGNORECASE,
)
_MARK = re.compile(
    r"^[ \t]*+(?:--|#)[ \t]*+(?:\+?(?:goose|micrate|migrate)[ \t:]++|--- !|!)?"
    r"(?:(?P<down>Downs?(?: Migration)?|//[ \t]*+@UNDO)|Ups?(?: Migration)?)\b[^\n]{0,60}$",
    re.IGNORECASE | re.MULTILINE,
)
# Comments, strings, bodies between dollar signs, and data lines, which contain no statements.
_ASIDE = re.compile(
    r"--[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/)?|^[ \t]*+#[^\n]*+|'(?:[^']|'')*+'?|\$(?P<tag>\w{0,40})\$"
    r"|(?<=;)(?<=stdin;)[^\n]*+\n(?:(?!\\\.)[^\n]*+(?:\n|$))*+(?:\\\.[^\n]*+)?",
    re.MULTILINE | re.IGNORECASE,
)
MOST_STATEMENTS = 50_000
_ID = r"(?:(?!(?:IF|EXISTS)\b)[A-Za-z_#@][\w$#@]*+|\"[^\"\n]{1,200}\"|`[^`\n]{1,200}`|\[[A-Za-z_][^\]\n]{0,200}\])"
_NAME = rf"(?:(?:IF|NOT|EXISTS|ONLY|COLUMN)\s++)*+(?:{_ID}\s*+\.\s*+)*({_ID})"
_TABLE = r"(?:\w++\s++){0,4}?(?:TABLES?|VIEW)\s++"
_STATEMENT = re.compile(rf"\s*+(?P<verb>ALTER|DROP|CREATE|RENAME)\s++{_TABLE}", re.IGNORECASE)
_FIRST_NAME = re.compile(rf"\s*+{_NAME}", re.IGNORECASE)
_RENAME = re.compile(rf"\s*+{_NAME}\s++TO\s++{_NAME}", re.IGNORECASE)
# An action of ALTER TABLE: a verb and a name. The name is a column if it follows COLUMN or is no keyword.
_ACTION = re.compile(
    rf"\s*+(?P<verb>DROP|RENAME|CHANGE|ADD)\s++(?P<column>COLUMN\s++)?{_NAME}(?:\s++(?:TO\s++)?{_NAME})?", re.IGNORECASE
)
_RENAME_TABLE = re.compile(rf"\s*+RENAME\s++TO\s++{_NAME}", re.IGNORECASE)
_NOT_COLUMNS = frozenset({
    "CONSTRAINT", "INDEX", "KEY", "PRIMARY", "FOREIGN", "CHECK", "PARTITION", "DEFAULT", "UNIQUE", "FULLTEXT", "SPATIAL", "EXCLUDE", "NOT",
    "EXPRESSION", "IDENTITY", "PERIOD", "SYSTEM", "LIKE", "TRIGGER", "OWNER", "TABLESPACE", "TO",
})  # fmt: skip
_REQUIRED = re.compile(r"\bNOT\s++NULL\b", re.IGNORECASE)
_FILLS = re.compile(
    r"\b(?:DEFAULT|GENERATED|AUTO_?INCREMENT|(?:BIG|SMALL)?SERIAL|IDENTITY|AS|NEXTVAL|ROWVERSION)\b", re.IGNORECASE
)


def wants(path: str) -> bool:
    """Return whether it contains SQL, or is a migration in code."""
    return breaks.is_product(path) and (bool(_FILE.search(path)) or migrations.is_migration(path))


def is_schema(document: breaks.Document) -> bool:
    """Return whether a file may be a schema; one without tables has no breaks."""
    return wants(document.path)


def is_backward(path: str) -> bool:
    """Return whether a file reverts a migration, by its name."""
    return bool(_BACKWARD.search(path))


def likeness(one: breaks.SchemaBreak, place: breaks.SchemaPlace) -> breaks.Likeness:
    """Return whether a line uses a column or a table, or calls a routine."""
    return routines.likeness(one, place) if one.kind == "parameter" else sql_uses.likeness(one, place)


def compare(sides: breaks.SchemaSides) -> list[breaks.SchemaBreak]:
    """Return what new statements remove, and what a dump no longer creates."""
    old = {document.home: document for document in sides.before if _FILE.search(document.path)}
    rows: list[MigrationStep] = []
    steps: list[MigrationStep] = []
    for document in [one for one in sides.after if not is_backward(one.path)]:
        if document.path in old:
            rows += _difference(old[document.path], document)
        does = _steps(forward(document.text), document.path) if _FILE.search(document.path) else _of_code(document)
        steps += [one for one in does if one.line in document.added_lines]
    rows += _lost_in_order(steps)
    found = list({(one.rule, one.owner, one.element): one for one in map(_break, reversed(rows))}.values())[::-1]
    pairs = [(old[now.path], now) for now in sides.after if now.path in old]
    return [*found, *(one for was, now in pairs for one in routines.compare(was, now))]


def _of_code(document: breaks.Document) -> list[MigrationStep]:
    """Return the steps of a migration in code: its calls, and statements in strings."""
    rows = [*migrations.call_steps(document)]
    for text, line in migrations.sql_texts(migrations.forward(document.text)):
        rows += [replace(one, line=one.line + line - 1) for one in _steps(text, document.path)]
    return sorted(rows, key=lambda one: one.line)


def forward(text: str) -> str:
    """Return a text with the reverting part after a tool's mark blanked out, without changing line numbers."""
    marks = [*_MARK.finditer(text)]
    for mark, behind in pairwise([*marks, None]):
        if mark is not None and mark["down"] and any(not one["down"] for one in marks):
            last = behind.start() if behind is not None else len(text)
            text = text[: mark.start()] + re.sub(r"[^\n]", " ", text[mark.start() : last]) + text[last:]
    return text


def _lost_in_order(steps: Sequence[MigrationStep]) -> list[MigrationStep]:
    """Return the steps that remove something, and those that require more.

    Something is removed if it existed before and is missing at the end.
    """
    lost: dict[tuple[str, str], MigrationStep] = {}
    new: set[tuple[str, str]] = set()
    required: list[MigrationStep] = []
    origins: dict[str, str] = {}  # current name of a table -> its first name
    for step in steps:
        table = origins.get(step.table, step.table)
        place = (table, step.column.lower())
        if step.does in ("create", "add", "require-column"):
            restored = (
                [(table, "")] + [(table, column.lower()) for column in step.columns]
                if step.does == "create"
                else [place]
            )
            came_back = [lost.pop(one, None) for one in restored]
            if step.does == "create":  # its former table goes on under another name, and may be dropped
                former = [name for name, first in origins.items() if first == table]
                new.update((name, "") for name in former)
                for name in former:
                    del origins[name]
            if not any(came_back):
                new.add(place)
            if step.does == "require-column" and (table, "") not in new:
                required.append(step)
            continue
        if place not in new and (table, "") not in new:
            lost.setdefault(place, replace(step, table=table))
        if step.does == "rename-column":
            lost.pop((table, step.new.lower()), None)
        elif step.does == "rename-table" and lost.pop((step.new.lower(), ""), None) is None:
            origins[step.new.lower()] = table
    return [*lost.values(), *required]


def _break(row: MigrationStep) -> breaks.SchemaBreak:
    table = row.table
    kind: breaks.Kind = "column" if row.column else "table"
    element = f"{table}.{row.column}" if row.column else table
    verb = row.does.partition("-")[0]
    rule, name = f"{kind}-{'renamed' if verb == 'rename' else 'dropped'}", row.column or table
    alone: Severity | None = None
    target_state = f"was renamed to {row.new}" if row.new else "was dropped"
    law = f"Statements that use a removed {kind} fail."
    if verb == "require":
        rule, name, alone = "column-required", "", "medium"
        target_state = "is NOT NULL without a default"
        law = "A database has no value for the rows that are there: the migration fails on a table that is not empty (MySQL fills in an empty value)."
    return breaks.SchemaBreak(
        rule, kind, element, target_state, law, row.path, row.line, row.side, name, table if row.column else "", alone, model=row.model,
    )  # fmt: skip


def _difference(old: breaks.Document, new: breaks.Document) -> list[MigrationStep]:
    """Return the tables and columns that a dump no longer creates."""
    before, after = _created(old), _created(new)
    rows: list[MigrationStep] = []
    for table, one in before.items():
        now = after.get(table)
        if now is None:
            rows.append(MigrationStep("drop-table", table, "", old.path, one.line, side="base"))
        elif now.columns:
            gone = [column for column in one.columns if column not in now.columns]
            rows += [
                MigrationStep("drop-column", table, column, old.path, _line_of(old.text, one.line, column), side="base")
                for column in gone
            ]
    return rows


def _line_of(text: str, first: int, column: str) -> int:
    """Return the line of a column in a table that is created on a line."""
    look = re.compile(rf"(?<!\w){re.escape(column)}(?!\w)", re.IGNORECASE)
    rows = enumerate(text.split("\n")[first - 1 :], first)
    return next((at for at, line in rows if look.search(line)), first)


def _created(document: breaks.Document) -> dict[str, MigrationStep]:
    """Return the tables that a dump creates. The first statement counts, unless the table is dropped later."""
    tables: dict[str, MigrationStep] = {}
    for step in _steps(forward(document.text), document.path):
        if step.does == "drop-table":
            tables.pop(step.table, None)
        elif step.does == "create":
            tables.setdefault(step.table, step)
    return tables


def _steps(text: str, path: str) -> Iterator[MigrationStep]:
    """Yield the steps of a text's statements, in order. Raises `UnreadableSchemaError`."""
    code, at, line = _code(text), 0, 1
    for number, statement in enumerate(code.split(";")):
        if number > MOST_STATEMENTS:
            raise breaks.UnreadableSchemaError(path, f"it has more than {MOST_STATEMENTS:,} statements")
        start = at + len(statement) - len(statement.lstrip())
        line, at = line + code.count("\n", at, start), start
        if head := _STATEMENT.match(statement.lstrip()):
            yield from _of_statement(head["verb"].upper(), statement.lstrip()[head.end() :], path, line, head[0])
        end = at + len(statement.lstrip()) + 1
        line, at = line + code.count("\n", at, end), end


def _code(text: str) -> str:
    """Return a text with everything but statements blanked out, without changing line numbers."""
    out, at = [], 0
    while match := _ASIDE.search(text, at):
        end = match.end()
        if match["tag"] is not None:
            close = text.find(match[0], end)
            end = close + len(match[0]) if close >= 0 else end
        out += [text[at : match.start()], re.sub(r"[^\n]", " ", text[match.start() : end])]
        at = end
    return "".join([*out, text[at:]])


def _of_statement(verb: str, rest: str, path: str, line: int, head: str) -> Iterator[MigrationStep]:
    """Yield the steps of a statement about a table. `rest`: the text after its first words."""
    first = _FIRST_NAME.match(rest)
    table = _plain(first[1]) if first else ""
    if verb == "ALTER" and first:
        line += head.count("\n")
        for part, above in _parts(rest[first.end() :]):
            at = line + rest.count("\n", 0, first.end()) + above
            yield from _of_action(part, table, path, at)
    elif verb == "DROP":
        names = [one for part, _ in _parts(rest) if (one := _FIRST_NAME.match(part))]
        yield from (MigrationStep("drop-table", _plain(one[1]), "", path, line) for one in names)
    elif verb == "RENAME":
        pairs = [one for part, _ in _parts(rest) if (one := _RENAME.match(part))]
        yield from (MigrationStep("rename-table", _plain(one[1]), "", path, line, _plain(one[2])) for one in pairs)
    elif table and first:
        inner = before_close(rest[first.end() :].partition("(")[2])
        found = [one[1] for part, _ in _parts(inner) if (one := _FIRST_NAME.match(part))]
        columns = tuple(_column(one) for one in found if one.upper() not in _NOT_COLUMNS)
        yield MigrationStep("create", table, "", path, line, columns=columns)


def _of_action(action: str, table: str, path: str, line: int) -> Iterator[MigrationStep]:
    """Yield the step of one action on a table."""
    if new := _RENAME_TABLE.match(action):
        yield MigrationStep("rename-table", table, "", path, line, _plain(new[1]))
        return
    match = _ACTION.match(action)
    if match is None or (not match["column"] and match[3].upper() in _NOT_COLUMNS):
        return
    verb, name, new_name = match["verb"].upper(), _column(match[3]), _column(match[4] or "")
    if verb == "DROP":
        yield MigrationStep("drop-column", table, name, path, line)
    elif verb == "ADD":
        is_required = _REQUIRED.search(action) and not _FILLS.search(action)
        yield MigrationStep("require-column" if is_required else "add", table, name, path, line)
    elif new_name not in ("", name):
        yield MigrationStep("rename-column", table, name, path, line, new_name)


def _parts(text: str) -> Iterator[tuple[str, int]]:
    """Yield the parts between commas outside brackets, each with the number of lines before its first word."""
    depth, start, above = 0, 0, 0
    for at, letter in enumerate(f"{text},"):
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth <= 0:
            part = text[start:at]
            yield part, above + part.count("\n", 0, len(part) - len(part.lstrip()))
            start, above = at + 1, above + part.count("\n")


def _column(name: str) -> str:
    """Return a column's name without quotes; an unquoted name is lowercased."""
    return name.strip('"`[]') if name[:1] in '"`[' else name.lower()


def _plain(name: str) -> str:
    """Return a name without quotes, in lower case."""
    return name.strip('"`[]').lower()
